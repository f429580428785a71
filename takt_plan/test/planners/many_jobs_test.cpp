// The cost of planning if a hyperperiod has many jobs, as a multiple of the cost of one judgement
// of the plan.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>

#include "planners/planners.hpp"
#include "planners/score.hpp"
#include "takt_plan/planner.hpp"
#include "takt_schedule/parse_system.hpp"

namespace takt_plan
{
namespace
{

using detail::Layout;
using detail::PlanProblem;

constexpr int kChains = 25;

/// One core and chains of four callbacks, with a hyperperiod of 400 ms.
takt_schedule::System system_of(int chains)
{
  constexpr std::array kPeriods{5, 8, 10, 16, 25};
  std::string text = "version: 1\nhosts: {h: {cores: 1}}\ncallbacks:\n";
  std::string paths = "chains:\n";
  for (int chain = 0; chain < chains; ++chain) {
    const std::string name = "c" + std::to_string(chain);
    const std::string period = std::to_string(kPeriods[static_cast<std::size_t>(chain % 5)]) + "ms";
    const std::string timer = "/" + name + ":timer(" + period + ")";
    text += "  - {id: \"" + timer + "\", time: 40us, period: " + period +
            ", offset: " + std::to_string(chain % 5) + "ms, publishes: /" + name + "_0}\n";
    paths += "  " + name + ": {path: [\"" + timer + "\"";
    for (int i = 0; i < 3; ++i) {
      const std::string topic = "/" + name + "_" + std::to_string(i);
      const std::string id = "/" + name + "_" + std::to_string(i) + ":sub(" + topic + ")";
      text += "  - {id: \"" + id + "\", time: 40us, triggers: " + topic +
              (i < 2 ? ", publishes: /" + name + "_" + std::to_string(i + 1) : "") + "}\n";
      paths += ", \"" + id + "\"";
    }
    paths += "], priority: " + std::to_string(100 - chain) + ", deadline: " + period + "}\n";
  }
  return *takt_schedule::parse_system(text + paths, "system.yaml");
}

struct ManyJobs : testing::Test
{
  const takt_schedule::System system = system_of(kChains);
  const PlanProblem problem = *detail::plan_problem(system, {});
  double cost = 0;
  const Layout layout = detail::plan_takt(problem, 0.1, cost).front();
  const detail::Score judged = score(problem, layout);
};

// Otherwise job windows would judge each place of each chain, in several orders.
TEST_F(ManyJobs, AFirstPlanCostsAFewJudgementsByJobWindows)
{
  ASSERT_GT(judged.cost, 10 * score_without_phases(problem, layout, {}).cost);
  EXPECT_TRUE(judged.missed.empty());
  EXPECT_LT(cost, 10 * judged.cost);
}

TEST_F(ManyJobs, MergersCostAFewJudgementsByJobWindows)
{
  Layout merged = layout;
  double mergers = 0;
  const auto trade = merge_threads(problem, 0.05, merged, mergers);
  EXPECT_LT(merged.threads(), layout.threads());
  EXPECT_LT(mergers, 50 * judged.cost);
  EXPECT_TRUE(score(problem, merged).missed.empty());
  EXPECT_GE(score(problem, merged).slack, 0.05);
}

TEST_F(ManyJobs, ThePlanHasTheBoundsOfAllAnalysesAndSaysSoInItsRow)
{
  const auto planned = plan_schedule(system);
  ASSERT_TRUE(planned);
  EXPECT_TRUE(all_met(*planned));
  const Bounds all = *bounds(planned->model);
  double least = 1;
  for (const Index chain : planned->chains) {
    ASSERT_TRUE(all.chains[chain]);
    EXPECT_EQ(planned->bounds.chains[chain]->bound, all.chains[chain]->bound);
    least = std::min(
      least, 1 - static_cast<double>(all.chains[chain]->bound) /
                   static_cast<double>(planned->model.chains[chain].deadline));
  }
  bool chosen = false;
  for (const TradePoint & point : planned->trade) {
    if (point.threads == planned->chosen_threads) {
      chosen = true;
      EXPECT_NEAR(point.slack.value(), least, 1e-9);
    }
  }
  EXPECT_TRUE(chosen);
}

}  // namespace
}  // namespace takt_plan
