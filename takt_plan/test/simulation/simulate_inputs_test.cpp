// Non-triggering callbacks and conditions in virtual time, with numbers worked out by hand. Times
// are in milliseconds.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/from_text.hpp"
#include "takt_plan/load_plan.hpp"
#include "takt_plan/simulate.hpp"

namespace takt_plan
{
namespace
{

constexpr Ns kMs = 1'000'000;

using Jobs = std::vector<std::string>;

/// The camera has its own core. The store keeps its images for the fusion, which starts at 25 ms.
std::string system_of(const std::string & overheads = {})
{
  return "version: 1\nhosts: {car: {cores: 2}}\noverheads: {" + overheads + "}\n" +
         R"yaml(callbacks:
  - {id: "/cam:timer(10ms)", time: 1ms, period: 10ms, offset: 0ms, publishes: /image}
  - {id: "/store:sub(/image)", time: 3ms, triggers: /image, depth: 4}
  - {id: "/fuse:timer(100ms)", time: 5ms, period: 100ms, offset: 25ms}
chains:
  stored: {path: ["/cam:timer(10ms)", "/store:sub(/image)"]}
)yaml";
}

std::string schedule_of(const std::string & rule, const std::string & order = "fifo")
{
  return "version: 1\nexecutors:\n  main:\n    order: " + order + R"yaml(
    threads:
      own: {policy: fifo, priority: 60, cores: [1]}
      t: {policy: fifo, priority: 50, cores: [0]}
    default: t
    callbacks:
      - {match: "/cam:**", threads: own}
      - {match: "/store:**", trigger: false, with: "/fuse:**")yaml" +
         rule + "}\n";
}

SimulationOptions until(Ns duration)
{
  SimulationOptions options;
  options.duration = duration;
  return options;
}

/// The jobs on the thread of the fusion.
Jobs jobs_of(const std::string & system, const std::string & schedule, Ns duration = 40 * kMs)
{
  Jobs jobs = test::jobs(test::from_text(system, schedule), until(duration), kMs);
  std::erase_if(jobs, [](const std::string & job) { return job.starts_with("cam"); });
  return jobs;
}

TEST(SimulateInputs, MessagesWaitForTheTakerWhichRunsThemFirst)
{
  // Images come at 1, 11 and 21. One that comes at 31 waits for the next start.
  EXPECT_EQ(
    jobs_of(system_of(), schedule_of("")),
    (Jobs{"store 25-28", "store 28-31", "store 31-34", "fuse 34-39"}));
}

TEST(SimulateInputs, EveryOrderTakesThem)
{
  for (const char * order : {"priority", "edf", "window"}) {
    EXPECT_EQ(
      jobs_of(system_of(), schedule_of("", order)),
      (Jobs{"store 25-28", "store 28-31", "store 31-34", "fuse 34-39"}))
      << order;
  }
}

// As in the executor: callbacks that the client library made for itself take no messages of its
// group.
TEST(SimulateInputs, ASubscriptionOfParameterEventsTakesNone)
{
  const std::string system = R"yaml(
version: 1
hosts: {car: {cores: 2}}
groups: {"/s:group(0)": mutually_exclusive}
callbacks:
  - {id: "/cam:timer(10ms)", time: 1ms, period: 10ms, offset: 0ms, publishes: /image}
  - {id: "/p:timer(100ms)", time: 1ms, period: 100ms, offset: 14ms, publishes: /parameter_events}
  - {id: "/s:sub(/image)", time: 3ms, triggers: /image, depth: 4, group: "/s:group(0)"}
  - {id: "/s:sub(/parameter_events)", time: 1ms, triggers: /parameter_events, group: "/s:group(0)"}
  - {id: "/s:timer(100ms)", time: 5ms, period: 100ms, offset: 25ms, group: "/s:group(0)"}
)yaml";
  const std::string schedule = R"yaml(
version: 1
executors:
  main:
    threads:
      own: {policy: fifo, priority: 60, cores: [1]}
      t: {policy: fifo, priority: 50, cores: [0]}
    default: t
    callbacks:
      - {match: "/cam:**", threads: own}
      - {match: "/p:**", threads: own}
      - {match: "/s:sub(/image)", trigger: false}
)yaml";
  Jobs jobs = test::jobs(test::from_text(system, schedule), until(40 * kMs), kMs);
  std::erase_if(jobs, [](const std::string & job) { return !job.starts_with("s "); });
  EXPECT_EQ(jobs, (Jobs{"s 15-16", "s 25-28", "s 28-31", "s 31-34", "s 34-39"}));
}

TEST(SimulateInputs, KeepLeavesOutTheOldestMessages)
{
  EXPECT_EQ(
    jobs_of(system_of(), schedule_of(", keep: latest")), (Jobs{"store 25-28", "fuse 28-33"}));
  EXPECT_EQ(
    jobs_of(system_of(), schedule_of(", keep: 2")),
    (Jobs{"store 25-28", "store 28-31", "fuse 31-36"}));
}

TEST(SimulateInputs, MaxAgeLeavesOutMessagesThatWaitedTooLong)
{
  // They have waited for 24, 14 and 4.
  EXPECT_EQ(
    jobs_of(system_of(), schedule_of(", max_age: 14ms")),
    (Jobs{"store 25-28", "store 28-31", "fuse 31-36"}));
  EXPECT_EQ(jobs_of(system_of(), schedule_of(", max_age: 3ms")), (Jobs{"fuse 25-30"}));
}

TEST(SimulateInputs, MessagesThatAreLeftOutAreCountedAndCostTheirTake)
{
  const SimulationModel model =
    test::from_text(system_of("dispatch: 1ms, middleware: 1ms"), schedule_of(", keep: latest"));
  const auto result = simulate(model, until(40 * kMs));
  ASSERT_TRUE(result.ok());
  const TaskResult & store = result->tasks[1];
  EXPECT_EQ(store.left_out, 2U);
  EXPECT_EQ(store.taken, 3U);
  EXPECT_EQ(store.responses.count, 1U);
  EXPECT_EQ(result->chains[0].responses.count, 1U);
  EXPECT_EQ(store.received, store.taken + store.overwritten + store.waiting);
  // The fusion is dispatched (1), two messages are left out (2 each), one runs (5), and the fusion
  // works (5).
  EXPECT_EQ(result->tasks[2].responses.worst.time(), 15 * kMs);
  EXPECT_EQ(store.responses.worst.end, 25 * kMs + 10 * kMs);
}

TEST(SimulateInputs, AFullHistoryLosesTheOldestMessage)
{
  // Ten images come before the second start: at 31, 41 and so on up to 121.
  const SimulationModel model = test::from_text(system_of(), schedule_of(""));
  const auto result = simulate(model, until(130 * kMs));
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->tasks[1].responses.count, 3U + 4U);
  EXPECT_EQ(result->tasks[1].overwritten, 6U);
  EXPECT_EQ(result->tasks[1].responses.worst.time(), (125 - 91 + 3) * kMs);
}

TEST(SimulateInputs, ChainsEndWithTheRunOfTheirMessage)
{
  const SimulationModel model = test::from_text(system_of(), schedule_of(""));
  const auto result = simulate(model, until(40 * kMs));
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->chains[0].responses.count, 3U);
  EXPECT_EQ(result->chains[0].responses.worst.time(), 28 * kMs) << "the first image, released at 0";
}

TEST(SimulateInputs, CallbacksOfTheGroupTakeThem)
{
  std::string system = system_of();
  system.insert(system.find("callbacks:"), "groups: {\"/fuse:group(0)\": mutually_exclusive}\n");
  for (const std::string id : {"\"/store:sub(/image)\"", "\"/fuse:timer(100ms)\""}) {
    const std::string own = "id: " + id;
    system.insert(system.find(own) + own.size(), ", group: \"/fuse:group(0)\"");
  }
  std::string schedule = schedule_of("");
  const std::string with = ", with: \"/fuse:**\"";
  schedule.erase(schedule.find(with), with.size());
  EXPECT_EQ(
    jobs_of(system, schedule), (Jobs{"store 25-28", "store 28-31", "store 31-34", "fuse 34-39"}));
}

TEST(SimulateInputs, OfSeveralInputsTheOldestMessageIsFirstAndTheirMessagesGoOn)
{
  const std::string system = R"yaml(version: 1
hosts: {car: {cores: 2}}
callbacks:
  - {id: "/a:timer(100ms)", time: 1ms, period: 100ms, offset: 0ms, publishes: /a}
  - {id: "/b:timer(100ms)", time: 1ms, period: 100ms, offset: 2ms, publishes: /b}
  - {id: "/sb:sub(/b)", time: 1ms, triggers: /b, publishes: /seen}
  - {id: "/sa:sub(/a)", time: 2ms, triggers: /a}
  - {id: "/take:timer(100ms)", time: 3ms, period: 100ms, offset: 10ms}
  - {id: "/then:sub(/seen)", time: 4ms, triggers: /seen}
)yaml";
  const std::string schedule = R"yaml(version: 1
executors:
  main:
    order: fifo
    threads: {t: {policy: fifo, priority: 50, cores: [0]}}
    default: t
    callbacks:
      - {match: ["/sa:**", "/sb:**"], trigger: false, with: "/take:timer(*)"}
)yaml";
  EXPECT_EQ(
    test::jobs(test::from_text(system, schedule), until(50 * kMs), kMs),
    (Jobs{"a 0-1", "b 2-3", "sa 10-12", "sb 12-13", "take 13-16", "then 16-20"}));
}

TEST(SimulateInputs, MessagesThatNothingTakesAreWarnedOf)
{
  std::string schedule = schedule_of("");
  schedule.replace(schedule.find("/fuse:**"), 8, "/cam2:**");
  const auto plan = parse_plan(system_of(), schedule);
  ASSERT_TRUE(plan.ok()) << plan.faults().front();
  ASSERT_FALSE(plan->warnings.empty());
  EXPECT_NE(
    plan->warnings.back().find("no callback of the model takes its messages"), std::string::npos);
  EXPECT_EQ(jobs_of(system_of(), schedule), (Jobs{"fuse 25-30"}));
}

const std::string kPair = R"yaml(version: 1
hosts: {car: {cores: 1}}
groups: {"/s:group(0)": mutually_exclusive}
callbacks:
  - {id: "/a:timer(10ms)", time: 1ms, period: 10ms, offset: 0ms, publishes: /a}
  - {id: "/b:timer(100ms)", time: 1ms, period: 100ms, offset: 14ms, publishes: /b}
  - {id: "/sa:sub(/a)", time: 1ms, triggers: /a, group: "/s:group(0)"}
  - {id: "/sb:sub(/b)", time: 1ms, triggers: /b, group: "/s:group(0)"}
)yaml";

std::string under(const std::string & condition)
{
  return R"yaml(version: 1
executors:
  main:
    order: fifo
    threads: {t: {policy: fifo, priority: 50, cores: [0]}}
    default: t
)yaml" + condition;
}

TEST(SimulateConditions, MessagesWaitUntilTheConditionHolds)
{
  const auto jobs = [](const std::string & condition) {
    return test::jobs(test::from_text(kPair, under(condition)), until(30 * kMs), kMs);
  };
  EXPECT_EQ(
    jobs("    groups: [{match: \"/s:group(**)\", when: all}]\n"),
    (Jobs{"a 0-1", "a 10-11", "b 14-15", "sa 15-16", "sa 16-17", "sb 17-18", "a 20-21"}));
  EXPECT_EQ(
    jobs(""),
    (Jobs{"a 0-1", "sa 1-2", "a 10-11", "sa 11-12", "b 14-15", "sb 15-16", "a 20-21", "sa 21-22"}))
    << "without it they do not wait";
  EXPECT_EQ(
    jobs("    groups: [{match: \"/s:group(**)\", when: {count: all, fresh: 3ms}}]\n"),
    (Jobs{"a 0-1", "a 10-11", "b 14-15", "a 20-21"}))
    << "the image is older than 3 ms when b's message comes, and then b's is";
}

TEST(SimulateConditions, ACallbackThatStandsForSeveralSubscriptionsIsRefused)
{
  std::string system = kPair;
  const std::string two = "triggers: /a, group";
  system.replace(system.find(two), two.size(), "triggers: [/a, /b], group");
  const auto plan =
    parse_plan(system, under("    groups: [{match: \"/s:group(**)\", when: all}]\n"));
  ASSERT_FALSE(plan.ok());
  EXPECT_NE(
    to_string(plan.faults().front())
      .find("'/sa:sub(/a)' stands for 2 subscriptions, and the schedule has a condition (when)"),
    std::string::npos)
    << plan.faults().front();
}

}  // namespace
}  // namespace takt_plan
