// Of the systems of the experiment `planners`, for how many each planner finds a schedule.
#include <gtest/gtest.h>

#include <map>

#include "support/campaign.hpp"
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

}  // namespace
}  // namespace takt_bench
