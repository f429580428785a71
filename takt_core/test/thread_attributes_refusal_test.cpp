// What a process without any rights is told when it asks for thread attributes.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <string>

#include "takt_core/thread_attributes.hpp"
#include "unprivileged_child.hpp"

namespace takt_core
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
        "RLIMIT_RTPRIO is 0; add '- rtprio 80'",
        "nice -5 refused for this thread: CAP_SYS_NICE is missing and RLIMIT_NICE is "
        "0; add '- nice -5'",
        "SCHED_OTHER nice -6 refused",
        "SCHED_DEADLINE runtime 1ms deadline 5ms period 10ms refused for "
        "this thread: CAP_SYS_NICE is missing and no resource limit grants SCHED_DEADLINE",
        "may not\n1\nkept\n"}) {
    EXPECT_NE(text->find(part), std::string::npos) << part << "\nnot in\n" << *text;
  }
}

TEST(Refusal, DoesNotMeetWhoAsksForNothing)
{
  // Where the test itself runs at a higher one already, a right is needed to come down to 10.
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
}  // namespace takt_core
