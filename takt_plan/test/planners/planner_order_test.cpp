// The order of objectives if a plan cannot reach all of them: deadlines, then caps, then slack.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "planners/misfit.hpp"
#include "support/example.hpp"
#include "support/planning.hpp"
#include "takt_plan/planner.hpp"

namespace takt_plan
{
namespace
{

using takt_schedule::System;
using test::bound_of;
using test::expect_sound;
using test::kMs;
using test::plan_of;
using test::system_of;
using test::thread_of;

// There are two OS priorities: `x` keeps its deadline only if two threads of `main` are merged.
TEST(PlannerOrder, AChainThatAMergerSavedKeepsItsSlack)
{
  const System system = system_of(R"yaml(hosts: {car: {cores: 1, priorities: {least: 1, most: 2}}}
callbacks:
  - {id: "/u:timer(10ms)", time: 2ms, period: 10ms}
  - {id: "/x:timer(100ms)", time: 3ms, period: 100ms}
  - {id: "/m:timer(100ms)", executor: b, time: 6ms, period: 100ms}
  - {id: "/v:timer(1s)", time: 2500us, period: 1s}
chains:
  u: {path: ["/u:timer(10ms)"], priority: 30, deadline: 10ms}
  x: {path: ["/x:timer(100ms)"], priority: 20, deadline: 8ms}
  m: {path: ["/m:timer(100ms)"], priority: 15, deadline: 50ms}
  v: {path: ["/v:timer(1s)"], priority: 10, deadline: 1s}
)yaml");
  for (const double keep : {0.1, 0.3}) {
    PlanOptions options;
    options.keep_slack = keep;
    const Planned planned = plan_of(system, options);
    expect_sound(system, planned);
    EXPECT_TRUE(all_met(planned));
    for (const Chain & chain : planned.model.chains) {
      const auto most = static_cast<double>(chain.deadline) * (1 - keep);
      EXPECT_LE(bound_of(planned, chain.name), static_cast<Ns>(most) + 1) << chain.name;
    }
  }
}

TEST(PlannerOrder, ADeadlineIsWorthMoreThanACap)
{
  const System system = system_of(R"yaml(hosts: {car: {cores: 2, utilization_cap: 0.48}}
callbacks:
  - {id: "/a:timer(20ms)", time: 1.8ms, period: 20ms, cores: [0]}
  - {id: "/c:timer(1ms)", time: 450us, period: 1ms, cores: [1]}
  - {id: "/b:timer(20ms)", time: 1ms, period: 20ms}
chains:
  c: {path: ["/c:timer(1ms)"], priority: 30, deadline: 1ms}
  a: {path: ["/a:timer(20ms)"], priority: 20, deadline: 2ms}
  b: {path: ["/b:timer(20ms)"], priority: 10, deadline: 2500us}
)yaml");
  const Planned planned = plan_of(system);
  expect_sound(system, planned);
  EXPECT_TRUE(all_met(planned));
  EXPECT_EQ(planned.shortfalls.size(), 1U) << "core 1 has room for 48 %";
}

TEST(PlannerOrder, WhatIsTooFullAnywayTakesMoreBeforeAnotherCoreIs)
{
  const System system = system_of(R"yaml(hosts: {car: {cores: 2, utilization_cap: 0.48}}
callbacks:
  - {id: "/e:timer(1ms)", time: 550us, period: 1ms, cores: [1]}
  - {id: "/a:timer(1ms)", time: 450us, period: 1ms, cores: [0]}
  - {id: "/b:timer(20ms)", time: 1ms, period: 20ms}
chains:
  e: {path: ["/e:timer(1ms)"], priority: 30, deadline: 1ms}
  a: {path: ["/a:timer(1ms)"], priority: 25, deadline: 1ms}
  b: {path: ["/b:timer(20ms)"], priority: 10, deadline: 20ms}
)yaml");
  const Planned planned = plan_of(system);
  EXPECT_TRUE(all_met(planned));
  EXPECT_EQ(planned.shortfalls.size(), 1U);
  EXPECT_EQ(thread_of(planned, "/b:timer(20ms)").core, 1U);
}

const std::string kRobot = R"yaml(hosts:
  bot: {cores: 2, priorities: {least: 10, most: 80}}
overheads: {dispatch: 9us, middleware: 38us, context_switch: 62us}
groups:
  "/fusion:group(default)": mutually_exclusive
  "/planner:group(default)": mutually_exclusive
  "/controller:group(default)": mutually_exclusive
callbacks:
  - {id: "/lidar:timer(100ms)", time: 3ms, period: 100ms, offset: 0ms, jitter: 71us, publishes: /scan}
  - {id: "/camera:timer(50ms)", time: 4ms, period: 50ms, offset: 5ms, jitter: 71us, publishes: /image}
  - id: ["/fusion:sub(/scan)", "/fusion:sub(/image)"]
    group: "/fusion:group(default)"
    time: 10ms
    triggers: [/scan, /image]
    trigger: newest
    publishes: /objects
    depth: 1
  - {id: "/planner:sub(/objects)", group: "/planner:group(default)", time: 15ms, triggers: /objects, publishes: /path}
  - {id: "/planner:timer(1s)", group: "/planner:group(default)", time: 5ms, period: 1s}
  - {id: "/controller:timer(10ms)", group: "/controller:group(default)", time: 1ms, period: 10ms, jitter: 71us, reads: /path, publishes: /cmd}
  - {id: "/base:sub(/cmd)", time: 300us, triggers: /cmd}
chains:
  scan_to_cmd:
    path: ["/lidar:timer(100ms)", "/fusion:sub(/scan)", "/planner:sub(/objects)", "/controller:timer(10ms)", "/base:sub(/cmd)"]
    priority: 90
    deadline: 141ms
  image_to_cmd:
    path: ["/camera:timer(50ms)", "/fusion:sub(/image)", "/planner:sub(/objects)", "/controller:timer(10ms)", "/base:sub(/cmd)"]
    priority: 80
    deadline: 150ms
)yaml";

System robot(const std::string & deadline)
{
  std::string text = kRobot;
  const std::string given = "deadline: 141ms";
  return system_of(text.replace(text.find(given), given.size(), "deadline: " + deadline));
}

// The plan for a longer deadline also keeps the shorter one, and the planner finds it.
TEST(PlannerOrder, FindsForADeadlineWhatItFindsForALongerOne)
{
  PlanOptions options;
  options.keep_slack = 0.06;  // of 150 ms
  const Ns reached = bound_of(plan_of(robot("150ms"), options), "scan_to_cmd");
  ASSERT_LE(reached, 141 * kMs);
  const Planned planned = plan_of(robot("141ms"));
  EXPECT_TRUE(all_met(planned));
  // The planner finds no plan that is so late.
  EXPECT_LE(bound_of(plan_of(robot("130ms")), "scan_to_cmd"), 141 * kMs);
}

TEST(PlannerOrder, TheScheduleHasTheOffsetsThatBoundsRestOn)
{
  const Planned planned = plan_of(robot("150ms"));
  int offsets = 0;
  for (const auto & rule : planned.schedule.executors.at(0).callbacks) {
    const std::string & id = rule.match.front();
    if (id == "/camera:timer(50ms)") {
      EXPECT_EQ(rule.offset, std::chrono::milliseconds(5));
    }
    offsets += rule.offset.has_value() ? 1 : 0;
  }
  EXPECT_EQ(offsets, 2) << "of the lidar, too, and of none whose phase is not known";
}

// Checks that the chains keep their deadlines with periods that are longer by this percentage.
void expect_longer_periods_help(const std::string & text, const std::string & timer, int most)
{
  const System system = system_of(text);
  const Planned planned = plan_of(system);
  const auto found = misfits(system, {}, planned);
  ASSERT_EQ(found.size(), 1U);
  ASSERT_TRUE(found[0].longer_by.has_value());
  EXPECT_LE(*found[0].longer_by, most);
  ASSERT_EQ(found[0].sources.size(), 1U);
  ASSERT_EQ(planned.model.tasks[found[0].sources.front()].id, timer);
  const std::string given = "period: 10ms";
  std::string longer = text;
  longer.replace(
    longer.find(given, longer.find("id: \"" + timer)), given.size(),
    "period: " + std::to_string(100 * (100 + *found[0].longer_by)) + "us");
  EXPECT_TRUE(all_met(plan_of(system_of(longer))));
}

// A chain cannot wait for ten times the period. A slightly longer period suffices for its load.
TEST(Misfits, AChainThatReadsMayFitWithLongerPeriods)
{
  expect_longer_periods_help(
    R"yaml(hosts: {car: {cores: 1}}
callbacks:
  - {id: "/s:timer(10ms)", time: 2ms, period: 10ms, publishes: /x}
  - {id: "/r:timer(10ms)", time: 9ms, period: 10ms, reads: /x}
chains:
  c: {path: ["/s:timer(10ms)", "/r:timer(10ms)"], priority: 30, deadline: 60ms}
)yaml",
    "/r:timer(10ms)", 20);
  expect_longer_periods_help(
    R"yaml(hosts: {car: {cores: 1}}
callbacks:
  - {id: "/s:timer(10ms)", time: 1ms, period: 10ms, publishes: /x}
  - {id: "/r:timer(10ms)", time: 1ms, period: 10ms, reads: /x, publishes: /y}
  - {id: "/g:sub(/y)", time: 18ms, triggers: /y, publishes: /z}
  - {id: "/h:sub(/z)", time: 18ms, triggers: /z}
chains:
  c: {path: ["/s:timer(10ms)", "/r:timer(10ms)", "/g:sub(/y)", "/h:sub(/z)"], priority: 30, deadline: 130ms}
)yaml",
    "/r:timer(10ms)", 400);
}

TEST(PlannerOrder, ACoreThatNoHostHasIsOneFault)
{
  PlanOptions options;
  options.cpus = {9};
  const auto planned = plan_schedule(robot("150ms"), options);
  EXPECT_EQ(planned.faults(), takt_rt::Faults{"no host has core 9; 'bot' has cores 0-1"});
}

}  // namespace
}  // namespace takt_plan
