#include "exec/child.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>

namespace takt_exec
{
namespace
{

constexpr std::array<int, 6> kPassedOn{SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};

std::atomic<pid_t> g_child{0};
std::atomic<bool> g_group{false};  // the program leads its own process group

void pass_on(int signal, siginfo_t * info, void *)
{
  // A terminal signals the whole foreground group. Pass such a signal on only if the program has
  // its own group.
  const pid_t child = g_child.load();
  const bool group = g_group.load();
  if (child > 0 && (group || info->si_code <= 0)) {
    const int before = errno;
    ::kill(group ? -child : child, signal);
    errno = before;
  }
}

// The standard streams that were closed when this process started. takt's script opened them, so
// that no file that takt opens gets their numbers and the program's output.
std::vector<int> closed_streams()
{
  std::vector<int> closed;
  const char * const named = std::getenv("TAKT_CLOSED_STREAMS");
  for (const char * one = named == nullptr ? "" : named; *one != '\0'; ++one) {
    if (*one >= '0' && *one <= '2') {
      closed.push_back(*one - '0');
    }
  }
  return closed;
}

[[noreturn]] void become(
  const std::string & path, const std::vector<char *> & arguments,
  const std::vector<char *> & environment, const std::vector<int> & closed, int tell, pid_t parent,
  bool group)
{
  if (group) {
    ::setpgid(0, 0);
  }
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  for (const int stream : closed) {
    ::close(stream);
  }
  if (::getppid() == parent) {
    ::execve(path.c_str(), arguments.data(), environment.data());
  }
  const int error = errno;
  if (::write(tell, &error, sizeof error) < 0) {
    // The parent has ended.
  }
  ::_exit(127);
}

// True if `child` ends within `patience`.
bool ended_within(pid_t child, std::chrono::nanoseconds patience)
{
  const auto until = std::chrono::steady_clock::now() + patience;
  const int handle = static_cast<int>(::syscall(SYS_pidfd_open, child, 0));
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
      until - std::chrono::steady_clock::now());
    siginfo_t info{};
    if (
      ::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
      info.si_pid == child) {
      break;
    }
    if (left.count() <= 0) {
      ::close(handle);
      return false;
    }
    pollfd poll{handle, POLLIN, 0};
    constexpr std::chrono::milliseconds kLongest{60'000};
    // Without a process handle (old kernels) it polls ten times a second.
    const auto pause = handle >= 0 ? std::min(left, kLongest) : std::min(left, kLongest / 600);
    ::poll(handle >= 0 ? &poll : nullptr, handle >= 0 ? 1 : 0, static_cast<int>(pause.count()) + 1);
  }
  ::close(handle);
  return true;
}

void end_after(pid_t child, std::chrono::nanoseconds duration, ProgramEnd & end)
{
  if (ended_within(child, duration)) {
    return;
  }
  end.by_duration = true;
  ::kill(-child, SIGINT);
  if (ended_within(child, std::chrono::seconds(10))) {
    return;
  }
  end.needed_sigterm = true;
  ::kill(-child, SIGTERM);
  if (!ended_within(child, std::chrono::seconds(5))) {
    end.needed_sigkill = true;
    ::kill(-child, SIGKILL);
  }
}

// Ends the processes that the program started and left behind. Begins with SIGTERM, because shells
// let background programs ignore SIGINT. Returns true if SIGKILL was needed.
bool end_rest(pid_t group)
{
  const auto gone = [&](std::chrono::milliseconds patience) {
    const auto until = std::chrono::steady_clock::now() + patience;
    while (::kill(-group, 0) == 0) {
      if (std::chrono::steady_clock::now() > until) {
        return false;
      }
      ::poll(nullptr, 0, 10);
    }
    return true;
  };
  if (::kill(-group, SIGTERM) == 0 && !gone(std::chrono::seconds(5))) {
    ::kill(-group, SIGKILL);
    gone(std::chrono::seconds(5));
    return true;
  }
  return false;
}

}  // namespace

ProgramEnd run(
  const std::string & path, const std::vector<std::string> & arguments,
  const Environment & environment, std::chrono::nanoseconds duration)
{
  const bool group = duration.count() > 0;
  std::vector<char *> words;
  for (const std::string & argument : arguments) {
    words.push_back(const_cast<char *>(argument.c_str()));  // execv only reads them
  }
  words.push_back(nullptr);
  const std::vector<char *> variables = environment.strings();
  const std::vector<int> closed = closed_streams();

  // Block the signals until the handler knows the program.
  sigset_t passed_on;
  sigset_t before;
  ::sigemptyset(&passed_on);
  for (const int signal : kPassedOn) {
    ::sigaddset(&passed_on, signal);
  }
  ::sigprocmask(SIG_BLOCK, &passed_on, &before);
  std::array<int, 2> pipe{};
  ProgramEnd end;
  if (::pipe2(pipe.data(), O_CLOEXEC) != 0) {
    end.error = errno;
    return end;
  }
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child == 0) {
    ::sigprocmask(SIG_SETMASK, &before, nullptr);
    become(path, words, variables, closed, pipe[1], parent, group);
  }
  if (child < 0) {
    end.error = errno;
    return end;
  }
  ::close(pipe[1]);
  if (group) {
    ::setpgid(child, child);  // also here, because either process may run first
  }
  g_group.store(group);
  g_child.store(child);
  struct sigaction action
  {
  };
  action.sa_sigaction = pass_on;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  for (const int signal : kPassedOn) {
    ::sigaction(signal, &action, nullptr);
  }
  ::sigprocmask(SIG_SETMASK, &before, nullptr);

  int error = 0;
  const bool failed = ::read(pipe[0], &error, sizeof error) == sizeof error;
  ::close(pipe[0]);
  if (group && !failed) {
    end_after(child, duration, end);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  g_child.store(0);
  if (group) {
    end.rest_needed_sigkill = end_rest(child);
  }
  end.status = failed ? -1 : status;
  end.error = error;
  return end;
}

}  // namespace takt_exec
