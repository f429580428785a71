// The handler's decisions, with a table and a kernel of the test.
#include "request_handler.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <chrono>

#include "support/fake_machine.hpp"
#include "support/talk.hpp"

namespace takt_configurator
{
namespace
{

using namespace std::chrono_literals;
using takt_control::MessageType;
using takt_rt::Policy;
using takt_rt::ThreadAttributes;

constexpr pid_t kPid = 100;
constexpr uid_t kUser = 1000;

class Handler : public ::testing::Test
{
protected:
  Handler()
  {
    for (const pid_t tid : {kPid, kPid + 1, kPid + 2}) {
      table_.all[{kPid, tid}] = {5, kUser};
    }
    peer_.pid = kPid;
    peer_.uid = kUser;
    peer_.start_time = 5;
  }

  void use(const std::string & rules, const std::string & more = "")
  {
    auto policy =
      takt_schedule::parse_configurator_policy("version: 1\n" + more + "rules:\n" + rules, "p");
    ASSERT_TRUE(policy.ok()) << to_string(policy.faults().front());
    policy_ = *policy;
    handler_.emplace(policy_, table_, kernel_);
  }

  std::string ask(MessageType type, const std::string & payload)
  {
    takt_control::FrameDecoder decoder;
    decoder.feed(encode(type, payload));
    const auto request = decoder.next();
    decoder.feed(handler_->handle(peer_, *request));
    return test::reasons(*takt_control::read_answer(decoder.next()->payload));
  }
  std::string apply(const ThreadAttributes & asked, pid_t tid = kPid)
  {
    return ask(MessageType::apply, to_payload(takt_control::AttributeRequest{1, tid, asked}));
  }
  std::string raise(int priority)
  {
    return ask(MessageType::rtprio_limit, to_payload(takt_control::LimitRequest{1, priority}));
  }
  static ThreadAttributes deadline(takt_rt::Duration runtime)
  {
    ThreadAttributes attributes;
    attributes.policy = Policy::deadline;
    attributes.runtime = runtime;
    attributes.deadline = attributes.period = 10ms;
    return attributes;
  }

  test::FakeTable table_;
  test::FakeKernel kernel_;
  Peer peer_;
  takt_schedule::ConfiguratorPolicy policy_;
  std::optional<RequestHandler> handler_;
};

TEST_F(Handler, FirstRuleOfTheUserCounts)
{
  use(
    "  - {users: 1, policies: [fifo], max_priority: 90}\n"
    "  - {users: 1000, policies: [fifo], max_priority: 10}\n"
    "  - {users: any, policies: [fifo], max_priority: 99}\n");
  EXPECT_EQ(apply({.policy = Policy::fifo, .priority = 10}), "");
  EXPECT_NE(
    apply({.policy = Policy::fifo, .priority = 11}).find("p:4 (user 1000)"), std::string::npos);
}

TEST_F(Handler, GroupsCountAsUsersDo)
{
  use("  - {groups: [7, 8], policies: [rr], max_priority: 10}\n");
  EXPECT_NE(
    apply({.policy = Policy::rr, .priority = 1}).find("no rule for user 1000"), std::string::npos);
  peer_.groups = {3, 8};
  EXPECT_EQ(apply({.policy = Policy::rr, .priority = 1}), "");
}

TEST_F(Handler, ChecksValuesBeforeThePolicy)
{
  use(
    "  - {users: any, policies: [fifo, deadline, other], max_priority: 99, deadline_bandwidth: "
    "4}\n");
  EXPECT_NE(
    apply({.policy = Policy::fifo, .priority = 100}).find("outside 1 to 99"), std::string::npos);
  EXPECT_NE(
    apply({.policy = Policy::fifo, .priority = 0}).find("outside 1 to 99"), std::string::npos);
  EXPECT_NE(
    apply({.policy = Policy::other, .nice = -21}).find("outside -20 to 19"), std::string::npos);
  EXPECT_NE(
    apply({.policy = Policy::other, .cores = {1}}).find("of the thread's process (0)"),
    std::string::npos);
  EXPECT_NE(apply(deadline(11ms)).find("runtime <= deadline <= period"), std::string::npos);
  EXPECT_NE(apply({}).find("asks for nothing"), std::string::npos);
  EXPECT_TRUE(kernel_.asked.empty());
}

TEST_F(Handler, BoundsTheBandwidthOfAUserAndOfAll)
{
  use(
    "  - {users: any, policies: [deadline, other], deadline_bandwidth: 0.5}\n",
    "deadline_bandwidth: 0.6\n");
  EXPECT_EQ(apply(deadline(3ms), kPid), "");
  EXPECT_NE(
    apply(deadline(3ms), kPid + 1).find("who has 0.3 and asks for 0.3 more"), std::string::npos);
  EXPECT_EQ(apply(deadline(2ms), kPid + 1), "");
  // The same thread again does not count twice.
  EXPECT_EQ(apply(deadline(3ms), kPid), "");
  // Another user's threads have the rest of the common bandwidth.
  table_.all[{200, 200}] = {9, 1001};
  peer_.pid = 200;
  peer_.uid = 1001;
  peer_.start_time = 9;
  EXPECT_NE(
    apply(deadline(2ms), 200).find("for all users together, who have 0.5"), std::string::npos);
  EXPECT_EQ(apply(deadline(1ms), 200), "");
}

TEST_F(Handler, ForgetsThreadsThatEndedOrGaveUpWhatTheyHad)
{
  use("  - {users: any, policies: [deadline, other], deadline_bandwidth: 0.3}\n");
  EXPECT_EQ(apply(deadline(3ms), kPid + 1), "");
  EXPECT_NE(apply(deadline(3ms), kPid + 2), "");
  table_.all.erase({kPid, kPid + 1});
  EXPECT_EQ(apply(deadline(3ms), kPid + 2), "");
  kernel_.threads[kPid + 2].policy = Policy::other;  // the thread changes itself
  EXPECT_EQ(apply(deadline(3ms), kPid), "");
  EXPECT_EQ(apply({.policy = Policy::other}, kPid), "");  // the daemon changes it
  EXPECT_EQ(handler_->ledger().size(), 0U);
}

TEST_F(Handler, CountsWhatAnEarlierDaemonGranted)
{
  kernel_.threads[kPid + 1] = deadline(3ms);
  use("  - {users: any, policies: [deadline, other], deadline_bandwidth: 0.5}\n");
  EXPECT_NE(
    apply(deadline(3ms), kPid).find("who has 0.3 and asks for 0.3 more"), std::string::npos);
  EXPECT_EQ(apply(deadline(2ms), kPid), "");
}

TEST_F(Handler, BoundsTheThreadsOfAUser)
{
  use("  - {users: any, policies: [fifo, other], max_priority: 9, max_threads: 2}\n");
  EXPECT_EQ(apply({.policy = Policy::fifo, .priority = 1}, kPid), "");
  EXPECT_EQ(apply({.policy = Policy::fifo, .priority = 1}, kPid + 1), "");
  EXPECT_NE(
    apply({.policy = Policy::fifo, .priority = 1}, kPid + 2).find("max_threads"),
    std::string::npos);
  EXPECT_EQ(apply({.policy = Policy::fifo, .priority = 2}, kPid + 1), "");
  EXPECT_EQ(apply({.policy = Policy::other}, kPid + 2), "");
}

// Under SCHED_IDLE the kernel keeps a nice value without using it. The next policy with nice values
// uses it again.
TEST_F(Handler, CountsTheNiceValueThatAThreadWillHaveAgain)
{
  use("  - {users: any, policies: [other, batch, idle], min_nice: -5, max_threads: 1}\n");
  for (const pid_t tid : {kPid, kPid + 1, kPid + 2}) {
    EXPECT_EQ(apply({.policy = Policy::other, .nice = -5}, tid), "");
    EXPECT_EQ(apply({.policy = Policy::idle}, tid), "");
  }
  EXPECT_EQ(apply({.policy = Policy::other}, kPid), "");
  for (const Policy policy : {Policy::other, Policy::batch}) {
    const std::string refused = apply({.policy = policy}, kPid + 1);
    EXPECT_NE(refused.find("max_threads"), std::string::npos) << refused;
    EXPECT_NE(refused.find("its nice value -5 again: ask for a nice value"), std::string::npos)
      << refused;
  }
  EXPECT_EQ(apply({.policy = Policy::other, .nice = 0}, kPid + 1), "");
  EXPECT_EQ(kernel_.read(kPid + 1).nice, 0);
}

TEST_F(Handler, BoundsTheNiceValueThatAThreadWillHaveAgain)
{
  use("  - {users: any, policies: [fifo, other], max_priority: 9, min_nice: -5, cores: [1]}\n");
  kernel_.nices[kPid] = -10;
  kernel_.threads[kPid] = {.policy = Policy::idle, .cores = {0}};
  const std::string refused = apply({.policy = Policy::other});
  EXPECT_NE(refused.find("nice values down to -5, not -10"), std::string::npos) << refused;
  EXPECT_NE(refused.find("allows cores 1, and the thread may run on 0"), std::string::npos)
    << refused;
  EXPECT_EQ(apply({.policy = Policy::other, .nice = 0}), "");
  EXPECT_EQ(apply({.policy = Policy::other}), "");
}

TEST_F(Handler, RealTimeThreadsStayOnTheRulesCores)
{
  use("  - {users: any, policies: [fifo, other], max_priority: 9, cores: [2, 3]}\n");
  EXPECT_NE(
    apply({.policy = Policy::fifo, .priority = 1}).find("may run on 0; ask for cores"),
    std::string::npos);
  EXPECT_NE(
    apply({.policy = Policy::other, .cores = {0}}).find("allows cores 2-3, not 0"),
    std::string::npos);
  EXPECT_EQ(apply({.policy = Policy::other}), "");
}

TEST_F(Handler, RaisesTheLimitAndTakesItBack)
{
  use("  - {users: 1000, rtprio_limit: 40}\n");
  EXPECT_EQ(raise(40), "");
  EXPECT_EQ(kernel_.limits[kPid], 40);
  EXPECT_NE(raise(41).find("allows limits from 1 to 40, not 41"), std::string::npos);
  EXPECT_NE(raise(0), "");
  kernel_.limit_error = EPERM;
  EXPECT_NE(raise(40).find("lacks CAP_SYS_RESOURCE"), std::string::npos);
  kernel_.limit_error = 0;
  kernel_.after_apply = [this] { table_.all[{kPid, kPid}].start = 6; };
  EXPECT_NE(raise(30).find("ended while its limit"), std::string::npos);
  EXPECT_EQ(kernel_.limits[kPid], 0);
  peer_.uid = 1001;
  EXPECT_NE(raise(30), "");
}

TEST_F(Handler, GivesAThreadBackWhatItHad)
{
  use("  - {users: any, policies: [fifo], max_priority: 9}\n");
  kernel_.threads[kPid + 1] = {.policy = Policy::batch, .nice = 4, .cores = {0}};
  kernel_.after_apply = [this] { table_.all[{kPid, kPid + 1}].start = 6; };
  EXPECT_NE(
    apply({.policy = Policy::fifo, .priority = 5}, kPid + 1).find("ended while"),
    std::string::npos);
  EXPECT_EQ(kernel_.threads[kPid + 1].policy, Policy::batch);
  EXPECT_EQ(kernel_.threads[kPid + 1].nice, 4);
  EXPECT_EQ(handler_->ledger().size(), 0U);
}

}  // namespace
}  // namespace takt_configurator
