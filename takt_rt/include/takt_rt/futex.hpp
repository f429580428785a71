// Sleeps until a word changes or an absolute monotonic deadline passes, and wakes sleepers.
//
// Thin wrappers of futex(2), private to the process, except the functions for shared memory. They
// do not order memory: write the word with release and read it with acquire around these calls.
#ifndef TAKT_RT__FUTEX_HPP_
#define TAKT_RT__FUTEX_HPP_

#include <atomic>
#include <cstddef>
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

/// `futex_wake` of sleepers in `futex_wait_shared` and `futex_wait_any`, in all processes. The word
/// must be mapped.
int futex_wake_shared(const std::atomic<std::uint32_t> & word, int count) noexcept;

/// A word for `futex_wait_any`, and the value with which it is slept on.
struct AwaitedWord
{
  const std::atomic<std::uint32_t> * word;
  std::uint32_t expected;
  bool shared;  ///< the word is in memory that processes share: `futex_wake_shared` wakes
};

/// Most words of one `futex_wait_any`.
inline constexpr std::size_t kMostAwaitedWords = 128;

/// Whether the kernel has `futex_wait_any`: Linux 5.16 or newer, and no filter that forbids it. Any
/// thread; one system call, keeps errno.
bool has_futex_wait_any() noexcept;

/// As `futex_wait` on all of the 1 to kMostAwaitedWords words at once: sleeps while each has its
/// expected value, and returns when one of them is woken. Of the sleepers on a word a wake-up of
/// one wakes one. Only where `has_futex_wait_any`; elsewhere, and where a word is not mapped any
/// more, returns `woken` at once. Blocks by design; otherwise real-time safe: one system call, any
/// thread; the kernel allocates a few hundred bytes for each call. Keeps errno.
WaitResult futex_wait_any(
  const AwaitedWord * words, std::size_t count, Time deadline = kNever) noexcept;

}  // namespace takt_rt

#endif  // TAKT_RT__FUTEX_HPP_
