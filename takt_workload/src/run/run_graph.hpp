// Runs a whole graph, in one process or split over several, with witness and reference timer.
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

/// One record per process; witness and reference timer are the first one's. Records with an `error`
/// stand last; of a split run the others then have what they recorded until that part failed. `graph`
/// must be prepared. Call hold_signals first, or a signal ends the program at once. `arguments`: this
/// program's own, with which the parts of a split run are started again. Only children started here
/// are ever signalled.
std::vector<ProcessRecord> run_graph(
  const Graph & graph, const RunOptions & options, const std::vector<std::string> & arguments,
  const Progress & progress);

/// The other side: what a part does that was started by `run_graph`. Returns the exit code.
int run_as_part(
  const Graph & graph, const RunOptions & options, std::uint32_t part, int channel,
  const std::string & record_file);

}  // namespace takt_workload

#endif  // TAKT_WORKLOAD__SRC__RUN__RUN_GRAPH_HPP_
