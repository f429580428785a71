#include "takt_rt/pi_mutex.hpp"

#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace takt_rt
{

constinit thread_local std::uint32_t PiMutex::id_ = 0;
std::atomic<std::uint64_t> PiMutex::waits_{0};

namespace
{

[[noreturn]] void die(const char * operation, int error) noexcept
{
  std::fprintf(stderr, "takt_rt::PiMutex %s: %s\n", operation, std::strerror(error));
  std::abort();
}

// Returns 0 or an error. Keeps errno: a lock may be taken in a listener.
int futex(std::atomic<std::uint32_t> & word, int operation) noexcept
{
  const int saved_errno = errno;
  const long result =
    ::syscall(SYS_futex, &word, operation | FUTEX_PRIVATE_FLAG, 0, nullptr, nullptr, 0);
  const int error = result == 0 ? 0 : errno;
  errno = saved_errno;
  return error;
}

}  // namespace

PiMutex::PiMutex()
{
  static const bool supported = [] {
    // Probe: unlocking a free word gives EPERM if the kernel has priority-inheritance futexes.
    std::atomic<std::uint32_t> word{0};
    if (const int error = futex(word, FUTEX_UNLOCK_PI); error != EPERM) {
      die("constructor: no priority inheritance in this kernel (CONFIG_FUTEX_PI)", error);
    }
    ::pthread_atfork(nullptr, nullptr, &PiMutex::forget_id);
    return true;
  }();
  static_cast<void>(supported);
}

PiMutex::~PiMutex()
{
  if (word_.load(std::memory_order_acquire) != 0) {
    die("destructor", EBUSY);
  }
}

std::uint32_t PiMutex::ask_id() noexcept
{
  id_ = static_cast<std::uint32_t>(::syscall(SYS_gettid));
  return id_;
}

void PiMutex::wait() noexcept
{
  waits_.fetch_add(1, std::memory_order_relaxed);
  int error = EAGAIN;
  while (error == EAGAIN || error == EINTR) {  // EAGAIN: the owner was just ending
    error = futex(word_, FUTEX_LOCK_PI);
  }
  if (error != 0) {
    die("lock", error);
  }
  // The kernel made this thread the owner; acquire the writes that the last owner released.
  static_cast<void>(word_.load(std::memory_order_acquire));
}

void PiMutex::hand_over() noexcept
{
  if ((word_.load(std::memory_order_relaxed) & FUTEX_TID_MASK) != own_id()) {
    die("unlock", EPERM);
  }
  // The kernel writes the word for the next owner; the release must be this thread's.
  word_.fetch_or(0, std::memory_order_release);
  if (const int error = futex(word_, FUTEX_UNLOCK_PI); error != 0) {
    die("unlock", error);
  }
}

}  // namespace takt_rt
