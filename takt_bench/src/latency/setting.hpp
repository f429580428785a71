// The options of a measurement: takt_latency's command line as a value. Set-up only.
#ifndef TAKT_BENCH__SRC__LATENCY__SETTING_HPP_
#define TAKT_BENCH__SRC__LATENCY__SETTING_HPP_

#include <cstddef>
#include <optional>
#include <vector>

#include "takt_rt/attributes.hpp"
#include "takt_rt/fault.hpp"

namespace takt_bench::latency
{

struct Setting
{
  takt_rt::Policy policy = takt_rt::Policy::fifo;  ///< fifo, rr, other or deadline
  std::optional<int> priority{};                   ///< for fifo and rr; absent: 80
  /// For policy deadline. Absent: a tenth of the interval for `runtime`, the interval for the
  /// others.
  std::optional<takt_rt::Duration> runtime{}, deadline{}, period{};
  takt_rt::Duration interval = std::chrono::milliseconds(1);
  takt_rt::Duration duration = std::chrono::seconds(10);
  std::vector<int> cores{};  ///< one cyclic thread on each; empty: all cores that the process may
                             ///< use
  bool load = false;         ///< one busy thread of SCHED_OTHER on each core
  bool strict = false;       ///< does not measure if the kernel refuses an attribute
};

/// The limits of `interval`. With shorter intervals a thread would only wake up. With longer ones
/// an interrupt would wait too long for the next wake-up.
inline constexpr takt_rt::Duration kShortestInterval = std::chrono::microseconds(20);
inline constexpr takt_rt::Duration kLongestInterval = std::chrono::seconds(1);

/// Fills in the cores and the parameters of the policy.
Setting completed(Setting setting);

/// The attributes that the cyclic thread with this number requests. `setting` must be completed.
/// Threads of policy deadline request no cores: the kernel refuses this policy to a thread that may
/// not use all cores.
takt_rt::ThreadAttributes attributes_of(const Setting & setting, std::size_t number);

/// All faults of a completed setting that are visible without a request to the kernel.
takt_rt::Faults check(const Setting & setting);

}  // namespace takt_bench::latency

#endif  // TAKT_BENCH__SRC__LATENCY__SETTING_HPP_
