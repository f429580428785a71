// The cost of mergers of threads, as a multiple of the cost of one judgement.
#include <gtest/gtest.h>

#include <string>

#include "planners/planners.hpp"
#include "planners/score.hpp"
#include "takt_schedule/parse_system.hpp"

namespace takt_plan
{
namespace
{

constexpr int kChains = 20;

/// One core and chains of two callbacks, released at any phase.
takt_schedule::System system_of(int chains)
{
  std::string text = "version: 1\nhosts: {h: {cores: 1}}\ncallbacks:\n";
  std::string paths = "chains:\n";
  for (int chain = 0; chain < chains; ++chain) {
    const std::string name = "c" + std::to_string(chain);
    const std::string period = std::to_string(20 + chain) + "ms";
    const std::string timer = "/" + name + ":timer(" + period + ")";
    const std::string reader = "/" + name + ":sub(/" + name + ")";
    text += "  - {id: \"" + timer + "\", time: 200us, period: " + period + ", publishes: /" + name +
            "}\n  - {id: \"" + reader + "\", time: 200us, triggers: /" + name + "}\n";
    paths += "  " + name + ": {path: [\"" + timer + "\", \"" + reader +
             "\"], priority: " + std::to_string(100 - chain) + ", deadline: " + period + "}\n";
  }
  return *takt_schedule::parse_system(text + paths, "system.yaml");
}

// Each merger on a core used to be judged again after each other one: with n threads some n * n / 2
// times in all.
TEST(MergeCost, AMergerIsJudgedAgainOnlyWhereItMayBeTheBest)
{
  const takt_schedule::System system = system_of(kChains);
  const detail::PlanProblem problem = *detail::plan_problem(system, {});
  detail::Layout layout = detail::plan_isolated(problem);
  const Index threads = layout.threads();
  const double once = score(problem, layout).cost;
  double cost = 0;
  const auto trade = merge_threads(problem, 0.05, layout, cost);
  EXPECT_EQ(layout.threads(), 1U);
  EXPECT_LT(cost / once, 4.0 * static_cast<double>(threads));
  EXPECT_TRUE(score(problem, layout).missed.empty());
}

}  // namespace
}  // namespace takt_plan
