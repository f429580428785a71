// A bounded pool of messages that users may keep: handed out as shared or unique pointers. The last
// release, on any thread, returns the message.
//
// Each slot also holds the shared pointer's control block, so neither handing out nor returning
// allocates. An exhausted pool allocates a message and counts it: losing the message would be
// worse. A pool lives until its owner and all its messages have ended.
#ifndef TAKT_RCL__MEMORY__MESSAGE_POOL_HPP_
#define TAKT_RCL__MEMORY__MESSAGE_POOL_HPP_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>

namespace takt_rcl
{

namespace detail
{

/// Lends messages that lie in memory of its own.
class Lender
{
public:
  /// A lent message ends unpublished. Any thread.
  virtual void take_back(void * message) noexcept = 0;

protected:
  ~Lender() = default;
};

}  // namespace detail

/// A pool of `capacity` messages. Functions are for any thread.
template <typename Msg>
class MessagePool
{
public:
  /// A message with its place in the pool.
  struct Slot
  {
    Msg message{};
    MessagePool * pool = nullptr;
    std::uint32_t index = 0;             // kOutside: allocated because the pool was exhausted
    std::atomic<std::uint32_t> next{0};  // in the free list: index + 1
    alignas(std::max_align_t) std::byte control[128];

    /// False: allocated because the pool was exhausted.
    bool pooled() const noexcept { return index != kOutside; }
  };

  /// Returns the message to its pool or its lender, or frees a message without one. Any thread.
  /// Real-time safe as `release`.
  struct Deleter
  {
    Slot * slot = nullptr;  // null: the message was allocated by itself, or lent
    detail::Lender * lender = nullptr;
    void operator()(Msg * message) const noexcept
    {
      if (lender != nullptr) {
        lender->take_back(message);
      } else if (slot != nullptr) {
        release(slot);
      } else {
        delete message;
      }
    }
  };
  using Unique = std::unique_ptr<Msg, Deleter>;

  /// Set-up only: allocates everything.
  explicit MessagePool(std::uint32_t capacity)
  : slots_(std::make_unique<Slot[]>(capacity)),
    capacity_(capacity)
  {
    for (std::uint32_t i = 0; i < capacity; ++i) {
      slots_[i].pool = this;
      slots_[i].index = i;
      slots_[i].next.store(i + 1 < capacity ? i + 2 : 0, std::memory_order_relaxed);
    }
    head_.store(capacity > 0 ? 1 : 0, std::memory_order_release);
  }

  /// Releases the owner's hold; the last returned message deletes the pool.
  struct Abandon
  {
    void operator()(MessagePool * pool) const noexcept { unreference(pool); }
  };
  using Owner = std::unique_ptr<MessagePool, Abandon>;

  /// The number of messages that the pool can hand out without allocation.
  std::uint32_t capacity() const noexcept { return capacity_; }

  /// Number of messages that had to be allocated. Any thread. Real-time safe.
  std::uint64_t exhausted() const noexcept { return exhausted_.load(std::memory_order_relaxed); }

  /// A slot; never fails. Real-time safe while the pool is not exhausted. Lock-free.
  Slot * acquire()
  {
    references_.fetch_add(1, std::memory_order_relaxed);
    std::uint64_t head = head_.load(std::memory_order_acquire);
    while ((head & kIndex) != 0) {
      Slot & slot = slots_[(head & kIndex) - 1];
      // The upper half counts, so that a slot that left and returned meanwhile is noticed.
      const std::uint64_t next =
        ((head & ~kIndex) + kTag) | slot.next.load(std::memory_order_relaxed);
      if (head_.compare_exchange_weak(
            head, next, std::memory_order_acq_rel, std::memory_order_acquire)) {
        return &slot;
      }
    }
    exhausted_.fetch_add(1, std::memory_order_relaxed);
    auto * const slot = new Slot;
    slot->pool = this;
    slot->index = kOutside;
    return slot;
  }

  /// Returns a slot. Any thread. Lock-free; frees memory only of slots from outside the pool, and
  /// of a pool without an owner.
  static void release(Slot * slot) noexcept
  {
    MessagePool * const pool = slot->pool;
    if (slot->index == kOutside) {
      delete slot;
    } else {
      std::uint64_t head = pool->head_.load(std::memory_order_relaxed);
      std::uint64_t next = 0;
      do {
        slot->next.store(static_cast<std::uint32_t>(head & kIndex), std::memory_order_relaxed);
        next = ((head & ~kIndex) + kTag) | (slot->index + 1);
      } while (!pool->head_.compare_exchange_weak(
        head, next, std::memory_order_release, std::memory_order_relaxed));
    }
    unreference(pool);
  }

  /// Hands the slot's message to the user; it returns to the pool with the last pointer (weak ones
  /// included, because they need the control block).
  static std::shared_ptr<Msg> share(Slot * slot)
  {
    return std::shared_ptr<Msg>(&slot->message, Keep{}, ControlBlock<Msg>{slot});
  }
  /// Shares a message from outside of the pool: the slot only gives room for the control block.
  /// Real-time safe.
  template <typename T>
  static std::shared_ptr<T> share(Slot * slot, std::unique_ptr<T> message)
  {
    return std::shared_ptr<T>(message.release(), std::default_delete<T>(), ControlBlock<Msg>{slot});
  }
  /// A pointer that returns the slot's message to the pool.
  static Unique unique(Slot * slot) noexcept { return Unique(&slot->message, Deleter{slot}); }

private:
  static constexpr std::uint32_t kOutside = UINT32_MAX;
  static constexpr std::uint64_t kIndex = 0xFFFFFFFF;
  static constexpr std::uint64_t kTag = 0x100000000;

  struct Keep  // the slot returns when its control block is freed
  {
    void operator()(const Msg *) const noexcept {}
  };

  // An allocator for one object: the slot's room for a control block.
  template <typename T>
  struct ControlBlock
  {
    using value_type = T;
    explicit ControlBlock(Slot * slot) noexcept : slot(slot) {}
    template <typename U>
    ControlBlock(const ControlBlock<U> & other) noexcept : slot(other.slot)  // NOLINT: rebinding
    {
    }
    T * allocate(std::size_t) noexcept
    {
      static_assert(std::is_same_v<T, Msg> || sizeof(T) <= sizeof(Slot::control));
      return reinterpret_cast<T *>(slot->control);
    }
    void deallocate(T *, std::size_t) noexcept { MessagePool::release(slot); }
    template <typename U>
    bool operator==(const ControlBlock<U> & other) const noexcept
    {
      return slot == other.slot;
    }
    Slot * slot;
  };

  static void unreference(MessagePool * pool) noexcept
  {
    if (pool->references_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      delete pool;
    }
  }

  std::unique_ptr<Slot[]> slots_;
  const std::uint32_t capacity_;
  std::atomic<std::uint64_t> head_{0};        // count | index + 1 of the first free slot
  std::atomic<std::uint64_t> references_{1};  // the owner and each slot handed out
  std::atomic<std::uint64_t> exhausted_{0};
};

/// A message from a subscription's pool, owned by the callback. `std::unique_ptr<Msg>` works too,
/// but each such message is allocated, because its deleter cannot return it to the pool.
template <typename Msg>
using UniqueMessage = typename MessagePool<Msg>::Unique;

}  // namespace takt_rcl

#endif  // TAKT_RCL__MEMORY__MESSAGE_POOL_HPP_
