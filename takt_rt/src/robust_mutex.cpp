#include "takt_rt/robust_mutex.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace takt_rt
{

namespace
{

[[noreturn]] void end_process(const char * operation, const char * why) noexcept
{
  std::fprintf(stderr, "takt_rt::RobustMutex %s: %s\n", operation, why);
  std::abort();
}

const char * why(LockResult result) noexcept
{
  return result == LockResult::deadlock ? "the calling thread holds it already"
                                        : "the kernel is out of resources";
}

}  // namespace

RobustMutex::RobustMutex()
{
  pthread_mutexattr_t attributes;
  ::pthread_mutexattr_init(&attributes);
  ::pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
  ::pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
  ::pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT);
  const int error = ::pthread_mutex_init(&mutex_, &attributes);
  ::pthread_mutexattr_destroy(&attributes);
  if (error != 0) {
    end_process("constructor", std::strerror(error));
  }
}

RobustMutex::~RobustMutex()
{
  ::pthread_mutex_destroy(&mutex_);
}

LockResult RobustMutex::result_of(int error) noexcept
{
  switch (error) {
    case 0:
      return LockResult::locked;
    case EOWNERDEAD:
      ::pthread_mutex_consistent(&mutex_);
      owners_ended_.fetch_add(1, std::memory_order_relaxed);
      return LockResult::owner_ended;
    case EBUSY:
      return LockResult::busy;
    case EDEADLK:
      return LockResult::deadlock;
    default:
      return LockResult::refused;
  }
}

LockResult RobustMutex::acquire() noexcept
{
  return result_of(::pthread_mutex_lock(&mutex_));
}

LockResult RobustMutex::try_acquire() noexcept
{
  return result_of(::pthread_mutex_trylock(&mutex_));
}

bool RobustMutex::release() noexcept
{
  return ::pthread_mutex_unlock(&mutex_) == 0;
}

void RobustMutex::lock() noexcept
{
  if (const LockResult result = acquire(); !is_locked(result)) {
    end_process("lock", why(result));
  }
}

bool RobustMutex::try_lock() noexcept
{
  return is_locked(try_acquire());
}

void RobustMutex::unlock() noexcept
{
  if (!release()) {
    end_process("unlock", "the calling thread does not hold it");
  }
}

}  // namespace takt_rt
