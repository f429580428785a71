// Runs a whole graph in one or several processes, with witness and reference timer.
#ifndef TAKT_WORKLOAD__SRC__RUN__RUN_GRAPH_HPP_
#define TAKT_WORKLOAD__SRC__RUN__RUN_GRAPH_HPP_

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "graph/graph.hpp"
#include "records/records.hpp"
#include "run/run_options.hpp"

namespace takt_workload
{

using Progress = std::function<void(takt_rt::Duration elapsed)>;

/// Returns one record for each process. The first one has the witness and the reference timer.
/// Records with an `error` come last; if a part of a split run fails, the other records end at that
/// time. `graph` must be prepared. Call hold_signals first; otherwise a signal ends the program at
/// once. `arguments`: of this program, to start it again for the parts. Signals are sent only to
/// these children.
std::vector<ProcessRecord> run_graph(
  const Graph & graph, const RunOptions & options, const std::vector<std::string> & arguments,
  const Progress & progress);

/// The work of a part that `run_graph` started. Returns the exit code.
int run_as_part(
  const Graph & graph, const RunOptions & options, std::uint32_t part, int channel,
  const std::string & record_file);

}  // namespace takt_workload

#endif  // TAKT_WORKLOAD__SRC__RUN__RUN_GRAPH_HPP_
