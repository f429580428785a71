// Warns of schedules that wake threads for callbacks which the publisher's thread could run.
//
// Set-up only: allocates, does not block.
#ifndef TAKT_SCHEDULE__SRC__SYSTEM__PUBLISHING_WARNINGS_HPP_
#define TAKT_SCHEDULE__SRC__SYSTEM__PUBLISHING_WARNINGS_HPP_

#include "takt_rt/fault.hpp"
#include "takt_schedule/schedule.hpp"
#include "takt_schedule/system.hpp"

namespace takt_schedule
{

/// "FILE:LINE:COL: ..." of the system model, for each callback that publishes last by the model,
/// whose rule does not say so, and which shares several threads with a callback of its messages.
/// Silent of callbacks in sequences, whose followers start by direct call, and of following pools.
takt_rt::Faults publishing_warnings(const System & system, const Schedule & schedule);

}  // namespace takt_schedule

#endif  // TAKT_SCHEDULE__SRC__SYSTEM__PUBLISHING_WARNINGS_HPP_
