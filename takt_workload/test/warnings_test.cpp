// What a reader of the figures is told: each thing once, and nothing that does not concern the run.
#include <gtest/gtest.h>

#include <algorithm>

#include "run/refusals.hpp"
#include "takt_workload/results.hpp"

namespace takt_workload
{

namespace
{

using Strings = std::vector<std::string>;

const std::string kWhy = "CAP_SYS_NICE is missing; add '- rtprio ";

std::string refused(int priority, const std::string & whom = "this thread")
{
  return "SCHED_FIFO priority " + std::to_string(priority) + " refused for " + whom + ": " + kWhy +
         std::to_string(priority) + "'";
}

ThreadRecord thread(
  const std::string & name, const std::string & granted, const Strings & faults = {})
{
  ThreadRecord record;
  record.name = name;
  record.executor = name.find("witness") == std::string::npos;
  record.granted = granted;
  record.faults = faults;
  return record;
}

Strings warnings(const std::vector<ProcessRecord> & processes)
{
  Host host;
  host.rt_runtime_us = 950'000;
  host.rt_period_us = 1'000'000;
  return warnings_of({}, host, processes, {});
}

TEST(Warnings, OneRightThatIsMissingIsOneSentenceForAllThreads)
{
  ProcessRecord process;
  process.threads = {
    thread("rest.0", "other nice 9, cores 0", {refused(30) + "; the schedule's fallback is x"}),
    thread("rest.1", "other nice 9, cores 1", {refused(30) + "; the schedule's fallback is x"}),
    thread("planner", "other", {refused(60)})};
  process.warnings = {
    "/a b/s.yaml:7:3: thread 'dds.ev' (12): " + refused(50, "thread 12"),
    "/a b/s.yaml:7:3: thread 'dds.udp' (13): " + refused(50, "thread 13")};
  EXPECT_EQ(
    warnings({process}),
    Strings{
      "rest.0, rest.1, planner, dds.ev, dds.udp: SCHED_FIFO priority 60, 50, 30 refused: " + kWhy +
      "60'; instead they run as other nice 9 (rest.0, rest.1), other (planner)"});
}

TEST(Warnings, ManyThreadsAreCounted)
{
  Refusals refusals;
  for (int i = 0; i < 12; ++i) {
    EXPECT_TRUE(refusals.take("t." + std::to_string(i), refused(7), "other"));
  }
  EXPECT_EQ(
    refusals.sentences(),
    Strings{
      "t.0, t.1, t.2, t.3, t.4, t.5, t.6, t.7 and 4 more: SCHED_FIFO priority 7 refused: " + kWhy +
      "7'; instead they run as other"});
}

TEST(Warnings, DifferentReasonsStayApart)
{
  Refusals refusals;
  EXPECT_TRUE(refusals.take("a", refused(7)));
  EXPECT_TRUE(refusals.take("b", "cores 0-3 refused for this thread: none of them is online"));
  EXPECT_TRUE(refusals.take("c", "nice -5 refused for this thread: no; add '- nice -5'"));
  EXPECT_TRUE(refusals.take("d", "nice -9 refused for thread 8: no; add '- nice -9'"));
  EXPECT_FALSE(refusals.take("e", "something else"));
  EXPECT_FALSE(refusals.take("the schedule is odd"));
  EXPECT_EQ(
    refusals.sentences(), (Strings{
                            "a: SCHED_FIFO priority 7 refused: " + kWhy + "7'",
                            "b: cores 0-3 refused: none of them is online",
                            "c, d: nice -9, -5 refused: no; add '- nice -9'"}));
}

// Names come from files, and may be of any length.
TEST(Warnings, NoNameIsTooLong)
{
  const std::string name(1'000'000, 'x');
  Refusals refusals;
  EXPECT_FALSE(refusals.take("a", name));
  EXPECT_FALSE(refusals.take("s.yaml:3:5: thread '" + name + "' (7): " + refused(7)));
  const std::string text = "cannot start:\n  main: thread " + name + ": " + refused(7) +
                           "\n  main: thread b: " + refused(7);
  EXPECT_NE(with_grouped_refusals(text).find(name), std::string::npos);
  ProcessRecord record;
  record.warnings = {
    "thread '" + name + "' (7): late", "thread '" + name + "' (8): late", "thread 'a' (7): late"};
  const auto warnings = warnings_of({}, {}, {record}, {});
  EXPECT_EQ(std::count(warnings.begin(), warnings.end(), record.warnings[0]), 1);
}

TEST(Warnings, RefusalsInAnErrorArePutTogether)
{
  EXPECT_EQ(
    with_grouped_refusals(
      "cannot spin:\n  main: thread a.0: " + refused(7) + "\n  main: thread a.1: " + refused(7)),
    "cannot spin: a.0, a.1: SCHED_FIFO priority 7 refused: " + kWhy + "7'");
  EXPECT_EQ(
    with_grouped_refusals("cannot spin:\n  main: thread a: " + refused(7) + "\n  main: no memory"),
    "cannot spin:\n  main: no memory\n  a: SCHED_FIFO priority 7 refused: " + kWhy + "7'");
  for (const char * other : {"", "one line", "two\n  lines"}) {
    EXPECT_EQ(with_grouped_refusals(other), other);
  }
}

TEST(Warnings, ThrottlingConcernsOnlyRunsWithRealTimeThreads)
{
  const auto throttled = [](const Strings & all) {
    return std::any_of(all.begin(), all.end(), [](const std::string & one) {
      return one.find("are throttled after") != std::string::npos;
    });
  };
  ProcessRecord process;
  process.threads = {thread("a", "other"), thread("witness.0", "fifo 99")};
  EXPECT_FALSE(throttled(warnings({process})));
  process.threads.push_back(thread("b", "fifo 60, cores 1"));
  EXPECT_TRUE(throttled(warnings({process})));
}

TEST(Warnings, ARunThatEndedInItsWarmUpHasNoFigures)
{
  const std::string text = results_table({}, {}, {}, {ProcessRecord{}}, {});
  EXPECT_NE(text.find("nothing was measured: it ended in its warm-up\n"), std::string::npos)
    << text;
  EXPECT_EQ(text.find("chains"), std::string::npos) << text;
}

}  // namespace

}  // namespace takt_workload
