// No simulated response under `window` exceeds its bound, with either timer rule.
#include <gtest/gtest.h>

#include "analysis/window/window_bounds.hpp"
#include "support/campaign.hpp"
#include "support/window_model.hpp"

namespace takt_plan
{
namespace
{

using takt_core::WindowTimers;
using test::Campaign;

void run(
  std::uint64_t seed, WindowTimers simulated, WindowTimers assumed, const WindowOptions & options,
  Campaign & campaign)
{
  const auto bounds = window_bounds(test::window_model(seed, assumed), options);
  ASSERT_TRUE(bounds.ok()) << bounds.faults().front();
  test::compare(test::window_model(seed, simulated), bounds->tasks, bounds->chains, seed, campaign);
}

Campaign campaign(WindowTimers simulated, WindowTimers assumed)
{
  Campaign campaign;
  for (std::uint64_t i = 0; i < test::rounds(1000); ++i) {
    run(test::seed() + i, simulated, assumed, {}, campaign);
  }
  return campaign;
}

TEST(WindowSoundness, NoResponseIsAboveItsBoundUnderSnapshot)
{
  const Campaign result = campaign(WindowTimers::snapshot, WindowTimers::snapshot);
  EXPECT_EQ(result.violations, 0U) << result.first;
  EXPECT_GT(result.runs, 500'000U);
  EXPECT_GT(result.bounds, 2 * result.refusals);
}

TEST(WindowSoundness, NoResponseIsAboveItsBoundUnderImmediate)
{
  const Campaign result = campaign(WindowTimers::immediate, WindowTimers::immediate);
  EXPECT_EQ(result.violations, 0U) << result.first;
  EXPECT_GT(result.runs, 500'000U);
  EXPECT_GT(result.bounds, 2 * result.refusals);
}

/// Tries systems until one shows that something is missing.
void expect_noticed(WindowTimers simulated, WindowTimers assumed, const WindowOptions & options)
{
  Campaign campaign;
  for (std::uint64_t i = 1; i <= 2000 && campaign.violations == 0; ++i) {
    run(i, simulated, assumed, options, campaign);
  }
  EXPECT_GT(campaign.violations, 0U);
}

TEST(WindowSoundness, TheTimerRuleMatters)
{
  expect_noticed(WindowTimers::snapshot, WindowTimers::immediate, {});
}

TEST(WindowSoundness, EarlierActivationsAreNeeded)
{
  expect_noticed(WindowTimers::snapshot, WindowTimers::snapshot, {0, {false, true, true}});
}

TEST(WindowSoundness, TheExtraRunIsNeeded)
{
  expect_noticed(WindowTimers::snapshot, WindowTimers::snapshot, {0, {true, false, true}});
}

TEST(WindowSoundness, BlockingIsNeeded)
{
  expect_noticed(WindowTimers::immediate, WindowTimers::immediate, {0, {true, true, false}});
}

}  // namespace
}  // namespace takt_plan
