// How long a thread has been ready without a core, by the kernel's account.
//
// A thread that runs late either was ready and waited for a core, which this account shows, or was
// woken late, which it does not show. In the second case something other than a thread of this
// machine had the core: a hypervisor in a virtual machine, elsewhere disabled interrupts or
// firmware. Source: proc_pid_schedstat in the kernel's Documentation/scheduler/sched-stats.
#ifndef TAKT_RT__READY_TIME_HPP_
#define TAKT_RT__READY_TIME_HPP_

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "takt_rt/time.hpp"

namespace takt_rt
{

/// The account in `file`, an open /proc/…/schedstat of a thread ("ran waited times", the first two
/// in nanoseconds): how long that thread was ready without a core. Below 0: the kernel keeps no
/// account, or `file` is not open. A running thread has begun to run at least once, so zero times
/// mean that the kernel does not count. Real-time safe: one system call of 2 us, no allocation.
inline long long read_ready_time(int file) noexcept
{
  char text[96];
  const ssize_t count = file < 0 ? 0 : ::pread(file, text, sizeof text - 1, 0);
  text[std::max(count, ssize_t{0})] = 0;
  char * end = text;
  std::strtoll(text, &end, 10);
  const long long waited = std::strtoll(end, &end, 10);
  return std::strtoll(end, &end, 10) > 0 ? waited : -1;
}

/// The account of the thread that calls `read`; all calls must come from one thread.
class ReadyTime
{
public:
  ReadyTime() = default;
  ~ReadyTime()
  {
    if (file_ >= 0) {
      ::close(file_);
    }
  }
  ReadyTime(const ReadyTime &) = delete;
  ReadyTime & operator=(const ReadyTime &) = delete;

  /// The sum since the thread began; 0 if the kernel keeps no such account. The first call opens
  /// the account and is set-up only. Later calls are real-time safe: one system call of 2 us, no
  /// allocation. The file stays open, because the kernel would look up its path at each opening.
  Duration read() noexcept
  {
    if (file_ == kUnopened) {
      file_ = ::open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
      file_ = file_ < 0 ? kAbsent : file_;
    }
    const long long waited = read_ready_time(file_);
    counted_ = waited >= 0;
    return Duration(std::max(waited, 0LL));
  }

  /// Whether the last `read` found an account. Real-time safe.
  bool counted() const noexcept { return counted_; }

private:
  static constexpr int kUnopened = -1;
  static constexpr int kAbsent = -2;

  int file_ = kUnopened;
  bool counted_ = false;
};

/// Whether other threads explain that a thread ran `late`: it was ready for `waited` of that time.
/// Real-time safe.
constexpr bool waited_for_others(Duration late, Duration waited) noexcept
{
  return 2 * waited >= late;
}

}  // namespace takt_rt

#endif  // TAKT_RT__READY_TIME_HPP_
