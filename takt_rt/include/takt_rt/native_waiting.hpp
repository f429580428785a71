// The kernel's futex as a parameter of the parts that sleep, so that a test can step through them.
#ifndef TAKT_RT__NATIVE_WAITING_HPP_
#define TAKT_RT__NATIVE_WAITING_HPP_

#include <atomic>
#include <cstdint>

#include "takt_rt/futex.hpp"
#include "takt_rt/pi_mutex.hpp"

namespace takt_rt::detail
{

/// The words, the sleep and the mutex of a program; see `futex_wait` and `futex_wake`.
struct NativeWaiting
{
  using Word = std::atomic<std::uint32_t>;
  using Mutex = PiMutex;

  static WaitResult wait(const Word & word, std::uint32_t expected, Time deadline) noexcept
  {
    return futex_wait(word, expected, deadline);
  }
  static void wake(const Word & word, int count) noexcept { futex_wake(word, count); }
};

}  // namespace takt_rt::detail

#endif  // TAKT_RT__NATIVE_WAITING_HPP_
