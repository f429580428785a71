#include "run/part_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "records/record_io.hpp"

namespace takt_workload
{

using takt_rt::Duration;
using takt_rt::Time;

namespace
{

constexpr Duration kGrace = std::chrono::seconds(3);

}  // namespace

PartProcess::PartProcess(
  const std::vector<std::string> & arguments, int part, std::size_t domain,
  const std::string & file, std::string who)
: part_(part),
  file_(file),
  who_(std::move(who))
{
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    throw std::runtime_error(std::strerror(errno));
  }
  channel_ = ends[0];
  std::vector<std::string> words = arguments;
  for (const std::string & more :
       {std::string("--part"), fmt::format("{}", part), std::string("--channel"),
        fmt::format("{}", ends[1]), std::string("--record"), file, std::string("--domain"),
        fmt::format("{}", domain)}) {
    words.push_back(more);
  }
  std::vector<char *> argv;
  for (std::string & word : words) {
    argv.push_back(word.data());
  }
  argv.push_back(nullptr);
  const pid_t parent = getpid();
  pid_ = fork();
  if (pid_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    // Only this child inherits this end of the channel.
    if (fcntl(ends[1], F_SETFD, 0) == 0 && getppid() == parent) {
      execv("/proc/self/exe", argv.data());
    }
    _exit(127);
  }
  close(ends[1]);
  if (pid_ < 0) {
    const int why = errno;
    close(channel_);
    throw std::runtime_error(fmt::format("cannot start a process: {}", std::strerror(why)));
  }
}

PartProcess::~PartProcess()
{
  // A part that waits for a message then sees at once that none will come.
  shutdown(channel_, SHUT_RDWR);
  end(kGrace);
  close(channel_);
}

void PartProcess::interrupt() const
{
  if (pid_ > 0) {
    kill(pid_, SIGINT);
  }
}

void PartProcess::end(Duration patience)
{
  interrupt();
  reap(patience);
}

void PartProcess::reap(Duration patience)
{
  if (!ended_by(takt_rt::now() + patience)) {
    kill(pid_, SIGKILL);
    killed_ = true;
    ended_by(takt_rt::kNever);
  }
}

// The channel closes a moment before the process can be waited for. So it sleeps briefly between
// attempts.
bool PartProcess::ended_by(Time until)
{
  while (pid_ > 0) {
    const pid_t found = waitpid(pid_, &status_, WNOHANG);
    if (found == pid_ || (found < 0 && errno == ECHILD)) {
      pid_ = 0;
    } else if (takt_rt::now() >= until) {
      return false;
    } else {
      poll(nullptr, 0, 2);
    }
  }
  return true;
}

std::string PartProcess::failure() const
{
  const auto record = read_record(file_);
  if (record.ok() && !record.value().error.empty()) {
    return fmt::format("{}: {}", who_, record.value().error);
  }
  if (killed_) {
    return fmt::format("{} did not end when it was told to, and was killed", who_);
  }
  if (WIFSIGNALED(status_)) {
    const int signal = WTERMSIG(status_);
    return fmt::format("{} was ended by signal {} ({})", who_, signal, strsignal(signal));
  }
  if (const int code = WEXITSTATUS(status_); code != 0 || !record.ok()) {
    return fmt::format("{} ended with exit code {} and left no record", who_, code);
  }
  return "";
}

ProcessRecord PartProcess::record() const
{
  auto read = read_record(file_);
  ProcessRecord record = read.ok() ? std::move(read.value()) : ProcessRecord{};
  record.process = static_cast<std::uint32_t>(part_);
  record.error = failure();
  return record;
}

}  // namespace takt_workload
