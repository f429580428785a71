// Finds a chain's watch rule and the actions of an alarm.
//
// Set-up only: does not block, does not allocate. The results live as long as the schedule or the
// rules.
#ifndef TAKT_SCHEDULE__SRC__WATCH__ALARM_ACTIONS_HPP_
#define TAKT_SCHEDULE__SRC__WATCH__ALARM_ACTIONS_HPP_

#include <string_view>
#include <vector>

#include "takt_schedule/schedule.hpp"

namespace takt_schedule
{

/// The watch rule of the chain; nullptr: the schedule has no chain of that name.
const ChainWatchRule * find_chain_watch(const Schedule & schedule, std::string_view chain);

/// The actions of an alarm: those of the callback's rule; without any, those of its chain; without
/// any, those of `watch`. `rule`: nullptr for an alarm of a chain. `chain`: nullptr for a callback
/// without one.
const std::vector<AlarmAction> & alarm_actions(
  const WatchSettings & settings, const WatchRule * rule, const ChainWatchRule * chain);

/// The actions of a chain that missed more deadlines than its `misses` allows: `fail_safe`, else
/// those of its other alarms.
const std::vector<AlarmAction> & miss_actions(
  const WatchSettings & settings, const ChainWatchRule & chain);

}  // namespace takt_schedule

#endif  // TAKT_SCHEDULE__SRC__WATCH__ALARM_ACTIONS_HPP_
