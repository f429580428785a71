// The command line of takt_run.
#ifndef RUN_ARGUMENTS_HPP_
#define RUN_ARGUMENTS_HPP_

#include <CLI/CLI.hpp>
#include <string>

#include "run/run_options.hpp"

namespace takt_workload
{

struct RunArguments
{
  RunOptions run;
  std::string graph;
  std::string output;
  std::string records;
  bool quiet = false;
  bool json_progress = false;
  // Only the parent of a split run gives these.
  int part = -1;
  int channel = -1;
  std::string record;
};

/// Adds the options to `app`, which then fills `arguments`. `arguments` must outlive the parsing.
void add_run_options(CLI::App & app, RunArguments & arguments);

}  // namespace takt_workload

#endif  // RUN_ARGUMENTS_HPP_
