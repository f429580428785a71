// A mutex whose holder runs at least at the priority of its most urgent waiter.
//
// For short critical sections shared by threads of different real-time priority. Works with
// std::lock_guard and std::unique_lock. Not recursive and not for sharing between processes.
//
// A misuse (locking twice, unlocking what another thread holds) ends the process with a message: it
// is a fault of the program that no caller could handle.
#ifndef TAKT_CORE__PI_MUTEX_HPP_
#define TAKT_CORE__PI_MUTEX_HPP_

#include <pthread.h>

#include <cerrno>

namespace takt_core
{

class PiMutex
{
public:
  /// Set-up only. Ends the process with a message if the kernel has no priority inheritance.
  PiMutex();
  ~PiMutex();

  PiMutex(const PiMutex &) = delete;
  PiMutex & operator=(const PiMutex &) = delete;

  /// Real-time safe: waits only for the holder, who is boosted meanwhile. One compare-and-swap when
  /// nobody holds it. Acquires what the last unlock() released.
  void lock() noexcept
  {
    if (const int error = ::pthread_mutex_lock(&mutex_); error != 0) {
      die("lock", error);
    }
  }

  /// Real-time safe: never waits.
  bool try_lock() noexcept
  {
    const int error = ::pthread_mutex_trylock(&mutex_);
    if (error != 0 && error != EBUSY) {
      die("try_lock", error);
    }
    return error == 0;
  }

  /// Real-time safe: never waits; a system call only when somebody waits.
  void unlock() noexcept
  {
    if (const int error = ::pthread_mutex_unlock(&mutex_); error != 0) {
      die("unlock", error);
    }
  }

private:
  [[noreturn]] static void die(const char * operation, int error) noexcept;

  pthread_mutex_t mutex_;
};

}  // namespace takt_core

#endif  // TAKT_CORE__PI_MUTEX_HPP_
