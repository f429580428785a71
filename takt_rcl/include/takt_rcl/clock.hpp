// A node's clock: system time, or simulated time from /clock.
//
// With `use_sim_time` the node subscribes to /clock like to any other topic: the callback
// `<node>:sub(/clock)`, in a group of its own, is scheduled as all others are, and each of its runs
// releases the simulated timers that are due. Each node follows its own subscription, so a node
// never waits for another's executor to learn the time.
#ifndef TAKT_RCL__CLOCK_HPP_
#define TAKT_RCL__CLOCK_HPP_

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "takt_core/intrusive_heap.hpp"
#include "takt_core/pi_mutex.hpp"
#include "takt_rcl/attachment.hpp"
#include "takt_rcl/time.hpp"

namespace takt_rcl
{

/// A timer on simulated time. Owned by `Timer`; guarded by the clock's mutex.
struct SimTimer
{
  Duration period{};
  Duration first{};                  ///< from the clock's first message, or from creation if later
  Time next{};                       ///< meaningless until the clock has started
  bool active = true;                ///< not cancelled
  std::uint32_t place = UINT32_MAX;  ///< in the heap
  const Attachment * target = nullptr;  ///< set while the timer is in an executor
  // What the run is told: written at release.
  std::atomic<std::int64_t> expected{0};
  std::atomic<std::uint64_t> skipped{0};
};

class Clock
{
public:
  explicit Clock(bool simulated) : simulated_(simulated) {}

  /// System time, or what /clock said last (0 before its first message). Real-time safe.
  Time now() const noexcept;
  bool ros_time_is_active() const noexcept { return simulated_; }

  /// The time has become `now`. A timer that is due runs once, whatever number of periods passed
  /// (they count as skipped), and keeps its phase. After a jump back no timer is further away than
  /// one period. Real-time safe: O(timers due * log timers).
  void set_simulated(Time now) noexcept;

  // ---- for Timer ----
  void add(SimTimer & timer, const Attachment & target);        ///< set-up only
  void remove(SimTimer & timer) noexcept;                       ///< set-up only
  void cancel(SimTimer & timer) noexcept;                       ///< real-time safe
  void reset(SimTimer & timer) noexcept;                        ///< real-time safe
  void set_period(SimTimer & timer, Duration period) noexcept;  ///< real-time safe
  bool cancelled(const SimTimer & timer) const noexcept;        ///< real-time safe
  /// Until the next release; kForever: cancelled. Real-time safe.
  Duration until(const SimTimer & timer) const noexcept;

private:
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

  void arm(SimTimer & timer, Duration after) noexcept;
  void disarm(SimTimer & timer) noexcept;
  void release(SimTimer & timer, Time now) noexcept;

  const bool simulated_;
  std::atomic<std::int64_t> simulated_now_{0};
  mutable takt_core::PiMutex mutex_;
  bool started_ = false;
  std::vector<SimTimer *> timers_;
  takt_core::IntrusiveHeap<SimTimer *, Less, Index> heap_;
};

}  // namespace takt_rcl

#endif  // TAKT_RCL__CLOCK_HPP_
