// A schedule for a host under which no two callbacks may run at once.
#ifndef ADOPT__EXCLUSIVE_SCHEDULE_HPP_
#define ADOPT__EXCLUSIVE_SCHEDULE_HPP_

#include "takt_core/fault.hpp"
#include "takt_schedule/schedule.hpp"

namespace takt_rclcpp
{

/// Leaves `executor` one thread, its first default thread, for all callbacks; order and priorities stay. Adds
/// a sentence to `notes` if the schedule has more threads.
void keep_exclusive(takt_schedule::ExecutorSchedule & executor, takt_core::Faults & notes);

}  // namespace takt_rclcpp

#endif  // ADOPT__EXCLUSIVE_SCHEDULE_HPP_
