// A process that has one side of a channel: `peer_program.cpp`, asked through pipes. A process that
// does not answer is killed, and the test fails with what it was asked and where its threads are.
#ifndef SUPPORT__PEER_HPP_
#define SUPPORT__PEER_HPP_

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "support/hang.hpp"

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
    words_ = side + " of " + shape.name;
    EXPECT_EQ(::pipe2(to, O_CLOEXEC), 0);
    EXPECT_EQ(::pipe2(from, O_CLOEXEC), 0);
    const pid_t parent = ::getpid();
    ::signal(SIGPIPE, SIG_IGN);  // a process that ended shows in its answers
    pid_ = ::fork();
    if (pid_ == 0) {
      ::signal(SIGPIPE, SIG_DFL);
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
    from_ = from[0];
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
    asked_ = line;
    const std::string sent = line + "\n";
    EXPECT_EQ(::write(to_, sent.data(), sent.size()), static_cast<ssize_t>(sent.size()));
  }
  std::string read()
  {
    using std::chrono::milliseconds;
    const auto end = std::chrono::steady_clock::now() + kPatience;
    std::string line;
    for (;;) {
      const auto rest =
        std::chrono::duration_cast<milliseconds>(end - std::chrono::steady_clock::now());
      pollfd ready = {from_, POLLIN, 0};
      if (rest <= milliseconds(0) || ::poll(&ready, 1, static_cast<int>(rest.count()) + 1) == 0) {
        give_up("does not answer");
        return line;
      }
      char c = 0;
      if (::read(from_, &c, 1) <= 0 || c == '\n') {
        return line;
      }
      line += c;
    }
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
  void give_up(const char * fault)
  {
    ADD_FAILURE() << words_ << ": it was asked to '" << asked_ << "' and " << fault << "; "
                  << where_threads_are(pid_);
    ::kill(pid_, SIGKILL);
  }
  int reap()
  {
    if (pid_ <= 0) {
      return -1;
    }
    int status = 0;
    const auto end = std::chrono::steady_clock::now() + kPatience;
    while (::waitpid(pid_, &status, WNOHANG) == 0) {
      if (std::chrono::steady_clock::now() > end) {
        give_up("does not end");
        ::waitpid(pid_, &status, 0);
        break;
      }
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
    pid_ = -1;
    ::close(from_);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  pid_t pid_ = -1;
  int to_ = -1;
  int from_ = -1;
  std::string words_;
  std::string asked_ = "open";
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
