// Sleeps until a word changes or an absolute monotonic deadline passes, and wakes sleepers.
//
// Thin wrappers of futex(2), private to the process, except the functions for shared memory. They do not order
// memory: write the word with release and read it with acquire around these calls.
#ifndef TAKT_RT__FUTEX_HPP_
#define TAKT_RT__FUTEX_HPP_

#include <atomic>
#include <cstdint>

#include "takt_rt/time.hpp"

namespace takt_rt
{

/// Why `futex_wait` returned. Always read the word again.
enum class WaitResult
{
  woken,        ///< by `futex_wake` (rarely by an earlier user of the same address)
  timed_out,    ///< the deadline has passed
  changed,      ///< the word was not `expected`; did not sleep
  interrupted,  ///< a signal handler ran
};

/// Sleeps while `word == expected`, at most until `deadline` (kNever: without one). With a past
/// deadline it only compares the word, as a poll. Blocks by design; otherwise real-time safe: one
/// system call, no allocation, any thread. Keeps errno.
WaitResult futex_wait(
  const std::atomic<std::uint32_t> & word, std::uint32_t expected, Time deadline = kNever) noexcept;

/// Wakes up to `count` sleepers, most urgent first by the kernel's priority order; returns their
/// number. Real-time safe and async-signal-safe: one system call, keeps errno. Does not read the
/// word, which may already be destroyed (the wake-up then wakes no thread, or one spuriously).
int futex_wake(const std::atomic<std::uint32_t> & word, int count) noexcept;

/// `futex_wait` on a word in memory that processes share. The waiter may have mapped it read-only.
WaitResult futex_wait_shared(
  const std::atomic<std::uint32_t> & word, std::uint32_t expected, Time deadline = kNever) noexcept;

/// `futex_wake` of sleepers in `futex_wait_shared`, in all processes. The word must be mapped.
int futex_wake_shared(const std::atomic<std::uint32_t> & word, int count) noexcept;

}  // namespace takt_rt

#endif  // TAKT_RT__FUTEX_HPP_
