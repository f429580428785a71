// results.json: everything that a run of a graph gave, raw samples included. docs/graphs.md
// explains every field.
#ifndef TAKT_WORKLOAD__SRC__FIGURES__RESULTS_HPP_
#define TAKT_WORKLOAD__SRC__FIGURES__RESULTS_HPP_

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "figures/figures.hpp"
#include "figures/summary.hpp"
#include "run/host.hpp"
#include "run/run_options.hpp"

namespace takt_workload
{

inline constexpr int kResultsVersion = 1;
inline constexpr int kRecordsVersion = 1;

nlohmann::json results_json(
  const Graph & graph, const RunOptions & options, const Host & host,
  const std::vector<ProcessRecord> & processes, const Analysis & analysis);

/// The raw records of all runs, warm-up included, one line each, from which everything else is computed:
/// some 80 bytes for each run. docs/graphs.md explains the columns.
std::string records_json(const Graph & graph, const std::vector<ProcessRecord> & processes);

nlohmann::json to_json(const Summary & summary);

/// The executors that ran, each once, in the order of the processes.
std::vector<std::string> executors_of(const std::vector<ProcessRecord> & processes);

/// The tables for the terminal.
std::string results_table(
  const Graph & graph, const RunOptions & options, const Host & host,
  const std::vector<ProcessRecord> & processes, const Analysis & analysis);

/// What a reader of the figures must know: throttling, autogroup, missing rights, lost records.
std::vector<std::string> warnings_of(
  const RunOptions & options, const Host & host, const std::vector<ProcessRecord> & processes,
  const Analysis & analysis);

}  // namespace takt_workload

#endif  // TAKT_WORKLOAD__SRC__FIGURES__RESULTS_HPP_
