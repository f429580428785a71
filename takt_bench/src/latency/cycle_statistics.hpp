// The statistics of a cyclic thread's cycles. They use constant memory for any duration.
//
// One thread records; any other thread may read meanwhile. Units: nanoseconds.
#ifndef TAKT_BENCH__SRC__LATENCY__CYCLE_STATISTICS_HPP_
#define TAKT_BENCH__SRC__LATENCY__CYCLE_STATISTICS_HPP_

#include <atomic>
#include <cstdint>

#include "takt_rt/histogram.hpp"

namespace takt_bench::latency
{

/// A number that one thread adds to and others read. Real-time safe.
class Tally
{
public:
  void add(std::int64_t n) noexcept
  {
    // There is one writer, so a load and a store replace a locked addition.
    value_.store(value_.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
  }
  std::int64_t value() const noexcept { return value_.load(std::memory_order_relaxed); }

private:
  std::atomic<std::int64_t> value_{0};
};

/// Some of the cycles of one thread.
struct Cycles
{
  takt_rt::LogHistogram latencies;
  Tally sum_ns;    ///< of the latencies
  Tally overruns;  ///< periods that the thread missed because of these cycles

  /// Real-time safe.
  void record(takt_rt::Duration latency, std::uint64_t missed) noexcept
  {
    latencies.record(latency);
    sum_ns.add(latency.count());
    overruns.add(static_cast<std::int64_t>(missed));
  }
};

/// Each cycle counts in exactly one of the two. The constructor allocates 67 kB; later calls
/// allocate nothing.
struct CycleStatistics
{
  Cycles ordinary;
  Cycles held_up;         ///< no thread of this machine caused the lateness: see late_wake_up.hpp
  Tally early_wake_ups;   ///< the sleep ended before the release, and the thread slept again
  bool accounted = true;  ///< the kernel has the account that distinguishes the two kinds of cycles
};

}  // namespace takt_bench::latency

#endif  // TAKT_BENCH__SRC__LATENCY__CYCLE_STATISTICS_HPP_
