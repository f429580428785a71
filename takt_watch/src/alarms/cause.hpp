// Why messages of a callback pile up or deadlines are missed: its publisher became faster, its own runs take longer than
// before or than there is time, or it got too little processor time.
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

/// Of the callback's threads between two looks, where the kernel tells.
CoreTime core_time(
  const CallbackSample & callback, const ExecutorSample & before, const ExecutorSample & now);

/// An executor at the last two looks, and all of its process.
struct TwoLooks
{
  const ExecutorSample & before;
  const ExecutorSample & now;
  const Sample & all_before;
  const Sample & all_now;
  takt_rt::Duration window{};  ///< between them
  takt_rt::Time time{};        ///< of `now`
  /// Who else had the cores; null or empty: not known. Asked only if a thread of the callback waited for a core.
  const AskCores * cores = nullptr;
};

/// Of messages that wait too long, are too many, or are lost.
///
/// The publisher is the cause if messages come at 1.25 times their usual rate. The callback is the cause if its runs
/// became longer by more than that (see longer_runs), or if nothing became faster or longer and its messages ask for more
/// time than there is: their rate times the time of a run, over the runs that may go on at once, is above 0.95. Otherwise
/// somebody else had the processor: callbacks of its threads or its group, callbacks and threads of the process that have a
/// core in common with these, other processes and threads of the kernel that ran there (each for as long as the callback's
/// threads waited, at most), and what is left, as other threads of the core.
Cause find_cause(const Suspect & suspect, const TwoLooks & looks);

/// Of missed deadlines; absent: not known. The publisher is a cause only while messages wait, and others are one only
/// if they had a tenth of a core. If the activation is `overdue` and no message of the callback waits, the message may
/// have been lost on its way: then others are a cause only if they had half of a core.
std::optional<Cause> cause_of_misses(const Suspect & suspect, const TwoLooks & looks, bool overdue);

/// The same of a chain with these callbacks: the one whose runs became longest; else one with a faster publisher or too long runs; else
/// the one for which most messages wait.
std::optional<Cause> cause_of_misses(
  const std::vector<Suspect> & path, const TwoLooks & looks, bool overdue);

}  // namespace takt_watch

#endif  // TAKT_WATCH__SRC__CAUSE_HPP_
