// A plan raises the threads of the middleware that is used.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ostream>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "planners/planners.hpp"
#include "planners/simulated_plan.hpp"
#include "support/planning.hpp"
#include "takt_plan/assignment.hpp"
#include "takt_schedule/middlewares.hpp"
#include "takt_schedule/parse_system.hpp"

namespace takt_plan
{
namespace
{

using Patterns = std::vector<std::string>;

constexpr const char * kVariable = "RMW_IMPLEMENTATION";

/// The patterns of `process_threads` in the schedule of two callbacks; an empty name: the variable
/// is not set.
Patterns raised(const std::string & rmw)
{
  const takt_schedule::System system = *takt_schedule::parse_system(
    "version: 1\nhosts: {h: {cores: 1}}\ncallbacks:\n"
    "  - {id: \"/a:timer(9ms)\", time: 1ms, period: 9ms, publishes: /a}\n"
    "  - {id: \"/b:sub(/a)\", time: 1ms, triggers: /a}\n"
    "chains: {c: {path: [\"/a:timer(9ms)\", \"/b:sub(/a)\"], deadline: 9ms}}\n",
    "system.yaml");
  Assignment assignment;
  assignment.threads.push_back({0, 0, 50, {0, 1}});
  const detail::PlanProblem problem = *detail::plan_problem(system, {});
  const char * const before = std::getenv(kVariable);
  const std::string kept = before != nullptr ? before : "";
  rmw.empty() ? ::unsetenv(kVariable) : ::setenv(kVariable, rmw.c_str(), 1);
  const takt_schedule::Schedule schedule = schedule_of(assignment, problem.model, system);
  kept.empty() ? ::unsetenv(kVariable) : ::setenv(kVariable, kept.c_str(), 1);
  const auto & rules = schedule.executors.front().process_threads;
  return rules.size() == 1 ? rules.front().match : Patterns{};
}

TEST(MiddlewareThreads, AreRaisedByTheNamesOfFastDdsUnlessAnotherKnownMiddlewareIsUsed)
{
  for (const char * const rmw :
       {"", "rmw_fastrtps_cpp", "rmw_fastrtps_dynamic_cpp", "rmw_unknown_cpp"}) {
    EXPECT_EQ(raised(rmw), Patterns{"dds.*"}) << rmw;
  }
}

TEST(MiddlewareThreads, AreThoseOfOneUsualMiddleware)
{
  std::set<std::string_view> usual;
  for (const takt_schedule::Middleware & one : takt_schedule::middlewares()) {
    if (one.usual) {
      usual.insert(one.rmw);
    }
  }
  EXPECT_EQ(usual.size(), 1U);
}

TEST(MiddlewareThreads, AreRaisedByTheNamesInTheFileOfTheMiddleware)
{
  for (const takt_schedule::Middleware & one : takt_schedule::middlewares()) {
    if (!one.threads.empty()) {
      EXPECT_EQ(
        raised(std::string(one.rmw) + "_cpp"), Patterns(one.threads.begin(), one.threads.end()));
    }
  }
}

// A user may have no right to more than the host's `priorities`.
TEST(MiddlewareThreads, AreAboveThePlanAndWithinThePrioritiesOfTheHost)
{
  const auto highest = [](int least, int most, const std::string & publishes) {
    const Planned planned = test::plan_of(test::system_of(
      "hosts: {h: {cores: 1, priorities: {least: " + std::to_string(least) +
      ", most: " + std::to_string(most) +
      "}}}\ncallbacks:\n  - {id: \"/a:timer(9ms)\", time: 1ms, "
      "period: 9ms" +
      publishes + "}\n  - {id: \"/b:timer(9ms)\", time: 1ms, period: 9ms}\n"));
    int own = 0;
    int raised = 0;
    for (const auto & executor : planned.schedule.executors) {
      for (const auto & threads : executor.threads) {
        own = std::max(own, threads.attributes.priority);
        EXPECT_GE(threads.attributes.priority, least);
      }
      for (const auto & rule : executor.process_threads) {
        raised = std::max(raised, rule.attributes.priority);
      }
    }
    return std::pair(own, raised);
  };
  EXPECT_EQ(highest(10, 80, ", publishes: /a"), std::pair(79, 80));
  EXPECT_EQ(highest(10, 80, ""), std::pair(80, 0)) << "no messages, and no threads to raise";
  EXPECT_EQ(highest(7, 7, ", publishes: /a"), std::pair(7, 7)) << "there is only one";
}

// A control loop in a process of its own, which sends and takes no messages, and two nodes.
// `loop`: time, period and the rest of its line.
takt_schedule::System loop_beside_nodes(
  const std::string & hosts, const std::string & loop, const std::string & deadline = "1ms")
{
  return test::system_of(
    "hosts: {h: " + hosts + "}\ncallbacks:\n  - {id: \"/loop:timer(control)\", executor: loop, " +
    loop +
    "}\n"
    "  - {id: \"/a:timer(20ms)\", executor: nodes, time: 2ms, period: 20ms, publishes: /a}\n"
    "  - {id: \"/b:sub(/a)\", executor: nodes, time: 4ms, triggers: /a}\n"
    "chains:\n"
    "  control: {path: [\"/loop:timer(control)\"], priority: 90, deadline: " +
    deadline +
    "}\n"
    "  nodes: {path: [\"/a:timer(20ms)\", \"/b:sub(/a)\"], priority: 40, deadline: 20ms}\n");
}

struct Urgency
{
  int loop = 0;
  int middleware = 0;
  int nodes = 0;
  friend bool operator==(const Urgency &, const Urgency &) = default;
  friend std::ostream & operator<<(std::ostream & out, const Urgency & one)
  {
    return out << one.loop << " over " << one.middleware << " over " << one.nodes;
  }
};

Urgency urgency_of(const Planned & planned)
{
  Urgency found;
  for (const auto & executor : planned.schedule.executors) {
    for (const auto & threads : executor.threads) {
      int & most = executor.name == "loop" ? found.loop : found.nodes;
      most = std::max(most, threads.attributes.priority);
    }
    for (const auto & rule : executor.process_threads) {
      found.middleware = std::max(found.middleware, rule.attributes.priority);
    }
  }
  return found;
}

constexpr const char * kLoop = "time: 100us, period: 1ms";

// Beside the loop the threads of the middleware would have no core, and messages would be late.
TEST(MiddlewareThreads, AreAboveTheLoopOnAHostWithOneCore)
{
  const Urgency found = urgency_of(test::plan_of(loop_beside_nodes("{cores: 1}", kLoop)));
  EXPECT_GT(found.middleware, found.loop) << found;
  EXPECT_GT(found.middleware, found.nodes) << found;
}

// Two loops that need a core each: the middleware stays above one of them.
TEST(MiddlewareThreads, HaveACoreWithoutAThreadAboveThem)
{
  const takt_schedule::System system = test::system_of(
    "hosts: {h: {cores: 2}}\ncallbacks:\n"
    "  - {id: \"/one:timer(1ms)\", executor: one, time: 600us, period: 1ms}\n"
    "  - {id: \"/two:timer(1ms)\", executor: two, time: 600us, period: 1ms}\n"
    "  - {id: \"/a:timer(20ms)\", executor: nodes, time: 1ms, period: 20ms, publishes: /a}\n"
    "  - {id: \"/b:sub(/a)\", executor: nodes, time: 1ms, triggers: /a}\n"
    "chains:\n"
    "  one: {path: [\"/one:timer(1ms)\"], priority: 90, deadline: 1ms}\n"
    "  two: {path: [\"/two:timer(1ms)\"], priority: 80, deadline: 1ms}\n"
    "  nodes: {path: [\"/a:timer(20ms)\", \"/b:sub(/a)\"], priority: 40, deadline: 20ms}\n");
  const Planned planned = test::plan_of(system);
  std::map<std::string, int> most;
  int middleware = 0;
  for (const auto & executor : planned.schedule.executors) {
    for (const auto & threads : executor.threads) {
      most[executor.name] = std::max(most[executor.name], threads.attributes.priority);
    }
    for (const auto & rule : executor.process_threads) {
      middleware = std::max(middleware, rule.attributes.priority);
    }
  }
  EXPECT_GT(middleware, most["nodes"]);
  EXPECT_NE(most["one"] > middleware, most["two"] > middleware)
    << most["one"] << ", " << most["two"] << " and the middleware " << middleware;
}

TEST(MiddlewareThreads, AreBelowTheLoopThatNeedsNoMessage)
{
  for (const char * const hosts : {"{cores: 2}", "{cores: 3}"}) {
    EXPECT_EQ(urgency_of(test::plan_of(loop_beside_nodes(hosts, kLoop))), (Urgency{90, 89, 88}))
      << hosts;
  }
  const auto few = [](int most) {
    const std::string hosts =
      "{cores: 2, priorities: {least: 5, most: " + std::to_string(most) + "}}";
    return urgency_of(test::plan_of(loop_beside_nodes(hosts, kLoop)));
  };
  EXPECT_EQ(few(7), (Urgency{7, 6, 5}));
  EXPECT_EQ(few(6), (Urgency{5, 6, 5})) << "two priorities are too few: messages come first";
}

TEST(MiddlewareThreads, AreAboveALoopThatTalksOrIsLessUrgentThanNodes)
{
  const auto above_both = [](const std::string & loop, const std::string & deadline) {
    const Urgency found =
      urgency_of(test::plan_of(loop_beside_nodes("{cores: 1}", loop, deadline)));
    return found.middleware > std::max(found.loop, found.nodes);
  };
  EXPECT_TRUE(above_both("time: 100us, period: 1ms, publishes: /state", "1ms"));
  EXPECT_TRUE(above_both("time: 30ms, period: 100ms", "100ms"));
}

// A thread of the middleware works for 1 ms now and then, on any core.
TEST(MiddlewareThreads, DoNotDelayTheLoopUnderThePlan)
{
  const takt_schedule::System system = loop_beside_nodes("{cores: 2}", kLoop);
  const Planned planned = test::plan_of(system);
  const auto missed = [&](int priority) {
    takt_schedule::System beside = system;
    takt_schedule::OtherThread thread;
    thread.name = "dds";
    thread.priority = priority;
    thread.time = std::chrono::milliseconds(1);
    thread.period = std::chrono::milliseconds(7);
    beside.hosts.front().other_threads.push_back(thread);
    const auto simulated = simulate_plan(beside, planned.schedule);
    EXPECT_GT(simulated->chains.front().count, 1000U);
    return simulated->chains.front().missed;
  };
  EXPECT_EQ(missed(urgency_of(planned).middleware), 0U);
  EXPECT_GT(missed(urgency_of(planned).loop + 1), 0U) << "the test would not see a delay";
}

}  // namespace
}  // namespace takt_plan
