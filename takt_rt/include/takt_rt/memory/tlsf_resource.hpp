// A TlsfHeap for containers: std::pmr::polymorphic_allocator<T>(&resource) is its C++ allocator.
#ifndef TAKT_RT__MEMORY__TLSF_RESOURCE_HPP_
#define TAKT_RT__MEMORY__TLSF_RESOURCE_HPP_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <memory_resource>
#include <mutex>
#include <new>

#include "takt_rt/memory/tlsf_heap.hpp"
#include "takt_rt/pi_mutex.hpp"

namespace takt_rt
{

namespace detail
{

/// A lock for one thread.
struct NoLock
{
  void lock() noexcept {}
  void unlock() noexcept {}
};

template <typename Lock>
class BasicTlsfResource final : public std::pmr::memory_resource
{
public:
  /// Set-up only: allocates and touches `bytes` bytes, of which the heap uses all but 32.
  explicit BasicTlsfResource(std::size_t bytes)
  : memory_(new std::byte[bytes]),
    heap_(touched(memory_.get(), bytes), bytes)
  {
  }

  /// Real-time safe, O(1): as TlsfHeap's functions, with the lock held.
  void * try_allocate(std::size_t bytes, std::size_t alignment = 16) noexcept
  {
    const std::lock_guard<Lock> guard(lock_);
    return heap_.try_allocate(bytes, alignment);
  }
  void release(void * block) noexcept
  {
    const std::lock_guard<Lock> guard(lock_);
    heap_.release(block);
  }

  /// Bytes in use, the most so far, all bytes, and the number of requests that found no room.
  /// Real-time safe.
  std::size_t used() const noexcept { return locked(&TlsfHeap::used); }
  std::size_t most_used() const noexcept { return locked(&TlsfHeap::most_used); }
  std::size_t capacity() const noexcept { return heap_.capacity(); }
  std::uint64_t exhausted() const noexcept { return locked(&TlsfHeap::exhausted); }

private:
  static void * touched(std::byte * memory, std::size_t bytes) noexcept
  {
    std::memset(memory, 0, bytes);
    return memory;
  }
  template <typename Value>
  Value locked(Value (TlsfHeap::*read)() const noexcept) const noexcept
  {
    const std::lock_guard<Lock> guard(lock_);
    return (heap_.*read)();
  }

  void * do_allocate(std::size_t bytes, std::size_t alignment) override
  {
    void * const block = try_allocate(bytes, alignment);
    if (block == nullptr) {
      throw std::bad_alloc();
    }
    return block;
  }
  void do_deallocate(void * block, std::size_t, std::size_t) override { release(block); }
  bool do_is_equal(const memory_resource & other) const noexcept override { return this == &other; }

  const std::unique_ptr<std::byte[]> memory_;
  TlsfHeap heap_;
  mutable Lock lock_;
};

}  // namespace detail

/// Any thread, under a lock with priority inheritance. Allocation through std::pmr throws
/// std::bad_alloc where there is no room; `try_allocate` returns nullptr.
using TlsfResource = detail::BasicTlsfResource<PiMutex>;
/// The same without a lock: one thread at a time.
using UnsynchronizedTlsfResource = detail::BasicTlsfResource<detail::NoLock>;

}  // namespace takt_rt

#endif  // TAKT_RT__MEMORY__TLSF_RESOURCE_HPP_
