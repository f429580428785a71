// Checks executors and chains against each other.
#ifndef TAKT_SCHEDULE__SRC__CHECK_SCHEDULE_HPP_
#define TAKT_SCHEDULE__SRC__CHECK_SCHEDULE_HPP_

#include "takt_schedule/reader/findings.hpp"
#include "takt_schedule/schedule.hpp"

namespace takt_schedule::detail
{

/// Faults: ids that two executors claim. Warnings: chain priorities that no executor uses.
void check_schedule(const Schedule & schedule, Findings & findings);

}  // namespace takt_schedule::detail

#endif  // TAKT_SCHEDULE__SRC__CHECK_SCHEDULE_HPP_
