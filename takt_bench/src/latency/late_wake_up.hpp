// Distinguishes late wake-ups that a thread of this machine caused from others.
//
// The cyclic thread is its own stall witness. takt_workload's witness is a thread of priority 99
// that wakes every 10 ms. Here it would delay the measured thread, and would notice one stall of 1
// ms in ten. The rule and the limit are the same: the thread woke more than 0.3 ms late, and was
// ready for less than half of that time.
#ifndef TAKT_BENCH__SRC__LATENCY__LATE_WAKE_UP_HPP_
#define TAKT_BENCH__SRC__LATENCY__LATE_WAKE_UP_HPP_

#include "takt_rt/ready_time.hpp"
#include "takt_rt/time.hpp"

namespace takt_bench::latency
{

/// `Account` has `Duration read()`, the time that the calling thread was ready without a core, and
/// `bool counted()`, which is true if the kernel has this account.
template <typename Account>
class LateWakeUp
{
public:
  static constexpr takt_rt::Duration kLate = std::chrono::microseconds(300);

  /// Call on the cyclic thread before its first cycle. Set-up only: opens the account.
  explicit LateWakeUp(Account & account) : account_(account), waited_(account.read()) {}

  /// True if the kernel has the account. Without it no cycle counts as held up.
  bool accounted() const noexcept { return account_.counted(); }

  /// True if a cycle of this latency was held up. Call once for each cycle, after taking its
  /// latency: some cycles read the account, which takes 2 us. Real-time safe.
  bool held_up(takt_rt::Duration latency) noexcept
  {
    if (latency <= kShort && --until_reading_ > 0) {
      return false;
    }
    const takt_rt::Duration before = waited_;
    waited_ = account_.read();
    until_reading_ = kReadEvery;
    return latency > kLate && accounted() && !takt_rt::waited_for_others(latency, waited_ - before);
  }

private:
  // The waits of the cycles since the last reading count, too, so they must be few and short. In
  // doubt a late cycle counts as caused by this machine.
  static constexpr takt_rt::Duration kShort = std::chrono::microseconds(50);
  static constexpr int kReadEvery = 16;

  Account & account_;
  takt_rt::Duration waited_;
  int until_reading_ = kReadEvery;
};

}  // namespace takt_bench::latency

#endif  // TAKT_BENCH__SRC__LATENCY__LATE_WAKE_UP_HPP_
