// An unprivileged process and a real daemon: the daemon grants the attributes that the policy
// allows, and no others.
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <string>

#include "support/grant.hpp"

namespace takt_configurator
{
namespace
{

using namespace std::chrono_literals;
using takt_control::ConfiguratorClient;
using takt_rt::MissingRight;
using takt_rt::Policy;
using takt_rt::ThreadAttributes;
using test::deadline;
using test::Grant;
using test::kPolicy;
using test::untouched;

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
  const int core = takt_rt::usable_cores().back();
  const auto seen = test::in_child_as(test::kNobody, [&] {
    ConfiguratorClient client(daemon.socket());
    const auto report =
      client.apply({.policy = Policy::fifo, .priority = 7, .cores = {core}, .name = "hot"});
    return told(report) + format_policy(report.granted) + " on " +
           takt_rt::format_cores(report.granted.cores) + " " + report.granted.name;
  });
  EXPECT_EQ(seen, "SCHED_FIFO priority 7 on " + std::to_string(core) + " hot");
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

// Starts the daemon as the unit starts it: with one capability, and not as root.
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

}  // namespace
}  // namespace takt_configurator
