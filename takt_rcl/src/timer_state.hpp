// The state of a timer on the monotonic clock, in an executor and outside: active or cancelled, its
// period, its next release.
//
// In an executor the scheduler holds the state, otherwise this object until the next executor. Any
// thread may change it at any time. So a core timer is added inactive, and `enter` and `leave` hand
// the state over with the mutex held, as all changes do: each change reaches one of the two.
#ifndef TIMER_STATE_HPP_
#define TIMER_STATE_HPP_

#include <cstdint>
#include <optional>

#include "takt_core/scheduler.hpp"
#include "takt_rt/pi_mutex.hpp"

namespace takt_rcl
{

/// The period of a timer, and whether the timer is active. Any thread. Real-time safe: a caller
/// waits at most for another caller, which inherits the waiting caller's priority.
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
  /// Time until the next release; takt_rt::kForever if cancelled.
  takt_rt::Duration until() const noexcept;
  std::uint64_t skipped() const noexcept;

  /// The timer's offset in an executor with a closed gate: continues its phase, or `first`.
  std::optional<takt_rt::Duration> offset(std::optional<takt_rt::Duration> first) const noexcept;

  /// `callback` has been added to `scheduler`, with autostart off: begins or continues there.
  void enter(takt_core::Scheduler & scheduler, takt_core::Callback & callback) noexcept;
  /// Call before the removal: afterwards no release starts, and the next one is known.
  void leave() noexcept;
  /// A release that started before `leave` could not begin, and counts as skipped.
  void lose() noexcept;

private:
  mutable takt_rt::PiMutex mutex_;
  takt_rt::Duration period_;
  bool active_;                                 // outside of executors
  takt_rt::Time next_ = takt_rt::kNever;        // outside of executors; takt_rt::kNever: not begun
  std::uint64_t skipped_ = 0;                   // in earlier executors, and between them
  takt_core::Scheduler * scheduler_ = nullptr;  // its present scheduler
  takt_core::Callback * callback_ = nullptr;    // nullptr: outside of executors
};

}  // namespace takt_rcl

#endif  // TIMER_STATE_HPP_
