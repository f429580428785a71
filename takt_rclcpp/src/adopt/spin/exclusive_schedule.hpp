// A schedule for a host under which no two callbacks may run at once.
#ifndef ADOPT__SPIN__EXCLUSIVE_SCHEDULE_HPP_
#define ADOPT__SPIN__EXCLUSIVE_SCHEDULE_HPP_

#include <string>
#include <vector>

#include "takt_rt/fault.hpp"
#include "takt_schedule/schedule.hpp"

namespace takt_rclcpp
{

/// The callbacks of a host, by their ids, and the nodes of which it will have those to come.
struct HostContent
{
  std::vector<std::string> callbacks;
  std::vector<std::string> nodes;
};

/// Faults where rules of `executor` for this content name several threads, which `keep_exclusive` would not keep. For
/// users who insist on the schedule (--strict).
takt_rt::Faults must_keep_rules(
  const takt_schedule::ExecutorSchedule & executor, const HostContent & content);

/// Leaves `executor` one thread for all callbacks; order and priorities stay. It is the one that the rules for what the
/// host has name, if that is one, and else the first default thread. Adds a sentence to `notes` if the schedule has
/// more threads. `timers_apart`: behind it a second one, like the first, for timers.
void keep_exclusive(
  takt_schedule::ExecutorSchedule & executor, const HostContent & content, bool timers_apart,
  takt_rt::Faults & notes);

}  // namespace takt_rclcpp

#endif  // ADOPT__SPIN__EXCLUSIVE_SCHEDULE_HPP_
