// A core callback that is announced by count, and knows afterwards what became of its announcements.
//
// The core counts what a full history overwrote when it looks for the next arrival. A callback that
// is taken out of its executor is not looked at again: then this says what is missing.
#ifndef ANNOUNCED_CALLBACK_HPP_
#define ANNOUNCED_CALLBACK_HPP_

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "takt_core/executor.hpp"

namespace takt_rcl
{

class AnnouncedCallback : public takt_core::Callback
{
public:
  explicit AnnouncedCallback(takt_core::CallbackOptions options)
  : Callback(options),
    depth_(std::max(options.depth, 1U))
  {
  }

  /// Any thread. Real-time safe, lock-free.
  void announce(takt_core::Executor & executor, std::uint32_t count) noexcept
  {
    executor.ready(*this, count);
    announced_.fetch_add(count, std::memory_order_relaxed);
  }

  // ---- once it is out of the executor and nothing announces any more ----

  /// Announcements that led to no run and are still good: for the next executor.
  std::uint64_t left() const noexcept
  {
    return std::min(waiting(), depth_) + dropped_.load(std::memory_order_relaxed);
  }
  /// Overwritten, but not yet in `overwritten()`.
  std::uint64_t unseen() const noexcept { return waiting() - std::min(waiting(), depth_); }

protected:
  /// First thing in every take. `open`: the entity is still there.
  void picked(bool open) noexcept
  {
    picked_.fetch_add(1, std::memory_order_relaxed);
    dropped_.fetch_add(open ? 0 : 1, std::memory_order_relaxed);
  }

private:
  std::uint64_t waiting() const noexcept
  {
    const std::uint64_t announced = announced_.load(std::memory_order_relaxed);
    const std::uint64_t gone = picked_.load(std::memory_order_relaxed) + overwritten();
    return announced - std::min(announced, gone);
  }

  const std::uint64_t depth_;
  std::atomic<std::uint64_t> announced_{0};
  std::atomic<std::uint64_t> picked_{0};
  std::atomic<std::uint64_t> dropped_{0};
};

}  // namespace takt_rcl

#endif  // ANNOUNCED_CALLBACK_HPP_
