// Clocks: system time, monotonic time, or a node's simulated time from /clock.
//
// With `use_sim_time` the node subscribes to /clock as to any topic: the callback
// `<node>:sub(/clock)`, in a group of its own, is scheduled like all others. Each of its runs
// releases the due simulated timers. Each node has its own subscription, so a node never waits for
// another node's executor to learn the time.
#ifndef TAKT_RCL__CLOCK_HPP_
#define TAKT_RCL__CLOCK_HPP_

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "takt_core/adapter/attachment.hpp"
#include "takt_core/intrusive_heap.hpp"
#include "takt_rcl/time.hpp"
#include "takt_rt/pi_mutex.hpp"

namespace takt_rcl
{

/// A timer on simulated time. Owned by `Timer`; guarded by the clock's mutex.
struct SimTimer
{
  takt_rt::Duration period{};
  std::optional<takt_rt::Duration>
    first;                           ///< from the clock's first message, or later from the adding
  Time next{};                       ///< if `begun`
  bool begun = false;                ///< has been in an executor since the clock started
  bool active = true;                ///< not cancelled
  std::uint32_t place = UINT32_MAX;  ///< in the heap
  /// Set while the timer is in an executor.
  const takt_core::adapter::Attachment * target = nullptr;
  // For the run's TimerInfo: written at the release.
  std::atomic<std::int64_t> expected{0};
  std::atomic<std::uint64_t> skipped{0};
};

/// Reads one kind of time. Any thread.
class Clock
{
public:
  using SharedPtr = std::shared_ptr<Clock>;

  /// A clock without /clock: RCL_ROS_TIME is then system time. Throws `std::invalid_argument` for
  /// another type than these three.
  explicit Clock(rcl_clock_type_t type = RCL_SYSTEM_TIME);
  explicit Clock(bool) = delete;  // rejects enumerations of other types
  /// A clock with ROS time from `set_simulated`.
  static SharedPtr simulated();

  /// System time, the machine's monotonic time (RCL_STEADY_TIME), or for a simulated clock the
  /// latest time of /clock (0 before its first message). Real-time safe.
  Time now() const noexcept;
  /// RCL_SYSTEM_TIME, RCL_STEADY_TIME or RCL_ROS_TIME. Real-time safe.
  rcl_clock_type_t get_clock_type() const noexcept { return type_; }
  /// True if the time comes from /clock. Real-time safe.
  bool ros_time_is_active() const noexcept { return simulated_; }

  /// Sets the time to `now`. A due timer runs once, whatever number of periods passed (the others
  /// count as skipped), and keeps its phase. After a jump back every timer is due within one
  /// period. Real-time safe: O(timers due * log timers).
  void set_simulated(Time now) noexcept;

  // ---- for Timer ----
  // Set-up only. `first`: the first release, unless the timer has been in an executor or reset;
  // absent: a period.
  void add(
    SimTimer & timer, const takt_core::adapter::Attachment & target,
    std::optional<takt_rt::Duration> first);
  void remove(SimTimer & timer) noexcept;                                ///< set-up only
  void cancel(SimTimer & timer) noexcept;                                ///< real-time safe
  void reset(SimTimer & timer) noexcept;                                 ///< real-time safe
  void set_period(SimTimer & timer, takt_rt::Duration period) noexcept;  ///< real-time safe
  bool cancelled(const SimTimer & timer) const noexcept;                 ///< real-time safe
  takt_rt::Duration period(const SimTimer & timer) const noexcept;       ///< real-time safe
  /// Time until the next release; kForever: cancelled. Real-time safe.
  takt_rt::Duration until(const SimTimer & timer) const noexcept;

private:
  Clock(rcl_clock_type_t type, bool simulated);

  struct Less
  {
    bool operator()(const SimTimer * a, const SimTimer * b) const noexcept
    {
      return a->next < b->next;
    }
  };
  struct Index
  {
    std::uint32_t & operator()(SimTimer * timer) const noexcept { return timer->place; }
  };

  void arm(SimTimer & timer, takt_rt::Duration after) noexcept;
  void disarm(SimTimer & timer) noexcept;
  void release(SimTimer & timer, Time now) noexcept;

  const rcl_clock_type_t type_;
  const bool simulated_;
  std::atomic<std::int64_t> simulated_now_{0};
  mutable takt_rt::PiMutex mutex_;
  bool started_ = false;
  std::vector<SimTimer *> timers_;
  takt_core::IntrusiveHeap<SimTimer *, Less, Index> heap_;
};

}  // namespace takt_rcl

#endif  // TAKT_RCL__CLOCK_HPP_
