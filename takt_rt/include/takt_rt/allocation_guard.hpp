// Counts a thread's allocations while a guard of that thread is alive.
//
// For tests of code that must not allocate. Include it in one source file of a program only: it
// replaces malloc and its like. No effect under the sanitizers, which replace them too; `kWatches`
// tells.
#ifndef TAKT_RT__ALLOCATION_GUARD_HPP_
#define TAKT_RT__ALLOCATION_GUARD_HPP_

#include <cstddef>
#include <cstdint>

#include "takt_rt/constinit.hpp"

namespace takt_rt
{

TAKT_RT_CONSTINIT inline thread_local bool t_watching = false;
TAKT_RT_CONSTINIT inline thread_local std::uint64_t t_allocations = 0;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kWatches = false;
#else
inline constexpr bool kWatches = true;
#endif

/// A thread's guards must not nest. Real-time safe.
class AllocationGuard
{
public:
  /// Begins to count this thread's allocations, from 0.
  AllocationGuard() noexcept
  {
    t_allocations = 0;
    t_watching = true;
  }
  /// Ends the count.
  ~AllocationGuard() { t_watching = false; }
  AllocationGuard(const AllocationGuard &) = delete;
  AllocationGuard & operator=(const AllocationGuard &) = delete;

  /// Calls of malloc, calloc, realloc and free by this thread since the guard was made.
  std::uint64_t allocations() const noexcept { return t_allocations; }
};

/// The functions below call this before they allocate or free. Real-time safe.
inline void note_allocation() noexcept
{
  t_allocations += t_watching ? 1 : 0;
}

}  // namespace takt_rt

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
extern "C" {
void * __libc_malloc(std::size_t);               // NOLINT: glibc's names
void * __libc_calloc(std::size_t, std::size_t);  // NOLINT
void * __libc_realloc(void *, std::size_t);      // NOLINT
void __libc_free(void *);                        // NOLINT

void * malloc(std::size_t bytes) noexcept
{
  takt_rt::note_allocation();
  return __libc_malloc(bytes);
}
void * calloc(std::size_t count, std::size_t bytes) noexcept
{
  takt_rt::note_allocation();
  return __libc_calloc(count, bytes);
}
void * realloc(void * block, std::size_t bytes) noexcept
{
  takt_rt::note_allocation();
  return __libc_realloc(block, bytes);
}
void free(void * block) noexcept
{
  takt_rt::note_allocation();
  __libc_free(block);
}
}
#endif

#endif  // TAKT_RT__ALLOCATION_GUARD_HPP_
