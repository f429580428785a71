// Keeps page faults out of the running process.
//
// Set-up only, except the fault counters. Sources: mlockall(2), mallopt(3), getrusage(2).
#ifndef TAKT_RT__MEMORY_LOCK_HPP_
#define TAKT_RT__MEMORY_LOCK_HPP_

#include <cstddef>
#include <cstdint>

#include "takt_rt/result.hpp"

namespace takt_rt
{

/// The memory that `lock_memory` reserves.
struct MemoryLockOptions
{
  /// Bytes of heap to reserve in memory. They belong to the calling thread's glibc arena; threads
  /// of another arena do not use them.
  std::size_t heap_bytes = 0;
  /// Bytes of the calling thread's stack to touch.
  std::size_t stack_bytes = 0;
};

/// Locks all present and future memory of the process (mlockall) and reserves heap and stack. Also
/// makes malloc keep its memory (no trimming, no mmap for large blocks), so that freed blocks never
/// fault again. Faults name the missing right or limit; if the heap cannot be reserved, the memory
/// is unlocked again. Future thread stacks are locked whole: give threads a stack_size. Without
/// CAP_IPC_LOCK all later mappings count against RLIMIT_MEMLOCK and fail beyond it: reserve the
/// process's full need, so that a tight limit shows here.
Status lock_memory(const MemoryLockOptions & options = {});

/// Undoes the lock and malloc's settings. malloc keeps the reserved heap until it trims.
void unlock_memory();

/// Touches the next `bytes` of the calling thread's stack. If the stack has less left, returns a
/// fault and touches nothing.
Status prefault_stack(std::size_t bytes);

/// The most that `prefault_stack` would touch here: the rest of the stack, without a margin.
std::size_t stack_to_prefault();

/// Page faults since the thread or process started.
struct PageFaults
{
  std::uint64_t minor = 0;  ///< the kernel mapped the page without input/output: microseconds
  std::uint64_t major = 0;  ///< the kernel read the page from a disk: milliseconds
};

/// Of the calling thread. Real-time safe: one system call.
PageFaults thread_page_faults() noexcept;

/// Of the whole process, ended threads included. Real-time safe: one system call.
PageFaults process_page_faults() noexcept;

}  // namespace takt_rt

#endif  // TAKT_RT__MEMORY_LOCK_HPP_
