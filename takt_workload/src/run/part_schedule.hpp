// Which executor of a schedule runs which part of a graph, and whether the schedule fits all parts.
#ifndef PART_SCHEDULE_HPP_
#define PART_SCHEDULE_HPP_

#include <cstdint>
#include <string>

#include "graph/graph.hpp"
#include "run/run_options.hpp"
#include "takt_rt/result.hpp"
#include "takt_schedule/schedule.hpp"

namespace takt_workload
{

/// One executor serves all parts. Of several a part has the one whose rules name most of its callbacks in full; where none
/// names any, the one at its own position.
std::string executor_of_part(
  const takt_schedule::Schedule & schedule, const Graph & graph, const RunOptions & options,
  std::uint32_t part);

/// True if other parts run under the same executor's schedule: then this part alone cannot tell
/// whether a rule matches nothing.
bool shares_executor(
  const takt_schedule::Schedule & schedule, const Graph & graph, const RunOptions & options,
  std::uint32_t part);

/// What `takt check` says of the schedule for the callbacks of all parts: faults only. Before any
/// part is started, because each knows only its own callbacks.
takt_rt::Faults misfits(
  const takt_schedule::Schedule & schedule, const Graph & graph, const RunOptions & options);

/// The graph with the offsets of timers that rules of the schedule give: those are run. Where it does not
/// fit, as it is.
Graph with_offsets_of(
  const takt_schedule::Schedule & schedule, Graph graph, const RunOptions & options);

}  // namespace takt_workload

#endif  // PART_SCHEDULE_HPP_
