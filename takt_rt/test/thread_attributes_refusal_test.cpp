// The messages to a process without rights that requests thread attributes.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <string>

#include "takt_rt/thread_attributes.hpp"
#include "unprivileged_child.hpp"

namespace takt_rt
{
namespace
{

using namespace std::chrono_literals;

std::string joined(const Faults & faults)
{
  std::string text;
  for (const std::string & fault : sentences(faults)) {
    text += fault + "\n";
  }
  return text;
}

TEST(Refusal, NamesTheMissingRightAndTheLimitSeen)
{
  const auto text = test::in_unprivileged_child([] {
    ThreadAttributes deadline;
    deadline.policy = Policy::deadline;
    deadline.runtime = 1ms;
    deadline.deadline = 5ms;
    deadline.period = 10ms;
    std::string seen;
    seen += joined(apply({.policy = Policy::fifo, .priority = 80, .name = "kept"}).faults);
    seen += joined(apply({.nice = -5}).faults);
    seen += joined(apply({.policy = Policy::other, .nice = -6}).faults);
    seen += joined(apply(deadline).faults);
    seen += may_use_realtime(1) ? "may\n" : "may not\n";
    seen += std::to_string(set_own_priority(Policy::fifo, 1)) + "\n";
    seen += read_attributes().name + "\n";
    return seen;
  });
  ASSERT_TRUE(text.has_value());
  for (const char * part :
       {"SCHED_FIFO priority 80 refused for this thread: CAP_SYS_NICE is missing and "
        "RLIMIT_RTPRIO is 0; add '- rtprio 98'",
        "nice -5 refused for this thread: CAP_SYS_NICE is missing and RLIMIT_NICE is "
        "0; add '- nice -5'",
        "SCHED_OTHER nice -6 refused",
        "SCHED_DEADLINE runtime 1ms deadline 5ms period 10ms refused for "
        "this thread: CAP_SYS_NICE is missing and no resource limit grants SCHED_DEADLINE",
        "may not\n1\nkept\n"}) {
    EXPECT_NE(text->find(part), std::string::npos) << part << "\nnot in\n" << *text;
  }
}

// One line of limits.d serves all schedules; kernel threads have 99.
TEST(Refusal, AdvisesOneLimitForAllPriorities)
{
  Refusal refusal;
  refusal.attribute = RefusedAttribute::policy;
  refusal.right = MissingRight::rlimit_rtprio;
  refusal.asked.policy = Policy::fifo;
  for (const int priority : {1, 60, 98}) {
    refusal.asked.priority = priority;
    EXPECT_NE(reason(refusal).find("'- rtprio 98'"), std::string::npos) << reason(refusal);
  }
  refusal.asked.priority = 99;
  EXPECT_NE(reason(refusal).find("'- rtprio 99'"), std::string::npos) << reason(refusal);
}

// The loader of a program with file capabilities ignores LD_PRELOAD, and LD_LIBRARY_PATH, by which
// programs find ROS 2.
TEST(Refusal, AdvisesNoFileCapabilities)
{
  Refusal refusal;
  refusal.attribute = RefusedAttribute::policy;
  refusal.asked.policy = Policy::fifo;
  refusal.asked.priority = 60;
  for (const auto right :
       {MissingRight::rlimit_rtprio, MissingRight::cap_sys_nice, MissingRight::no_configurator,
        MissingRight::other_users_thread}) {
    refusal.right = right;
    EXPECT_EQ(reason(refusal).find("setcap"), std::string::npos) << reason(refusal);
    EXPECT_NE(reason(refusal).find("AmbientCapabilities=CAP_SYS_NICE"), std::string::npos)
      << reason(refusal);
  }
}

// Each field and its attribute.
std::string fields(const Faults & faults)
{
  std::string text;
  for (const Fault & fault : faults) {
    if (fault.kind != FaultKind::refusal || !fault.refusal) {
      return "no refusal: " + to_string(fault);
    }
    const Refusal & one = *fault.refusal;
    text += std::to_string(static_cast<int>(one.attribute)) + " " + std::to_string(one.error) +
            " " + std::to_string(static_cast<int>(one.right)) + " tid " + std::to_string(one.tid) +
            " " + one.thread + " limit " + (one.limit ? std::to_string(*one.limit) : "not read") +
            " number " + std::to_string(refused_number(one).value_or(1000)) + "\n";
  }
  return text;
}

std::string expected(RefusedAttribute attribute, int error, MissingRight right, std::string rest)
{
  return std::to_string(static_cast<int>(attribute)) + " " + std::to_string(error) + " " +
         std::to_string(static_cast<int>(right)) + " tid " + rest + "\n";
}

TEST(Refusal, IsAValue)
{
  const auto text = test::in_unprivileged_child([] {
    ThreadAttributes deadline;
    deadline.policy = Policy::deadline;
    deadline.runtime = 1ms;
    deadline.deadline = deadline.period = 10ms;
    std::string seen = fields(apply({.policy = Policy::rr, .priority = 7, .name = "one"}).faults);
    seen += fields(apply({.nice = -5}).faults);
    seen += fields(apply({.policy = Policy::other, .nice = -6}).faults);
    seen += fields(apply(deadline).faults);
    constexpr pid_t kNobodys = 0x3ffffffe;  // above the largest id that the kernel gives
    seen += fields(apply({.cores = usable_cores()}, kNobodys).faults);
    return seen;
  });
  using A = RefusedAttribute;
  using R = MissingRight;
  EXPECT_EQ(
    text, expected(A::policy, EPERM, R::rlimit_rtprio, "0 one limit 0 number 7") +
            expected(A::nice, EPERM, R::rlimit_nice, "0 one limit 0 number -5") +
            expected(A::policy, EPERM, R::rlimit_nice, "0 one limit 0 number -6") +
            expected(A::policy, EPERM, R::cap_sys_nice, "0 one limit not read number 1000") +
            expected(A::cores, ESRCH, R::no_such_thread, "1073741822  limit not read number 1000"));
}

TEST(Refusal, DoesNotMeetWhoAsksForNothing)
{
  // If the test itself runs at a higher nice value, a right is needed to come down to 10.
  const int nice = std::max(10, read_attributes().nice.value_or(0));
  const auto text = test::in_unprivileged_child([nice] {
    // From here back to nice 0 a right is needed.
    std::string seen = joined(apply({.nice = nice}).faults);
    seen += joined(apply({}).faults);
    seen += joined(apply({.policy = Policy::batch}).faults);
    return seen + "nice " + std::to_string(read_attributes().nice.value_or(-1));
  });
  EXPECT_EQ(text, "nice " + std::to_string(nice));
}

TEST(Refusal, OfAnotherUsersThreadSaysSo)
{
  if (::geteuid() != 0) {
    GTEST_SKIP() << "needs root to have a thread of another user to ask for";
  }
  const pid_t parent = ::getpid();
  const auto text = test::in_unprivileged_child(
    [parent] { return joined(apply({.cores = usable_cores(), .name = "mine"}, parent).faults); });
  ASSERT_TRUE(text.has_value());
  EXPECT_NE(text->find("name 'mine' refused"), std::string::npos) << *text;
  EXPECT_NE(text->find("belongs to another user"), std::string::npos) << *text;
}

}  // namespace
}  // namespace takt_rt
