// An unprivileged process and a real daemon: what the policy allows is granted, and nothing else.
#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>

#include "support/child.hpp"
#include "support/daemon.hpp"
#include "takt_control/configurator_client.hpp"

namespace takt_configurator
{
namespace
{

using namespace std::chrono_literals;
using takt_control::ConfiguratorClient;
using takt_core::AttributeReport;
using takt_core::MissingRight;
using takt_core::Policy;
using takt_core::ThreadAttributes;

constexpr const char * kPolicy = R"(version: 1
rules:
  - users: 65534
    policies: [fifo, rr, deadline, other, batch]
    max_priority: 50
    min_nice: -5
    deadline_bandwidth: 0.2
    rtprio_limit: 40
  - users: 65533
    policies: other
)";

class Grant : public ::testing::Test
{
protected:
  void SetUp() override
  {
    if (!test::has_rights()) {
      GTEST_SKIP() << "needs root and CAP_SYS_NICE to start a daemon that grants something";
    }
  }

  static std::string told(const AttributeReport & report)
  {
    std::string text;
    for (const std::string & sentence : sentences(report.faults)) {
      text += sentence + "\n";
    }
    return text;
  }

  /// What user nobody is told, and what the kernel says that the thread has then.
  static std::string ask(const std::string & socket, const ThreadAttributes & asked, uid_t user)
  {
    return test::in_child_as(user, [&] {
      ConfiguratorClient client(socket);
      const AttributeReport report = client.apply(asked);
      return told(report) + format_policy(takt_core::read_attributes());
    });
  }
};

/// What a thread has that was granted nothing.
std::string untouched()
{
  return format_policy(takt_core::read_attributes());
}

ThreadAttributes deadline(takt_core::Duration runtime, takt_core::Duration period)
{
  ThreadAttributes attributes;
  attributes.policy = Policy::deadline;
  attributes.runtime = runtime;
  attributes.deadline = attributes.period = period;
  return attributes;
}

TEST_F(Grant, GivesWhatTheRuleAllows)
{
  test::Daemon daemon(kPolicy);
  const auto socket = daemon.socket();
  const auto ask = [&](const ThreadAttributes & asked) { return Grant::ask(socket, asked, 65534); };
  EXPECT_EQ(ask({.policy = Policy::fifo, .priority = 50}), "SCHED_FIFO priority 50");
  EXPECT_EQ(ask({.policy = Policy::rr, .priority = 1}), "SCHED_RR priority 1");
  EXPECT_EQ(ask({.nice = -5}), "SCHED_OTHER nice -5");
  EXPECT_EQ(ask({.policy = Policy::batch, .nice = -3}), "SCHED_BATCH nice -3");
  EXPECT_EQ(ask(deadline(1ms, 10ms)), "SCHED_DEADLINE runtime 1ms deadline 10ms period 10ms");
  EXPECT_NE(daemon.log().find("granted pid"), std::string::npos) << daemon.log();
}

TEST_F(Grant, ReadsCoresAndPolicyBackFromTheKernel)
{
  test::Daemon daemon(kPolicy);
  const int core = takt_core::usable_cores().back();
  const auto seen = test::in_child_as(test::kNobody, [&] {
    ConfiguratorClient client(daemon.socket());
    const auto report =
      client.apply({.policy = Policy::fifo, .priority = 7, .cores = {core}, .name = "hot"});
    return told(report) + format_policy(report.granted) + " on " +
           takt_core::format_cores(report.granted.cores) + " " + report.granted.name;
  });
  EXPECT_EQ(seen, "SCHED_FIFO priority 7 on " + std::to_string(core) + " hot");
}

TEST_F(Grant, DeadlineThreadsPassNothingOn)
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

TEST_F(Grant, LetsAThreadLeaveThePolicyDeadlineForOtherCores)
{
  test::Daemon daemon(kPolicy);
  const int core = takt_core::usable_cores().back();
  const auto seen = test::in_child_as(test::kNobody, [&] {
    ConfiguratorClient client(daemon.socket());
    std::string text = told(client.apply(deadline(1ms, 10ms)));
    const auto report = client.apply({.policy = Policy::fifo, .priority = 7, .cores = {core}});
    return text + told(report) + format_policy(report.granted) + " on " +
           takt_core::format_cores(report.granted.cores);
  });
  EXPECT_EQ(seen, "SCHED_FIFO priority 7 on " + std::to_string(core));
}

TEST_F(Grant, RefusesWithTheRulesLineAndLeavesTheThreadAlone)
{
  test::Daemon daemon(kPolicy);
  const std::string file = daemon.folder() + "/policy.yaml";
  const auto ask = [&](const ThreadAttributes & asked, uid_t user) {
    return Grant::ask(daemon.socket(), asked, user);
  };
  EXPECT_EQ(
    ask({.policy = Policy::fifo, .priority = 51}, 65534),
    "SCHED_FIFO priority 51 refused for this thread: the configurator's policy forbids it: " +
      file + ":3 (user 65534) allows priorities up to 50, not 51\n" + untouched());
  EXPECT_EQ(
    ask({.policy = Policy::fifo, .priority = 1}, 65533),
    "SCHED_FIFO priority 1 refused for this thread: the configurator's policy forbids it: " + file +
      ":9 (user 65533) allows the policies other, not fifo\n" + untouched());
  EXPECT_EQ(
    ask({.policy = Policy::fifo, .priority = 1}, 65532),
    "SCHED_FIFO priority 1 refused for this thread: the configurator's policy forbids it: " + file +
      " has no rule for user 65532 or a group of this user\n" + untouched());
  EXPECT_NE(
    ask({.nice = -6}, 65534).find("nice values down to -5, not -6\n" + untouched()),
    std::string::npos);
  EXPECT_NE(
    ask(deadline(3ms, 10ms), 65534).find("a deadline_bandwidth of 0.2 cores"), std::string::npos);
  EXPECT_NE(daemon.log().find("refused pid"), std::string::npos) << daemon.log();
}

TEST_F(Grant, ARefusalIsAValue)
{
  test::Daemon daemon(kPolicy);
  const auto seen = test::in_child_as(test::kNobody, [&]() -> std::string {
    ConfiguratorClient client(daemon.socket());
    const auto report = client.apply({.policy = Policy::fifo, .priority = 99});
    if (report.faults.size() != 1 || !report.faults[0].refusal) {
      return "no single refusal";
    }
    const auto & refusal = *report.faults[0].refusal;
    return std::to_string(refusal.right == MissingRight::configurator_policy) + " " +
           std::to_string(*refused_number(refusal)) + " " + std::to_string(refusal.error);
  });
  EXPECT_EQ(seen, "1 99 1");
}

TEST_F(Grant, SetsAnotherThreadOfTheProcess)
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
           format_policy(takt_core::read_attributes());
  });
  EXPECT_EQ(seen, "SCHED_RR priority 9 " + untouched());
}

TEST_F(Grant, WouldGrantChangesNothing)
{
  test::Daemon daemon(kPolicy);
  const auto seen = test::in_child_as(test::kNobody, [&] {
    ConfiguratorClient client(daemon.socket());
    const auto good = client.would_grant({.policy = Policy::fifo, .priority = 50});
    const auto bad = client.would_grant({.policy = Policy::fifo, .priority = 51});
    return std::to_string(good.size()) + std::to_string(bad.size()) + " " +
           format_policy(takt_core::read_attributes());
  });
  EXPECT_EQ(seen, "01 " + untouched());
}

TEST_F(Grant, RaisesTheLimitOfTheProcess)
{
  test::Daemon daemon(kPolicy);
  const auto seen = test::in_child_as(test::kNobody, [&] {
    ConfiguratorClient client(daemon.socket());
    const auto raised = client.raise_rtprio_limit(40);
    std::string text = raised.ok() ? "raised" : to_string(raised.faults().front());
    // Now by the thread's own right, as ceilings do it.
    text += " " + std::to_string(takt_core::set_own_priority(Policy::fifo, 40));
    text += " " + std::to_string(takt_core::set_own_priority(Policy::fifo, 41));
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

// As the unit starts it: not as root.
TEST_F(Grant, NeedsOneCapabilityAndAUserOfItsOwn)
{
  constexpr uid_t kDaemon = 65533;
  const auto readable = test::in_child_as(kDaemon, []() -> std::string {
    return ::access(TAKT_CONFIGURATOR_PROGRAM, X_OK) == 0 ? "yes" : "no";
  });
  if (readable != "yes" || std::system("command -v setpriv >/dev/null 2>&1") != 0) {
    GTEST_SKIP() << "needs setpriv, and a build folder that other users may read";
  }
  test::Daemon daemon(
    kPolicy, {},
    {"setpriv", "--reuid", "65533", "--regid", "65533", "--clear-groups", "--bounding-set",
     "-all,+sys_nice", "--inh-caps", "-all,+sys_nice", "--ambient-caps", "+sys_nice",
     "--no-new-privs"},
    kDaemon);
  EXPECT_EQ(
    Grant::ask(daemon.socket(), {.policy = Policy::fifo, .priority = 50}, test::kNobody),
    "SCHED_FIFO priority 50")
    << daemon.log();
  EXPECT_EQ(
    Grant::ask(daemon.socket(), deadline(1ms, 10ms), test::kNobody),
    "SCHED_DEADLINE runtime 1ms deadline 10ms period 10ms");
}

TEST_F(Grant, SaysThatNoDaemonAnswers)
{
  const std::string socket = test::make_folder() + "/nobody.sock";
  const auto seen = ask(socket, {.policy = Policy::fifo, .priority = 5}, test::kNobody);
  EXPECT_NE(
    seen.find("the configurator daemon does not help: " + socket + ": No such file or directory"),
    std::string::npos)
    << seen;
  ::rmdir(socket.substr(0, socket.rfind('/')).c_str());
}

TEST_F(Grant, NeedsNoDaemonForItsOwnRights)
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
