// Stalls that show in the records of runs, and the time that runs needed to catch up with a stall.
// Set-up only.
#ifndef TAKT_WORKLOAD__SRC__FIGURES__RUN_STALLS_HPP_
#define TAKT_WORKLOAD__SRC__FIGURES__RUN_STALLS_HPP_

#include <vector>

#include "records/records.hpp"
#include "takt_trace/stall_index.hpp"

namespace takt_workload
{

using takt_trace::held_up;
using takt_trace::HeldUp;
using takt_trace::StallIndex;
using takt_trace::TimeSpan;

/// The spans in which runs that a stall delayed are worked off. Each span begins at the end of a
/// stall. It ends when no run is waiting or under way on any core, and no run has ended, and so may
/// have sent a message, within the last millisecond. No span is longer than ten times its stall, or
/// than 50 ms if that is more. A run that is released in such a span may wait for the delayed runs;
/// no bound covers that wait.
std::vector<TimeSpan> catching_up(
  const std::vector<Stall> & stalls, const std::vector<RunRecord> & runs);

/// Times at which the CPU time of a run in `runs` exceeded the work that it was asked for: the host
/// caused this.
std::vector<Stall> overruns(const std::vector<RunRecord> & runs);

}  // namespace takt_workload

#endif  // TAKT_WORKLOAD__SRC__FIGURES__RUN_STALLS_HPP_
