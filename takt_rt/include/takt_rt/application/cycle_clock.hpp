// The clock of cyclic threads, so that tests run them in simulated time (simulated_clock.hpp).
#ifndef TAKT_RT__APPLICATION__CYCLE_CLOCK_HPP_
#define TAKT_RT__APPLICATION__CYCLE_CLOCK_HPP_

#include <atomic>

#include "takt_rt/monotonic_clock.hpp"
#include "takt_rt/time.hpp"

namespace takt_rt
{

/// Any thread.
class CycleClock
{
public:
  virtual ~CycleClock() = default;

  /// Real-time safe on the real clock.
  virtual Time now() noexcept = 0;
  /// Blocks until `time`; may return early, as for `stop`.
  virtual void sleep_until(Time time, const std::atomic<bool> & stop) noexcept = 0;

  /// A cyclic thread begins and ends to use the clock. It calls `enter` before its gate opens.
  virtual void enter() {}
  virtual void leave() noexcept {}
  /// A `stop` was set: ends the sleeps with it. The real clock lets the thread sleep until its next
  /// release.
  virtual void stopped() noexcept {}
};

/// CLOCK_MONOTONIC: the default.
class RealClock final : public CycleClock
{
public:
  Time now() noexcept override { return MonotonicClock::now(); }
  void sleep_until(Time time, const std::atomic<bool> &) noexcept override
  {
    MonotonicClock::sleep_until(time);
  }
};

}  // namespace takt_rt

#endif  // TAKT_RT__APPLICATION__CYCLE_CLOCK_HPP_
