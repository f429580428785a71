// Reads the rules by which a schedule watches an executor.
#ifndef TAKT_WATCH__WATCHED_SCHEDULE_HPP_
#define TAKT_WATCH__WATCHED_SCHEDULE_HPP_

#include <string>

#include "takt_core/executor.hpp"
#include "takt_schedule/schedule.hpp"
#include "takt_watch/watch.hpp"

namespace takt_watch
{

/// The rules of `schedule` for the executor of this name; no rules if the schedule does not name
/// it. The result does not refer to `schedule`. Set-up only; any thread.
WatchRules watch_rules(const takt_schedule::Schedule & schedule, const std::string & executor_name);

/// `executor` with the rules of `schedule`. `executor` must outlive the watching. Set-up only; any
/// thread.
WatchedExecutor watched(
  const takt_schedule::Schedule & schedule, const std::string & executor_name,
  takt_core::Executor & executor);

}  // namespace takt_watch

#endif  // TAKT_WATCH__WATCHED_SCHEDULE_HPP_
