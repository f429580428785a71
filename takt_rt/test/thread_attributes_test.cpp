// Names, ranges and order of thread attributes, which need no right.
#include "takt_rt/thread_attributes.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <thread>

#include "takt_rt/application/thread_name.hpp"
#include "takt_rt/duration_text.hpp"

namespace takt_rt
{

namespace
{

using namespace std::chrono_literals;

ThreadAttributes deadline_attributes(Duration runtime, Duration deadline, Duration period)
{
  ThreadAttributes attributes;
  attributes.policy = Policy::deadline;
  attributes.runtime = runtime;
  attributes.deadline = deadline;
  attributes.period = period;
  return attributes;
}

TEST(Validate, AcceptsWhatTheKernelKnows)
{
  EXPECT_EQ(validate(ThreadAttributes{}), Faults{});
  EXPECT_EQ(validate(ThreadAttributes{.policy = Policy::fifo, .priority = 1}), Faults{});
  EXPECT_EQ(validate(ThreadAttributes{.policy = Policy::rr, .priority = 99}), Faults{});
  EXPECT_EQ(validate(ThreadAttributes{.policy = Policy::batch, .nice = -20}), Faults{});
  EXPECT_EQ(validate(ThreadAttributes{.nice = 19}), Faults{});
  EXPECT_EQ(validate(ThreadAttributes{.policy = Policy::idle}), Faults{});
  EXPECT_EQ(validate(deadline_attributes(1ms, 5ms, 10ms)), Faults{});
  EXPECT_EQ(
    validate(ThreadAttributes{.cores = {usable_cores().front()}, .stack_size = 1U << 20U}),
    Faults{});
}

TEST(Validate, RefusesValuesOutOfRange)
{
  for (const int priority : {-1, 0, 100}) {
    const Faults faults = validate(ThreadAttributes{.policy = Policy::fifo, .priority = priority});
    ASSERT_EQ(faults.size(), 1U) << priority;
    EXPECT_NE(to_string(faults[0]).find("outside 1 to 99"), std::string::npos) << faults[0];
  }
  for (const int nice : {-21, 20}) {
    const Faults faults = validate(ThreadAttributes{.nice = nice});
    ASSERT_EQ(faults.size(), 1U) << nice;
    EXPECT_NE(to_string(faults[0]).find("outside -20 to 19"), std::string::npos) << faults[0];
  }
  EXPECT_EQ(validate(ThreadAttributes{.stack_size = 1}).size(), 1U);
}

// Linux would cut it, and no tool would find the thread by the name that it was given.
TEST(Validate, RefusesANameThatLinuxCuts)
{
  ThreadAttributes attributes{.name = "fifteen letters"};
  EXPECT_EQ(validate(attributes), Faults{});
  attributes.name = "sixteen letters.";
  const Faults faults = validate(attributes);
  ASSERT_EQ(faults.size(), 1U);
  EXPECT_NE(to_string(faults[0]).find("name 'sixteen letters.' has 16"), std::string::npos)
    << faults[0];
  EXPECT_EQ(validate(with_kept_name(attributes)), Faults{});
  attributes.name = "Raddrehzahl_vg\u00fcte";  // the byte at which Linux cuts is within a letter
  EXPECT_EQ(with_kept_name(attributes).name, "Raddrehzahl_vg");
}

TEST(Validate, RefusesFieldsOfAnotherPolicy)
{
  EXPECT_EQ(validate(ThreadAttributes{.priority = 5}).size(), 1U);
  EXPECT_EQ(
    validate(ThreadAttributes{.policy = Policy::fifo, .priority = 5, .nice = 3}).size(), 1U);
  EXPECT_EQ(validate(ThreadAttributes{.policy = Policy::idle, .nice = 3}).size(), 1U);
  EXPECT_EQ(
    validate(ThreadAttributes{.policy = Policy::rr, .priority = 5, .runtime = 1ms}).size(), 1U);
}

TEST(Validate, RefusesDeadlineParametersOutOfOrder)
{
  EXPECT_EQ(validate(deadline_attributes(1023ns, 5ms, 10ms)).size(), 1U);
  EXPECT_EQ(validate(deadline_attributes(6ms, 5ms, 10ms)).size(), 1U);
  EXPECT_EQ(validate(deadline_attributes(1ms, 5ms, 4ms)).size(), 1U);
  EXPECT_EQ(validate(deadline_attributes(1ms, 5ms, 1h)).size(), 1U);
  EXPECT_FALSE(validate(ThreadAttributes{.policy = Policy::deadline}).empty());
}

TEST(Validate, TellsTheKernelsLimitsOfAPeriod)
{
  std::ifstream shortest("/proc/sys/kernel/sched_deadline_period_min_us");
  std::ifstream longest("/proc/sys/kernel/sched_deadline_period_max_us");
  std::int64_t from = 0;
  std::int64_t to = 0;
  if (!(shortest >> from) || !(longest >> to)) {
    GTEST_SKIP() << "this kernel has no such limits";
  }
  const Faults faults = validate(deadline_attributes(1ms, 5ms, std::chrono::microseconds(to) + 1h));
  ASSERT_EQ(faults.size(), 1U);
  EXPECT_NE(
    to_string(faults.front())
      .find(
        " is outside " + print_duration(std::chrono::microseconds(from)) + " to " +
        print_duration(std::chrono::microseconds(to)) + ", the kernel's limits"),
    std::string::npos)
    << to_string(faults.front());
}

TEST(Validate, RefusesDeadlineTogetherWithCores)
{
  ThreadAttributes attributes = deadline_attributes(1ms, 5ms, 10ms);
  attributes.cores = {usable_cores().front()};
  const Faults faults = validate(attributes);
  ASSERT_EQ(faults.size(), 1U);
  EXPECT_NE(to_string(faults[0]).find("cpuset"), std::string::npos) << faults[0];
}

TEST(Validate, RefusesCoresThatDoNotExist)
{
  const Faults faults = validate(ThreadAttributes{.cores = {-1, usable_cores().front(), 100000}});
  ASSERT_EQ(faults.size(), 2U);
  EXPECT_NE(to_string(faults[0]).find("core -1 does not exist"), std::string::npos) << faults[0];
  EXPECT_NE(to_string(faults[1]).find("core 100000 does not exist"), std::string::npos)
    << faults[1];
}

TEST(Validate, ListsAllFaultsAtOnce)
{
  EXPECT_EQ(
    validate(ThreadAttributes{.policy = Policy::fifo, .nice = 5, .runtime = 1ms, .cores = {-1}})
      .size(),
    4U);
}

TEST(Urgency, FollowsTheKernelsOrder)
{
  const std::vector<ThreadAttributes> ascending{
    {.policy = Policy::idle},
    {.nice = 19},
    {.policy = Policy::batch, .nice = 0},
    {.nice = -20},
    {.policy = Policy::fifo, .priority = 1},
    {.policy = Policy::rr, .priority = 2},
    {.policy = Policy::fifo, .priority = 99},
    {.policy = Policy::deadline},
  };
  for (std::size_t i = 1; i < ascending.size(); ++i) {
    EXPECT_LT(urgency(ascending[i - 1]), urgency(ascending[i])) << i;
  }
  EXPECT_EQ(urgency({}), urgency({.policy = Policy::batch}));
  EXPECT_EQ(
    urgency({.policy = Policy::fifo, .priority = 7}),
    urgency({.policy = Policy::rr, .priority = 7}));
}

TEST(UsableCores, AreSortedAndHoldTheOneThisRunsOn)
{
  const std::vector<int> cores = usable_cores();
  EXPECT_TRUE(std::is_sorted(cores.begin(), cores.end()));
  EXPECT_TRUE(std::binary_search(cores.begin(), cores.end(), ::sched_getcpu()));
}

TEST(UsableCores, DoNotShrinkWhenAThreadIsPinned)
{
  const std::vector<int> before = usable_cores();
  std::thread([&] {
    EXPECT_TRUE(apply({.cores = {before.back()}}).granted_all());
    EXPECT_EQ(read_attributes().cores, std::vector<int>{before.back()});
    EXPECT_EQ(usable_cores(), before);
    EXPECT_EQ(validate(ThreadAttributes{.cores = before}), Faults{});
  }).join();
}

}  // namespace
}  // namespace takt_rt
