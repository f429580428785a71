// Reads lists of alarm actions: `on_alarm` and `fail_safe`.
#ifndef TAKT_SCHEDULE__SRC__READ_ACTIONS_HPP_
#define TAKT_SCHEDULE__SRC__READ_ACTIONS_HPP_

#include <string_view>
#include <vector>

#include "takt_schedule/reader/map_reader.hpp"
#include "takt_schedule/schedule.hpp"
#include "watch/known_threads.hpp"

namespace takt_schedule::detail
{

/// The alarms that a list of actions is for.
struct AlarmsOf
{
  const KnownThreads & threads;
  const ExecutorSchedule * executor = nullptr;  ///< of a callback rule
  bool chain = false;                           ///< of a chain
  bool may_be_empty = false;
};

/// the alarm belongs to a chain
std::vector<AlarmAction> read_actions(
  MapReader & map, Findings & findings, std::string_view key, const AlarmsOf & alarms);

}  // namespace takt_schedule::detail

#endif  // TAKT_SCHEDULE__SRC__READ_ACTIONS_HPP_
