// What is to be measured: the command line of takt_latency as a value. Set-up only.
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
  std::optional<int> priority{};                   ///< fifo and rr; absent: 80
  /// Of policy deadline; absent: a tenth of the interval, and the interval.
  std::optional<takt_rt::Duration> runtime{}, deadline{}, period{};
  takt_rt::Duration interval = std::chrono::milliseconds(1);
  takt_rt::Duration duration = std::chrono::seconds(10);
  std::vector<int> cores{};  ///< one cyclic thread each; empty: each core that the process may use
  bool load = false;         ///< one busy thread of SCHED_OTHER on each core
  bool strict = false;       ///< measure nothing if the kernel refuses anything
};

/// The limits of `interval`. Below, a thread would do little else than wake up; above, an interrupt would
/// have to wait too long for the next wake-up.
inline constexpr takt_rt::Duration kShortestInterval = std::chrono::microseconds(20);
inline constexpr takt_rt::Duration kLongestInterval = std::chrono::seconds(1);

/// `setting` with its cores and the parameters of its policy filled in.
Setting completed(Setting setting);

/// What the cyclic thread of this number asks the kernel for; of a completed setting. Threads of policy
/// deadline ask for no core: the kernel refuses this policy to a thread that is confined to some cores.
takt_rt::ThreadAttributes attributes_of(const Setting & setting, std::size_t number);

/// All faults of a completed setting that show without asking the kernel for anything.
takt_rt::Faults check(const Setting & setting);

}  // namespace takt_bench::latency

#endif  // TAKT_BENCH__SRC__LATENCY__SETTING_HPP_
