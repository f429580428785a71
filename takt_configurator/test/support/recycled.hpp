// A process with an id that another process or thread had.
#ifndef SUPPORT__RECYCLED_HPP_
#define SUPPORT__RECYCLED_HPP_

#include <linux/sched.h>
#include <sched.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <ctime>

namespace takt_configurator::test
{

/// The process lives until the destructor. Needs root (clone3 with set_tid).
class RecycledId
{
public:
  /// Waits until the kernel has freed the id. The child then runs as `user` until the destructor
  /// ends it.
  RecycledId(pid_t id, uid_t user)
  {
    clone_args arguments{};
    arguments.exit_signal = SIGCHLD;
    arguments.set_tid = reinterpret_cast<std::uint64_t>(&id);
    arguments.set_tid_size = 1;
    do {
      pid_ = static_cast<pid_t>(::syscall(SYS_clone3, &arguments, sizeof arguments));
    } while (pid_ < 0 && errno == EEXIST && ::sched_yield() == 0);
    if (pid_ == 0) {
      ::syscall(SYS_close_range, 3U, ~0U, 0U);  // the child must not keep the test's pipes open
      ::syscall(SYS_setresuid, user, user, user);
      for (;;) {
        ::pause();
      }
    }
  }
  RecycledId(const RecycledId &) = delete;
  RecycledId & operator=(const RecycledId &) = delete;
  ~RecycledId()
  {
    if (pid_ > 0) {
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
    }
  }

  pid_t pid() const { return pid_; }

private:
  pid_t pid_ = -1;
};

/// Waits until the clock has left the tick in which a process started: two starts in one tick look
/// the same.
inline void leave_tick(std::uint64_t start_time)
{
  const auto per_second = static_cast<std::uint64_t>(::sysconf(_SC_CLK_TCK));
  timespec now{};
  do {
    ::sched_yield();
    ::clock_gettime(CLOCK_BOOTTIME, &now);
  } while (static_cast<std::uint64_t>(now.tv_sec) * per_second +
             static_cast<std::uint64_t>(now.tv_nsec) * per_second / 1'000'000'000U <=
           start_time + 1);
}

}  // namespace takt_configurator::test

#endif  // SUPPORT__RECYCLED_HPP_
