#include "takt_core/pi_mutex.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace takt_core
{

PiMutex::PiMutex()
{
  pthread_mutexattr_t attributes;
  int error = ::pthread_mutexattr_init(&attributes);
  if (error != 0) {
    die("constructor", error);
  }
  ::pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
  error = ::pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT);
  if (error == 0) {
    error = ::pthread_mutex_init(&mutex_, &attributes);  // ENOTSUP: no FUTEX_LOCK_PI
  }
  ::pthread_mutexattr_destroy(&attributes);
  if (error != 0) {
    die("constructor: no priority inheritance in this kernel (CONFIG_FUTEX_PI)", error);
  }
}

PiMutex::~PiMutex()
{
  if (const int error = ::pthread_mutex_destroy(&mutex_); error != 0) {
    die("destructor", error);
  }
}

void PiMutex::die(const char * operation, int error) noexcept
{
  std::fprintf(stderr, "takt_core::PiMutex %s: %s\n", operation, std::strerror(error));
  std::abort();
}

}  // namespace takt_core
