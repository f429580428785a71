// No simulated response exceeds its bound from job windows. If a term is omitted, some do.
#include <gtest/gtest.h>

#include <algorithm>

#include "analysis/jobs/job_bounds.hpp"
#include "models/close_releases.hpp"
#include "models/clustered_model.hpp"
#include "support/campaign.hpp"
#include "support/overheads.hpp"
#include "support/phased_model.hpp"
#include "support/simulated_campaign.hpp"

namespace takt_plan
{
namespace
{

using test::SimulatedCampaign;

const test::SimulatedSituations kSituations{
  60'000,
  {{" worst ", Phases::fixed, Execution::worst, 1},
   {" any times ", Phases::fixed, Execution::uniform, 3}},
  true};

/// Compares bounds of `known` with simulations of `model`.
void run(
  std::uint64_t seed, const Model & model, const Model & known, const JobTerms & terms,
  SimulatedCampaign & campaign)
{
  const test::Overheads overheads = test::some_overheads(seed);
  const Model analysed = test::analysed_model(known, overheads);
  BoundsOptions options;
  options.jobs = terms;
  double looks = 0;
  constexpr std::int64_t kMost = 100'000'000;
  const PriorityBounds bounds =
    detail::job_bounds(analysed, detail::Flow(analysed), options, 0, {}, looks, kMost);
  test::Bounds chains;
  for (const auto & chain : bounds.chains) {
    ++(chain ? campaign.bounds : campaign.refusals);
    chains.push_back(chain ? test::Bounds::value_type(chain->bound) : chain.faults());
  }
  test::simulate_and_compare(seed, model, overheads, bounds.tasks, chains, campaign, kSituations);
}

void run(std::uint64_t seed, const JobTerms & terms, SimulatedCampaign & campaign)
{
  const Model model = test::phased_model(seed);
  run(seed, model, model, terms, campaign);
}

void run_partly(std::uint64_t seed, const JobTerms & terms, SimulatedCampaign & campaign)
{
  const test::PartlyPhased system = test::partly_phased_model(seed);
  run(seed, system.model, system.known, terms, campaign);
}

void run_close(std::uint64_t seed, const JobTerms & terms, SimulatedCampaign & campaign)
{
  run(seed | test::kCloseReleases, terms, campaign);
}

/// Threads of several cores, and pools.
void run_clusters(std::uint64_t seed, const JobTerms & terms, SimulatedCampaign & campaign)
{
  const Model model = test::clustered(test::phased_model(seed), seed);
  run(seed, model, model, terms, campaign);
}

TEST(JobWindowsSoundness, NoResponseIsAboveItsBound)
{
  SimulatedCampaign campaign;
  for (std::uint64_t i = 0; i < test::rounds(400); ++i) {
    run(test::seed_of(i), {}, campaign);
  }
  EXPECT_EQ(campaign.violations, 0U) << campaign.first;
  EXPECT_GT(campaign.jobs, 100'000U);
  EXPECT_GT(2 * campaign.bounds, campaign.refusals) << "a late timer leaves a whole system without";
  EXPECT_GT(campaign.tightest, 0.999) << "worst times reach some bounds";
}

TEST(JobWindowsSoundness, NoResponseIsAboveItsBoundWhereSomePhasesAreNotKnown)
{
  SimulatedCampaign campaign;
  for (std::uint64_t i = 0; i < test::rounds(400); ++i) {
    run_partly(test::seed_of(i), {}, campaign);
  }
  EXPECT_EQ(campaign.violations, 0U) << campaign.first;
  EXPECT_GT(campaign.bounds, 1'000U);
}

TEST(JobWindowsSoundness, NoResponseIsAboveItsBoundOnThreadsOfSeveralCoresAndInPools)
{
  SimulatedCampaign campaign;
  for (std::uint64_t i = 0; i < test::rounds(400); ++i) {
    run_clusters(test::seed_of(i), {}, campaign);
  }
  EXPECT_EQ(campaign.violations, 0U) << campaign.first;
  EXPECT_GT(campaign.jobs, 100'000U);
  EXPECT_GT(2 * campaign.bounds, campaign.refusals);
  EXPECT_GT(campaign.tightest, 0.999) << "worst times reach some bounds";
}

/// Tries systems until one shows that a term is missing.
void expect_needed(
  bool JobTerms::*term, void (*run_one)(std::uint64_t, const JobTerms &, SimulatedCampaign &) = run)
{
  JobTerms terms;
  terms.*term = false;
  const SimulatedCampaign campaign = test::until_violation(
    [&](std::uint64_t seed, SimulatedCampaign & found) { run_one(seed, terms, found); });
  EXPECT_GT(campaign.violations, 0U);
}

TEST(JobWindowsSoundness, BlockingIsNeeded)
{
  expect_needed(&JobTerms::blocking);
}

TEST(JobWindowsSoundness, BlockingInClustersIsNeeded)
{
  expect_needed(&JobTerms::blocking, run_clusters);
}

TEST(JobWindowsSoundness, WorkThatWaitsAlreadyIsNeededInClusters)
{
  expect_needed(&JobTerms::begins, run_clusters);
}

TEST(JobWindowsSoundness, EarlierBusyIntervalsAreNeeded)
{
  expect_needed(&JobTerms::begins);
}

TEST(JobWindowsSoundness, LatestReleasesAreNeeded)
{
  expect_needed(&JobTerms::latest);
}

TEST(JobWindowsSoundness, AllOrdersOfArrivalAreNeeded)
{
  expect_needed(&JobTerms::orders);
}

TEST(JobWindowsSoundness, WhatLessUrgentWorkStartedIsNeeded)
{
  expect_needed(&JobTerms::started);
}

TEST(JobWindowsSoundness, AnyPhaseOfSourcesWithoutOffsetIsNeeded)
{
  expect_needed(&JobTerms::unphased, run_partly);
}

TEST(JobWindowsSoundness, CallbacksThatAreReleasedWhileTheirThreadWakesAreNeeded)
{
  expect_needed(&JobTerms::pick, run_close);
}

TEST(JobWindowsSoundness, TheTimeOfMessagesUnderWayIsNeeded)
{
  expect_needed(&JobTerms::under_way);
}

}  // namespace
}  // namespace takt_plan
