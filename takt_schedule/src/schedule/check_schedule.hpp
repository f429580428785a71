// What only shows between executors and chains.
#ifndef TAKT_SCHEDULE__SRC__CHECK_SCHEDULE_HPP_
#define TAKT_SCHEDULE__SRC__CHECK_SCHEDULE_HPP_

#include "takt_schedule/reader/findings.hpp"
#include "takt_schedule/schedule.hpp"

namespace takt_schedule::detail
{

/// Faults: ids that two executors claim. Warnings: chain priorities that no executor heeds.
void check_schedule(const Schedule & schedule, Findings & findings);

}  // namespace takt_schedule::detail

#endif  // TAKT_SCHEDULE__SRC__CHECK_SCHEDULE_HPP_
