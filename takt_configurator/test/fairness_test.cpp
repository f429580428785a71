// The requests of one user do not delay the requests of other users.
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <ctime>
#include <string>
#include <thread>
#include <vector>

#include "process_table.hpp"
#include "support/child.hpp"
#include "support/daemon.hpp"
#include "support/talk.hpp"

namespace takt_configurator
{
namespace
{

using takt_rt::Policy;

constexpr const char * kPolicy =
  "version: 1\nrules: [{users: any, policies: [fifo], max_priority: 9}]";

std::string asks_about(pid_t tid)
{
  return encode(
    takt_control::MessageType::would_grant, takt_control::to_payload(takt_control::AttributeRequest{
                                              1, tid, {.policy = Policy::fifo, .priority = 5}}));
}

class Fairness : public ::testing::Test
{
protected:
  void SetUp() override
  {
    if (::geteuid() != 0) {
      GTEST_SKIP() << "needs root to ask as two users";
    }
  }
};

/// The number of decisions in the daemon's log before the first decision for `user`.
std::size_t decisions_before(const std::string & log, uid_t user)
{
  const std::string head = log.substr(0, log.find(" uid " + std::to_string(user) + " "));
  std::size_t count = 0;
  for (std::size_t at = 0; (at = head.find(" uid ", at)) != std::string::npos; ++at) {
    ++count;
  }
  return count;
}

// The daemon is stopped while one user sends 400 requests on each of 40 connections. Then another
// user connects and sends a request.
TEST_F(Fairness, AUserWaitsForOneRequestOfAnother)
{
  test::Daemon daemon(kPolicy);
  ::kill(daemon.pid(), SIGSTOP);
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  test::Child flood([&]() -> std::string {
    if (!test::become(test::kNobody)) {
      return "could not become nobody";
    }
    std::string requests;
    for (int i = 0; i < 400; ++i) {
      requests += asks_about(::gettid());
    }
    for (int i = 0; i < 40; ++i) {
      const int socket = test::connect_to(daemon.socket());
      (void)!::send(socket, requests.data(), requests.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    }
    (void)!::write(ready[1], "x", 1);
    for (;;) {
      ::pause();
    }
  });
  char byte = 0;
  EXPECT_EQ(::read(ready[0], &byte, 1), 1);
  test::Child other([&]() -> std::string {
    if (!test::become(test::kNobody - 1)) {
      return "could not become another user";
    }
    const int socket = test::connect_to(daemon.socket());
    const std::string request = asks_about(::gettid());
    test::send_bytes(socket, request);
    (void)!::write(ready[1], "x", 1);
    const auto frame = test::read_frame(socket);
    return frame ? "answered" : "no answer";
  });
  EXPECT_EQ(::read(ready[0], &byte, 1), 1);
  ::kill(daemon.pid(), SIGCONT);
  EXPECT_EQ(other.result(), "answered");
  // The daemon decides in the round in which it sees both users. It may have stopped within a
  // round.
  EXPECT_LE(decisions_before(daemon.log(), test::kNobody - 1), 3U) << daemon.log();
  ::close(ready[0]);
  ::close(ready[1]);
}

double cpu_seconds()
{
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/// A process with many threads in its own PID namespace. It starts one more thread for each byte
/// that it reads.
class Crowd
{
public:
  explicit Crowd(int threads)
  {
    (void)!::pipe(go_);
    (void)!::pipe(told_);
    maker_ = ::fork();
    if (maker_ == 0) {
      (void)!::unshare(CLONE_NEWPID);
      const pid_t inner = ::fork();
      if (inner == 0) {
        run(threads);
      }
      (void)!::write(told_[1], &inner, sizeof inner);
      ::waitpid(inner, nullptr, 0);
      ::_exit(0);
    }
    (void)!::read(told_[0], &pid_, sizeof pid_);
    newest_ = answer();
  }
  Crowd(const Crowd &) = delete;
  Crowd & operator=(const Crowd &) = delete;
  ~Crowd()
  {
    ::kill(pid_, SIGKILL);
    ::waitpid(maker_, nullptr, 0);
    for (const int fd : {go_[0], go_[1], told_[0], told_[1]}) {
      ::close(fd);
    }
  }
  pid_t pid() const { return pid_; }
  pid_t newest() const { return newest_; }
  /// Starts one more thread; returns its number in the namespace.
  pid_t grow()
  {
    (void)!::write(go_[1], "+", 1);
    return newest_ = answer();
  }

private:
  pid_t answer()
  {
    pid_t number = 0;
    (void)!::read(told_[0], &number, sizeof number);
    return number;
  }
  [[noreturn]] void run(int threads)
  {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    std::vector<std::thread> all;
    char byte = 0;
    do {
      for (int i = 0; i < threads; ++i) {
        std::atomic<pid_t> tid = 0;
        all.emplace_back([&tid] {
          tid = ::gettid();
          tid.notify_all();
          for (;;) {
            ::pause();
          }
        });
        tid.wait(0);
        newest_ = tid;
      }
      threads = 1;
      (void)!::write(told_[1], &newest_, sizeof newest_);
    } while (::read(go_[0], &byte, 1) == 1);
    ::_exit(0);
  }

  int go_[2] = {-1, -1};
  int told_[2] = {-1, -1};
  pid_t maker_ = -1;
  pid_t pid_ = -1;
  pid_t newest_ = 0;
};

TEST_F(Fairness, ThreadsInAPidNamespaceAreReadOnce)
{
  if (!test::has_capability(21)) {
    GTEST_SKIP() << "needs CAP_SYS_ADMIN to make a PID namespace";
  }
  Crowd crowd(400);
  const ProcFiles table;
  constexpr pid_t kNone = 999'999;
  const double before = cpu_seconds();
  EXPECT_FALSE(table.find_thread(crowd.pid(), kNone).has_value());
  const double first = cpu_seconds() - before;
  // The least of ten measurements: reading 400 files compared with reading a list of 400 names.
  double least = first;
  for (int i = 0; i < 10; ++i) {
    const double start = cpu_seconds();
    EXPECT_FALSE(table.find_thread(crowd.pid(), kNone).has_value());
    least = std::min(least, cpu_seconds() - start);
  }
  EXPECT_LT(least * 3, first);
  // The answers are right for old threads, for one that is new since then, and for one that has
  // ended.
  const auto oldest = table.find_thread(crowd.pid(), 1);
  EXPECT_EQ(oldest, crowd.pid());
  const pid_t newest = crowd.grow();
  const auto found = table.find_thread(crowd.pid(), newest);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(table.process_of(*found), crowd.pid());
  EXPECT_NE(*found, *table.find_thread(crowd.pid(), newest - 1));
}

TEST_F(Fairness, ThreadsBeyondTheFirstThousandOfAPidNamespaceAreFound)
{
  if (!test::has_capability(21)) {
    GTEST_SKIP() << "needs CAP_SYS_ADMIN to make a PID namespace";
  }
  Crowd crowd(1100);
  const ProcFiles table;
  const pid_t newest = crowd.grow();
  for (const pid_t own_tid : {newest, newest - 1, newest - 50, newest - 1000}) {
    const auto found = table.find_thread(crowd.pid(), own_tid);
    ASSERT_TRUE(found.has_value()) << own_tid << " of " << newest;
    EXPECT_EQ(table.process_of(*found), crowd.pid());
  }
  EXPECT_NE(table.find_thread(crowd.pid(), newest), table.find_thread(crowd.pid(), newest - 1));
  EXPECT_FALSE(table.find_thread(crowd.pid(), newest + 1).has_value());
}

}  // namespace
}  // namespace takt_configurator
