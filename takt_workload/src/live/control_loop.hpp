// The control loop of the pendulum, for any caller of its cycles: a thread of its own, or a timer
// of an executor.
#ifndef LIVE__CONTROL_LOOP_HPP_
#define LIVE__CONTROL_LOOP_HPP_

#include <atomic>
#include <cstdint>

#include "live/plant.hpp"
#include "takt_rt/application/cycle_clock.hpp"
#include "takt_rt/box.hpp"
#include "takt_rt/cyclic_loop.hpp"
#include "takt_rt/exchange.hpp"
#include "takt_rt/histogram.hpp"
#include "takt_rt/memory/inplace_function.hpp"
#include "takt_rt/spsc_ring.hpp"

namespace takt_workload
{

/// After a cycle.
struct ControlState
{
  double wanted = 0.0;  ///< rad
  double angle = 0.0;   ///< rad
  double torque = 0.0;  ///< rad/s²
  bool stands = true;
  std::uint64_t cycles = 0;
  std::uint64_t missed = 0;  ///< periods without a cycle
  /// Cycles with a torque after their deadline, which is the end of their period.
  std::uint64_t late = 0;
  std::uint64_t falls = 0;
};

class ControlLoop
{
public:
  static constexpr takt_rt::Duration kPeriod = std::chrono::milliseconds(1);
  /// CPU time of each cycle between measurement and torque, as of an estimator.
  static constexpr takt_rt::Duration kWork = std::chrono::microseconds(150);
  using Compute = takt_rt::InplaceFunction<void(), 64>;

  /// `compute` uses kWork. Set-up only.
  ControlLoop(takt_rt::CycleClock & clock, Compute compute);

  /// Begins all counts anew, and sets the pendulum up at the next cycle. While no cycle runs; one
  /// thread.
  void start();
  /// One cycle. One thread at a time; real-time safe.
  void step(const takt_rt::Cycle & cycle) noexcept;

  /// Any thread.
  takt_rt::Box<ControlSetting> & setting() noexcept { return setting_; }

  // ---- one thread, which watches; real-time safe

  /// After the last cycle.
  ControlState state() noexcept { return state_.read().value; }
  /// The latest wake-up since the last call.
  takt_rt::Duration take_latest() noexcept
  {
    return takt_rt::Duration(latest_.exchange(0, std::memory_order_relaxed));
  }
  /// The angle each Plant::kSample.
  takt_rt::SpscRing<float> & angles() noexcept { return angles_; }
  /// Of wake-ups.
  const takt_rt::LogHistogram & latencies() const noexcept { return latencies_; }

private:
  takt_rt::CycleClock & clock_;
  Compute compute_;
  takt_rt::Box<ControlSetting> setting_;
  takt_rt::SpscRing<float> angles_{4096};
  takt_rt::Exchange<ControlState> state_;
  takt_rt::LogHistogram latencies_;
  std::atomic<std::int64_t> latest_{0};
  // Of the thread that runs the cycles.
  Plant plant_;
  Controller controller_;
  ControlSetting used_;
  ControlState reached_;
  takt_rt::Time last_{};
  bool begun_ = false;  // the plant
};

}  // namespace takt_workload

#endif  // LIVE__CONTROL_LOOP_HPP_
