// Sleeping until a word changes, with an absolute monotonic deadline; and waking the sleepers.
//
// Thin wrappers of futex(2), private to the process. Nothing here orders memory: change the word
// with release and read it with acquire around these calls.
#ifndef TAKT_RT__FUTEX_HPP_
#define TAKT_RT__FUTEX_HPP_

#include <atomic>
#include <cstdint>

#include "takt_rt/time.hpp"

namespace takt_rt
{

/// Why `futex_wait` returned. Whatever it says, look at the word again.
enum class WaitResult
{
  woken,        ///< by `futex_wake` (rarely by an earlier user of the same address)
  timed_out,    ///< the deadline has passed
  changed,      ///< the word was not `expected`; did not sleep
  interrupted,  ///< a signal handler ran
};

/// Sleeps while `word == expected`, at most until `deadline` (kNever: without one). A deadline that
/// has passed still compares the word, so it is a poll. May block, by intent; real-time safe
/// otherwise: one system call, no allocation, any thread. Keeps errno.
WaitResult futex_wait(
  const std::atomic<std::uint32_t> & word, std::uint32_t expected, Time deadline = kNever) noexcept;

/// Wakes up to `count` sleepers, most urgent first by the kernel's priority order; returns how
/// many. Real-time safe and async-signal-safe: one system call, keeps errno. The word itself is
/// not read, so it may already be gone (the wake-up then goes to nobody or is seen as spurious).
int futex_wake(const std::atomic<std::uint32_t> & word, int count) noexcept;

}  // namespace takt_rt

#endif  // TAKT_RT__FUTEX_HPP_
