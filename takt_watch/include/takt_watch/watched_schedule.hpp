// An executor with what its schedule says about watching it.
#ifndef TAKT_WATCH__WATCHED_SCHEDULE_HPP_
#define TAKT_WATCH__WATCHED_SCHEDULE_HPP_

#include <string>

#include "takt_core/executor.hpp"
#include "takt_schedule/schedule.hpp"
#include "takt_watch/watch.hpp"

namespace takt_watch
{

/// What `schedule` says of the executor of that name; without rules if it has none of that name. Copies what it needs of
/// the schedule. Set-up only.
WatchRules watch_rules(const takt_schedule::Schedule & schedule, const std::string & executor_name);

/// `executor` with these; it outlives the watching. Set-up only.
WatchedExecutor watched(
  const takt_schedule::Schedule & schedule, const std::string & executor_name,
  takt_core::Executor & executor);

}  // namespace takt_watch

#endif  // TAKT_WATCH__WATCHED_SCHEDULE_HPP_
