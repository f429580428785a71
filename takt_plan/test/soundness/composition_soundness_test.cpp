// No simulated response of systems with several kinds of threads exceeds its bound. If a term for
// the exchange between kinds is omitted, some responses do.
#include <gtest/gtest.h>

#include "models/close_releases.hpp"
#include "support/mixed_model.hpp"
#include "support/simulated_campaign.hpp"
#include "takt_plan/bounds.hpp"

namespace takt_plan
{
namespace
{

using test::Overheads;
using test::SimulatedCampaign;

struct Seen : SimulatedCampaign
{
  std::uint64_t window = 0, deadline = 0, several = 0;  ///< chains with a bound by this analysis
};

void run(std::uint64_t seed, const BoundsOptions & options, Seen & campaign)
{
  const Model model = test::mixed_model(seed);
  const Overheads overheads =
    test::some_overheads_or(seed % 2 == 0 ? Overheads{} : Overheads{1, 1}, seed);
  const auto found = bounds(test::with_overheads(model, overheads), options);
  ASSERT_TRUE(found.ok()) << found.faults().front();
  test::Bounds chains;
  for (const auto & chain : found->chains) {
    chains.push_back(chain ? test::Bounds::value_type(chain->bound) : chain.faults());
    campaign.window += chain && chain->analysis == Analysis::window ? 1 : 0;
    campaign.deadline += chain && chain->analysis == Analysis::deadline ? 1 : 0;
    campaign.several += chain && chain->analysis == Analysis::several ? 1 : 0;
  }
  test::simulate_and_compare(seed, model, overheads, found->tasks, chains, campaign);
}

class CompositionSoundness : public testing::TestWithParam<Delays>
{
};

TEST_P(CompositionSoundness, NoResponseIsAboveItsBound)
{
  BoundsOptions options;
  options.delays = GetParam();
  Seen result;
  for (std::uint64_t i = 0; i < test::rounds(300); ++i) {
    run(test::seed_of(i), options, result);
  }
  EXPECT_EQ(result.violations, 0U) << result.first;
  EXPECT_EQ(result.overwritten, 0U);
  EXPECT_GT(result.jobs, 500'000U);
  EXPECT_GT(result.bounds, 2 * result.refusals);
  for (const std::uint64_t chains : {result.window, result.deadline, result.several}) {
    EXPECT_GT(chains, 50U) << "all kinds have bounds";
  }
}

INSTANTIATE_TEST_SUITE_P(
  Delays, CompositionSoundness, testing::Values(Delays::best, Delays::in_segments),
  [](const auto & info) {
    return std::string(info.param == Delays::best ? "best" : "in_segments");
  });

/// Tries systems until one shows that a term is missing.
void expect_needed(const BoundsOptions & options)
{
  Seen result;
  for (std::uint64_t i = 0; i < 5000 && result.violations == 0; ++i) {
    run(test::seed() + i, options, result);
  }
  EXPECT_GT(result.violations, 0U);
}

void expect_needed(bool ThreadTerms::*term)
{
  BoundsOptions options;
  options.threads.*term = false;
  expect_needed(options);
}

TEST(CompositionTerms, LatenessBetweenThreadsIsNeeded)
{
  expect_needed(&ThreadTerms::lateness);
}

TEST(CompositionTerms, AReservationIsNotACore)
{
  expect_needed(&ThreadTerms::supply);
}

TEST(CompositionTerms, BlockingInsideAReservationIsNeeded)
{
  expect_needed(&ThreadTerms::blocking);
}

TEST(CompositionTerms, MoreUrgentThreadsAreNeeded)
{
  expect_needed(&ThreadTerms::preemption);
}

TEST(CompositionTerms, CeilingsAreNeeded)
{
  expect_needed(&ThreadTerms::ceiling);
}

TEST(CompositionTerms, SwitchesToReservationsAreNeeded)
{
  expect_needed(&ThreadTerms::switches);
}

TEST(CompositionTerms, WhatReservationsTakeIsNeeded)
{
  BoundsOptions options;
  options.priority.reservations = false;
  expect_needed(options);
}

}  // namespace
}  // namespace takt_plan
