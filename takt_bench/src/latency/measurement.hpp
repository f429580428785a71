// A whole measurement: its threads, their start together, and what they found.
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

/// How far a measurement is, over all of its threads.
struct Progress
{
  takt_rt::Duration elapsed{};
  std::uint64_t cycles = 0;   ///< of the thread with the fewest
  std::int64_t worst_ns = 0;  ///< outside of host stalls
  std::int64_t overruns = 0;  ///< outside of host stalls
};

/// Called on the thread of `measure` again and again, never on a cyclic thread; is expected to sleep a
/// moment. False ends the measurement early.
using Watch = std::function<bool(const Progress &)>;

struct Measurement
{
  Setting setting;
  bool done = false;  ///< false: `strict`, and the kernel refused something
  bool ended_early = false;
  bool memory_locked = false;
  takt_rt::Duration elapsed{};
  takt_rt::Faults memory_faults{};
  takt_rt::Faults load_faults{};
  std::unique_ptr<Run> run{};
  std::vector<std::unique_ptr<CyclicThread>>
    threads{};  ///< in the order of the cores; if done, ended

  /// Whether the kernel granted everything that was asked.
  bool granted_all() const;
};

/// Measures; `setting` is completed and has no faults. Blocks until the end: for the duration, or up to
/// an interval after `watch` ended it. Throws std::system_error if the kernel refuses a thread.
///
/// Memory is locked from before the first cycle to after the last, where the kernel permits it. After the
/// start only `watch` may allocate.
Measurement measure(const Setting & setting, const Watch & watch);

}  // namespace takt_bench::latency

#endif  // TAKT_BENCH__SRC__LATENCY__MEASUREMENT_HPP_
