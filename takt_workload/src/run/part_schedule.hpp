// Chooses the executor of a schedule for each part of a graph, and checks that the schedule fits
// all parts.
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

/// A single executor serves all parts. Of several, a part gets the one whose rules name most of its
/// callbacks in full. If no rule names any, it gets the executor at its own position.
std::string executor_of_part(
  const takt_schedule::Schedule & schedule, const Graph & graph, const RunOptions & options,
  std::uint32_t part);

/// True if other parts run under the same executor's schedule: a part alone then cannot know that a
/// rule has no match.
bool shares_executor(
  const takt_schedule::Schedule & schedule, const Graph & graph, const RunOptions & options,
  std::uint32_t part);

/// The faults that `takt check` finds in the schedule for the callbacks of all parts. Call before
/// any part is started, because each part knows only its own callbacks.
takt_rt::Faults misfits(
  const takt_schedule::Schedule & schedule, const Graph & graph, const RunOptions & options);

/// The graph with the offsets that the schedule's rules give its timers; the run uses them. If the
/// schedule does not fit, the graph is unchanged.
Graph with_offsets_of(
  const takt_schedule::Schedule & schedule, Graph graph, const RunOptions & options);

}  // namespace takt_workload

#endif  // PART_SCHEDULE_HPP_
