#include "exec/child.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>

namespace takt_exec
{
namespace
{

constexpr std::array<int, 6> kPassedOn{SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};

std::atomic<pid_t> g_child{0};

void pass_on(int signal, siginfo_t * info, void *)
{
  // A terminal signals the whole foreground group, in which the program is.
  const pid_t child = g_child.load();
  if (child > 0 && info->si_code <= 0) {
    const int before = errno;
    ::kill(child, signal);
    errno = before;
  }
}

[[noreturn]] void become(
  const std::string & path, std::vector<char *> & arguments, int tell, pid_t parent)
{
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() == parent) {
    ::execv(path.c_str(), arguments.data());
  }
  const int error = errno;
  if (::write(tell, &error, sizeof error) < 0) {
    // The parent has ended.
  }
  ::_exit(127);
}

}  // namespace

int run(const std::string & path, const std::vector<std::string> & arguments)
{
  std::vector<char *> words;
  for (const std::string & argument : arguments) {
    words.push_back(const_cast<char *>(argument.c_str()));  // execv reads them
  }
  words.push_back(nullptr);

  // Held back until the program is known to the handler.
  sigset_t passed_on;
  sigset_t before;
  ::sigemptyset(&passed_on);
  for (const int signal : kPassedOn) {
    ::sigaddset(&passed_on, signal);
  }
  ::sigprocmask(SIG_BLOCK, &passed_on, &before);
  std::array<int, 2> pipe{};
  if (::pipe2(pipe.data(), O_CLOEXEC) != 0) {
    return -1;
  }
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child == 0) {
    ::sigprocmask(SIG_SETMASK, &before, nullptr);
    become(path, words, pipe[1], parent);
  }
  ::close(pipe[1]);
  if (child < 0) {
    return -1;
  }
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
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  g_child.store(0);
  if (failed) {
    errno = error;
    return -1;
  }
  return status;
}

}  // namespace takt_exec
