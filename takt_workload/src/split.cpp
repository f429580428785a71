#include "split.hpp"

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
#include <memory>
#include <stdexcept>

#include "record_directory.hpp"
#include "takt_workload/record_io.hpp"
#include "takt_workload/run_part.hpp"
#include "takt_workload/signals.hpp"

namespace takt_workload
{

using takt_core::Duration;
using takt_core::Time;

namespace
{

constexpr Duration kSlice = std::chrono::milliseconds(200);
constexpr char kMatched = 'm';

class Child
{
public:
  Child(
    const RunOptions & options, const std::vector<std::string> & arguments, int part,
    const std::string & file)
  : file_(file)
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
          fmt::format("{}", *options.domain)}) {
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
      // Only this child inherits this end.
      if (fcntl(ends[1], F_SETFD, 0) == 0 && getppid() == parent) {
        execv("/proc/self/exe", argv.data());
      }
      _exit(127);
    }
    close(ends[1]);
    if (pid_ < 0) {
      throw std::runtime_error(fmt::format("cannot start a process: {}", std::strerror(errno)));
    }
  }

  ~Child()
  {
    stop();
    if (pid_ > 0) {
      waitpid(pid_, nullptr, 0);
    }
    close(channel_);
  }
  Child(const Child &) = delete;
  Child & operator=(const Child &) = delete;

  // Whether it has said that all is matched; waits a little. Throws if it has ended instead.
  bool matched()
  {
    pollfd what{channel_, POLLIN, 0};
    if (!matched_ && poll(&what, 1, static_cast<int>(kSlice.count() / 1'000'000)) > 0) {
      char word = 0;
      matched_ = read(channel_, &word, 1) == 1 && word == kMatched;
      if (!matched_) {
        throw std::runtime_error(reason());
      }
    }
    return matched_;
  }

  void go(Time epoch)
  {
    const std::int64_t ns = takt_core::to_ns(epoch);
    if (send(channel_, &ns, sizeof ns, MSG_NOSIGNAL) != sizeof ns) {
      throw std::runtime_error(reason());
    }
  }

  bool running()
  {
    int status = 0;
    if (pid_ > 0 && waitpid(pid_, &status, WNOHANG) == pid_) {
      pid_ = 0;
    }
    return pid_ > 0;
  }

  void stop() const
  {
    if (pid_ > 0) {
      kill(pid_, SIGINT);
    }
  }

  // What it recorded, once it has ended.
  ProcessRecord record() const
  {
    auto record = read_record(file_);
    if (!record) {
      throw std::runtime_error("a part of the graph died without leaving its record");
    }
    return std::move(*record);
  }

private:
  std::string reason()
  {
    stop();
    if (pid_ > 0) {
      waitpid(pid_, nullptr, 0);
      pid_ = 0;
    }
    const auto record = read_record(file_);
    return record.ok() && !record.value().error.empty() ? record.value().error
                                                        : "a part of the graph died at start";
  }

  std::string file_;
  pid_t pid_ = -1;
  int channel_ = -1;
  bool matched_ = false;
};

}  // namespace

std::vector<ProcessRecord> run_split(
  const RunOptions & options, const std::vector<std::string> & arguments,
  const std::function<bool(Time & epoch)> & begin, const Progress & progress)
{
  const RecordDirectory directory;
  std::vector<std::unique_ptr<Child>> children;
  ProcessRecord failed;
  try {
    for (int part = 0; part < options.split; ++part) {
      children.push_back(std::make_unique<Child>(options, arguments, part, directory.file(part)));
    }
    for (bool all = false; !all;) {
      all = true;
      for (const auto & child : children) {
        all = child->matched() && all;
      }
      if (wait_for_signal(Time{})) {
        throw std::runtime_error("stopped before it began");
      }
    }
    Time epoch{};
    begin(epoch);
    for (const auto & child : children) {
      child->go(epoch);
    }
    bool stopping = false;
    for (bool any = true; any;) {
      any = false;
      for (const auto & child : children) {
        any = child->running() || any;
      }
      // After a signal the wait returns at once: poll nothing, but not in a busy loop either.
      if (any && stopping) {
        poll(nullptr, 0, 20);
      } else if (any && wait_for_signal(takt_core::now() + kSlice)) {
        stopping = true;
        for (const auto & child : children) {
          child->stop();
        }
      }
      if (progress) {
        progress(takt_core::now() - epoch);
      }
    }
    std::vector<ProcessRecord> records;
    for (const auto & child : children) {
      records.push_back(child->record());
    }
    return records;
  } catch (const std::exception & error) {
    failed.error = error.what();
  }
  return {failed};
}

int run_as_part(
  const Graph & graph, const RunOptions & options, std::uint32_t part, int channel,
  const std::string & record_file)
{
  PartHooks hooks;
  hooks.barrier = [&](Time & epoch) {
    std::int64_t ns = 0;
    if (
      write(channel, &kMatched, 1) != 1 ||
      recv(channel, &ns, sizeof ns, MSG_WAITALL) != sizeof ns) {
      return false;
    }
    epoch = takt_core::from_ns(ns);
    return true;
  };
  const ProcessRecord record = run_part(graph, options, part, parts_of(graph, options), hooks);
  const bool written = write_record(record_file, record).ok();
  return written && record.error.empty() ? 0 : 1;
}

}  // namespace takt_workload
