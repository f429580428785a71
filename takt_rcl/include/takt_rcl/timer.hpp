// Timers: periodic releases on the monotonic clock, or on a node's simulated time.
//
// A wall timer is a core timer: it shares the executor's epoch, keeps its phase, and follows the
// schedule's offset and missed-period policy. A ROS-time timer of a node without `use_sim_time` is
// one too: its periods are measured on the monotonic clock, so a step of the system clock neither
// delays it nor makes it fire in a burst. With `use_sim_time` it is released by /clock, always
// skips missed periods, and counts as a waitable in the `window` and `stock` orders. A timer that
// comes from one executor into another goes on where it was: its offset is that of its first one.
// Under a schedule with `epoch: host` its releases are at k * period + offset of the monotonic clock
// (takt_core::first_release), until `reset` or `set_period`.
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
#include "takt_rcl/entity.hpp"
#include "takt_rcl/time.hpp"

namespace takt_rcl
{

/// What a timer callback may want to know about its run. Times are on the timer's own clock.
struct TimerInfo
{
  Time expected_call_time;    ///< the nominal release
  Time actual_call_time;      ///< when the run was picked
  std::uint64_t skipped = 0;  ///< periods dropped by this start
};

struct TimerOptions : EntityOptions
{
  bool autostart = true;  ///< false: waits for `reset`
  std::optional<takt_rt::Duration>
    offset;  ///< first release after the start gate; default: a period
  takt_core::MissedPeriods missed_periods = takt_core::MissedPeriods::skip;
};

class Timer : public Entity, public std::enable_shared_from_this<Timer>
{
public:
  using SharedPtr = std::shared_ptr<Timer>;
  using Function = std::function<void(Timer &, const TimerInfo &)>;

  /// For Node::create_wall_timer and create_timer. `clock`: nullptr, or a clock with simulated time.
  Timer(
    std::shared_ptr<NodeState> node, takt_rt::Duration period, Function function,
    TimerOptions options, std::shared_ptr<Clock> clock);
  ~Timer() override;

  // ---- real-time safe; any thread, also the timer's own callback ----
  //
  // Also while the node gets into an executor or leaves one: no change is lost, and what was cancelled
  // does not start. On one timer they wait for each other, for some instructions, and lend the
  // priority of who waits.

  /// No run starts any more until `reset`.
  void cancel() noexcept;
  /// (Re)starts: the next release is one period from now.
  void reset() noexcept;
  bool is_canceled() const noexcept;
  /// Until the next release; negative if it is late; Duration::max() if cancelled.
  takt_rt::Duration time_until_trigger() const noexcept;
  takt_rt::Duration period() const noexcept;
  /// Counts from the next release on. A period that is not above zero is ignored.
  void set_period(takt_rt::Duration period) noexcept;
  /// Periods dropped so far by the missed-period policy.
  std::uint64_t skipped_periods() const noexcept;

private:
  friend class Node;

  struct Shared;  // what a run in progress needs: outlives the handle
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

/// Any unit, also floating point; what cannot be said in nanoseconds is cut off.
template <typename Rep, typename Period>
takt_rt::Duration timer_period(std::chrono::duration<Rep, Period> period)
{
  const std::chrono::duration<double, std::nano> wide(period);
  if (wide.count() >= static_cast<double>(takt_rt::kForever.count())) {
    throw std::invalid_argument("a timer's period must be below 292 years");
  }
  return std::chrono::duration_cast<takt_rt::Duration>(period);
}

/// Wraps `void()`, `void(Timer &)`, `void(const TimerInfo &)` or `void(Timer &, const TimerInfo &)`.
template <typename F>
Timer::Function timer_function(F && function)
{
  using G = std::decay_t<F>;
  if constexpr (std::is_invocable_v<G &, Timer &, const TimerInfo &>) {
    return std::forward<F>(function);
  } else if constexpr (std::is_invocable_v<G &, const TimerInfo &>) {
    return [f = std::forward<F>(function)](Timer &, const TimerInfo & info) mutable { f(info); };
  } else if constexpr (std::is_invocable_v<G &, Timer &>) {
    return [f = std::forward<F>(function)](Timer & timer, const TimerInfo &) mutable { f(timer); };
  } else {
    static_assert(
      std::is_invocable_v<G &>,
      "a timer's callback takes nothing, Timer &, const TimerInfo &, or the last two");
    return [f = std::forward<F>(function)](Timer &, const TimerInfo &) mutable { f(); };
  }
}

}  // namespace detail
}  // namespace takt_rcl

#endif  // TAKT_RCL__TIMER_HPP_
