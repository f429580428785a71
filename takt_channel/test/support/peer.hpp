// A process that has one side of a channel: `peer_program.cpp`, asked through pipes.
#ifndef SUPPORT__PEER_HPP_
#define SUPPORT__PEER_HPP_

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <sstream>
#include <string>
#include <vector>

namespace takt_channel_test
{

struct Shape
{
  std::string name;
  std::size_t max_size = 1024;
  unsigned depth = 10;
  unsigned history = 0;
  unsigned held = 2;
  std::string type = "test";
  unsigned subscribers = 4;
  unsigned publishers = 4;
};

/// A subscriber's answer to take, await and receive.
struct Took
{
  std::uint64_t count = 0, first = 0, last = 0, missed = 0, wrong = 0;
  std::int64_t p50 = 0, p99 = 0, switches = 0, threads = 0;
};

class Peer
{
public:
  /// `user`: the process runs as this user, if not 0. `core`: it runs on this core, if not
  /// negative.
  Peer(const std::string & side, const Shape & shape, uid_t user = 0, int core = -1)
  {
    int to[2];
    int from[2];
    EXPECT_EQ(::pipe2(to, O_CLOEXEC), 0);
    EXPECT_EQ(::pipe2(from, O_CLOEXEC), 0);
    const pid_t parent = ::getpid();
    pid_ = ::fork();
    if (pid_ == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (::getppid() != parent) {
        ::_exit(1);
      }
      ::dup2(to[0], 0);
      ::dup2(from[1], 1);
      if (core >= 0) {
        cpu_set_t cores;
        CPU_ZERO(&cores);
        CPU_SET(core, &cores);
        ::sched_setaffinity(0, sizeof cores, &cores);
      }
      if (user != 0 && (::setgid(user) != 0 || ::setuid(user) != 0)) {
        ::_exit(1);
      }
      std::vector<std::string> words{
        TAKT_CHANNEL_PEER,
        side,
        shape.name,
        std::to_string(shape.max_size),
        std::to_string(shape.depth),
        std::to_string(shape.history),
        std::to_string(shape.held),
        shape.type,
        std::to_string(shape.subscribers),
        std::to_string(shape.publishers)};
      std::vector<char *> arguments;
      for (std::string & word : words) {
        arguments.push_back(word.data());
      }
      arguments.push_back(nullptr);
      ::execv(arguments[0], arguments.data());
      ::_exit(127);
    }
    ::close(to[0]);
    ::close(from[1]);
    to_ = to[1];
    from_ = ::fdopen(from[0], "r");
    first_ = read();
  }
  ~Peer() { end(); }
  Peer(const Peer &) = delete;
  Peer & operator=(const Peer &) = delete;

  /// The first line of the process: "open", or the refusal.
  const std::string & first() const { return first_; }
  bool open() const { return first_ == "open"; }
  pid_t pid() const { return pid_; }

  void tell(const std::string & line)
  {
    const std::string sent = line + "\n";
    EXPECT_EQ(::write(to_, sent.data(), sent.size()), static_cast<ssize_t>(sent.size()));
  }
  std::string read()
  {
    std::string line;
    for (int c = 0; (c = std::fgetc(from_)) != EOF && c != '\n';) {
      line += static_cast<char>(c);
    }
    return line;
  }
  std::string ask(const std::string & line)
  {
    tell(line);
    return read();
  }
  Took read_took()
  {
    Took took;
    std::istringstream words(read());
    words >> took.count >> took.first >> took.last >> took.missed >> took.wrong >> took.p50 >>
      took.p99 >> took.switches >> took.threads;
    return took;
  }
  Took take(const std::string & line = "take")
  {
    tell(line);
    return read_took();
  }

  /// Ends the process as the kernel ends a process that ran out of memory.
  void kill()
  {
    ::kill(pid_, SIGKILL);
    reap();
  }
  /// Closes the pipe to the process, so that the process ends normally. Returns its exit code.
  int end()
  {
    if (to_ >= 0) {
      ::close(to_);
      to_ = -1;
    }
    return reap();
  }

private:
  int reap()
  {
    int status = 0;
    if (pid_ > 0) {
      ::waitpid(pid_, &status, 0);
      pid_ = -1;
      std::fclose(from_);
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  pid_t pid_ = -1;
  int to_ = -1;
  FILE * from_ = nullptr;
  std::string first_;
};

/// A channel's name that no other test and no other run uses.
inline std::string fresh_name()
{
  static int count = 0;
  const auto * const test = ::testing::UnitTest::GetInstance()->current_test_info();
  return "test/" + std::to_string(::getpid()) + "/" + test->name() + "/" + std::to_string(count++);
}

}  // namespace takt_channel_test

#endif  // SUPPORT__PEER_HPP_
