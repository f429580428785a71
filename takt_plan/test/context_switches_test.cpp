// Switches that threads cost at most.
#include "context_switches.hpp"

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
  ContextSwitches()
  {
    const auto system = takt_schedule::parse_system(kSystem, "system.yaml");
    problem = *detail::plan_problem(*system, {});
  }
  detail::PlanProblem problem;
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
  // d is started 150 times a second, by both threads.
  EXPECT_NEAR(context_switches(problem, {{0, {0, 1}}, {0, {2, 3}}}), 2 * (100 + 50 + 150), 1e-6);
  EXPECT_NEAR(context_switches(problem, {{0, {3}}}), 2 * 150, 1e-6) << "from another core";
}

}  // namespace
}  // namespace takt_plan
