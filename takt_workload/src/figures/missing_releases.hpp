// Releases of timers for which no run began. Without them a starved timer would look as if it had
// never been due.
//
// A timer that starts late drops the periods that have passed, and the record of its run has their
// number. A timer that still waits for a thread when the run ends has no such record; its
// TimerRecord has the time since which it waits. Set-up only; no clock.
#ifndef MISSING_RELEASES_HPP_
#define MISSING_RELEASES_HPP_

#include <vector>

#include "graph/callback_table.hpp"
#include "records/records.hpp"
#include "takt_trace/activation_account.hpp"

namespace takt_workload
{

/// One entry for each callback of the table, for the measured time; empty for callbacks other than
/// timers. `timers`: of all processes without an error. The measured time is [`from`, `to`). The
/// executors ran until `observed_to`.
std::vector<takt_trace::UnstartedReleases> missing_releases(
  const CallbackTable & table, const std::vector<RunRecord> & runs,
  const std::vector<TimerRecord> & timers, takt_rt::Time from, takt_rt::Time to,
  takt_rt::Time observed_to);

}  // namespace takt_workload

#endif  // MISSING_RELEASES_HPP_
