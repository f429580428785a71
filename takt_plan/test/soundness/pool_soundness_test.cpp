// No simulated response in pools exceeds its bound. If a term of the equations is omitted, some do.
#include <gtest/gtest.h>

#include "models/close_releases.hpp"
#include "support/campaign.hpp"
#include "support/overheads.hpp"
#include "support/random_pool_model.hpp"
#include "support/simulated_campaign.hpp"
#include "support/storing_model.hpp"
#include "takt_plan/pool_bounds.hpp"

namespace takt_plan
{
namespace
{

using test::Overheads;
using Campaign = test::SimulatedCampaign;

const test::SimulatedSituations kSituations{
  20'000,
  {{" adversarial ", Phases::adversarial, Execution::worst, 0},
   {" adversarial, any times ", Phases::adversarial, Execution::uniform, 4},
   {" fixed ", Phases::fixed, Execution::worst, 1},
   {" random ", Phases::random, Execution::worst, 8},
   {" random, any times ", Phases::random, Execution::uniform, 4}}};

void run(
  std::uint64_t seed, const Overheads & overheads, const PoolOptions & options, Campaign & campaign,
  bool graphs = false)
{
  const Model model =
    graphs ? test::with_graphs(test::random_pool_model(seed), seed) : test::random_pool_model(seed);
  const auto bounds = pool_bounds(test::with_overheads(model, overheads), options);
  ASSERT_TRUE(bounds.ok()) << bounds.faults().front();
  test::simulate_and_compare(
    seed, model, overheads, bounds->tasks, bounds->chains, campaign, kSituations);
}

Overheads overheads_of(std::uint64_t system)
{
  return test::some_overheads_or(
    system % 3 == 0 ? Overheads{1, 2} : Overheads{}, test::seed_of(system));
}

TEST(PoolSoundness, NoResponseIsAboveItsBound)
{
  Campaign result;
  for (std::uint64_t i = 0; i < test::rounds(1000); ++i) {
    run(test::seed_of(i), overheads_of(i), {}, result);
  }
  EXPECT_EQ(result.violations, 0U) << result.first;
  EXPECT_EQ(result.overwritten, 0U);
  EXPECT_GT(result.jobs, 5'000'000U);
  EXPECT_GT(result.bounds, 3 * result.refusals);
  EXPECT_GT(result.tightest, 0.99) << "some bounds are reached";
}

TEST(PoolSoundness, NoResponseInGraphsIsAboveItsBound)
{
  Campaign result;
  for (std::uint64_t i = 0; i < test::rounds(400); ++i) {
    run(test::seed_of(i), overheads_of(i), {}, result, true);
  }
  EXPECT_EQ(result.violations, 0U) << result.first;
  EXPECT_EQ(result.overwritten, 0U);
  EXPECT_GT(result.bounds, 3 * result.refusals);
  EXPECT_GT(result.tightest, 0.99) << "some bounds are reached";
}

/// Tries systems until one shows that a term is missing.
void expect_needed(bool PoolTerms::*term, const Overheads & overheads = {}, bool graphs = false)
{
  PoolOptions options;
  options.terms.*term = false;
  Campaign result;
  for (std::uint64_t i = 0; i < 1000 && result.violations == 0; ++i) {
    run(test::seed() + i, overheads, options, result, graphs);
  }
  EXPECT_GT(result.violations, 0U);
}

TEST(PoolSoundness, BlockingIsNeeded)
{
  expect_needed(&PoolTerms::blocking);
}

TEST(PoolSoundness, BlockingBeforeLaterTasksOfARunIsNeeded)
{
  expect_needed(&PoolTerms::again);
}

TEST(PoolSoundness, BlockingAfterATaskWasParkedIsNeeded)
{
  expect_needed(&PoolTerms::while_parked);
}

TEST(PoolSoundness, WhatTheGroupKeepsFromIdleThreadsIsNeeded)
{
  expect_needed(&PoolTerms::group);
}

TEST(PoolSoundness, EarlierActivationsAreNeeded)
{
  expect_needed(&PoolTerms::queued);
}

TEST(PoolSoundness, ActivationsFromBeforeTheWindowAreNeeded)
{
  expect_needed(&PoolTerms::carry_in);
}

TEST(PoolSoundness, ActivationsFromBeforeTheWindowAreNeededInGraphs)
{
  expect_needed(&PoolTerms::carry_in, {}, true);
}

TEST(PoolSoundness, WakingThreadsOneAfterAnotherIsNeeded)
{
  expect_needed(&PoolTerms::wake, {1, 2});
}

}  // namespace
}  // namespace takt_plan
