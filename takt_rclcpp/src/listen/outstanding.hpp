// Counts messages that were announced to takt and not taken, and messages that a history overwrote.
#ifndef LISTEN__OUTSTANDING_HPP_
#define LISTEN__OUTSTANDING_HPP_

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>

#include "takt_core/message_counts.hpp"

namespace takt_rclcpp
{

/// Ensures that each waiting message leads to a take, even if the history is deeper than the stored
/// arrivals, or if several messages were announced as one. Any thread; lock-free. Takes of one
/// callback run one after the other.
///
/// It also counts the messages in the history. A message may be taken before its announcement, and
/// announced while another one is taken. If more messages are announced than the history holds, the
/// count may be too low for a while. When all announcements have come and a take has found no
/// message, each message is counted once.
class Outstanding
{
public:
  /// The counts when a take began.
  struct Before
  {
    std::uint64_t announced;
    std::int32_t waiting;
    std::uint32_t displaced;
  };

  /// Set-up only; call it before any announcement.
  void set_history(std::uint32_t messages) noexcept
  {
    history_.store(messages, std::memory_order_relaxed);
  }
  void announced(std::uint64_t count) noexcept
  {
    arrivals_.fetch_add(count, std::memory_order_relaxed);
    count_.fetch_add(count, std::memory_order_relaxed);
    const std::int64_t history =
      std::min<std::int64_t>(history_.load(std::memory_order_relaxed), kMost);
    std::int64_t lost = 0;
    change([&](Held & held) {
      const std::int64_t all = held.waiting + static_cast<std::int64_t>(count);
      lost = std::max<std::int64_t>(all - history, 0);
      held.waiting = static_cast<std::int32_t>(all - lost);
      held.displaced += static_cast<std::uint32_t>(lost);
    });
    overwritten_.fetch_add(static_cast<std::uint64_t>(lost), std::memory_order_relaxed);
  }

  /// Call it before the take: one message less waits from here on. After the take it would be too
  /// late: a message that came during the take would seem to overwrite another one.
  Before take_begins() noexcept
  {
    const std::uint64_t announced = count();
    const Held held = change([](Held & one) { --one.waiting; });
    return {announced, held.waiting, held.displaced};
  }
  /// The take found a message. `looks`: perhaps the message was announced only to an earlier
  /// listener, so this one may never get the announcement.
  void take_ends(bool looks) noexcept
  {
    if (decrease(count_, 1) == 0 && looks) {
      arrivals_.fetch_add(1, std::memory_order_relaxed);
      change([](Held & held) { ++held.waiting; });
    }
  }
  /// The take found no message: later messages overwrote the messages that were announced before
  /// it.
  void take_ends_empty(const Before & before) noexcept
  {
    decrease(count_, before.announced);
    std::int32_t lost = 0;
    change([&](Held & held) {
      // Later announcements have displaced some of these messages, and have counted them as
      // overwritten.
      const std::int64_t left = std::int64_t{before.waiting} - (held.displaced - before.displaced);
      ++held.waiting;
      lost = static_cast<std::int32_t>(
        std::clamp<std::int64_t>(left, 0, std::max<std::int32_t>(held.waiting, 0)));
      held.waiting -= lost;
    });
    overwritten_.fetch_add(static_cast<std::uint64_t>(lost), std::memory_order_relaxed);
  }
  /// The take found no message, so the announcements before it have no messages of their own.
  void take_ends_for_good(const Before & before) noexcept
  {
    change([](Held & held) { ++held.waiting; });
    forget(before.announced);
  }

  /// A take found an announced message.
  void taken() noexcept
  {
    if (decrease(count_, 1) == 0) {
      arrivals_.fetch_add(1, std::memory_order_relaxed);  // this message was not announced
    }
    lower(1);
  }
  /// A take found none of `announced` announced messages: they were overwritten.
  void found_empty(std::uint64_t announced) noexcept
  {
    decrease(count_, announced);
    overwritten_.fetch_add(lower(announced), std::memory_order_relaxed);
  }
  /// Takes back `announced` announcements that have no message of their own: no message came, or
  /// another take counted it.
  void forget(std::uint64_t announced) noexcept
  {
    arrivals_.fetch_sub(decrease(count_, announced), std::memory_order_relaxed);
    lower(announced);
  }
  std::uint64_t count() const noexcept { return count_.load(std::memory_order_relaxed); }

  takt_core::MessageCounts counts() const noexcept
  {
    const std::int32_t waiting = held_.load(std::memory_order_relaxed).waiting;
    return {
      static_cast<std::uint64_t>(std::max(waiting, 0)),
      overwritten_.load(std::memory_order_relaxed), history_.load(std::memory_order_relaxed),
      arrivals_.load(std::memory_order_relaxed)};
  }

private:
  static constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();

  /// One word, so that both members change at once.
  struct alignas(8) Held
  {
    std::int32_t waiting = 0;  ///< negative: messages taken before their announcement
    /// Overwritten messages according to announcements; only differences matter.
    std::uint32_t displaced = 0;
  };
  static_assert(std::atomic<Held>::is_always_lock_free);

  // Returns the value before the change.
  template <typename Change>
  Held change(Change && change) noexcept
  {
    Held old = held_.load(std::memory_order_relaxed);
    for (;;) {
      Held next = old;
      change(next);
      if (held_.compare_exchange_weak(old, next, std::memory_order_relaxed)) {
        return old;
      }
    }
  }
  // Lowers `waiting`, but not below zero; returns the difference.
  std::uint64_t lower(std::uint64_t by) noexcept
  {
    std::uint64_t lowered = 0;
    change([&](Held & held) {
      lowered = std::min<std::uint64_t>(by, static_cast<std::uint64_t>(std::max(held.waiting, 0)));
      held.waiting -= static_cast<std::int32_t>(lowered);
    });
    return lowered;
  }
  static std::uint64_t decrease(std::atomic<std::uint64_t> & number, std::uint64_t by) noexcept
  {
    std::uint64_t old = number.load(std::memory_order_relaxed);
    while (!number.compare_exchange_weak(old, old - std::min(old, by), std::memory_order_relaxed)) {
    }
    return std::min(old, by);
  }

  std::atomic<std::uint64_t> count_{0};
  std::atomic<std::uint64_t> arrivals_{0};
  std::atomic<Held> held_{};
  std::atomic<std::uint64_t> overwritten_{0};
  std::atomic<std::uint32_t> history_{1};
};

}  // namespace takt_rclcpp

#endif  // LISTEN__OUTSTANDING_HPP_
