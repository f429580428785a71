// Sleeps, waits for files, and `syscall`.
#include <linux/futex.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>

#include "next_function.hpp"

TAKT_GUARD_FUNCTION(
  sleep, true, int, nanosleep, (const timespec * time, timespec * left), (time, left))
TAKT_GUARD_FUNCTION(
  sleep, true, int, clock_nanosleep,
  (clockid_t clock, int flags, const timespec * time, timespec * left), (clock, flags, time, left))
TAKT_GUARD_FUNCTION(sleep, true, int, usleep, (useconds_t time), (time))
TAKT_GUARD_FUNCTION(sleep, true, unsigned, sleep, (unsigned seconds), (seconds))
TAKT_GUARD_FUNCTION(sleep, true, int, pause, (), ())

// With a timeout of 0 these functions do not wait.
TAKT_GUARD_FUNCTION(
  system_call, timeout != 0, int, poll, (pollfd * files, nfds_t count, int timeout),
  (files, count, timeout))
TAKT_GUARD_FUNCTION(
  system_call, timeout != 0, int, __poll_chk,
  (pollfd * files, nfds_t count, int timeout, std::size_t bytes), (files, count, timeout, bytes))
TAKT_GUARD_FUNCTION(
  system_call, time == nullptr || time->tv_sec != 0 || time->tv_nsec != 0, int, ppoll,
  (pollfd * files, nfds_t count, const timespec * time, const sigset_t * mask),
  (files, count, time, mask))
TAKT_GUARD_FUNCTION(
  system_call, time == nullptr || time->tv_sec != 0 || time->tv_usec != 0, int, select,
  (int count, fd_set * to_read, fd_set * to_write, fd_set * other, timeval * time),
  (count, to_read, to_write, other, time))
TAKT_GUARD_FUNCTION(
  system_call, time == nullptr || time->tv_sec != 0 || time->tv_nsec != 0, int, pselect,
  (int count, fd_set * to_read, fd_set * to_write, fd_set * other, const timespec * time,
   const sigset_t * mask),
  (count, to_read, to_write, other, time, mask))
TAKT_GUARD_FUNCTION(
  system_call, timeout != 0, int, epoll_wait,
  (int file, epoll_event * events, int count, int timeout), (file, events, count, timeout))
TAKT_GUARD_FUNCTION(
  system_call, timeout != 0, int, epoll_pwait,
  (int file, epoll_event * events, int count, int timeout, const sigset_t * mask),
  (file, events, count, timeout, mask))

// The C++ library waits for futures, latches and atomics by `syscall`. Locks with priority
// inheritance use other operations of the futex.
TAKT_GUARD_NEXT(syscall, long (*)(long, ...))
TAKT_GUARD_EXPORT long syscall(long number, ...) noexcept
{
  std::va_list list;
  va_start(list, number);
  const long a = va_arg(list, long);
  const long b = va_arg(list, long);
  const long c = va_arg(list, long);
  const long d = va_arg(list, long);
  const long e = va_arg(list, long);
  const long f = va_arg(list, long);
  va_end(list);
  const long operation = b & FUTEX_CMD_MASK;
  if (
    number == SYS_futex && (operation == FUTEX_WAKE || operation == FUTEX_WAKE_BITSET) &&
    takt_guard::watching()) {
    takt_guard::signals(reinterpret_cast<const void *>(a));
  }
  if (
    !takt_guard::watching() || number != SYS_futex ||
    (operation != FUTEX_WAIT && operation != FUTEX_WAIT_BITSET)) {
    return next_syscall()(number, a, b, c, d, e, f);
  }
  TAKT_GUARD_EVENT(wait, futex);
  event.waits(reinterpret_cast<const void *>(a));
  const long result = next_syscall()(number, a, b, c, d, e, f);
  if (result == -1 && errno == EAGAIN) {
    event.forget();  // the value had changed, so the call did not wait
  }
  return result;
}
