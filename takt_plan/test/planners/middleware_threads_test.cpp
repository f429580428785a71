// A plan raises the threads of the middleware that is used.
#include "planners/middleware_threads.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "planners/planners.hpp"
#include "support/planning.hpp"
#include "takt_plan/assignment.hpp"
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
  for (const detail::MiddlewareThreads & one : detail::middleware_threads()) {
    if (one.usual) {
      usual.insert(one.rmw);
    }
  }
  EXPECT_EQ(usual.size(), 1U);
}

TEST(MiddlewareThreads, AreRaisedByTheNamesInTheFileOfTheMiddleware)
{
  for (const detail::MiddlewareThreads & one : detail::middleware_threads()) {
    Patterns all;
    for (const detail::MiddlewareThreads & other : detail::middleware_threads()) {
      if (other.rmw == one.rmw) {
        all.emplace_back(other.pattern);
      }
    }
    EXPECT_EQ(raised(std::string(one.rmw) + "_cpp"), all);
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

}  // namespace
}  // namespace takt_plan
