// Warns of callbacks that wait within a run for others (CallbackModel::waits_for) under a schedule.
//
// Set-up only: allocates, does not block.
#ifndef TAKT_SCHEDULE__WAIT_WARNINGS_HPP_
#define TAKT_SCHEDULE__WAIT_WARNINGS_HPP_

#include "takt_rt/fault.hpp"
#include "takt_schedule/schedule.hpp"
#include "takt_schedule/system.hpp"

namespace takt_schedule
{

/// "FILE:LINE:COL: ..." of the system model, for each callback whose threads may all be held by
/// callbacks that wait for it: on one thread the wait never ends; too small a pool stops now and
/// then.
takt_rt::Faults wait_warnings(const System & system, const Schedule & schedule);

}  // namespace takt_schedule

#endif  // TAKT_SCHEDULE__WAIT_WARNINGS_HPP_
