// The loop of a cyclic thread: sleep until the nominal release, run the cycle, move on to the next
// release.
//
// A template over its clock, so that tests run it under virtual time. The loop itself is real-time
// safe: no allocation, no lock, no output.
#ifndef TAKT_RT__CYCLIC_LOOP_HPP_
#define TAKT_RT__CYCLIC_LOOP_HPP_

#include <atomic>
#include <cstdint>

#include "takt_rt/release_grid.hpp"

namespace takt_rt
{

/// A cycle that begins now.
struct Cycle
{
  Time release;              ///< its nominal time
  Duration latency;          ///< from the release to the wake-up
  std::uint64_t missed = 0;  ///< releases that passed before the wake-up: periods without a cycle
};

/// Runs cycles until the next release is at or after `end`, or until `stop`: then it returns at the
/// next wake-up, within a period, or at once after a cycle that set it. `Clock` has
///   Time now();              the time, on the grid's clock
///   void sleep_until(Time);  may return early: the loop then sleeps again
/// and `Work`, on the calling thread and without exceptions,
///   void run(const Cycle &);
///   void woke_early();       a sleep ended before its release
template <typename Clock, typename Work>
void run_cycles(
  Clock & clock, ReleaseGrid grid, Time end, const std::atomic<bool> & stop, Work & work) noexcept
{
  while (grid.release() < end && !stop.load(std::memory_order_relaxed)) {
    const Time release = grid.release();
    clock.sleep_until(release);
    const Time now = clock.now();
    if (stop.load(std::memory_order_relaxed)) {
      return;
    }
    if (now < release) {
      work.woke_early();
      continue;
    }
    work.run(Cycle{release, now - release, grid.move_on(now)});
  }
}

}  // namespace takt_rt

#endif  // TAKT_RT__CYCLIC_LOOP_HPP_
