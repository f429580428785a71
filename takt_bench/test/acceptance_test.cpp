// The number of systems of the experiment `planners` for which each planner finds a schedule.
#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <string>

#include "support/campaign.hpp"
#include "systems/exhaustive_search.hpp"
#include "systems/generated_system.hpp"
#include "takt_plan/planner.hpp"

namespace takt_bench
{
namespace
{

using namespace takt_plan;  // NOLINT: all of it is about its planners

TEST(Acceptance, TaktFindsSchedulesForAtLeastAsManySystems)
{
  std::map<Planner, int> met;
  const std::uint64_t systems = takt_plan::test::rounds(30);
  for (std::uint64_t i = 0; i < systems; ++i) {
    Shape shape;
    shape.utilization = 2.5 + 0.5 * static_cast<double>(i % 3);
    const takt_schedule::System system = generated_system(shape, takt_plan::test::seed() + i);
    for (const Planner planner : kPlanners) {
      PlanOptions options;
      options.planner = planner;
      const auto planned = plan_schedule(system, options);
      ASSERT_TRUE(planned.ok()) << planned.faults().front();
      met[planner] += all_met(*planned) ? 1 : 0;
    }
  }
  for (const Planner planner : kPlanners) {
    EXPECT_GE(met[Planner::takt], met[planner]);
  }
  EXPECT_GE(100 * (met[Planner::takt] - met[Planner::picas]), 15 * static_cast<int>(systems));
}

PlanOptions walking()
{
  PlanOptions options;
  options.walks = true;
  options.enough_when_proven = true;
  return options;
}

bool plans(const takt_schedule::System & system, const PlanOptions & options)
{
  const auto planned = plan_schedule(system, options);
  EXPECT_TRUE(planned.ok()) << planned.faults().front();
  return planned && all_met(*planned);
}

// Priorities decide which chains win if no plan keeps all deadlines. They do not decide whether
// such a plan exists.
TEST(Acceptance, TaktPlansNearlyAllSmallSystemsThatHaveAPlanWhateverTheirPriorities)
{
  int feasible = 0, planned = 0, turned = 0, first = 0;
  for (std::uint64_t i = 0; i < takt_plan::test::rounds(40); ++i) {
    takt_schedule::System system = small_system(0.75, takt_plan::test::seed() + i);
    if (!exhaustive_search(system, 10).plan) {
      continue;
    }
    ++feasible;
    first += plans(system, {}) ? 1 : 0;
    planned += plans(system, walking()) ? 1 : 0;
    for (auto & chain : system.chains) {
      chain.options.priority = 10 - chain.options.priority;
    }
    turned += plans(system, walking()) ? 1 : 0;
  }
  EXPECT_GT(feasible, 10);
  EXPECT_GE(100 * planned, 95 * feasible);
  EXPECT_GE(100 * turned, 95 * feasible);
  EXPECT_LT(first, planned) << "systems that are no test of the walk";
}

TEST(Acceptance, ExhaustiveSearchFindsTheOnlyPlanAndNoneWhereThereIsNone)
{
  takt_schedule::System system = small_system(0.6, 1);
  const takt_schedule::CallbackModel timer = system.callbacks.front();
  system.hosts.front().cores = {0};
  system.callbacks.clear();
  system.chains.clear();
  using std::chrono::milliseconds;
  const auto add = [&](const std::string & node, int time, int period, int deadline) {
    takt_schedule::CallbackModel one = timer;
    one.id = "/" + node + ":timer(" + std::to_string(period) + "ms)";
    one.period = milliseconds(period);
    one.time.worst = one.time.best = milliseconds(time);
    one.publishes.clear();
    takt_schedule::ChainSchedule chain;
    chain.options.name = node;
    chain.options.path = {one.id};
    chain.options.deadline = milliseconds(deadline);
    system.callbacks.push_back(one);
    system.chains.push_back(chain);
  };
  add("a", 4, 20, 4);
  add("b", 4, 10, 4);
  const Tried found = exhaustive_search(system, 10);
  ASSERT_TRUE(found.plan.has_value()) << "b can run between two runs of a";
  EXPECT_GT(found.plans, 2U);
  system.chains.back().options.deadline = milliseconds(3);
  EXPECT_FALSE(exhaustive_search(system, 10).plan.has_value());
  add("c", 3, 10, 3);
  EXPECT_FALSE(exhaustive_search(system, 10).plan.has_value()) << "there is no room";
}

}  // namespace
}  // namespace takt_bench
