// A bounded queue from several producer threads to one consumer thread, without a lock.
//
// A full ring drops the new value and counts the drop, so that a producer never waits. Each slot
// has a turn: the index for which it is free, and that index + 1 once its value is complete. A
// producer first claims an index, then writes. While a producer is preempted between the two, the
// consumer sees neither its value nor later ones; the other producers go on until the ring is full.
#ifndef TAKT_RT__MPSC_RING_HPP_
#define TAKT_RT__MPSC_RING_HPP_

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
class MpscQueue
{
public:
  // With one slot "free for index 1" and "holds the value of index 0" would be the same turn.
  explicit MpscQueue(std::size_t capacity)
  : mask_(slots_for(capacity, 2) - 1),
    slots_(new Slot[mask_ + 1]())
  {
    for (std::uint64_t i = 0; i <= mask_; ++i) {
      slots_[i].turn.store(i, std::memory_order_relaxed);
    }
  }

  bool try_push(const T & value) noexcept
  {
    std::uint64_t index = 0;
    if (!claim(index)) {
      return false;
    }
    slots_[index & mask_].value = value;
    slots_[index & mask_].turn.store(index + 1, std::memory_order_release);
    prefetch(slots_[(index + 1) & mask_]);
    return true;
  }

  bool try_pop(T & value) noexcept
  {
    Slot & slot = slots_[read_ & mask_];
    if (slot.turn.load(std::memory_order_acquire) != read_ + 1) {
      return false;
    }
    value = slot.value;
    slot.turn.store(read_ + mask_ + 1, std::memory_order_release);
    ++read_;
    return true;
  }

  std::size_t capacity() const noexcept { return static_cast<std::size_t>(mask_ + 1); }
  std::uint64_t accepted() const noexcept { return tail_.load(std::memory_order_relaxed); }
  std::uint64_t dropped() const noexcept { return dropped_.load(std::memory_order_relaxed); }

protected:  // for the broken twins of the tests
  static constexpr std::size_t kCacheLine = 64;

  // A large value begins a cache line with its turn, so that a push waits for as few lines of the
  // consumer as possible.
  static constexpr std::size_t kLeastAlignment =
    sizeof(T) >= kCacheLine - sizeof(std::uint64_t) ? kCacheLine : alignof(std::uint64_t);
  struct alignas(kLeastAlignment > alignof(T) ? kLeastAlignment : alignof(T)) Slot
  {
    Word<std::uint64_t> turn{0};
    T value{};
  };

  // The consumer's core has the lines of the next slot: they travel until the next push. A hint.
  static void prefetch(const Slot & slot) noexcept
  {
    for (std::size_t offset = 0; offset < sizeof(Slot); offset += kCacheLine) {
      __builtin_prefetch(reinterpret_cast<const char *>(&slot) + offset, 1);
    }
  }

  // Takes the next index, whose slot is then the caller's; false, and counted, if the ring is full.
  bool claim(std::uint64_t & index) noexcept
  {
    index = tail_.load(std::memory_order_relaxed);
    for (;;) {
      // Acquire: the consumer has finished with the slot.
      const std::uint64_t turn = slots_[index & mask_].turn.load(std::memory_order_acquire);
      if (turn == index) {
        if (tail_.compare_exchange_weak(
              index, index + 1, std::memory_order_relaxed, std::memory_order_relaxed)) {
          return true;
        }
      } else if (turn < index) {  // still holds the value of a round before
        dropped_.fetch_add(1, std::memory_order_relaxed);
        return false;
      } else {
        index = tail_.load(std::memory_order_relaxed);
      }
    }
  }

  const std::uint64_t mask_;
  const std::unique_ptr<Slot[]> slots_;
  alignas(kCacheLine) Word<std::uint64_t> tail_{0};
  Word<std::uint64_t> dropped_{0};
  alignas(kCacheLine) std::uint64_t read_ = 0;  // of the consumer
};

}  // namespace detail

/// Any thread pushes, one thread pops; the consumer may be another thread later, if the program
/// orders the two.
template <typename T>
class MpscRing
{
  static_assert(std::is_trivially_copyable_v<T>, "values are copied into and out of the ring");

public:
  /// Set-up only: allocates room for `capacity` values, rounded up to a power of two (at least 2),
  /// and touches it.
  explicit MpscRing(std::size_t capacity) : queue_(capacity) {}

  /// Any thread. Real-time safe and lock-free: no allocation; repeats only if another producer
  /// succeeded meanwhile. False if the ring is full: the value is dropped, and counted. Values of
  /// one producer stay in their order.
  bool try_push(const T & value) noexcept { return queue_.try_push(value); }

  /// The consumer thread only. Real-time safe and wait-free. Copies the oldest value and removes
  /// it; false, and `value` stays, if the ring is empty or the producer of the oldest value has not
  /// finished. Acquires all writes of the producer before that value's `try_push`.
  bool try_pop(T & value) noexcept { return queue_.try_pop(value); }

  /// Most values that wait.
  std::size_t capacity() const noexcept { return queue_.capacity(); }
  /// Number of values that the ring accepted, also of a producer that has not finished. Any thread,
  /// real-time safe.
  std::uint64_t accepted() const noexcept { return queue_.accepted(); }
  /// Number of values that `try_push` dropped. Any thread, real-time safe.
  std::uint64_t dropped() const noexcept { return queue_.dropped(); }

private:
  detail::MpscQueue<T> queue_;
};

}  // namespace takt_rt

#endif  // TAKT_RT__MPSC_RING_HPP_
