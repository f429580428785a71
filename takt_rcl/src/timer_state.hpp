// What a timer on the monotonic clock is, in an executor and out of it: active or cancelled, its
// period, its next release.
//
// While it is in an executor the scheduler knows; else this does, until the next one. Changes come
// from any thread at any time. So a core timer is added inactive, and `enter` and `leave` hand over
// with the mutex held, under which all changes are made: each reaches the one or the other.
#ifndef TIMER_STATE_HPP_
#define TIMER_STATE_HPP_

#include <cstdint>
#include <optional>

#include "takt_core/scheduler.hpp"
#include "takt_rt/pi_mutex.hpp"

namespace takt_rcl
{

/// Any thread. Real-time safe: waits at most for another user, who inherits the caller's priority.
class TimerState
{
public:
  TimerState(takt_rt::Duration period, bool active) noexcept : period_(period), active_(active) {}

  void cancel() noexcept;
  void reset() noexcept;
  /// Must be positive.
  void set_period(takt_rt::Duration period) noexcept;

  bool cancelled() const noexcept;
  takt_rt::Duration period() const noexcept;
  /// Until the next release; takt_rt::kForever if cancelled.
  takt_rt::Duration until() const noexcept;
  std::uint64_t skipped() const noexcept;

  /// Where the timer is to begin after a gate that is closed yet: where it goes on, or `first`.
  std::optional<takt_rt::Duration> offset(std::optional<takt_rt::Duration> first) const noexcept;

  /// `callback` has been added to `scheduler`, with autostart off: begins or goes on there.
  void enter(takt_core::Scheduler & scheduler, takt_core::Callback & callback) noexcept;
  /// It is about to be removed: afterwards no release starts, and the next one is known.
  void leave() noexcept;
  /// A release that started before `leave` found the timer closed, and counts as skipped.
  void lose() noexcept;

private:
  mutable takt_rt::PiMutex mutex_;
  takt_rt::Duration period_;
  bool active_;                                 // while in no executor
  takt_rt::Time next_ = takt_rt::kNever;        // the same; takt_rt::kNever: it has not begun
  std::uint64_t skipped_ = 0;                   // in earlier executors, and between them
  takt_core::Scheduler * scheduler_ = nullptr;  // where it is
  takt_core::Callback * callback_ = nullptr;    // nullptr: in no executor
};

}  // namespace takt_rcl

#endif  // TIMER_STATE_HPP_
