// Checks watch rules against other entries.
#ifndef TAKT_SCHEDULE__SRC__CHECK_WATCH_HPP_
#define TAKT_SCHEDULE__SRC__CHECK_WATCH_HPP_

#include <vector>

#include "takt_schedule/reader/findings.hpp"
#include "takt_schedule/schedule.hpp"

namespace takt_schedule::detail
{

/// The action of that kind in the rule's `on_alarm`; nullptr: it has none.
const AlarmAction * find_action(const WatchRule & watch, AlarmAction::Kind kind);

/// Whether the chain has a priority, or gets one by an action.
bool gives_priority(const ChainSchedule & chain);

/// Warns of rules with `misses` whose callbacks have no deadline, neither from the rule nor from a
/// chain.
void warn_misses(const Schedule & schedule, Findings & findings);

}  // namespace takt_schedule::detail

#endif  // TAKT_SCHEDULE__SRC__CHECK_WATCH_HPP_
