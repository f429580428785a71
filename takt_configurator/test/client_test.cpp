// A client and a real daemon: other threads, limits, dry runs, and the way back from the policy
// deadline.
#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "support/grant.hpp"
#include "support/waiter.hpp"

namespace takt_configurator
{
namespace
{

using namespace std::chrono_literals;
using takt_control::ConfiguratorClient;
using takt_rt::Policy;
using test::deadline;
using test::kPolicy;
using test::untouched;

class Client : public test::Grant
{
};

TEST_F(Client, DeadlineThreadsPassNothingOn)
{
  test::Daemon daemon(kPolicy);
  const auto seen = test::in_child_as(test::kNobody, [&] {
    ConfiguratorClient client(daemon.socket());
    std::string text = told(client.apply(deadline(1ms, 10ms)));
    text += (::sched_getscheduler(0) & SCHED_RESET_ON_FORK) != 0 ? "flag, " : "no flag, ";
    std::thread([&] { text += untouched(); }).join();
    return text;
  });
  EXPECT_EQ(seen.rfind("flag, SCHED_OTHER", 0), 0U) << seen;
}

TEST_F(Client, LetsAThreadLeaveThePolicyDeadlineForOtherCores)
{
  test::Daemon daemon(kPolicy);
  const int core = takt_rt::usable_cores().back();
  const auto seen = test::in_child_as(test::kNobody, [&] {
    ConfiguratorClient client(daemon.socket());
    std::string text = told(client.apply(deadline(1ms, 10ms)));
    const auto report = client.apply({.policy = Policy::fifo, .priority = 7, .cores = {core}});
    return text + told(report) + format_policy(report.granted) + " on " +
           takt_rt::format_cores(report.granted.cores);
  });
  EXPECT_EQ(seen, "SCHED_FIFO priority 7 on " + std::to_string(core));
}

// The kernel keeps a nice value that SCHED_IDLE does not use. The daemon checks it before the
// thread uses it again.
TEST_F(Client, DoesNotLoseCountOfThreadsUnderThePolicyIdle)
{
  test::Daemon daemon(
    "version: 1\nrules: [{users: any, policies: [other, idle], min_nice: -5, max_threads: 1}]");
  const auto seen = test::in_child_as(test::kNobody, [&] {
    std::vector<std::unique_ptr<test::Waiter>> threads;
    std::string text;
    ConfiguratorClient client(daemon.socket());
    for (int i = 0; i < 3; ++i) {
      threads.push_back(std::make_unique<test::Waiter>());
      text += told(client.apply({.policy = Policy::other, .nice = -5}, threads.back()->tid()));
      text += told(client.apply({.policy = Policy::idle}, threads.back()->tid()));
    }
    int granted = 0;
    for (const auto & thread : threads) {
      granted += client.apply({.policy = Policy::other}, thread->tid()).granted_all() ? 1 : 0;
    }
    return text + std::to_string(granted) + " of 3";
  });
  EXPECT_EQ(seen, "1 of 3");
}

TEST_F(Client, SetsAnotherThreadOfTheProcess)
{
  test::Daemon daemon(kPolicy);
  const auto seen = test::in_child_as(test::kNobody, [&] {
    ConfiguratorClient client(daemon.socket());
    std::atomic<pid_t> tid = 0;
    std::atomic<bool> end = false;
    std::thread other([&] {
      tid = ::gettid();
      end.wait(false);
    });
    while (tid == 0) {
      ::sched_yield();
    }
    const auto report = client.apply({.policy = Policy::rr, .priority = 9}, tid);
    end = true;
    end.notify_all();
    other.join();
    return told(report) + format_policy(report.granted) + " " +
           format_policy(takt_rt::read_attributes());
  });
  EXPECT_EQ(seen, "SCHED_RR priority 9 " + untouched());
}

TEST_F(Client, WouldGrantChangesNothing)
{
  test::Daemon daemon(kPolicy);
  const auto seen = test::in_child_as(test::kNobody, [&] {
    ConfiguratorClient client(daemon.socket());
    const auto good = client.would_grant({.policy = Policy::fifo, .priority = 50});
    const auto bad = client.would_grant({.policy = Policy::fifo, .priority = 51});
    return std::to_string(good.size()) + std::to_string(bad.size()) + " " +
           format_policy(takt_rt::read_attributes());
  });
  EXPECT_EQ(seen, "01 " + untouched());
}

TEST_F(Client, RaisesTheLimitOfTheProcess)
{
  test::Daemon daemon(kPolicy);
  const auto seen = test::in_child_as(test::kNobody, [&] {
    ConfiguratorClient client(daemon.socket());
    const auto raised = client.raise_rtprio_limit(40);
    std::string text = raised.ok() ? "raised" : to_string(raised.faults().front());
    // The thread sets this by its own right, as middleware ceilings do.
    text += " " + std::to_string(takt_rt::set_own_priority(Policy::fifo, 40));
    text += " " + std::to_string(takt_rt::set_own_priority(Policy::fifo, 41));
    const auto more = client.raise_rtprio_limit(41);
    return text + (more.ok() ? " raised" : " " + to_string(more.faults().front()));
  });
  constexpr int kSysResource = 24;
  if (test::has_capability(kSysResource)) {
    EXPECT_NE(seen.find("raised 0 1 RLIMIT_RTPRIO of this process"), std::string::npos) << seen;
  } else {
    EXPECT_NE(seen.find("the daemon itself lacks CAP_SYS_RESOURCE"), std::string::npos) << seen;
  }
  EXPECT_NE(seen.find("allows limits from 1 to 40, not 41"), std::string::npos) << seen;
}

TEST_F(Client, SaysThatNoDaemonAnswers)
{
  const std::string socket = test::make_folder() + "/nobody.sock";
  const auto seen = ask(socket, {.policy = Policy::fifo, .priority = 5}, test::kNobody);
  EXPECT_NE(
    seen.find("the configurator daemon does not help: " + socket + ": No such file or directory"),
    std::string::npos)
    << seen;
  ::rmdir(socket.substr(0, socket.rfind('/')).c_str());
}

TEST_F(Client, NeedsNoDaemonForItsOwnRights)
{
  ConfiguratorClient client("/nonexistent/socket");
  std::string seen;
  std::thread([&] {
    const auto report = client.apply({.policy = Policy::fifo, .priority = 3});
    seen = told(report) + format_policy(report.granted);
  }).join();
  EXPECT_EQ(seen, "SCHED_FIFO priority 3");
}

}  // namespace
}  // namespace takt_configurator
