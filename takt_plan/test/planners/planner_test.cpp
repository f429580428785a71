// Plans of systems small enough to judge by hand, and properties of all plans.
#include "takt_plan/planner.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "planners/misfit.hpp"
#include "support/campaign.hpp"
#include "support/example.hpp"
#include "support/planning.hpp"
#include "takt_plan/load_plan.hpp"
#include "takt_plan/simulate.hpp"
#include "takt_plan/simulation_model.hpp"
#include "takt_schedule/to_yaml.hpp"

namespace takt_plan
{
namespace
{

using takt_schedule::System;
using test::bound_of;
using test::by;
using test::expect_sound;
using test::kMs;
using test::plan_of;
using test::system_of;
using test::thread_of;

const std::string kTwoChains = R"yaml(
hosts: {car: {cores: 2, priorities: {least: 20, most: 60}}}
callbacks:
  - {id: "/a:timer(10ms)", time: 2ms, period: 10ms, publishes: /a}
  - {id: "/b:sub(/a)", time: 3ms, triggers: /a}
  - {id: "/c:timer(20ms)", time: 4ms, period: 20ms, publishes: /c}
  - {id: "/d:sub(/c)", time: 4ms, triggers: /c}
chains:
  fast: {path: ["/a:timer(10ms)", "/b:sub(/a)"], priority: 2, deadline: 10ms}
  slow: {path: ["/c:timer(20ms)", "/d:sub(/c)"], priority: 1, deadline: 20ms}
)yaml";

TEST(Planner, KeepsChainsWholeAndApart)
{
  const Planned planned = plan_of(system_of(kTwoChains));
  EXPECT_TRUE(all_met(planned));
  EXPECT_EQ(bound_of(planned, "fast"), 5 * kMs);
  EXPECT_EQ(bound_of(planned, "slow"), 8 * kMs);
  EXPECT_EQ(planned.assignment.threads.size(), 2U);
  EXPECT_EQ(planned.chains, (std::vector<Index>{0, 1}));
}

// Processes start at different times, and each may start again.
TEST(Planner, CountsOffsetsOfSeveralProcessesOnTheClockOfTheirHost)
{
  const Planned one = plan_of(system_of(kTwoChains));
  EXPECT_EQ(one.schedule.executors[0].epoch.from, takt_core::Epoch::start);
  std::string two = kTwoChains;
  const std::string id = "{id: \"/c:timer(20ms)\", ";
  two.replace(two.find(id), id.size(), id + "executor: other, offset: 3ms, ");
  const Planned planned = plan_of(system_of(two));
  ASSERT_EQ(planned.schedule.executors.size(), 2U);
  for (const auto & executor : planned.schedule.executors) {
    EXPECT_EQ(executor.epoch.from, takt_core::Epoch::host);
  }
  const std::string text = takt_schedule::to_yaml(planned.schedule);
  EXPECT_NE(text.find("\nepoch: host"), std::string::npos) << text;
  EXPECT_NE(text.find("offset: 3ms"), std::string::npos) << text;
}

TEST(Planner, CountsOffsetsOnTheClockOfTheHostWhereMessagesFromOutsideDo)
{
  std::string text = kTwoChains;
  const std::string id = "{id: \"/c:timer(20ms)\", ";
  text.replace(text.find(id), id.size(), "{id: \"/c:sub(/outside)\", offset: 3ms, ");
  for (auto at = text.find("/c:timer(20ms)"); at != std::string::npos;
       at = text.find("/c:timer(20ms)")) {
    text.replace(at, 14, "/c:sub(/outside)");
  }
  const Planned planned = plan_of(system_of(text));
  EXPECT_EQ(planned.schedule.executors[0].epoch.from, takt_core::Epoch::host);
  for (const auto & rule : planned.schedule.executors[0].callbacks) {
    EXPECT_TRUE(!rule.offset || rule.match.front().find(":timer(") != std::string::npos);
  }
}

// The slack that one chain gains by a cut may be missing in the next chain.
TEST(Planner, KeepingMoreSlackMissesNoDeadline)
{
  struct Row
  {
    int period;    // ms
    int deadline;  // us
    std::vector<int> times;
  };
  // The most important first.
  const std::vector<Row> rows{
    {100, 55650, {2272, 9082, 7665, 5765}},
    {200, 167765, {8915, 18697, 15155}},
    {40, 25229, {2334, 1316, 3914}},
    {20, 9272, {809, 1712}},
    {50, 33534, {12292, 10233}},
    {10, 4381, {146, 655, 301, 615}},
    {50, 16231, {3584, 2050, 1619}},
    {25, 8964, {1838, 2366, 1899, 2205}},
    {40, 31348, {3395, 12171}},
    {20, 17936, {963, 1177}}};
  std::string callbacks;
  std::string chains;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::string chain = "c" + std::to_string(i);
    const std::string timer = ":timer(" + std::to_string(rows[i].period) + "ms)";
    std::string path;
    for (std::size_t k = 0; k < rows[i].times.size(); ++k) {
      const std::string node = chain + "n" + std::to_string(k);
      const std::string before = chain + "n" + std::to_string(k - 1);
      const std::string id = "\"/" + node + (k == 0 ? timer : ":sub(/" + before + ")") + "\"";
      callbacks +=
        "  - {id: " + id + ", time: " + std::to_string(rows[i].times[k]) + "us, " +
        (k == 0 ? "period: " + std::to_string(rows[i].period) + "ms" : "triggers: /" + before) +
        ", publishes: /" + node + "}\n";
      path += (k == 0 ? "" : ", ") + id;
    }
    chains += "  " + chain + ": {path: [" + path + "], priority: " + std::to_string(200 - i) +
              ", deadline: " + std::to_string(rows[i].deadline) + "us}\n";
  }
  const System system = system_of(
    "hosts: {h: {cores: 3}}\n"
    "overheads: {dispatch: 1us, middleware: 10us, context_switch: 3us}\ncallbacks:\n" +
    callbacks + "chains:\n" + chains);
  for (const double keep : {0.0, 0.1, 0.5}) {
    PlanOptions options;
    options.keep_slack = keep;
    EXPECT_TRUE(all_met(plan_of(system, options))) << keep;
  }
}

// If threads share OS priorities, a merger may save a deadline, at any cost of other chains' slack.
TEST(Planner, MergesWhatSavesADeadline)
{
  const System system = system_of(R"yaml(hosts:
  h:
    cores: 2
    utilization_cap: 0.8
    priorities: {least: 1, most: 5}
    other_threads: {irq: {priority: 95, cores: [1], time: 120us, period: 1ms}}
overheads: {dispatch: 5us, middleware: 16us, context_switch: 4us}
callbacks:
  - {id: "/c0n0:timer(50ms)", time: 3000us, period: 50ms, publishes: /c0t0}
  - {id: "/c0n1:sub(/c0t0)", executor: two, time: 3000us, triggers: /c0t0, publishes: /c0t1}
  - {id: "/c1n0:timer(100ms)", executor: two, time: 6000us, period: 100ms, publishes: /c1t0}
  - {id: "/c1n1:sub(/c1t0)", executor: two, time: 7000us, triggers: /c1t0, publishes: /c1t1, cores: [1]}
  - {id: "/c1n2:sub(/c1t1)", time: 7000us, triggers: /c1t1, publishes: /c1t2}
  - {id: "/c2n0:timer(5ms)", executor: two, time: 300us, period: 5ms, publishes: /c2t0}
  - {id: "/c2n1:sub(/c2t0)", executor: two, time: 500us, triggers: /c2t0, publishes: /c2t1}
  - {id: "/c2n2:sub(/c2t1)", time: 700us, triggers: /c2t1, publishes: /c2t2}
  - {id: "/c2n3:sub(/c2t2)", time: 500us, triggers: /c2t2, publishes: /c2t3}
  - {id: "/c3n0:timer(100ms)", time: 5000us, period: 100ms, publishes: /c3t0}
  - {id: "/c3n1:sub(/c3t0)", time: 17000us, triggers: /c3t0, publishes: /c3t1}
  - {id: "/c5n0:timer(50ms)", time: 4000us, period: 50ms, publishes: /c5t0, cores: [1]}
  - {id: "/c5n1:sub(/c5t0)", time: 1000us, triggers: /c5t0, publishes: /c5t1}
  - {id: "/c5n2:sub(/c5t1)", executor: two, time: 6000us, triggers: /c5t1, publishes: /c5t2}
  - {id: "/c5n3:sub(/c5t2)", executor: two, time: 2000us, triggers: /c5t2, publishes: /c5t3, cores: [0]}
  - {id: "/c5n4:sub(/c5t3)", executor: two, time: 3000us, triggers: /c5t3, publishes: /c5t4}
  - {id: "/c5n5:sub(/c5t4)", time: 2500us, triggers: /c5t4, publishes: /c5t5}
chains:
  c0:
    path: ["/c0n0:timer(50ms)", "/c0n1:sub(/c0t0)"]
    priority: 4
    deadline: 35000us
  c1:
    path: ["/c1n0:timer(100ms)", "/c1n1:sub(/c1t0)", "/c1n2:sub(/c1t1)"]
    priority: 3
    deadline: 200000us
  c2:
    path: ["/c2n0:timer(5ms)", "/c2n1:sub(/c2t0)", "/c2n2:sub(/c2t1)", "/c2n3:sub(/c2t2)"]
    priority: 2
    deadline: 5000us
  c3:
    path: ["/c3n0:timer(100ms)", "/c3n1:sub(/c3t0)"]
    priority: 4
    deadline: 90000us
  c5:
    path: ["/c5n0:timer(50ms)", "/c5n1:sub(/c5t0)", "/c5n2:sub(/c5t1)",
      "/c5n3:sub(/c5t2)", "/c5n4:sub(/c5t3)", "/c5n5:sub(/c5t4)"]
    priority: 1
    deadline: 35000us
)yaml");
  for (const double keep : {0.0, 0.1, 0.5}) {
    PlanOptions options;
    options.keep_slack = keep;
    const Planned planned = plan_of(system, options);
    EXPECT_TRUE(all_met(planned)) << keep;
    expect_sound(system, planned);
  }
}

TEST(Planner, TriesEachCutOfAChain)
{
  const Planned planned = plan_of(system_of(R"yaml(
hosts: {h: {cores: 2, utilization_cap: 1}}
callbacks:
  - {id: "/x:timer(100ms)", time: 25ms, period: 100ms, cores: [0]}
  - {id: "/y:timer(100ms)", time: 62ms, period: 100ms, cores: [1]}
  - {id: "/a:timer(100ms)", time: 45ms, period: 100ms, publishes: /a}
  - {id: "/b:sub(/a)", time: 29ms, triggers: /a, publishes: /b}
  - {id: "/c:sub(/b)", time: 35ms, triggers: /b}
chains:
  x: {path: ["/x:timer(100ms)"], priority: 20, deadline: 100ms}
  y: {path: ["/y:timer(100ms)"], priority: 19, deadline: 200ms}
  main: {path: ["/a:timer(100ms)", "/b:sub(/a)", "/c:sub(/b)"], priority: 9, deadline: 200ms}
)yaml"));
  EXPECT_TRUE(all_met(planned));  // the last chain is alone on the other core, and no other cut is
                                  // made
}

// Another order of the chains keeps the cap, with less slack.
TEST(Planner, TheCapIsKeptWhereAnyAttemptKeepsIt)
{
  const Planned planned = plan_of(system_of(R"yaml(
hosts: {h: {cores: 2, utilization_cap: 0.6}}
callbacks:
  - {id: "/a:timer(100ms)", time: 15ms, period: 100ms}
  - {id: "/b:timer(100ms)", time: 15ms, period: 100ms}
  - {id: "/big:timer(10ms)", time: 5ms, period: 10ms}
chains:
  a: {path: ["/a:timer(100ms)"], priority: 3, deadline: 200ms}
  b: {path: ["/b:timer(100ms)"], priority: 3, deadline: 200ms}
  big: {path: ["/big:timer(10ms)"], priority: 2, deadline: 40ms}
)yaml"));
  EXPECT_TRUE(all_met(planned));
  EXPECT_TRUE(planned.shortfalls.empty());
}

// A loop may come before the callbacks that it reads: reading implies no order.
TEST(Planner, PlansChainsThroughReadsInWhateverOrderTheModelHasThem)
{
  const std::string loop = R"yaml(
  - {id: "/tick:timer(20ms)", time: 100us, period: 20ms, publishes: /tick}
  - {id: "/steer:sub(/tick)", time: 3ms, triggers: /tick, reads: /tracks}
  - {id: "/imu:timer(5ms)", time: 1ms, period: 5ms}
  - {id: "/log:timer(1s)", time: 80ms, period: 1s}
)yaml";
  const std::string track = R"yaml(
  - {id: "/lidar:timer(100ms)", time: 2ms, period: 100ms, publishes: /points}
  - {id: "/track:sub(/points)", time: 6ms, triggers: /points, publishes: /tracks}
)yaml";
  const std::string chains = R"yaml(
chains:
  avoid:
    path: ["/lidar:timer(100ms)", "/track:sub(/points)", "/steer:sub(/tick)"]
    priority: 50
    deadline: 80ms
  imu: {path: ["/imu:timer(5ms)"], priority: 90, deadline: 4ms}
)yaml";
  for (const std::string & callbacks : {loop + track, track + loop}) {
    const Planned planned =
      plan_of(system_of("\nhosts: {car: {cores: 2}}\ncallbacks:\n" + callbacks + chains));
    EXPECT_TRUE(all_met(planned));
    EXPECT_LT(bound_of(planned, "imu"), 4 * kMs);
  }
}

TEST(Planner, MergesThreadsOnlyWhileEnoughIsToSpare)
{
  PlanOptions options;
  options.cpus = {0};
  const Planned few = plan_of(system_of(kTwoChains), options);
  // With one thread, d may delay b for 4 ms. With two threads, no callback delays the fast one.
  ASSERT_EQ(few.trade.size(), 2U);
  for (Index i = 0; i < 2; ++i) {
    EXPECT_EQ(few.trade[i].threads, 2 - i);
    EXPECT_DOUBLE_EQ(few.trade[i].slack.value(), 1 - 0.9);
    // The chains start no callback on another thread: one wake-up for each release.
    EXPECT_NEAR(few.trade[i].switches, 2 * (1000.0 / 10 + 1000.0 / 20), 1e-6);
  }
  EXPECT_EQ(few.assignment.threads.size(), 1U);
  EXPECT_EQ(bound_of(few, "fast"), 9 * kMs);
  EXPECT_EQ(bound_of(few, "slow"), 13 * kMs)
    << "once its last callback has begun, nothing overtakes it";
}

// A thousandth of a deadline is not worth a thread.
TEST(Planner, MergesThreadsWhereThatCostsNextToNothing)
{
  const auto threads = [](const std::string & time) {
    PlanOptions options;
    options.keep_slack = 1;
    const Planned planned = plan_of(
      system_of(
        R"yaml(
hosts: {car: {cores: 1}}
callbacks:
  - {id: "/a:timer(1s)", time: 900us, period: 1s}
  - {id: "/b:timer(1s)", time: )yaml" +
        time + R"yaml(, period: 1s}
chains:
  a: {path: ["/a:timer(1s)"], priority: 2, deadline: 1s}
  b: {path: ["/b:timer(1s)"], priority: 1, deadline: 1s}
)yaml"),
      options);
    return planned.assignment.threads.size();
  };
  EXPECT_EQ(threads("900us"), 1U);
  EXPECT_EQ(threads("1100us"), 2U);
}

TEST(Planner, ChoosesThePlaceAPinnedCallbackAllows)
{
  std::string text = kTwoChains;
  text.replace(text.find("time: 3ms"), 9, "cores: [1], time: 3ms");
  const Planned planned = plan_of(system_of(text));
  EXPECT_EQ(thread_of(planned, "/b:sub(/a)").core, 1U);
  EXPECT_EQ(thread_of(planned, "/a:timer(10ms)").core, 1U);
  EXPECT_TRUE(all_met(planned));
}

TEST(Planner, LeavesReservedCoresAndOtherPrioritiesAlone)
{
  std::string text = kTwoChains;
  text.replace(text.find("cores: 2"), 8, "cores: 3, reserved: [0]");
  for (const Planner planner : kPlanners) {
    const Planned planned = plan_of(system_of(text), by(planner));
    for (const AssignedThread & thread : planned.assignment.threads) {
      EXPECT_NE(thread.core, 0U);
      EXPECT_GE(thread.priority, 20);
      EXPECT_LE(thread.priority, 60);
    }
  }
}

TEST(Planner, CutsAChainThatFitsOnNoCore)
{
  const System system = system_of(R"yaml(
hosts: {car: {cores: 2}}
callbacks:
  - {id: "/a:timer(10ms)", time: 6ms, period: 10ms, publishes: /a}
  - {id: "/b:sub(/a)", time: 6ms, triggers: /a}
chains:
  long: {path: ["/a:timer(10ms)", "/b:sub(/a)"], deadline: 20ms}
)yaml");
  const Planned planned = plan_of(system);
  EXPECT_TRUE(all_met(planned));
  EXPECT_EQ(bound_of(planned, "long"), 12 * kMs);
  EXPECT_NE(thread_of(planned, "/a:timer(10ms)").core, thread_of(planned, "/b:sub(/a)").core);
}

/// The chain goes from the sensor through the loop. A log delays it unless it has its own thread.
TEST(Planner, JudgesChainsThroughCallbacksThatRead)
{
  const std::string text = R"yaml(
hosts: {car: {cores: 2}}
callbacks:
  - {id: "/sense:timer(50ms)", time: 2ms, period: 50ms, publishes: /seen}
  - {id: "/loop:timer(10ms)", time: 2ms, period: 10ms, reads: /seen, publishes: /act}
  - {id: "/act:sub(/act)", time: 1ms, triggers: /act}
  - {id: "/log:timer(1s)", time: 30ms, period: 1s}
chains:
  control:
    path: ["/sense:timer(50ms)", "/loop:timer(10ms)", "/act:sub(/act)"]
    priority: 5
    deadline: 18ms
)yaml";
  for (const Planner planner : kPlanners) {
    const Planned planned = plan_of(system_of(text), by(planner));
    EXPECT_TRUE(all_met(planned) || planner != Planner::takt);
    EXPECT_GE(bound_of(planned, "control"), 15 * kMs) << "2 ms, a period, and 3 ms";
    EXPECT_LT(bound_of(planned, "control"), kUnbounded);
  }
  std::string tight = text;
  tight.replace(tight.find("deadline: 18ms"), 14, "deadline: 14ms");
  EXPECT_FALSE(all_met(plan_of(system_of(tight)))) << "no schedule makes the loop's period shorter";
}

TEST(Planner, KeepsTheMoreImportantChainWhenBothDoNotFit)
{
  for (const int important : {1, 2}) {
    const System system = system_of(
      R"yaml(
hosts: {car: {cores: 1}}
callbacks:
  - {id: "/a:timer(10ms)", time: 6ms, period: 10ms}
  - {id: "/b:timer(10ms)", time: 3ms, period: 10ms}
chains:
  first: {path: ["/a:timer(10ms)"], priority: )yaml" +
      std::to_string(important == 1 ? 9 : 1) + R"yaml(, deadline: 7ms}
  second: {path: ["/b:timer(10ms)"], priority: 5, deadline: 4ms}
)yaml");
    const Planned planned = plan_of(system);
    EXPECT_FALSE(all_met(planned));
    EXPECT_EQ(bound_of(planned, "first") <= 7 * kMs, important == 1);
    EXPECT_EQ(bound_of(planned, "second") <= 4 * kMs, important == 2);
  }
}

// If one thread must run both, the chain with the shorter deadline comes first.
TEST(Planner, OrdersAnExclusiveGroupByDeadlines)
{
  const std::vector<std::string> callbacks{
    R"yaml(  - {id: "/n:timer(10ms)", time: 2ms, period: 10ms, group: "/n:group(g)"})yaml",
    R"yaml(  - {id: "/n:timer(15ms)", time: 4ms, period: 15ms, group: "/n:group(g)"})yaml",
    R"yaml(  - {id: "/n:timer(40ms)", time: 5ms, period: 40ms, group: "/n:group(g)"})yaml"};
  for (const std::vector<int> & order : {std::vector{0, 1, 2}, {2, 1, 0}, {1, 0, 2}}) {
    std::string text = R"yaml(
hosts: {r: {cores: 1}}
groups: {"/n:group(g)": mutually_exclusive}
callbacks:
)yaml";
    for (const int callback : order) {
      text += callbacks[callback] + "\n";
    }
    text += R"yaml(chains:
  a: {path: ["/n:timer(10ms)"], priority: 3, deadline: 10ms}
  b: {path: ["/n:timer(15ms)"], priority: 2, deadline: 15ms}
  c: {path: ["/n:timer(40ms)"], priority: 1, deadline: 16ms}
)yaml";
    const Planned planned = plan_of(system_of(text));
    EXPECT_TRUE(all_met(planned));
    EXPECT_EQ(bound_of(planned, "a"), 7 * kMs);
    EXPECT_TRUE(all_met(plan_of(system_of(text), by(Planner::isolated))));
  }
}

TEST(Planner, OrdersAnExclusiveGroupByDeadlinesBesideAChainThroughIt)
{
  const std::string text = R"yaml(
hosts: {r: {cores: 2}}
groups: {"/ctl:group(default)": mutually_exclusive}
callbacks:
  - {id: "/imu:timer(5ms)", time: 200us, period: 5ms, publishes: /imu}
  - {id: "/map:timer(100ms)", time: 2ms, period: 100ms, publishes: /map}
  - {id: "/ctl:sub(/imu)", group: "/ctl:group(default)", time: 500us, triggers: /imu}
  - {id: "/ctl:sub(/map)", group: "/ctl:group(default)", time: 2ms, triggers: /map}
  - {id: "/ctl:timer(50ms)", group: "/ctl:group(default)", time: 2ms, period: 50ms}
chains:
  stabilise: {path: ["/imu:timer(5ms)", "/ctl:sub(/imu)"], priority: 99, deadline: 4ms}
  replan: {path: ["/map:timer(100ms)", "/ctl:sub(/map)"], priority: 10, deadline: 100ms}
)yaml";
  const Planned planned = plan_of(system_of(text));
  EXPECT_TRUE(all_met(planned));
  EXPECT_EQ(bound_of(planned, "stabilise"), 2700 * kMs / 1000);
}

// The last callback of a slow chain is a fast chain by itself.
TEST(Planner, WhatTwoChainsShareHasAThreadOfItsOwnWhereOneNeedsIt)
{
  for (const std::string priority : {"0", "79", "90"}) {
    const Planned planned = plan_of(system_of(
      R"yaml(
hosts: {pi: {cores: 1}, jetson: {cores: 4}}
communication: {processes: 100us, hosts: 2ms}
callbacks:
  - {id: "/cam:timer(33ms)", host: jetson, executor: vision, time: 3ms, period: 33ms, publishes: /img}
  - {id: "/det:sub(/img)", host: jetson, executor: vision, time: 14ms, triggers: /img, publishes: /det}
  - {id: "/ctl:sub(/det)", host: pi, executor: ctl, time: 2ms, triggers: /det, publishes: /cmd}
  - {id: "/mot:timer(5ms)", host: pi, executor: ctl, time: 500us, period: 5ms, reads: /cmd}
chains:
  v:
    path: ["/cam:timer(33ms)", "/det:sub(/img)", "/ctl:sub(/det)", "/mot:timer(5ms)"]
    priority: 80
    deadline: 60ms
  m: {path: ["/mot:timer(5ms)"], deadline: 2ms, priority: )yaml" +
      priority + "}\n"));
    EXPECT_TRUE(all_met(planned)) << priority;
    EXPECT_EQ(bound_of(planned, "m"), kMs / 2) << priority;
  }
}

TEST(Planner, AnExclusiveGroupStaysOnOneThread)
{
  const System system = system_of(R"yaml(
hosts: {car: {cores: 4}}
groups: {"/n:group(g)": mutually_exclusive, "/n:group(free)": reentrant}
callbacks:
  - {id: "/n:timer(10ms)", time: 1ms, period: 10ms, group: "/n:group(g)"}
  - {id: "/n:timer(20ms)", time: 1ms, period: 20ms, group: "/n:group(g)"}
  - {id: "/n:timer(30ms)", time: 9ms, period: 30ms, group: "/n:group(free)"}
  - {id: "/n:timer(40ms)", time: 9ms, period: 40ms, group: "/n:group(free)"}
)yaml");
  for (const Planner planner : kPlanners) {
    const Planned planned = plan_of(system, by(planner));
    EXPECT_EQ(&thread_of(planned, "/n:timer(10ms)"), &thread_of(planned, "/n:timer(20ms)"));
  }
  EXPECT_EQ(plan_of(system, by(Planner::isolated)).assignment.threads.size(), 3U);
}

TEST(Planner, PicasPutsLaterCallbacksAndMoreImportantChainsFirst)
{
  PlanOptions options = by(Planner::picas);
  options.cpus = {0};
  const Planned planned = plan_of(system_of(kTwoChains), options);
  const AssignedThread & fast = thread_of(planned, "/a:timer(10ms)");
  const AssignedThread & slow = thread_of(planned, "/c:timer(20ms)");
  EXPECT_GT(fast.priority, slow.priority);
  const auto ids = [&](const AssignedThread & thread) {
    std::vector<std::string> result;
    for (const Index task : thread.tasks) {
      result.push_back(planned.model.tasks[task].id);
    }
    return result;
  };
  EXPECT_EQ(ids(fast), (std::vector<std::string>{"/b:sub(/a)", "/a:timer(10ms)"}));
  EXPECT_EQ(ids(slow), (std::vector<std::string>{"/d:sub(/c)", "/c:timer(20ms)"}));
}

TEST(Planner, RateMonotonicLooksAtPeriodsAndIsolatedAtDeadlines)
{
  const System system = system_of(R"yaml(
hosts: {car: {cores: 1}}
callbacks:
  - {id: "/a:timer(10ms)", time: 1ms, period: 10ms}
  - {id: "/b:timer(50ms)", time: 1ms, period: 50ms}
chains:
  a: {path: ["/a:timer(10ms)"], deadline: 10ms}
  b: {path: ["/b:timer(50ms)"], deadline: 5ms}
)yaml");
  const Planned rate = plan_of(system, by(Planner::rate_monotonic));
  EXPECT_GT(thread_of(rate, "/a:timer(10ms)").priority, thread_of(rate, "/b:timer(50ms)").priority);
  const Planned isolated = plan_of(system, by(Planner::isolated));
  EXPECT_LT(
    thread_of(isolated, "/a:timer(10ms)").priority, thread_of(isolated, "/b:timer(50ms)").priority);
}

TEST(Planner, ThreadsThatAreNotOursTakeRoom)
{
  std::string text = kTwoChains;
  text.replace(
    text.find("priorities:"), 0,
    "other_threads: {irq: {priority: 90, cores: [0], time: 6ms, period: 10ms}}, ");
  const Planned planned = plan_of(system_of(text));
  EXPECT_EQ(thread_of(planned, "/a:timer(10ms)").core, 1U);
  EXPECT_EQ(thread_of(planned, "/c:timer(20ms)").core, 1U);
  EXPECT_TRUE(all_met(planned));
}

TEST(Planner, RefusesConstraintsThatContradictEachOther)
{
  const auto faults = [](const std::string & text, const PlanOptions & options = {}) {
    const auto planned = plan_schedule(system_of(text), options);
    return planned.ok() ? std::string("none") : to_string(planned.faults().front());
  };
  const std::string callbacks = "callbacks: [{id: \"/a:timer(10ms)\", time: 1ms, period: 10ms}]\n";
  PlanOptions options;
  options.cpus = {0};
  EXPECT_EQ(
    faults("hosts: {car: {cores: 2, reserved: [0]}}\n" + callbacks, options),
    "system.yaml:2:9: 'car' has no core for callbacks: its cores are reserved, or not among those "
    "to use");
  options.cpus = {1, 7};
  EXPECT_EQ(
    faults("hosts: {car: {cores: 2}}\n" + callbacks, options),
    "no host has core 7; 'car' has cores 0-1");
  EXPECT_EQ(
    faults(R"yaml(
hosts: {car: {cores: 2}}
groups: {"/a:group(g)": mutually_exclusive}
callbacks:
  - {id: "/a:timer(10ms)", time: 1ms, period: 10ms, group: "/a:group(g)", cores: [0]}
  - {id: "/a:timer(20ms)", time: 1ms, period: 20ms, group: "/a:group(g)", cores: [1]}
)yaml"),
    "system.yaml:7:5: '/a:timer(20ms)' has no core in common with the rest of its exclusive group");
}

TEST(Planner, AnImportantChainIsNotGivenUpForOneThatHasNoBoundAnyway)
{
  const Planned planned = plan_of(system_of(R"yaml(
hosts: {car: {cores: 1}}
callbacks:
  - {id: "/a:timer(100ms)", time: 10ms, period: 100ms}
  - {id: "/l:timer(5ms)", time: 1ms, period: 5ms, publishes: /l}
  - {id: "/r:timer(20ms)", time: 1ms, period: 20ms, publishes: /r}
  - {id: "/fuse:sub(/l)", time: 1ms, triggers: [/l, /r], trigger: all, publishes: /f}
  - {id: "/out:sub(/f)", time: 1ms, triggers: /f}
chains:
  important: {path: ["/a:timer(100ms)"], priority: 9, deadline: 100ms}
  fuse: {path: ["/l:timer(5ms)", "/fuse:sub(/l)", "/out:sub(/f)"], priority: 1, deadline: 10ms}
)yaml"));
  EXPECT_LE(bound_of(planned, "important"), 100 * kMs);
  EXPECT_EQ(bound_of(planned, "fuse"), kUnbounded);
}

TEST(Planner, WhatIsInAHurryIsServedAlsoOnACoreThatIsTooFull)
{
  const Planned planned = plan_of(system_of(R"yaml(
hosts: {car: {cores: 1}}
callbacks:
  - {id: "/a:timer(10ms)", time: 6ms, period: 10ms}
  - {id: "/b:timer(100ms)", time: 50ms, period: 100ms}
  - {id: "/c:timer(1s)", time: 1ms, period: 1s}
chains:
  a: {path: ["/a:timer(10ms)"], priority: 3, deadline: 10ms}
  b: {path: ["/b:timer(100ms)"], priority: 2, deadline: 100ms}
  c: {path: ["/c:timer(1s)"], priority: 1, deadline: 1s}
)yaml"));
  EXPECT_EQ(bound_of(planned, "a"), 6 * kMs);
  EXPECT_EQ(bound_of(planned, "b"), kUnbounded);
  EXPECT_LE(bound_of(planned, "c"), 1000 * kMs);
  ASSERT_EQ(planned.shortfalls.size(), 1U);
  EXPECT_EQ(
    planned.shortfalls[0],
    "core 0 of car has room for a load of 95.0 %, and its callbacks load it by 110.1 %");
  for (const TradePoint & point : planned.trade) {
    EXPECT_DOUBLE_EQ(point.slack.value(), 0.4) << "of the chains that are met";
  }
}

TEST(Planner, WhatIsLateIsAsLittleLateAsCanBe)
{
  const Planned planned = plan_of(system_of(R"yaml(
hosts: {car: {cores: 3}}
callbacks:
  - {id: "/x:timer(50ms)", time: 36ms, period: 50ms}
  - {id: "/a:timer(50ms)", time: 20ms, period: 50ms, publishes: /a}
  - {id: "/b:sub(/a)", time: 7ms, triggers: /a, publishes: /b}
  - {id: "/c:sub(/b)", time: 18ms, triggers: /b, publishes: /c}
  - {id: "/d:sub(/c)", time: 7ms, triggers: /c}
chains:
  late: {path: ["/a:timer(50ms)", "/b:sub(/a)", "/c:sub(/b)", "/d:sub(/c)"], deadline: 51ms}
)yaml"));
  EXPECT_EQ(bound_of(planned, "late"), 52 * kMs);
  EXPECT_TRUE(planned.shortfalls.empty());
}

// An important chain that is late by a little still precedes less important chains.
TEST(Planner, WhatIsLateByALittleIsNotServedLast)
{
  const Planned planned = plan_of(system_of(R"yaml(
hosts: {robot: {cores: 1}}
callbacks:
  - {id: "/imu:timer(10ms)", time: 400us, period: 10ms, publishes: /imu}
  - {id: "/ekf:sub(/imu)", time: 600us, triggers: /imu, publishes: /pose}
  - {id: "/lidar:timer(100ms)", time: 3ms, period: 100ms, publishes: /scan}
  - {id: "/seg:sub(/scan)", time: 15ms, triggers: /scan, publishes: /clusters}
  - {id: "/camera:timer(50ms)", time: 4ms, period: 50ms, publishes: /image}
  - {id: "/yolo:sub(/image)", time: 12ms, triggers: /image}
  - {id: "/planner:timer(50ms)", time: 8ms, period: 50ms, reads: [/clusters, /pose]}
  - {id: "/log:timer(1s)", time: 150ms, period: 1s}
chains:
  imu: {path: ["/imu:timer(10ms)", "/ekf:sub(/imu)"], priority: 9, deadline: 900us}
  obstacles:
    path: ["/lidar:timer(100ms)", "/seg:sub(/scan)", "/planner:timer(50ms)"]
    priority: 8
    deadline: 60ms
  camera: {path: ["/camera:timer(50ms)", "/yolo:sub(/image)"], priority: 5}
)yaml"));
  EXPECT_EQ(bound_of(planned, "imu"), 1 * kMs);
}

TEST(Planner, AHopelessChainDoesNotCostOthersTheirSlack)
{
  const Planned planned = plan_of(system_of(R"yaml(
hosts: {car: {cores: 2}}
callbacks:
  - {id: "/brake:timer(10ms)", time: 1ms, period: 10ms}
  - {id: "/log:timer(100ms)", time: 7900us, period: 100ms}
  - {id: "/hopeless:timer(50ms)", time: 40ms, period: 50ms, cores: [1]}
chains:
  brake: {path: ["/brake:timer(10ms)"], priority: 9, deadline: 9ms}
  hopeless: {path: ["/hopeless:timer(50ms)"], priority: 1, deadline: 10ms}
)yaml"));
  EXPECT_EQ(bound_of(planned, "brake"), 1 * kMs);
  ASSERT_EQ(planned.trade.size(), 2U);
  EXPECT_NEAR(planned.trade[1].slack.value(), 0.1 / 9, 1e-9);
}

TEST(Planner, ACoreAboveItsCapAndWhatHasNoBoundAreTold)
{
  const auto shortfalls = [](const std::string & text) {
    return plan_of(system_of(text)).shortfalls;
  };
  using Lines = std::vector<std::string>;
  EXPECT_EQ(
    shortfalls(R"yaml(
hosts: {car: {cores: 1, utilization_cap: 0.5}}
callbacks: [{id: "/a:timer(10ms)", time: 8ms, period: 10ms}]
chains: {a: {path: ["/a:timer(10ms)"], deadline: 10ms}}
)yaml"),
    (Lines{"core 0 of car has room for a load of 50.0 %, and its callbacks load it by 80.0 %"}));
  const Lines found = shortfalls(R"yaml(
hosts: {car: {cores: 1}}
callbacks:
  - {id: "/a:timer(10ms)", time: 18ms, period: 10ms}
  - {id: "/b:timer(10ms)", time: 1ms, period: 10ms}
chains: {b: {path: ["/b:timer(10ms)"]}}
)yaml");
  ASSERT_EQ(found.size(), 2U);
  EXPECT_NE(found[1].find("'/a:timer(10ms)'"), std::string::npos) << found[1];
}

// The kernel stops all real-time threads of a core that want more than its cap.
TEST(Planner, WhatDoesNotFitIsKeptOffRealTimeThreads)
{
  const auto planned = [](const std::string & callbacks) {
    const System system = system_of(
      "hosts: {car: {cores: 1, utilization_cap: 0.95}}\ncallbacks:\n"
      "  - {id: \"/a:timer(10ms)\", time: 1ms, period: 10ms, publishes: /a}\n"
      "  - {id: \"/b:sub(/a)\", time: 3ms, triggers: /a}\n" +
      callbacks + "chains: {b: {path: [\"/b:sub(/a)\"], period: 10ms, deadline: 10ms}}\n");
    Planned result = plan_of(system);
    expect_sound(system, result);
    EXPECT_TRUE(all_met(result));
    return result;
  };
  const auto priority = [](const Planned & one, const std::string & id) {
    return thread_of(one, id).priority;
  };
  const std::string busy = "  - {id: \"/busy:timer(20ms)\", time: 5ms, period: 20ms}\n";
  const std::string starts =
    "  - {id: \"/c:timer(100ms)\", time: 40ms, period: 100ms, publishes: /c}\n"
    "  - {id: \"/d:sub(/c)\", time: 10ms, triggers: /c}\n";
  const Planned fits = planned(busy);
  EXPECT_GT(priority(fits, "/busy:timer(20ms)"), 0);
  EXPECT_TRUE(fits.shortfalls.empty());

  const Planned full = planned(busy + starts);  // 1.15 cores
  EXPECT_GT(priority(full, "/a:timer(10ms)"), 0) << "no chain has it, and it starts one";
  EXPECT_GT(priority(full, "/b:sub(/a)"), 0);
  EXPECT_GT(priority(full, "/busy:timer(20ms)"), 0) << "the rest keeps the cap with it";
  EXPECT_EQ(priority(full, "/c:timer(100ms)"), 0);
  EXPECT_EQ(priority(full, "/d:sub(/c)"), 0) << "it waits for a fair thread";
  ASSERT_EQ(full.shortfalls.size(), 3U);
  EXPECT_EQ(
    full.shortfalls[1],
    "'/c:timer(100ms)' does not fit on core 0 of car with the more urgent callbacks there: it runs "
    "under "
    "the fair scheduler, without a bound");
  EXPECT_EQ(full.schedule.executors[0].default_threads.size(), 1U);
  const auto & threads = full.schedule.executors[0].threads;
  const auto fair = std::find_if(threads.begin(), threads.end(), [](const auto & one) {
    return one.attributes.policy == takt_rt::Policy::other;
  });
  ASSERT_NE(fair, threads.end());
  EXPECT_EQ(full.schedule.executors[0].default_threads[0], fair->name);
}

TEST(Planner, SaysWhyACallbackOnACoreWithRoomHasNoRealTimeThread)
{
  const Planned planned = plan_of(system_of(R"yaml(
hosts: {car: {cores: 2, utilization_cap: 0.5}}
callbacks:
  - {id: "/c:timer(100ms)", time: 60ms, period: 100ms, publishes: /c, cores: [0]}
  - {id: "/a:timer(10ms)", time: 1ms, period: 10ms, cores: [1]}
  - {id: "/d:sub(/c)", time: 1ms, triggers: /c, cores: [1]}
chains:
  first: {path: ["/a:timer(10ms)"], priority: 2, deadline: 10ms}
)yaml"));
  EXPECT_TRUE(all_met(planned));
  const auto & told = planned.shortfalls;
  EXPECT_NE(
    std::find(
      told.begin(), told.end(),
      "'/d:sub(/c)' is in the group of a callback that does not fit on its core, or is started by "
      "one: it runs under the fair scheduler, without a bound"),
    told.end())
    << told.back();
}

TEST(Planner, TheCapIsKeptWhereThereIsRoomElsewhere)
{
  const Planned planned = plan_of(system_of(R"yaml(
hosts: {car: {cores: 2, utilization_cap: 0.6}}
callbacks:
  - {id: "/a:timer(10ms)", time: 4ms, period: 10ms}
  - {id: "/b:timer(100ms)", time: 40ms, period: 100ms}
chains:
  a: {path: ["/a:timer(10ms)"], deadline: 10ms}
  b: {path: ["/b:timer(100ms)"], deadline: 100ms}
)yaml"));
  EXPECT_NE(thread_of(planned, "/a:timer(10ms)").core, thread_of(planned, "/b:timer(100ms)").core);
  EXPECT_TRUE(planned.shortfalls.empty());
}

/// Timers with one chain each. Their names begin with the same letters.
System many(int count)
{
  std::string callbacks;
  std::string chains;
  for (int i = 0; i < count; ++i) {
    const std::string id =
      "\"/n" + std::to_string(i) + ":timer(" + std::to_string(10 * (1 + i % 5)) + "ms)\"";
    callbacks +=
      "  - {id: " + id + ", time: 1ms, period: " + std::to_string(10 * (1 + i % 5)) + "ms}\n";
    chains += "  a_long_name_of_a_chain_" + std::to_string(i) + ": {path: [" + id +
              "], deadline: " + std::to_string(10 * (1 + i % 5)) + "ms}\n";
  }
  return system_of(
    "hosts: {car: {cores: 16, priorities: {least: 50, most: 50}}}\ncallbacks:\n" + callbacks +
    "chains:\n" + chains);
}

TEST(Planner, AnExecutorHasNoMoreThreadsThanItCanHave)
{
  const System system = many(80);
  PlanOptions options;
  options.keep_slack = 1;
  const Planned planned = plan_of(system, options);
  EXPECT_LE(planned.assignment.threads.size(), 63U);
  expect_sound(system, planned);
  // Also on systems with only one callback for each core.
  System wide = system;
  for (int core = 16; core < 96; ++core) {
    wide.hosts[0].cores.push_back(core);
  }
  const Planned apart = plan_of(wide);
  EXPECT_LE(apart.assignment.threads.size(), 63U);
  expect_sound(wide, apart);
  const auto isolated = plan_schedule(system, by(Planner::isolated));
  ASSERT_FALSE(isolated.ok());
  EXPECT_EQ(
    to_string(isolated.faults().front()),
    "executor 'main' would need 80 threads, but may have at most 63; spread its callbacks over "
    "several executors");
}

TEST(Planner, ThreadsHaveTheFirstWordsOfTheirChain)
{
  std::string text = kTwoChains;
  text.replace(text.find("fast:"), 4, "front_lidar_to_obstacles");
  text.replace(text.find("slow:"), 4, "map_to_parking");
  const Planned planned = plan_of(system_of(text));
  ASSERT_EQ(planned.schedule.executors[0].threads.size(), 2U);
  EXPECT_EQ(planned.schedule.executors[0].threads[0].name, "front_lidar");
  EXPECT_EQ(planned.schedule.executors[0].threads[1].name, "map_to_parking");
}

TEST(Planner, ThreadsHaveNamesOfTheirOwnThatTheKernelKeeps)
{
  const System system = many(60);
  const Planned planned = plan_of(system, by(Planner::isolated));
  expect_sound(system, planned);
  std::set<std::string> names;
  for (const auto & threads : planned.schedule.executors[0].threads) {
    EXPECT_LE(threads.name.size(), 15U);
    EXPECT_TRUE(names.insert(threads.name).second) << threads.name;
  }
  EXPECT_EQ(names.size(), 60U);
}

TEST(Misfits, KnowOnWhichHostACoreIsMissing)
{
  const System system = system_of(R"yaml(
hosts: {big: {cores: 1}, small: {cores: 1}}
callbacks:
  - {id: "/a:timer(10ms)", host: big, executor: a, time: 1ms, period: 10ms, publishes: /x}
  - {id: "/b:sub(/x)", host: small, executor: b, time: 4ms, triggers: /x}
  - {id: "/l:timer(10ms)", host: small, executor: b, time: 5ms, period: 10ms}
chains:
  l: {path: ["/l:timer(10ms)"], priority: 9, deadline: 6ms}
  c: {path: ["/a:timer(10ms)", "/b:sub(/x)"], priority: 1, deadline: 6ms}
)yaml");
  for (const std::vector<int> & cpus : {std::vector<int>{}, std::vector<int>{0}}) {
    PlanOptions options;
    options.cpus = cpus;
    const auto found = misfits(system, options, plan_of(system, options));
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].more_cores_of, 1U);
    options.cpus.clear();
    options.host_cpus = {{"big", 0}, {"small", 0}};
    const auto same = misfits(system, options, plan_of(system, options));
    ASSERT_EQ(same.size(), 1U);
    EXPECT_EQ(same[0].more_cores_of, 1U);
  }
}

TEST(Planner, CpusAreThoseEachHostHas)
{
  const System system = system_of(R"yaml(
hosts: {big: {cores: 4}, small: {cores: 1}}
callbacks:
  - {id: "/a:timer(10ms)", host: big, executor: a, time: 9ms, period: 10ms}
  - {id: "/b:timer(10ms)", host: big, executor: a, time: 9ms, period: 10ms}
  - {id: "/c:timer(10ms)", host: small, executor: b, time: 1ms, period: 10ms}
)yaml");
  PlanOptions options;
  options.cpus = {0, 3};
  const Planned planned = plan_of(system, options);
  EXPECT_EQ(
    thread_of(planned, "/a:timer(10ms)").core + thread_of(planned, "/b:timer(10ms)").core, 3U);
  EXPECT_TRUE(planned.shortfalls.empty());
}

TEST(Misfits, SayWhoCostsMostAndTheSmallestChangeThatHelps)
{
  const System system = system_of(R"yaml(
hosts: {car: {cores: 1}}
callbacks:
  - {id: "/brake:timer(20ms)", time: 4ms, period: 20ms}
  - {id: "/log:timer(50ms)", time: 1ms, period: 50ms, publishes: /log}
  - {id: "/write:sub(/log)", time: 20ms, triggers: /log}
chains:
  brake: {path: ["/brake:timer(20ms)"], priority: 9, deadline: 10ms}
  log: {path: ["/log:timer(50ms)", "/write:sub(/log)"], priority: 1, deadline: 28ms}
)yaml");
  const Planned planned = plan_of(system);
  const auto found = misfits(system, {}, planned);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(planned.model.chains[found[0].chain].name, "log");
  EXPECT_EQ(found[0].late, 1 * kMs);  // 21 and twice 4
  EXPECT_EQ(planned.model.tasks[found[0].dominant].id, "/write:sub(/log)");
  EXPECT_EQ(found[0].faster_by, 5);
  EXPECT_EQ(found[0].longer_by, std::nullopt) << "it is late when it is alone";
  EXPECT_EQ(found[0].more_cores_of, 0U);
  EXPECT_TRUE(misfits(system, {}, plan_of(system_of(kTwoChains))).empty());
}

/// The system with a callback whose execution time is shorter by this percentage.
System faster(System system, Index callback, int percent)
{
  takt_rt::Duration & time = system.callbacks[callback].time.worst;
  time -= time * percent / 100;
  return system;
}

/// The system with a timer whose period is longer by this percentage.
System rarer(System system, Index callback, int percent)
{
  takt_rt::Duration & period = *system.callbacks[callback].period;
  period += period * percent / 100;
  return system;
}

// In the plan that does not fit, the slow callback shares a core with a callback that could move.
TEST(Misfits, LookForTheSmallestChangeInOtherPlansToo)
{
  const System system = system_of(R"yaml(
hosts: {bot: {cores: 2}}
callbacks:
  - {id: "/scan:timer(50ms)", time: 2ms, period: 50ms, publishes: /scan}
  - {id: "/filter:sub(/scan)", time: 5ms, triggers: /scan, publishes: /filtered}
  - {id: "/nav:sub(/filtered)", time: 60ms, triggers: /filtered, publishes: /cmd}
  - {id: "/base:sub(/cmd)", time: 1ms, triggers: /cmd}
  - {id: "/odom:timer(10ms)", time: 500us, period: 10ms, publishes: /odom}
  - {id: "/ekf:sub(/odom)", time: 1ms, triggers: /odom, publishes: /pose}
  - {id: "/viz:sub(/pose)", time: 2ms, triggers: /pose}
chains:
  drive: {path: ["/scan:timer(50ms)", "/filter:sub(/scan)", "/nav:sub(/filtered)", "/base:sub(/cmd)"], priority: 90, deadline: 40ms}
  pose: {path: ["/odom:timer(10ms)", "/ekf:sub(/odom)", "/viz:sub(/pose)"], priority: 60, deadline: 8ms}
)yaml");
  const auto found = misfits(system, {}, plan_of(system));
  ASSERT_EQ(found.size(), 1U);
  ASSERT_TRUE(found[0].faster_by.has_value());
  // With a smaller change, the chain's own work takes longer than its deadline.
  EXPECT_EQ(found[0].faster_by, 47);
  EXPECT_FALSE(found[0].cut_short);
  Model same = plan_of(system).model;
  same.tasks[2].time -= same.tasks[2].time * 47 / 100;
  const auto there = bounds(same);
  ASSERT_TRUE(there.ok());
  EXPECT_FALSE(meets_deadline(same.chains[found[0].chain], there->chains[found[0].chain]))
    << "in the plan as it is that is not enough";
  EXPECT_TRUE(all_met(plan_of(faster(system, 2, *found[0].faster_by))));
}

// Even a rare run precedes the chain's run on their core. If the timer is rare enough, it fits on
// the other core.
TEST(Misfits, LookForLongerPeriodsInOtherPlansToo)
{
  const System system = system_of(R"yaml(
hosts: {car: {cores: 2, utilization_cap: 1}}
callbacks:
  - {id: "/h:timer(20ms)", time: 9ms, period: 20ms}
  - {id: "/g:timer(40ms)", time: 29ms, period: 40ms}
  - {id: "/k:timer(20ms)", time: 6ms, period: 20ms}
chains:
  h: {path: ["/h:timer(20ms)"], priority: 9, deadline: 10ms}
  g: {path: ["/g:timer(40ms)"], priority: 8, deadline: 40ms}
  k: {path: ["/k:timer(20ms)"], priority: 1, deadline: 10ms}
)yaml");
  const auto found = misfits(system, {}, plan_of(system));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].sources, std::vector<Index>{0});
  EXPECT_EQ(found[0].longer_by, 90) << "38 ms: 29 and 9";
  for (const int percent : {89, 90}) {
    EXPECT_EQ(all_met(plan_of(rarer(system, 0, percent))), percent == 90);
  }
}

/// Two chains on a core. If the more important one kept its deadline, the other would miss its own.
System important_and_other()
{
  return system_of(R"yaml(
hosts: {car: {cores: 1}}
callbacks:
  - {id: "/a:timer(20ms)", time: 8ms, period: 20ms}
  - {id: "/b:timer(20ms)", time: 3ms, period: 20ms}
chains:
  a: {path: ["/a:timer(20ms)"], priority: 9, deadline: 7ms}
  b: {path: ["/b:timer(20ms)"], priority: 5, deadline: 4ms}
)yaml");
}

// With an eighth less work the more important chain would keep its deadline, and the other one
// would miss it.
TEST(Misfits, AskForNothingThatMakesAnotherChainLate)
{
  const System system = important_and_other();
  const auto found = misfits(system, {}, plan_of(system));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].faster_by, 50);
  const Planned eighth = plan_of(faster(system, 0, 13));
  EXPECT_LE(bound_of(eighth, "a"), 7 * kMs);
  EXPECT_GT(bound_of(eighth, "b"), 4 * kMs);
}

// With an eighth less work the other chain would have room on the other core, above its cap.
TEST(Misfits, AskForNothingThatPutsACoreAboveItsCap)
{
  const System system = system_of(R"yaml(
hosts: {car: {cores: 2, utilization_cap: 0.6}}
callbacks:
  - {id: "/a:timer(20ms)", time: 8ms, period: 20ms, cores: [0]}
  - {id: "/b:timer(20ms)", time: 3ms, period: 20ms}
  - {id: "/x:timer(20ms)", time: 10ms, period: 20ms, cores: [1]}
chains:
  a: {path: ["/a:timer(20ms)"], priority: 9, deadline: 7ms}
  b: {path: ["/b:timer(20ms)"], priority: 5, deadline: 4ms}
  x: {path: ["/x:timer(20ms)"], priority: 1, deadline: 20ms}
)yaml");
  const Planned planned = plan_of(system);
  EXPECT_TRUE(planned.shortfalls.empty());
  const auto found = misfits(system, {}, planned);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].faster_by, 50);
  const Planned eighth = plan_of(faster(system, 0, 13));
  EXPECT_TRUE(all_met(eighth));
  EXPECT_EQ(eighth.shortfalls.size(), 1U);
}

TEST(Misfits, SayWhereNotAllWasLookedAt)
{
  const System small = important_and_other();
  EXPECT_FALSE(misfits(small, {}, plan_of(small)).front().cut_short);
  PlanOptions options;
  options.time_used = [] { return 2.0; };
  const Misfit unsearched = misfits(small, options, plan_of(small)).front();
  EXPECT_TRUE(unsearched.cut_short);
  EXPECT_TRUE(unsearched.out_of_time);
  // The cause is known all the same, and no change was tried.
  const Misfit searched = misfits(small, {}, plan_of(small)).front();
  EXPECT_FALSE(searched.out_of_time);
  EXPECT_EQ(unsearched.dominant, searched.dominant);
  EXPECT_EQ(unsearched.share, searched.share);
  EXPECT_GT(unsearched.share, 0);
  EXPECT_FALSE(unsearched.faster_by);
  // Too many terms for one more plan, and for two.
  for (const double cost : {1e9, 2e7}) {
    Planned costly = plan_of(small);
    costly.cost = cost;
    const auto found = misfits(small, {}, costly);
    EXPECT_TRUE(found.front().cut_short);
    EXPECT_EQ(found.front().faster_by, 50) << "of the plan as it is it is known all the same";
  }
}

// A chain through a set waits longer with longer periods. With ten times the period it waits too
// long.
TEST(Misfits, LongerPeriodsMayBeTooLongForOthersThatWait)
{
  const System system = system_of(R"yaml(
hosts: {car: {cores: 1}}
callbacks:
  - {id: "/s:timer(20ms)", time: 12ms, period: 20ms, publishes: /s}
  - {id: "/r:timer(300ms)", time: 1ms, period: 300ms, publishes: /r}
  - {id: ["/f:sub(/s)", "/f:sub(/r)"], time: 1ms, triggers: [/s, /r], trigger: newest}
  - {id: "/c:timer(100ms)", time: 9ms, period: 100ms}
chains:
  s: {path: ["/s:timer(20ms)"], priority: 9, deadline: 13ms}
  r: {path: ["/r:timer(300ms)", "/f:sub(/r)"], priority: 5, deadline: 200ms}
  c: {path: ["/c:timer(100ms)"], priority: 1, deadline: 30ms}
)yaml");
  const Planned planned = plan_of(system);
  const auto found = misfits(system, {}, planned);
  ASSERT_EQ(found.size(), 1U);
  ASSERT_EQ(planned.model.chains[found[0].chain].name, "c");
  EXPECT_EQ(found[0].sources, std::vector<Index>{0});
  ASSERT_TRUE(found[0].longer_by.has_value());
  EXPECT_LE(*found[0].longer_by, 25);
  for (const int percent : {*found[0].longer_by, 900}) {
    EXPECT_EQ(all_met(plan_of(rarer(system, 0, percent))), percent != 900) << percent;
  }
}

TEST(Misfits, NameTimersAndWaitsThatCostMoreThanCallbacks)
{
  const System slow = system_of(R"yaml(
hosts: {car: {cores: 2}}
callbacks:
  - {id: "/scan:timer(50ms)", time: 1ms, period: 50ms, publishes: /scan}
  - {id: "/seg:sub(/scan)", time: 3ms, triggers: /scan, publishes: /map}
  - {id: "/plan:timer(40ms)", time: 2ms, period: 40ms, reads: /map}
chains:
  avoid: {path: ["/scan:timer(50ms)", "/seg:sub(/scan)", "/plan:timer(40ms)"], deadline: 30ms}
)yaml");
  const Planned planned = plan_of(slow);
  const auto found = misfits(slow, {}, planned);
  ASSERT_EQ(found.size(), 1U);
  ASSERT_TRUE(found[0].wait.has_value());
  EXPECT_EQ(found[0].wait->what, Wait::For::reader);
  EXPECT_EQ(planned.model.tasks[found[0].wait->task].id, "/plan:timer(40ms)");
  EXPECT_GE(found[0].wait->time, 40 * kMs - 1);
  ASSERT_TRUE(found[0].sooner_by.has_value());
  // The change suffices, and a smaller one does not.
  for (const int percent : {*found[0].sooner_by, *found[0].sooner_by - 5}) {
    System sooner = slow;
    sooner.callbacks[2].period = *sooner.callbacks[2].period * (100 - percent) / 100;
    EXPECT_EQ(all_met(plan_of(sooner)), percent == *found[0].sooner_by) << percent;
  }

  // The core has room for it in one case, and not in the other.
  for (const char * const cap : {"0.7", "0.56"}) {
    const System full =
      system_of("hosts: {car: {cores: 2, utilization_cap: " + std::string(cap) + R"yaml(}}
callbacks:
  - {id: "/scan:timer(50ms)", time: 1ms, period: 50ms, publishes: /scan, cores: [0]}
  - {id: "/seg:sub(/scan)", time: 3ms, triggers: /scan, publishes: /map, cores: [0]}
  - {id: "/plan:timer(40ms)", time: 2ms, period: 40ms, reads: /map, cores: [1]}
  - {id: "/x:timer(100ms)", time: 50ms, period: 100ms, cores: [1]}
chains:
  avoid: {path: ["/scan:timer(50ms)", "/seg:sub(/scan)", "/plan:timer(40ms)"], deadline: 30ms, priority: 9}
  x: {path: ["/x:timer(100ms)"], deadline: 100ms}
)yaml");
    const Planned on_full = plan_of(full);
    EXPECT_TRUE(on_full.shortfalls.empty());
    const auto there = misfits(full, {}, on_full);
    ASSERT_EQ(there.size(), 1U);
    EXPECT_EQ(there[0].sooner_by.has_value(), std::string(cap) == "0.7");
  }

  const System late = system_of(R"yaml(
hosts: {car: {cores: 1}}
callbacks:
  - {id: "/cam:timer(40ms)", time: 3ms, period: 40ms, jitter: 30ms, publishes: /image}
  - {id: "/detect:sub(/image)", time: 4ms, triggers: /image}
  - {id: "/scan:timer(1ms)", time: 200us, period: 1ms, publishes: /scan}
  - {id: "/seg:sub(/scan)", time: 900us, triggers: /scan}
chains:
  see: {path: ["/cam:timer(40ms)", "/detect:sub(/image)"], priority: 1, deadline: 20ms}
  scan: {path: ["/scan:timer(1ms)", "/seg:sub(/scan)"], priority: 0, deadline: 900us}
)yaml");
  const Planned both = plan_of(late);
  const auto why = misfits(late, {}, both);
  ASSERT_EQ(why.size(), 2U);
  ASSERT_TRUE(why[0].wait.has_value());
  EXPECT_EQ(why[0].wait->what, Wait::For::jitter);
  EXPECT_EQ(why[0].wait->time, 30 * kMs);
  EXPECT_EQ(why[0].sooner_by, std::nullopt) << "nothing on it reads";
  ASSERT_EQ(why[1].sources.size(), 1U);
  EXPECT_TRUE(both.model.tasks[why[1].sources[0]].release.has_value());
}

/// The set belongs to the callback that waits for it, and not to those that it starts.
TEST(Misfits, NameTheCallbackThatWaitsForASet)
{
  const System system = system_of(R"yaml(
hosts: {car: {cores: 2}}
callbacks:
  - {id: "/cam:timer(50ms)", time: 2ms, period: 50ms, offset: any, publishes: /image}
  - {id: "/lidar:timer(100ms)", time: 3ms, period: 100ms, offset: any, publishes: /points}
  - {id: ["/fuse:sub(/image)", "/fuse:sub(/points)"], time: 5ms, triggers: [/image, /points], trigger: newest, publishes: /objects}
  - {id: "/plan:sub(/objects)", time: 4ms, triggers: /objects, publishes: /path}
  - {id: "/control:sub(/path)", time: 1ms, triggers: /path}
chains:
  drive:
    path: ["/lidar:timer(100ms)", "/fuse:sub(/points)", "/plan:sub(/objects)", "/control:sub(/path)"]
    deadline: 30ms
)yaml");
  const Planned planned = plan_of(system);
  const auto found = misfits(system, {}, planned);
  ASSERT_EQ(found.size(), 1U);
  ASSERT_TRUE(found[0].wait.has_value());
  EXPECT_EQ(found[0].wait->what, Wait::For::set);
  EXPECT_EQ(
    planned.model.id_on(planned.model.chains[0], found[0].wait->task), "/fuse:sub(/points)");
}

TEST(Planners, AreJudgedByTheFileTheyWrite)
{
  for (std::uint64_t i = 0; i < test::rounds(12); ++i) {
    const std::uint64_t seed = test::seed() + i;
    SCOPED_TRACE("TAKT_TEST_SEED=" + std::to_string(seed));
    const System system = test::random_chains(4, 9, 2.5 + 0.5 * static_cast<double>(i % 4), seed);
    for (const Planner planner : kPlanners) {
      const Planned planned = plan_of(system, by(planner));
      expect_sound(system, planned);
      EXPECT_EQ(planned.assignment, plan_of(system, by(planner)).assignment) << "stable";
    }
  }
}

TEST(Planners, NoPlannedChainIsSimulatedAboveItsBound)
{
  std::uint64_t jobs = 0;
  for (std::uint64_t i = 0; i < test::rounds(6); ++i) {
    const std::uint64_t seed = test::seed() + i;
    SCOPED_TRACE("TAKT_TEST_SEED=" + std::to_string(seed));
    const System system = test::random_chains(4, 9, 2.5, seed);
    const Planned planned = plan_of(system);
    const auto read = parse_plan(system, takt_schedule::to_yaml(planned.schedule));
    ASSERT_TRUE(read.ok());
    const SimulationModel model = simulation_model(*read);
    SimulationOptions options;
    options.phases = Phases::adversarial;
    options.runs = adversarial_runs(model);
    options.duration = 5'000 * kMs;
    const auto result = simulate(model, options);
    ASSERT_TRUE(result.ok());
    jobs += result->jobs;
    for (Index chain = 0; chain < result->chains.size(); ++chain) {
      ASSERT_TRUE(planned.bounds.chains[chain].ok());
      EXPECT_LE(result->chains[chain].responses.worst.time(), planned.bounds.chains[chain]->bound);
    }
  }
  EXPECT_GT(jobs, 10'000U);
}

}  // namespace
}  // namespace takt_plan
