// Why messages of a callback pile up: its publisher became faster, or it got too little processor time.
#ifndef TAKT_WATCH__SRC__CAUSE_HPP_
#define TAKT_WATCH__SRC__CAUSE_HPP_

#include "alarms/alarm.hpp"
#include "alarms/rates.hpp"
#include "sample.hpp"

namespace takt_watch
{

/// Of the time in which the callback's threads wanted a core between two looks, the part in which they had one; 1 where
/// the kernel does not tell.
double core_share(
  const CallbackSample & callback, const ExecutorSample & before, const ExecutorSample & now);

/// `before` and `now`: the executor at the last two looks, `window` apart.
///
/// The publisher is the cause if messages come at 1.25 times their usual rate, or if they ask for more processor time
/// than there is: their rate times the processor time of a run, over the runs that may go on at once, is above 0.95. But
/// if the runs themselves became 1.25 times as long, the callback is the cause, and stands first of `who`. Otherwise
/// somebody else had the processor.
Cause find_cause(
  const CallbackSample & callback, const Rates & rates, const ExecutorSample & before,
  const ExecutorSample & now, takt_core::Duration window, takt_core::Time time);

}  // namespace takt_watch

#endif  // TAKT_WATCH__SRC__CAUSE_HPP_
