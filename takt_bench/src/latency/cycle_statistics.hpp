// What a cyclic thread keeps of its cycles: constant memory, however long it runs.
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
    // One writer: a load and a store do what a locked addition would.
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

/// Each cycle is in exactly one of the two. 67 kB, allocated by the constructor, none afterwards.
struct CycleStatistics
{
  Cycles ordinary;
  Cycles held_up;         ///< no thread of this machine explains the lateness: see late_wake_up.hpp
  Tally early_wake_ups;   ///< the sleep ended before the release, and the thread slept again
  bool accounted = true;  ///< the kernel keeps the account that tells the two kinds of cycles apart
};

}  // namespace takt_bench::latency

#endif  // TAKT_BENCH__SRC__LATENCY__CYCLE_STATISTICS_HPP_
