// Fits a schedule to a host that runs one callback at a time.
#ifndef ADOPT__SPIN__EXCLUSIVE_SCHEDULE_HPP_
#define ADOPT__SPIN__EXCLUSIVE_SCHEDULE_HPP_

#include <string>
#include <vector>

#include "takt_rt/fault.hpp"
#include "takt_schedule/schedule.hpp"

namespace takt_rclcpp
{

/// The ids of a host's callbacks, and the nodes whose later callbacks it will also have.
struct HostContent
{
  std::vector<std::string> callbacks;
  std::vector<std::string> nodes;
};

/// Faults if rules of `executor` for this content name several threads, because `keep_exclusive`
/// would break these rules. For users who require the schedule (--strict).
takt_rt::Faults must_keep_rules(
  const takt_schedule::ExecutorSchedule & executor, const HostContent & content);

/// Reduces `executor` to one thread for all callbacks; order and priorities stay. If the rules for
/// the host's callbacks name only one thread, that thread stays; else the first default thread. If
/// the schedule has more threads, adds a sentence to `notes`. `timers_apart`: adds a second thread
/// with the same attributes for timers.
void keep_exclusive(
  takt_schedule::ExecutorSchedule & executor, const HostContent & content, bool timers_apart,
  takt_rt::Faults & notes);

}  // namespace takt_rclcpp

#endif  // ADOPT__SPIN__EXCLUSIVE_SCHEDULE_HPP_
