// What the programs' command lines have in common.
#ifndef COMMAND_LINE_HPP_
#define COMMAND_LINE_HPP_

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "takt_core/time.hpp"

namespace takt_workload
{

inline constexpr int kBadInput = 2;  ///< exit code

/// An option that is a duration with a unit.
CLI::Option * add_duration(
  CLI::App & app, const std::string & name, takt_core::Duration & value, const std::string & help);

/// "0,2-3": throws CLI::ValidationError for anything else, or cores this process may not use.
std::vector<int> parse_cores(const std::string & text);

/// Parses; prints help, or one line "PROGRAM: what". The exit code if the program is to end.
std::optional<int> parse_or_explain(CLI::App & app, int argc, const char * const * argv);

}  // namespace takt_workload

#endif  // COMMAND_LINE_HPP_
