// Simulated time for tests of cyclic threads: it stands still until the test moves it.
//
// The threads are real. Time moves from one release to the next only when all of them sleep, so
// that a test on a busy machine sees the same cycles as on an idle one. A cycle that shall last
// calls `spend`.
#ifndef TAKT_RT__APPLICATION__SIMULATED_CLOCK_HPP_
#define TAKT_RT__APPLICATION__SIMULATED_CLOCK_HPP_

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <set>

#include "takt_rt/application/cycle_clock.hpp"

namespace takt_rt
{

/// Any thread; for tests, not real-time safe: the functions take a mutex and allocate.
class SimulatedClock final : public CycleClock
{
public:
  explicit SimulatedClock(Time start = Time{}) : now_(start) {}

  /// Moves time by `duration`, with all cycles that this releases: returns when each of the threads
  /// that use the clock sleeps until after the new time, or has ended. One thread calls it, which
  /// is not one of these. May block.
  void advance(Duration duration);

  /// Within a cycle: its work takes `duration` of simulated time. Ends early if a thread is stopped
  /// meanwhile. May block.
  void spend(Duration duration) noexcept;

  Time now() noexcept override;
  void sleep_until(Time time, const std::atomic<bool> & stop) noexcept override;
  void enter() override;
  void leave() noexcept override;
  void stopped() noexcept override;

private:
  template <typename Ended>
  void sleep(std::unique_lock<std::mutex> & lock, Time time, Ended ended);

  std::mutex mutex_;
  std::condition_variable changed_;
  Time now_;
  std::size_t threads_ = 0;
  std::multiset<Time> sleeps_;  ///< when those that go on will end
  std::uint64_t stops_ = 0;
};

}  // namespace takt_rt

#endif  // TAKT_RT__APPLICATION__SIMULATED_CLOCK_HPP_
