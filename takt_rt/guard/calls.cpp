// Calls of the kernel that may block: files, sockets, memory maps.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>

#include "next_function.hpp"

namespace
{

// False if a transfer cannot wait: calls on a file that is open with O_NONBLOCK return at once.
bool may_block(int file) noexcept
{
  const int before = errno;
  const int flags = ::fcntl(file, F_GETFL);
  errno = before;
  return flags == -1 || (flags & O_NONBLOCK) == 0;
}

bool is_standard_output(int file) noexcept
{
  return file == STDOUT_FILENO || file == STDERR_FILENO;
}

}  // namespace

#define TAKT_GUARD_TRANSFER(name, parameters, arguments) \
  TAKT_GUARD_FUNCTION(system_call, may_block(file), ssize_t, name, parameters, arguments)
#define TAKT_GUARD_MESSAGE(name, parameters, arguments)                                     \
  TAKT_GUARD_FUNCTION(                                                                      \
    system_call, (flags & MSG_DONTWAIT) == 0 && may_block(file), ssize_t, name, parameters, \
    arguments)

TAKT_GUARD_TRANSFER(read, (int file, void * to, std::size_t bytes), (file, to, bytes))
TAKT_GUARD_TRANSFER(
  __read_chk, (int file, void * to, std::size_t bytes, std::size_t room), (file, to, bytes, room))
TAKT_GUARD_TRANSFER(
  pread, (int file, void * to, std::size_t bytes, off_t at), (file, to, bytes, at))
TAKT_GUARD_TRANSFER(
  pread64, (int file, void * to, std::size_t bytes, off64_t at), (file, to, bytes, at))
TAKT_GUARD_TRANSFER(readv, (int file, const iovec * parts, int count), (file, parts, count))
TAKT_GUARD_TRANSFER(
  pwrite, (int file, const void * from, std::size_t bytes, off_t at), (file, from, bytes, at))
TAKT_GUARD_TRANSFER(
  pwrite64, (int file, const void * from, std::size_t bytes, off64_t at), (file, from, bytes, at))

TAKT_GUARD_TRANSFER(
  preadv, (int file, const iovec * parts, int count, off_t at), (file, parts, count, at))
TAKT_GUARD_TRANSFER(
  pwritev, (int file, const iovec * parts, int count, off_t at), (file, parts, count, at))

#define TAKT_GUARD_WRITES(name, parameters, arguments) \
  TAKT_GUARD_NEXT(name, ssize_t(*) parameters)         \
  TAKT_GUARD_EXPORT ssize_t name parameters            \
  {                                                    \
    if (!takt_guard::watching()) {                     \
      return next_##name() arguments;                  \
    }                                                  \
    if (is_standard_output(file)) {                    \
      TAKT_GUARD_EVENT(output, name);                  \
      event.waits();                                   \
      return next_##name() arguments;                  \
    }                                                  \
    if (!may_block(file)) {                            \
      return next_##name() arguments;                  \
    }                                                  \
    TAKT_GUARD_EVENT(system_call, name);               \
    event.waits();                                     \
    return next_##name() arguments;                    \
  }
TAKT_GUARD_WRITES(write, (int file, const void * from, std::size_t bytes), (file, from, bytes))
TAKT_GUARD_WRITES(writev, (int file, const iovec * parts, int count), (file, parts, count))

TAKT_GUARD_MESSAGE(
  recv, (int file, void * to, std::size_t bytes, int flags), (file, to, bytes, flags))
TAKT_GUARD_MESSAGE(
  __recv_chk, (int file, void * to, std::size_t bytes, std::size_t room, int flags),
  (file, to, bytes, room, flags))
TAKT_GUARD_MESSAGE(
  recvfrom,
  (int file, void * to, std::size_t bytes, int flags, sockaddr * from, socklen_t * length),
  (file, to, bytes, flags, from, length))
TAKT_GUARD_MESSAGE(recvmsg, (int file, msghdr * message, int flags), (file, message, flags))
TAKT_GUARD_MESSAGE(
  send, (int file, const void * from, std::size_t bytes, int flags), (file, from, bytes, flags))
TAKT_GUARD_MESSAGE(
  sendto,
  (int file, const void * from, std::size_t bytes, int flags, const sockaddr * to,
   socklen_t length),
  (file, from, bytes, flags, to, length))
TAKT_GUARD_MESSAGE(sendmsg, (int file, const msghdr * message, int flags), (file, message, flags))
TAKT_GUARD_FUNCTION(
  system_call, (flags & MSG_DONTWAIT) == 0 && may_block(file), int, recvmmsg,
  (int file, mmsghdr * messages, unsigned count, int flags, timespec * timeout),
  (file, messages, count, flags, timeout))
TAKT_GUARD_FUNCTION(
  system_call, (flags & MSG_DONTWAIT) == 0 && may_block(file), int, sendmmsg,
  (int file, mmsghdr * messages, unsigned count, int flags), (file, messages, count, flags))
TAKT_GUARD_FUNCTION(
  system_call, may_block(file), int, connect, (int file, const sockaddr * to, socklen_t length),
  (file, to, length))
TAKT_GUARD_FUNCTION(
  system_call, may_block(file), int, accept, (int file, sockaddr * from, socklen_t * length),
  (file, from, length))
TAKT_GUARD_FUNCTION(
  system_call, may_block(file), int, accept4,
  (int file, sockaddr * from, socklen_t * length, int flags), (file, from, length, flags))

TAKT_GUARD_FUNCTION(system_call, true, int, close, (int file), (file))
TAKT_GUARD_FUNCTION(system_call, true, int, fsync, (int file), (file))
TAKT_GUARD_FUNCTION(system_call, true, int, fdatasync, (int file), (file))
TAKT_GUARD_FUNCTION(
  system_call, (operation & LOCK_NB) == 0, int, flock, (int file, int operation), (file, operation),
  noexcept)
TAKT_GUARD_FUNCTION(
  system_call, (options & WNOHANG) == 0, pid_t, waitpid, (pid_t process, int * status, int options),
  (process, status, options))
TAKT_GUARD_FUNCTION(
  system_call, (options & WNOHANG) == 0, pid_t, wait4,
  (pid_t process, int * status, int options, rusage * usage), (process, status, options, usage),
  noexcept)
TAKT_GUARD_FUNCTION(system_call, true, pid_t, wait, (int * status), (status))

// Devices on SPI, I2C and serial lines wait in ioctl. The requests below only ask, and do not wait.
static bool only_asks(unsigned long request) noexcept
{
  return request == FIONREAD || request == FIONBIO || request == TCGETS || request == TIOCGWINSZ;
}

TAKT_GUARD_NEXT(ioctl, int (*)(int, unsigned long, ...))
TAKT_GUARD_EXPORT int ioctl(int file, unsigned long request, ...) noexcept
{
  std::va_list list;
  va_start(list, request);
  void * const argument = va_arg(list, void *);
  va_end(list);
  if (!takt_guard::watching() || only_asks(request)) {
    return next_ioctl()(file, request, argument);
  }
  TAKT_GUARD_EVENT(system_call, ioctl);
  event.waits();
  return next_ioctl()(file, request, argument);
}

TAKT_GUARD_FUNCTION(
  system_call, true, void *, mmap,
  (void * at, std::size_t bytes, int protection, int flags, int file, off_t offset),
  (at, bytes, protection, flags, file, offset), noexcept)
TAKT_GUARD_FUNCTION(
  system_call, true, int, munmap, (void * at, std::size_t bytes), (at, bytes), noexcept)
TAKT_GUARD_FUNCTION(
  system_call, true, int, mprotect, (void * at, std::size_t bytes, int protection),
  (at, bytes, protection), noexcept)
TAKT_GUARD_FUNCTION(
  system_call, true, int, madvise, (void * at, std::size_t bytes, int advice), (at, bytes, advice),
  noexcept)
TAKT_GUARD_FUNCTION(
  system_call, true, int, mlock, (const void * at, std::size_t bytes), (at, bytes), noexcept)
TAKT_GUARD_FUNCTION(system_call, true, int, unlink, (const char * path), (path), noexcept)
TAKT_GUARD_FUNCTION(
  system_call, true, int, rename, (const char * from, const char * to), (from, to), noexcept)
TAKT_GUARD_FUNCTION(
  system_call, true, int, mkdir, (const char * path, mode_t mode), (path, mode), noexcept)

// A caller passes the mode only if the call may create a file.
#define TAKT_GUARD_OPEN(name, parameters, arguments, last)          \
  TAKT_GUARD_NEXT(name, int (*)(TAKT_GUARD_UNPACK parameters, ...)) \
  TAKT_GUARD_EXPORT int name(TAKT_GUARD_UNPACK parameters, ...)     \
  {                                                                 \
    mode_t mode = 0;                                                \
    if ((flags & (O_CREAT | O_TMPFILE)) != 0) {                     \
      std::va_list list;                                            \
      va_start(list, last);                                         \
      mode = va_arg(list, mode_t);                                  \
      va_end(list);                                                 \
    }                                                               \
    if (!takt_guard::watching()) {                                  \
      return next_##name()(TAKT_GUARD_UNPACK arguments, mode);      \
    }                                                               \
    TAKT_GUARD_EVENT(system_call, name);                            \
    event.waits();                                                  \
    return next_##name()(TAKT_GUARD_UNPACK arguments, mode);        \
  }
TAKT_GUARD_OPEN(open, (const char * path, int flags), (path, flags), flags)
TAKT_GUARD_OPEN(open64, (const char * path, int flags), (path, flags), flags)
TAKT_GUARD_OPEN(openat, (int folder, const char * path, int flags), (folder, path, flags), flags)
TAKT_GUARD_OPEN(openat64, (int folder, const char * path, int flags), (folder, path, flags), flags)
TAKT_GUARD_FUNCTION(system_call, true, int, __open_2, (const char * path, int flags), (path, flags))
TAKT_GUARD_FUNCTION(
  system_call, true, int, __open64_2, (const char * path, int flags), (path, flags))
