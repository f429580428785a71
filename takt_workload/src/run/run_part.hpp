// Runs the nodes of one part of a graph in this process, and records it.
#ifndef TAKT_WORKLOAD__SRC__RUN__RUN_PART_HPP_
#define TAKT_WORKLOAD__SRC__RUN__RUN_PART_HPP_

#include <functional>
#include <vector>

#include "graph/graph.hpp"
#include "records/records.hpp"
#include "run/run_options.hpp"

namespace takt_workload
{

struct PartStart
{
  takt_rt::Time epoch{};  ///< of the whole run: warm-up and measured time count from it
  takt_rt::Time begin{};  ///< of the part's timers; after the epoch if the part started again
};

/// Functions that the run calls on the calling thread.
struct PartHooks
{
  /// All endpoints are matched: sets the beginning of the timers, of this part and of the first
  /// start. False: give up.
  std::function<bool(PartStart & start)> barrier;
  /// Called about five times a second with the time since the epoch.
  std::function<void(takt_rt::Duration elapsed)> progress;
};

/// `graph` must be prepared. SIGINT or SIGTERM ends the run early, with the results so far
/// (held_signals.hpp). Failures (schedule, rights, matching, exceptions) are in the record's
/// `error`. May block.
ProcessRecord run_part(
  const Graph & graph, const RunOptions & options, std::uint32_t part,
  const std::vector<int> & parts, const PartHooks & hooks);

}  // namespace takt_workload

#endif  // TAKT_WORKLOAD__SRC__RUN__RUN_PART_HPP_
