// A bounded queue from one producer thread to one consumer thread, without a lock.
//
// For samples and commands of which each counts: a full ring drops the new value and counts the
// drop, so that a producer never waits. Each side keeps what it last saw of the other side, and
// looks again only when the ring seems full or empty.
#ifndef TAKT_RT__SPSC_RING_HPP_
#define TAKT_RT__SPSC_RING_HPP_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>

#include "takt_rt/detail/ring_size.hpp"

namespace takt_rt
{

namespace detail
{

/// The queue itself. A test replaces `Word` by words that it steps through all interleavings.
template <typename T, template <typename> class Word = std::atomic>
class SpscQueue
{
public:
  explicit SpscQueue(std::size_t capacity)
  : capacity_(capacity < 1 ? 1 : capacity),
    mask_(slots_for(capacity_) - 1),
    slots_(new T[mask_ + 1]())
  {
  }

  bool try_push(const T & value) noexcept
  {
    if (written_ - seen_head_ == capacity_) {
      // Acquire: the consumer has finished with the slots that it gave back.
      seen_head_ = head_.load(std::memory_order_acquire);
      if (written_ - seen_head_ == capacity_) {
        dropped_.store(++drops_, std::memory_order_relaxed);
        return false;
      }
    }
    slots_[written_ & mask_] = value;
    tail_.store(++written_, std::memory_order_release);
    return true;
  }

  bool try_pop(T & value) noexcept
  {
    if (read_ == seen_tail_) {
      seen_tail_ = tail_.load(std::memory_order_acquire);
      if (read_ == seen_tail_) {
        return false;
      }
    }
    value = slots_[read_ & mask_];
    head_.store(++read_, std::memory_order_release);
    return true;
  }

  std::size_t size() const noexcept
  {
    // first: it never passes the tail
    const std::uint64_t head = head_.load(std::memory_order_acquire);
    return static_cast<std::size_t>(tail_.load(std::memory_order_acquire) - head);
  }
  std::size_t capacity() const noexcept { return static_cast<std::size_t>(capacity_); }
  std::uint64_t dropped() const noexcept { return dropped_.load(std::memory_order_relaxed); }

protected:  // for the broken twins of the tests
  static constexpr std::size_t kCacheLine = 64;

  const std::uint64_t capacity_;
  const std::uint64_t mask_;
  const std::unique_ptr<T[]> slots_;
  // Of the producer:
  alignas(kCacheLine) Word<std::uint64_t> tail_{0};
  Word<std::uint64_t> dropped_{0};
  std::uint64_t written_ = 0;
  std::uint64_t seen_head_ = 0;
  std::uint64_t drops_ = 0;
  // Of the consumer:
  alignas(kCacheLine) Word<std::uint64_t> head_{0};
  std::uint64_t read_ = 0;
  std::uint64_t seen_tail_ = 0;
};

}  // namespace detail

/// One thread pushes, one thread pops; either may be another thread later, if the program orders
/// the two.
template <typename T>
class SpscRing
{
  static_assert(std::is_trivially_copyable_v<T>, "values are copied into and out of the ring");

public:
  /// Set-up only: allocates room for `capacity` values (at least 1), and touches it.
  explicit SpscRing(std::size_t capacity) : queue_(capacity) {}

  /// The producer thread only. Real-time safe and wait-free. False if the ring is full: the value
  /// is dropped, and counted.
  bool try_push(const T & value) noexcept { return queue_.try_push(value); }

  /// The consumer thread only. Real-time safe and wait-free. Copies the oldest value and removes
  /// it; false, and `value` stays, if the ring is empty. Acquires all writes of the producer before
  /// that value's `try_push`.
  bool try_pop(T & value) noexcept { return queue_.try_pop(value); }

  /// Number of waiting values. Any thread, real-time safe; a hint while the other side goes on.
  std::size_t size() const noexcept { return queue_.size(); }
  /// Most values that wait.
  std::size_t capacity() const noexcept { return queue_.capacity(); }
  /// Number of values that `try_push` dropped. Any thread, real-time safe.
  std::uint64_t dropped() const noexcept { return queue_.dropped(); }

private:
  detail::SpscQueue<T> queue_;
};

}  // namespace takt_rt

#endif  // TAKT_RT__SPSC_RING_HPP_
