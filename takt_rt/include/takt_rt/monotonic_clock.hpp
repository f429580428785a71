// Sleeps until an absolute time on CLOCK_MONOTONIC. Loops take the clock as a parameter, so that
// tests run them under virtual time.
#ifndef TAKT_RT__MONOTONIC_CLOCK_HPP_
#define TAKT_RT__MONOTONIC_CLOCK_HPP_

#include <time.h>

#include <cstdint>

#include "takt_rt/time.hpp"

namespace takt_rt
{

/// Any thread. Real-time safe.
struct MonotonicClock
{
  /// The time on CLOCK_MONOTONIC.
  static Time now() noexcept { return takt_rt::now(); }

  /// Blocks until `time`. A signal handler ends the sleep early.
  static void sleep_until(Time time) noexcept
  {
    constexpr std::int64_t kSecond = 1'000'000'000;
    const std::int64_t ns = to_ns(time);
    const timespec until{ns / kSecond, ns % kSecond};
    ::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr);
  }
};

}  // namespace takt_rt

#endif  // TAKT_RT__MONOTONIC_CLOCK_HPP_
