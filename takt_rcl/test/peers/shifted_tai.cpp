// Linked into a program, it simulates a host whose TAI is off by TAKT_TEST_TAI_SHIFT nanoseconds.
// The loader finds the program's function before that of the C library, also for takt's libraries.
// A preloaded library would keep AddressSanitizer from starting.
#include <dlfcn.h>
#include <time.h>

#include <cstdlib>

extern "C" int clock_gettime(clockid_t clock, struct timespec * time) noexcept
{
  using Read = int (*)(clockid_t, timespec *);
  static const auto read = reinterpret_cast<Read>(::dlsym(RTLD_NEXT, "clock_gettime"));
  const int result = read(clock, time);
  if (clock == CLOCK_TAI && result == 0) {
    constexpr long kSecond = 1'000'000'000;
    const char * const shift = std::getenv("TAKT_TEST_TAI_SHIFT");
    time->tv_nsec += shift == nullptr ? 0 : std::atol(shift);  // less than a second
    if (time->tv_nsec < 0) {
      time->tv_nsec += kSecond;
      --time->tv_sec;
    } else if (time->tv_nsec >= kSecond) {
      time->tv_nsec -= kSecond;
      ++time->tv_sec;
    }
  }
  return result;
}
