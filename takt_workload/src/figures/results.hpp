// results.json: all results of a run of a graph, with raw samples. docs/graphs.md explains each
// field.
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

/// The raw records of all runs, including the warm-up, one line each. All figures are computed from
/// them. About 80 bytes for each run. docs/graphs.md explains the columns.
std::string records_json(const Graph & graph, const std::vector<ProcessRecord> & processes);

nlohmann::json to_json(const Summary & summary);

/// The names of the executors, each once, in the order of the processes.
std::vector<std::string> executors_of(const std::vector<ProcessRecord> & processes);

/// The tables for a terminal.
std::string results_table(
  const Graph & graph, const RunOptions & options, const Host & host,
  const std::vector<ProcessRecord> & processes, const Analysis & analysis);

/// Warnings for readers of the figures: throttling, autogroup, missing rights, lost records.
std::vector<std::string> warnings_of(
  const RunOptions & options, const Host & host, const std::vector<ProcessRecord> & processes,
  const Analysis & analysis);

}  // namespace takt_workload

#endif  // TAKT_WORKLOAD__SRC__FIGURES__RESULTS_HPP_
