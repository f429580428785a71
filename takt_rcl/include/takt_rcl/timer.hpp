// Timers: periodic releases on the monotonic clock, or on a node's simulated time.
//
// A wall timer is a core timer: it shares the executor's epoch, keeps its phase, and follows the
// schedule's offset and missed-period policy. So is a ROS-time timer of a node without
// `use_sim_time`: its periods are measured on the monotonic clock, so a step of the system clock
// neither delays it nor makes it fire in a burst. With `use_sim_time` /clock releases the timer; it
// then always skips missed periods, and counts as a waitable in the `window` and `stock` orders. A
// timer that moves to another executor keeps its phase: the offset of its first executor applies.
// Under a schedule with `epoch: host` its releases are at k * period + offset of the monotonic
// clock (takt_core::first_release), until `reset` or `set_period`.
#ifndef TAKT_RCL__TIMER_HPP_
#define TAKT_RCL__TIMER_HPP_

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "takt_rcl/clock.hpp"
#include "takt_rcl/detail/user_function.hpp"
#include "takt_rcl/entity.hpp"
#include "takt_rcl/time.hpp"

namespace takt_rcl
{

/// A timer callback's data about its run. Times are on the timer's own clock.
struct TimerInfo
{
  Time expected_call_time;    ///< the nominal release
  Time actual_call_time;      ///< when the run was picked
  std::uint64_t skipped = 0;  ///< periods dropped by this start
};

/// Options of Node::create_wall_timer and create_timer.
struct TimerOptions : EntityOptions
{
  bool autostart = true;  ///< false: waits for `reset`
  std::optional<takt_rt::Duration>
    offset;  ///< first release after the start gate; default: a period
  takt_core::MissedPeriods missed_periods = takt_core::MissedPeriods::skip;
};

/// The handle of a timer. Its destruction ends the timer.
class Timer : public Entity, public std::enable_shared_from_this<Timer>
{
public:
  using SharedPtr = std::shared_ptr<Timer>;
  using Function = std::function<void(Timer &, const TimerInfo &)>;

  /// For Node::create_wall_timer and create_timer. `clock`: nullptr, or a clock with simulated
  /// time.
  Timer(
    std::shared_ptr<NodeState> node, takt_rt::Duration period, Function function,
    TimerOptions options, std::shared_ptr<Clock> clock);
  /// Waits for a run of the callback on another thread.
  ~Timer() override;

  // ---- real-time safe; any thread, also the timer's own callback ----
  //
  // Also while the node enters or leaves an executor: every change takes effect, and a cancelled
  // timer does not start. Calls for one timer wait for each other, for a few instructions and with
  // priority inheritance.

  /// Starts no more runs until `reset`.
  void cancel() noexcept;
  /// (Re)starts: the next release is one period from now.
  void reset() noexcept;
  /// True after `cancel`, until `reset`.
  bool is_canceled() const noexcept;
  /// Time until the next release; negative if it is late; Duration::max() if cancelled.
  takt_rt::Duration time_until_trigger() const noexcept;
  /// The period in nanoseconds.
  takt_rt::Duration period() const noexcept;
  /// Applies from the next release on. Ignores a period that is not positive.
  void set_period(takt_rt::Duration period) noexcept;
  /// Periods that the missed-period policy has dropped so far.
  std::uint64_t skipped_periods() const noexcept;

private:
  friend class Node;

  struct Shared;  // resources of a run in progress: outlive the handle
  class Run;
  class SimRun;

  std::shared_ptr<takt_core::Callback> make(
    Engine & engine, takt_core::CallbackOptions options,
    const takt_core::adapter::CallbackSettings & settings) override;
  void connect(takt_core::Executor & executor, takt_core::Callback & callback) override;
  void disconnect(takt_core::Callback & callback) noexcept override;
  void removed(takt_core::Callback & callback) noexcept override;

  std::shared_ptr<Shared> shared_;
  std::optional<takt_rt::Duration> first_;  // between `make` and `connect`
};

using TimerBase = Timer;
using WallTimer = Timer;

namespace detail
{

/// Any unit, also floating point; fractions of a nanosecond are cut off.
template <typename Rep, typename Period>
takt_rt::Duration timer_period(std::chrono::duration<Rep, Period> period)
{
  const std::chrono::duration<double, std::nano> wide(period);
  if (wide.count() >= static_cast<double>(takt_rt::kForever.count())) {
    throw std::invalid_argument("a timer's period must be below 292 years");
  }
  return std::chrono::duration_cast<takt_rt::Duration>(period);
}

/// Wraps `void()`, `void(Timer &)`, `void(const TimerInfo &)` or `void(Timer &, const TimerInfo
/// &)`.
template <typename F>
Timer::Function timer_function(F && function)
{
  using G = std::decay_t<F>;
  if constexpr (std::is_invocable_v<G &, Timer &, const TimerInfo &>) {
    return [f = std::forward<F>(function)](Timer & timer, const TimerInfo & info) mutable {
      call_user(f, timer, info);
    };
  } else if constexpr (std::is_invocable_v<G &, const TimerInfo &>) {
    return [f = std::forward<F>(function)](Timer &, const TimerInfo & info) mutable {
      call_user(f, info);
    };
  } else if constexpr (std::is_invocable_v<G &, Timer &>) {
    return [f = std::forward<F>(function)](Timer & timer, const TimerInfo &) mutable {
      call_user(f, timer);
    };
  } else {
    static_assert(
      std::is_invocable_v<G &>,
      "a timer's callback takes nothing, Timer &, const TimerInfo &, or the last two");
    return [f = std::forward<F>(function)](Timer &, const TimerInfo &) mutable { call_user(f); };
  }
}

}  // namespace detail
}  // namespace takt_rcl

#endif  // TAKT_RCL__TIMER_HPP_
