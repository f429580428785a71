// The CPU clock of the calling thread.
#ifndef TAKT_RT__THREAD_CPU_TIME_HPP_
#define TAKT_RT__THREAD_CPU_TIME_HPP_

#include <time.h>

#include "takt_rt/time.hpp"

namespace takt_rt
{

/// The time that the calling thread has spent on a core since it began, to the nanosecond.
/// Real-time safe: one system call, no allocation. Source: CLOCK_THREAD_CPUTIME_ID in
/// clock_gettime(2).
inline Duration thread_cpu_time() noexcept
{
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

}  // namespace takt_rt

#endif  // TAKT_RT__THREAD_CPU_TIME_HPP_
