// No simulated response exceeds its bound. If a term of the equations is omitted, some do.
#include <gtest/gtest.h>

#include "support/campaign.hpp"
#include "support/random_model.hpp"
#include "takt_plan/priority_bounds.hpp"

namespace takt_plan
{
namespace
{

using test::Campaign;

void run(std::uint64_t seed, const PriorityOptions & options, Campaign & campaign)
{
  const Model model = test::random_model(seed);
  const auto bounds = priority_bounds(model, options);
  ASSERT_TRUE(bounds.ok()) << bounds.faults().front();
  test::Bounds chains;
  for (const auto & chain : bounds->chains) {
    chains.push_back(chain ? test::Bounds::value_type(chain->bound) : chain.faults());
  }
  test::compare(model, bounds->tasks, chains, seed, campaign);
}

TEST(PrioritySoundness, NoResponseIsAboveItsBound)
{
  Campaign result;
  for (std::uint64_t i = 0; i < test::rounds(2000); ++i) {
    run(test::seed() + i, {}, result);
  }
  EXPECT_EQ(result.violations, 0U) << result.first;
  EXPECT_GT(result.runs, 1'000'000U);
  EXPECT_GT(result.bounds, 9 * result.refusals) << "most tasks of stable systems have a bound";
}

TEST(PrioritySoundness, NoResponseIsAboveItsBoundWithMessagesInSegments)
{
  PriorityOptions options;
  options.delays = Delays::in_segments;
  Campaign result;
  for (std::uint64_t i = 0; i < test::rounds(2000); ++i) {
    run(test::seed() + i, options, result);
  }
  EXPECT_EQ(result.violations, 0U) << result.first;
  EXPECT_GT(result.runs, 1'000'000U);
}

/// Tries systems until one shows that a term is missing.
void expect_needed(bool PriorityTerms::*term, Delays delays = Delays::between_segments)
{
  PriorityOptions options;
  options.terms.*term = false;
  options.delays = delays;
  Campaign result;
  for (std::uint64_t i = 0; i < 2000 && result.violations == 0; ++i) {
    run(test::seed() + i, options, result);
  }
  EXPECT_GT(result.violations, 0U);
}

TEST(PrioritySoundness, BlockingIsNeeded)
{
  expect_needed(&PriorityTerms::blocking);
}

TEST(PrioritySoundness, WhatLessUrgentWorkStartedIsNeeded)
{
  expect_needed(&PriorityTerms::once);
}

TEST(PrioritySoundness, JitterIsNeeded)
{
  expect_needed(&PriorityTerms::jitter);
}

TEST(PrioritySoundness, EarlierActivationsInTheWindowAreNeeded)
{
  expect_needed(&PriorityTerms::queued);
}

TEST(PrioritySoundness, LaterActivationsThatOvertakeAreNeeded)
{
  expect_needed(&PriorityTerms::overtaking);
}

TEST(PrioritySoundness, MessagesUnderWayInASegmentAreNeeded)
{
  expect_needed(&PriorityTerms::under_way, Delays::in_segments);
}

TEST(PrioritySoundness, ThreadsThatPreemptARunThatHasBegunAreNeeded)
{
  expect_needed(&PriorityTerms::begun);
}

TEST(PrioritySoundness, LateActivationsOfTheOwnSourceAreNeeded)
{
  expect_needed(&PriorityTerms::related);
}

TEST(PrioritySoundness, EqualPrioritiesAreNeeded)
{
  expect_needed(&PriorityTerms::equals);
}

}  // namespace
}  // namespace takt_plan
