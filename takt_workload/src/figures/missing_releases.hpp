// Releases of timers that no run ever began: without them a starved timer would look as if it had
// never been due.
//
// A timer that starts late drops the periods that passed meanwhile, and its run's record says how many.
// A timer that still waits for a thread when the run ends has no record of that wait: its TimerRecord
// says since when it waits. Set-up only; no clock.
#ifndef MISSING_RELEASES_HPP_
#define MISSING_RELEASES_HPP_

#include <vector>

#include "graph/callback_table.hpp"
#include "records/records.hpp"
#include "takt_trace/activation_account.hpp"

namespace takt_workload
{

/// One per callback of the table, of the measured time; empty for what is not a timer. `timers`: of all processes that did
/// not fail. The measured time is [`from`, `to`); until `observed_to` the executors ran on.
std::vector<takt_trace::UnstartedReleases> missing_releases(
  const CallbackTable & table, const std::vector<RunRecord> & runs,
  const std::vector<TimerRecord> & timers, takt_rt::Time from, takt_rt::Time to,
  takt_rt::Time observed_to);

}  // namespace takt_workload

#endif  // MISSING_RELEASES_HPP_
