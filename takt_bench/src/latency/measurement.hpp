// A whole measurement: its threads, their common start, and their results.
#ifndef TAKT_BENCH__SRC__LATENCY__MEASUREMENT_HPP_
#define TAKT_BENCH__SRC__LATENCY__MEASUREMENT_HPP_

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "latency/cyclic_thread.hpp"
#include "latency/setting.hpp"

namespace takt_bench::latency
{

/// The progress of a measurement, over all of its threads.
struct Progress
{
  takt_rt::Duration elapsed{};
  std::uint64_t cycles = 0;   ///< of the thread with the fewest cycles
  std::int64_t worst_ns = 0;  ///< without cycles that the host held up
  std::int64_t overruns = 0;  ///< without cycles that the host held up
};

/// The thread of `measure` calls it repeatedly. No cyclic thread calls it. It should sleep for a
/// moment. False ends the measurement early.
using Watch = std::function<bool(const Progress &)>;

struct Measurement
{
  Setting setting;
  bool done = false;  ///< false: `strict` was set, and the kernel refused an attribute
  bool ended_early = false;
  bool memory_locked = false;
  takt_rt::Duration elapsed{};
  takt_rt::Faults memory_faults{};
  takt_rt::Faults load_faults{};
  std::unique_ptr<Run> run{};
  std::vector<std::unique_ptr<CyclicThread>>
    threads{};  ///< in the order of the cores; they have ended if `done`

  /// True if the kernel granted all requested attributes.
  bool granted_all() const;
};

/// Measures. `setting` must be completed and without faults. Blocks until the end: for the
/// duration, or up to an interval after `watch` returned false. Throws std::system_error if the
/// kernel refuses a thread.
///
/// Memory is locked from before the first cycle until after the last one, if the kernel permits it.
/// After the start only `watch` may allocate.
Measurement measure(const Setting & setting, const Watch & watch);

}  // namespace takt_bench::latency

#endif  // TAKT_BENCH__SRC__LATENCY__MEASUREMENT_HPP_
