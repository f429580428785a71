// Threads that compete for one core: their core, their urgency, and their use of it.
#ifndef SUPPORT__ONE_CORE_HPP_
#define SUPPORT__ONE_CORE_HPP_

#include <pthread.h>
#include <sched.h>
#include <time.h>

#include <chrono>

namespace takt_core::test
{

// One core for all threads of a test; the last one that this process may use.
inline cpu_set_t one_core()
{
  cpu_set_t allowed;
  ::sched_getaffinity(0, sizeof(allowed), &allowed);
  cpu_set_t one;
  CPU_ZERO(&one);
  for (int core = CPU_SETSIZE - 1; core >= 0; --core) {
    if (CPU_ISSET(core, &allowed)) {
      CPU_SET(core, &one);
      break;
    }
  }
  return one;
}

inline bool set_fifo(pthread_t thread, int priority)
{
  sched_param parameters{};
  parameters.sched_priority = priority;
  return ::pthread_setschedparam(thread, SCHED_FIFO, &parameters) == 0;
}

inline std::chrono::nanoseconds cpu_time(pthread_t thread)
{
  clockid_t clock = 0;
  timespec time{};
  ::pthread_getcpuclockid(thread, &clock);
  ::clock_gettime(clock, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

}  // namespace takt_core::test

#endif  // SUPPORT__ONE_CORE_HPP_
