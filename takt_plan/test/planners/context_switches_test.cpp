// The largest number of switches that threads cost.
#include "planners/context_switches.hpp"

#include <gtest/gtest.h>

#include <string>

#include "takt_schedule/parse_system.hpp"

namespace takt_plan
{
namespace
{

using detail::Block;
using detail::context_switches;

const std::string kSystem = R"yaml(version: 1
hosts: {car: {cores: 1}}
callbacks:
  - {id: "/a:timer(10ms)", time: 1ms, period: 10ms, publishes: /a}
  - {id: "/b:sub(/a)", time: 1ms, triggers: /a, publishes: /b}
  - {id: "/c:timer(20ms)", time: 1ms, period: 20ms, publishes: /c}
  - {id: "/d:sub(/c)", time: 1ms, triggers: [/b, /c]}
)yaml";

struct ContextSwitches : testing::Test
{
  static detail::PlanProblem problem_of(const std::string & text)
  {
    return *detail::plan_problem(*takt_schedule::parse_system(text, "system.yaml"), {});
  }
  const detail::PlanProblem problem = problem_of(kSystem);
};

TEST_F(ContextSwitches, AThreadThatGoesOnNeedsNone)
{
  EXPECT_NEAR(context_switches(problem, {{0, {0, 1, 2, 3}}}), 2 * (100 + 50), 1e-6);
  EXPECT_NEAR(context_switches(problem, {{0, {0, 1}}}), 2 * 100, 1e-6);
  EXPECT_EQ(context_switches(problem, {}), 0);
}

TEST_F(ContextSwitches, WhatAnotherThreadMayStartWakesItsOwn)
{
  EXPECT_NEAR(context_switches(problem, {{0, {0}}, {0, {1}}}), 2 * (100 + 100), 1e-6);
  // Both threads start d, together 150 times a second.
  EXPECT_NEAR(context_switches(problem, {{0, {0, 1}}, {0, {2, 3}}}), 2 * (100 + 50 + 150), 1e-6);
  EXPECT_NEAR(context_switches(problem, {{0, {3}}}), 2 * 150, 1e-6) << "from another core";
}

TEST_F(ContextSwitches, WhatWaitsForAllTopicsRunsAsOftenAsTheSlowestComes)
{
  std::string text = kSystem;
  text.insert(text.rfind('}'), ", trigger: all");
  const detail::PlanProblem waiting = problem_of(text);
  EXPECT_NEAR(context_switches(waiting, {{0, {3}}}), 2 * 50, 1e-6);
  EXPECT_NEAR(waiting.utilization(3), 50 * 0.001, 1e-9);
}

}  // namespace
}  // namespace takt_plan
