// What a timer on the monotonic clock is, in an executor and out of it: active or cancelled, its
// period, its next release.
//
// While it is in an executor the scheduler knows; else this does, until the next one. Changes come
// from any thread at any time. So a core timer is added inactive, and `enter` and `leave` hand over
// with the mutex held, under which all changes are made: each reaches the one or the other.
#ifndef TAKT_CORE__ADAPTER__TIMER_STATE_HPP_
#define TAKT_CORE__ADAPTER__TIMER_STATE_HPP_

#include <cstdint>
#include <optional>

#include "takt_core/scheduler.hpp"
#include "takt_rt/pi_mutex.hpp"

namespace takt_core::adapter
{

/// Any thread. Real-time safe: waits at most for another user, who inherits the caller's priority.
class TimerState
{
public:
  TimerState(Duration period, bool active) noexcept : period_(period), active_(active) {}

  void cancel() noexcept;
  void reset() noexcept;
  /// Must be positive.
  void set_period(Duration period) noexcept;

  bool cancelled() const noexcept;
  Duration period() const noexcept;
  /// Until the next release; kForever if cancelled.
  Duration until() const noexcept;
  std::uint64_t skipped() const noexcept;

  /// Where the timer is to begin after a gate that is closed yet: where it goes on, or `first`.
  std::optional<Duration> offset(std::optional<Duration> first) const noexcept;

  /// `callback` has been added to `scheduler`, with autostart off: begins or goes on there.
  void enter(Scheduler & scheduler, Callback & callback) noexcept;
  /// It is about to be removed: afterwards no release starts, and the next one is known.
  void leave() noexcept;
  /// A release that started before `leave` found the timer closed, and counts as skipped.
  void lose() noexcept;

private:
  mutable PiMutex mutex_;
  Duration period_;
  bool active_;                      // while in no executor
  Time next_ = kNever;               // the same; kNever: it has not begun
  std::uint64_t skipped_ = 0;        // in earlier executors, and between them
  Scheduler * scheduler_ = nullptr;  // where it is
  Callback * callback_ = nullptr;    // nullptr: in no executor
};

}  // namespace takt_core::adapter

#endif  // TAKT_CORE__ADAPTER__TIMER_STATE_HPP_
