// The base of an adapter's callbacks that the middleware announces by count. The base keeps the
// account of the announcements, also after the callback was removed from its executor.
//
// When the core looks for a callback's next arrival, it counts the arrivals that a full history has
// overwritten since its last look. The core no longer looks at a removed callback, so `unseen`
// counts the arrivals that were overwritten after the last look. No take begins after `stop`, so
// each announcement is counted once.
#ifndef TAKT_CORE__ADAPTER__ANNOUNCED_CALLBACK_HPP_
#define TAKT_CORE__ADAPTER__ANNOUNCED_CALLBACK_HPP_

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "takt_core/adapter/hold.hpp"
#include "takt_core/executor.hpp"

namespace takt_core::adapter
{

/// The base of an adapter's callbacks that the middleware announces.
class AnnouncedCallback : public Callback
{
public:
  /// `options.depth` 0 counts as 1. Set-up only: allocates.
  explicit AnnouncedCallback(CallbackOptions options)
  : Callback(options),
    depth_(std::max(options.depth, 1U))
  {
  }

  /// Announces `count` messages to `executor`. `newest`: see Executor::ready.
  /// Any thread. Real-time safe, lock-free.
  void announce(
    Executor & executor, std::uint32_t count, takt_rt::Time newest = takt_rt::kNever) noexcept
  {
    executor.ready(*this, count, newest);
    announced_.fetch_add(count, std::memory_order_relaxed);
  }

  /// Call after the callback has left its executor and its announcements have ended. No take begins
  /// after `stop`. Any thread. Real-time safe, lock-free.
  void stop() noexcept { begun_.fetch_or(kStopped, std::memory_order_acq_rel); }

  /// Notes that the source dropped all messages that it announced so far: from then on `dropped`
  /// returns true for the runs of these announcements. Call while the source announces no message
  /// and no take calls `dropped`. Any thread. Real-time safe, lock-free.
  void drop_announced() noexcept { dropped_.store(arrivals(), std::memory_order_release); }

  // ---- after `stop` ----

  /// The number of announcements that led to no take and whose messages are still in the history.
  /// The adapter announces these messages again to the next executor.
  std::uint64_t left() const noexcept
  {
    const std::uint64_t left = std::min(waiting(), depth_);
    const std::uint64_t dropped = dropped_.load(std::memory_order_acquire);
    return dropped == 0 ? left : std::min(left, arrivals() - dropped);
  }
  /// The number of overwritten announcements that `overwritten()` does not count yet.
  std::uint64_t unseen() const noexcept { return waiting() - std::min(waiting(), depth_); }

protected:
  /// Every take calls `begin` first, which acquires the run's resources. Returns false after
  /// `stop`.
  template <typename T>
  bool begin(Hold<T> & hold) noexcept
  {
    if (!hold.acquire()) {
      return false;
    }
    std::uint64_t begun = begun_.load(std::memory_order_relaxed);
    while ((begun & kStopped) == 0) {
      if (begun_.compare_exchange_weak(begun, begun + kBegun, std::memory_order_acq_rel)) {
        return true;
      }
    }
    hold.release();
    return false;
  }

  /// True if the source dropped the message for which the run was started. The take then finds no
  /// message, even if a later one waits: that one has an announcement of its own. Real-time safe.
  bool dropped(const Run & run) const noexcept
  {
    return run.arrival < dropped_.load(std::memory_order_acquire);
  }

private:
  static constexpr std::uint64_t kStopped = 1;
  // `begun_` counts takes in units of kBegun, above the bit kStopped.
  static constexpr std::uint64_t kBegun = 2;

  std::uint64_t waiting() const noexcept
  {
    const std::uint64_t announced = announced_.load(std::memory_order_relaxed);
    const std::uint64_t gone = begun_.load(std::memory_order_acquire) / kBegun + overwritten();
    return announced - std::min(announced, gone);
  }

  const std::uint64_t depth_;
  std::atomic<std::uint64_t> announced_{0};
  std::atomic<std::uint64_t> begun_{0};
  std::atomic<std::uint64_t> dropped_{0};  // arrivals below this index belong to dropped messages
};

}  // namespace takt_core::adapter

#endif  // TAKT_CORE__ADAPTER__ANNOUNCED_CALLBACK_HPP_
