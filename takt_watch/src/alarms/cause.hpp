// Finds the reason why messages of a callback pile up or why deadlines are missed: the publisher
// became faster; the callback's own runs last longer than before, or longer than there is time; or
// the callback got too little processor time.
#ifndef TAKT_WATCH__SRC__CAUSE_HPP_
#define TAKT_WATCH__SRC__CAUSE_HPP_

#include <optional>
#include <vector>

#include "alarms/alarm.hpp"
#include "alarms/own_runs.hpp"
#include "alarms/rates.hpp"
#include "kernel/core_users.hpp"
#include "sample.hpp"

namespace takt_watch
{

/// Between two looks: the time in which the callback's threads had a core, and the time in which
/// they waited for one. Ignores threads without known times.
CoreTime core_time(
  const CallbackSample & callback, const ExecutorSample & before, const ExecutorSample & now);

/// One executor and its whole process at the last two looks.
struct TwoLooks
{
  const ExecutorSample & before;
  const ExecutorSample & now;
  const Sample & all_before;
  const Sample & all_now;
  takt_rt::Duration window{};  ///< the time between the two looks
  takt_rt::Time time{};        ///< the time of `now`
  /// Returns the threads that used the cores; null or empty: unknown. Called only if a thread of
  /// the callback waited for a core.
  const AskCores * cores = nullptr;
};

/// The cause if messages wait too long, are too many, or are lost.
///
/// The publisher is the cause if messages come at 1.25 times their usual rate. The callback is the
/// cause if its runs became longer by a larger factor (see longer_runs). The callback is also the
/// cause if neither changed and its demand is above 0.95. Demand is the arrival rate times the time
/// of a run, divided by the number of runs that may go on at once. Otherwise other users of the
/// processor are the cause. These are: callbacks of the same threads or group; callbacks and
/// threads of the process on the same cores; other processes and kernel threads that ran there.
/// Each of the last counts at most for the time in which the callback's threads waited. The
/// unexplained rest is listed as other threads of the core.
Cause find_cause(const Suspect & suspect, const TwoLooks & looks);

/// The cause of missed deadlines; absent: unknown. The publisher is a cause only while messages
/// wait. Other users of the processor are a cause only if they had a tenth of a core. If the
/// activation is `overdue` and no message of the callback waits, a message may be lost on its way.
/// In this case other users are a cause only if they had half of a core.
std::optional<Cause> cause_of_misses(const Suspect & suspect, const TwoLooks & looks, bool overdue);

/// The cause for a chain of these callbacks. It is the cause of one callback: the one whose runs
/// became longest; else one with a faster publisher or too long runs; else the one with most
/// waiting messages.
std::optional<Cause> cause_of_misses(
  const std::vector<Suspect> & path, const TwoLooks & looks, bool overdue);

}  // namespace takt_watch

#endif  // TAKT_WATCH__SRC__CAUSE_HPP_
