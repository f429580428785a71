// Simulated responses against the bounds of the analyses: on random systems none is above its bound.
#include <gtest/gtest.h>

#include "support/campaign.hpp"
#include "support/overheads.hpp"
#include "support/random_model.hpp"
#include "support/simulated_campaign.hpp"
#include "takt_plan/priority_bounds.hpp"
#include "takt_plan/window_bounds.hpp"

namespace takt_plan
{
namespace
{

const std::uint64_t kSeed = test::seed();

using test::SimulatedCampaign;

TEST(SimulationSoundness, NoResponseIsAboveItsPriorityBound)
{
  SimulatedCampaign campaign;
  for (std::uint64_t i = 0; i < test::rounds(200); ++i) {
    const Model model = test::random_model(kSeed + i);
    const test::Overheads overheads = test::some_overheads(i);
    const auto bounds = priority_bounds(test::with_overheads(model, overheads));
    ASSERT_TRUE(bounds.ok());
    test::Bounds chains;
    for (const auto & chain : bounds->chains) {
      chains.push_back(chain ? test::Bounds::value_type(chain->bound) : chain.faults());
    }
    test::simulate_and_compare(kSeed + i, model, overheads, bounds->tasks, chains, campaign);
  }
  EXPECT_EQ(campaign.violations, 0U) << campaign.first;
  EXPECT_EQ(campaign.overwritten, 0U);
  EXPECT_GT(campaign.jobs, 500'000U);
  EXPECT_GT(campaign.bounds, 5 * campaign.refusals);
  EXPECT_GT(campaign.tightest, 0.99) << "adversarial phases reach some bounds";
}

TEST(SimulationSoundness, NoResponseIsAboveItsWindowBound)
{
  SimulatedCampaign campaign;
  for (std::uint64_t i = 0; i < test::rounds(200); ++i) {
    const Model model = test::on_window_threads(test::random_model(kSeed + i));
    const test::Overheads overheads = test::some_overheads(i);
    const auto bounds = window_bounds(test::with_overheads(model, overheads));
    ASSERT_TRUE(bounds.ok());
    test::simulate_and_compare(
      kSeed + i, model, overheads, bounds->tasks, bounds->chains, campaign);
  }
  EXPECT_EQ(campaign.violations, 0U) << campaign.first;
  EXPECT_GT(campaign.jobs, 500'000U);
  EXPECT_GT(campaign.bounds, 2 * campaign.refusals);
}

}  // namespace
}  // namespace takt_plan
