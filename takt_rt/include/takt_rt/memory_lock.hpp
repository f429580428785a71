// Keeping page faults out of the running process.
//
// Set-up only, except the fault counters. Sources: mlockall(2), mallopt(3), getrusage(2).
#ifndef TAKT_RT__MEMORY_LOCK_HPP_
#define TAKT_RT__MEMORY_LOCK_HPP_

#include <cstddef>
#include <cstdint>

#include "takt_rt/result.hpp"

namespace takt_rt
{

struct MemoryLockOptions
{
  /// Bytes of heap to have in memory beforehand. They stay with the allocator of the calling
  /// thread's arena; threads that use another glibc arena do not draw on them.
  std::size_t heap_bytes = 0;
  /// Bytes of the calling thread's stack to have in memory beforehand.
  std::size_t stack_bytes = 0;
};

/// Locks all present and future memory of the process (mlockall), makes malloc keep what it has
/// (no trimming, no mmap for large blocks: a freed block is never given back and faulted in
/// again), and reserves heap and stack. Faults say which right or limit is missing; when the heap
/// cannot be reserved nothing stays locked. Future thread stacks are locked whole: give threads a
/// stack_size. Without CAP_IPC_LOCK all that is mapped later counts against RLIMIT_MEMLOCK too, and
/// fails beyond it: reserve what the process will need, so that a tight limit shows here.
Status lock_memory(const MemoryLockOptions & options = {});

/// Undoes the lock and malloc's settings. What was reserved stays with malloc until it trims.
void unlock_memory();

/// Touches the next `bytes` of the calling thread's stack. A fault if the stack has not that much
/// left; then nothing is touched.
Status prefault_stack(std::size_t bytes);

/// The most that `prefault_stack` would touch here: what is left of the stack, without a margin.
std::size_t stack_to_prefault();

/// Page faults since the thread or process started.
struct PageFaults
{
  std::uint64_t minor = 0;  ///< mapped without input/output: microseconds
  std::uint64_t major = 0;  ///< read from a disk: milliseconds
};

/// Of the calling thread. Real-time safe: one system call.
PageFaults thread_page_faults() noexcept;

/// Of the whole process, ended threads included. Real-time safe: one system call.
PageFaults process_page_faults() noexcept;

}  // namespace takt_rt

#endif  // TAKT_RT__MEMORY_LOCK_HPP_
