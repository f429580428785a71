// The loop of a cyclic thread: sleep until the nominal release, take the latency, record it, move on.
//
// Template on its clock, so that tests drive it under virtual time. Real-time safe: no allocation, no lock,
// no output; the only input is the account of waiting, which some cycles read after their latency was taken.
#ifndef TAKT_BENCH__SRC__LATENCY__CYCLIC_LOOP_HPP_
#define TAKT_BENCH__SRC__LATENCY__CYCLIC_LOOP_HPP_

#include <atomic>

#include "latency/cycle_statistics.hpp"
#include "latency/late_wake_up.hpp"
#include "latency/release_grid.hpp"

namespace takt_bench::latency
{

/// Runs cycles until the next release is at or after `end`, or until `stop`: then it returns at the next
/// wake-up, within a period. `Clock` has
///   Time now();              the time, on the grid's clock
///   void sleep_until(Time);  may return early: the loop then sleeps again
template <typename Clock, typename Account>
void run_cycles(
  Clock & clock, LateWakeUp<Account> & late_wake_up, ReleaseGrid grid, takt_rt::Time end,
  const std::atomic<bool> & stop, CycleStatistics & statistics) noexcept
{
  while (grid.release() < end) {
    clock.sleep_until(grid.release());
    const takt_rt::Time now = clock.now();
    if (stop.load(std::memory_order_relaxed)) {
      return;
    }
    if (now < grid.release()) {
      statistics.early_wake_ups.add(1);
      continue;
    }
    const takt_rt::Duration latency = now - grid.release();
    const std::uint64_t missed = grid.move_on(now);
    Cycles & cycles = late_wake_up.held_up(latency) ? statistics.held_up : statistics.ordinary;
    cycles.record(latency, missed);
  }
}

}  // namespace takt_bench::latency

#endif  // TAKT_BENCH__SRC__LATENCY__CYCLIC_LOOP_HPP_
