// A pool of memory blocks of one size: the cheapest real-time safe allocation, and also between
// threads.
//
// Free blocks are a lock-free stack of their numbers. Its head has a tag that each change
// increments, so that a thread that was preempted within a change notices that the stack changed,
// even if the same block is on top again.
#ifndef TAKT_RT__MEMORY__BLOCK_POOL_HPP_
#define TAKT_RT__MEMORY__BLOCK_POOL_HPP_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <new>

namespace takt_rt
{

namespace detail
{

/// A stack of the numbers 0 to `count` - 1, all of which it holds at first. A test replaces `Word`
/// by words that it steps through all interleavings.
template <template <typename> class Word = std::atomic>
class FreeNumbers
{
public:
  static constexpr std::uint32_t kNone = 0xffffffff;

  explicit FreeNumbers(std::uint32_t count) : below_(new Word<std::uint32_t>[count]())
  {
    for (std::uint32_t number = count; number-- > 0;) {
      push(number);
    }
  }

  /// kNone: the stack is empty.
  std::uint32_t pop() noexcept
  {
    std::uint64_t head = head_.load(std::memory_order_acquire);
    for (;;) {
      const std::uint32_t top = static_cast<std::uint32_t>(head);
      if (top == kNone) {
        return kNone;
      }
      // Another thread may own `top` by now; its number below is then old, and the tag has changed.
      const std::uint32_t below = below_[top].load(std::memory_order_relaxed);
      if (head_.compare_exchange_weak(
            head, next_head(head, below), std::memory_order_acquire, std::memory_order_acquire)) {
        return top;
      }
    }
  }

  void push(std::uint32_t number) noexcept
  {
    std::uint64_t head = head_.load(std::memory_order_relaxed);
    do {
      below_[number].store(static_cast<std::uint32_t>(head), std::memory_order_relaxed);
    } while (!head_.compare_exchange_weak(
      head, next_head(head, number), std::memory_order_release, std::memory_order_relaxed));
  }

protected:  // for the broken twins of the tests
  static std::uint64_t next_head(std::uint64_t head, std::uint32_t top) noexcept
  {
    return (((head >> 32) + 1) << 32) | top;
  }

  const std::unique_ptr<Word<std::uint32_t>[]> below_;
  Word<std::uint64_t> head_{kNone};  ///< tag in the upper half, number in the lower
};

}  // namespace detail

/// Any thread allocates, and any thread releases. Destroy it after its blocks are released.
class BlockPool
{
public:
  /// Set-up only: allocates and touches `blocks` blocks of `block_bytes` bytes (rounded up to a
  /// multiple of 16), which are aligned to 16 bytes, or to 64 if their size is a multiple of 64.
  /// `blocks`: 1 to 2^32 - 2.
  BlockPool(std::size_t block_bytes, std::size_t blocks);
  ~BlockPool();
  BlockPool(const BlockPool &) = delete;
  BlockPool & operator=(const BlockPool &) = delete;

  /// A block, or nullptr if none is free, which is counted. Real-time safe and lock-free: no system
  /// call.
  void * try_allocate() noexcept
  {
    const std::uint32_t number = free_.pop();
    if (number == detail::FreeNumbers<>::kNone) {
      exhausted_.fetch_add(1, std::memory_order_relaxed);
      return nullptr;
    }
    lent_[number].store(true, std::memory_order_relaxed);
    return memory_ + std::size_t{number} * block_bytes_;
  }

  /// Gives a block of this pool back. Real-time safe and lock-free. A pointer that is not of this
  /// pool, and a block that was released before, end the process with a message. Two threads that
  /// release one block at the same moment may go unnoticed.
  void release(void * block) noexcept
  {
    const std::uint32_t number = number_of(block);
    if (!lent_[number].load(std::memory_order_relaxed)) {
      refuse_second_release();
    }
    lent_[number].store(false, std::memory_order_relaxed);
    free_.push(number);
  }

  /// Bytes of each block, and number of blocks. Real-time safe.
  std::size_t block_bytes() const noexcept { return block_bytes_; }
  std::size_t blocks() const noexcept { return blocks_; }
  std::size_t alignment() const noexcept { return alignment_; }
  /// Number of requests that found no free block. Any thread, real-time safe.
  std::uint64_t exhausted() const noexcept { return exhausted_.load(std::memory_order_relaxed); }

private:
  std::uint32_t number_of(const void * block) const noexcept;
  [[noreturn]] static void refuse_second_release() noexcept;

  const std::size_t block_bytes_;
  const std::size_t blocks_;
  const std::size_t alignment_;
  std::byte * const memory_;
  const std::unique_ptr<std::atomic<bool>[]> lent_;
  detail::FreeNumbers<> free_;
  std::atomic<std::uint64_t> exhausted_{0};
};

/// A BlockPool for containers and shared pointers: std::pmr::polymorphic_allocator<T>(&resource) is
/// its C++ allocator. Any thread. Real-time safe as long as a block is free; else throws
/// std::bad_alloc, as also for more than `pool().block_bytes()` bytes or a larger alignment.
class PoolResource final : public std::pmr::memory_resource
{
public:
  /// Set-up only; see BlockPool.
  PoolResource(std::size_t block_bytes, std::size_t blocks) : pool_(block_bytes, blocks) {}

  const BlockPool & pool() const noexcept { return pool_; }

private:
  void * do_allocate(std::size_t bytes, std::size_t alignment) override
  {
    void * const block = bytes <= pool_.block_bytes() && alignment <= pool_.alignment()
                           ? pool_.try_allocate()
                           : nullptr;
    if (block == nullptr) {
      throw std::bad_alloc();
    }
    return block;
  }
  void do_deallocate(void * block, std::size_t, std::size_t) override { pool_.release(block); }
  bool do_is_equal(const memory_resource & other) const noexcept override { return this == &other; }

  BlockPool pool_;
};

}  // namespace takt_rt

#endif  // TAKT_RT__MEMORY__BLOCK_POOL_HPP_
