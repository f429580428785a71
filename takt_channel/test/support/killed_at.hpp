// A process that is killed at one of its system calls, and not at a time: a test visits all of
// them.
#ifndef SUPPORT__KILLED_AT_HPP_
#define SUPPORT__KILLED_AT_HPP_

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

#include "support/hang.hpp"

namespace takt_channel_test
{

enum class Ended
{
  killed,     // at the system call
  itself,     // it had fewer system calls
  not_traced  // this host does not let a process trace its child
};

// Whether the system call may change files, so that the file system differs before it and after it.
// Stores in mapped files are no system calls: a kill between them equals one before the next call.
inline bool changes_files(const __ptrace_syscall_info & call)
{
  switch (call.entry.nr) {
    case SYS_openat:
      return (call.entry.args[2] & O_CREAT) != 0;
    case SYS_fcntl:
      return call.entry.args[1] == F_OFD_SETLK || call.entry.args[1] == F_OFD_SETLKW ||
             call.entry.args[1] == F_SETLK || call.entry.args[1] == F_SETLKW;
    case SYS_write:
    case SYS_pwrite64:
    case SYS_ftruncate:
    case SYS_fallocate:
    case SYS_fchmod:
    case SYS_fchmodat:
    case SYS_linkat:
    case SYS_mkdirat:
    case SYS_renameat:
    case SYS_renameat2:
    case SYS_unlinkat:
#ifdef SYS_unlink  // newer architectures, as aarch64, have only the calls above
    case SYS_unlink:
    case SYS_rmdir:
    case SYS_mkdir:
    case SYS_rename:
#endif
      return true;
    default:
      return false;
  }
}

/// Runs `run` in a child, and kills the child before its `nth` system call that may change files,
/// from 0. A child that hangs fails the test.
inline Ended killed_at(unsigned nth, const std::function<void()> & run)
{
  const pid_t child = ::fork();
  if (child == 0) {
    if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) {
      ::_exit(2);
    }
    ::alarm(static_cast<unsigned>(kPatience.count()));
    ::raise(SIGSTOP);
    run();
    ::_exit(0);
  }
  bool traced = false;
  for (unsigned count = 0;;) {
    int status = 0;
    ::waitpid(child, &status, 0);
    if (!WIFSTOPPED(status)) {
      return WIFSIGNALED(status) ? Ended::killed : traced ? Ended::itself : Ended::not_traced;
    }
    if (WSTOPSIG(status) == SIGALRM) {
      ::ptrace(PTRACE_DETACH, child, nullptr, SIGSTOP);
      ADD_FAILURE() << "the process that was to be killed at call " << nth << " hangs; "
                    << where_threads_are(child);
      ::kill(child, SIGKILL);
      continue;
    }
    if (!traced) {
      traced = true;
      ::ptrace(PTRACE_SETOPTIONS, child, nullptr, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL);
    }
    __ptrace_syscall_info call = {};
    if (
      WSTOPSIG(status) == (SIGTRAP | 0x80) &&
      ::ptrace(PTRACE_GET_SYSCALL_INFO, child, sizeof call, &call) > 0 &&
      call.op == PTRACE_SYSCALL_INFO_ENTRY && changes_files(call) && count++ == nth) {
      ::kill(child, SIGKILL);
      continue;
    }
    ::ptrace(PTRACE_SYSCALL, child, nullptr, nullptr);
  }
}

}  // namespace takt_channel_test

#endif  // SUPPORT__KILLED_AT_HPP_
