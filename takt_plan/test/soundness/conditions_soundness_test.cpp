// On random systems whose messages wait for conditions no simulated response exceeds its bound. If
// a part of the wait is omitted, some do.
#include <gtest/gtest.h>

#include <string>

#include "analysis/inputs/conditions.hpp"
#include "models/close_releases.hpp"
#include "models/condition_model.hpp"
#include "support/campaign.hpp"
#include "support/overheads.hpp"
#include "support/simulated_campaign.hpp"
#include "takt_plan/end_to_end.hpp"

namespace takt_plan
{
namespace
{

using takt_rt::Faults;
using takt_rt::Result;
using test::SimulatedCampaign;

struct Campaign : SimulatedCampaign
{
  std::uint64_t systems = 0, refused = 0;
};

void run_conditions(std::uint64_t seed, const ConditionTerms & terms, Campaign & campaign)
{
  const Model model = test::condition_model(seed);
  bool any = false;
  for (const Group & group : model.groups) {
    any = any || group.condition;
  }
  if (!any) {
    return;
  }
  ++campaign.systems;
  const test::Overheads overheads = test::some_overheads(seed);
  const auto analysed = with_conditions(test::with_overheads(model, overheads), terms);
  if (!analysed) {
    ++campaign.refused;
    return;
  }
  const auto found = end_to_end(*analysed);
  ASSERT_TRUE(found.ok()) << to_string(found.faults().front());
  test::Bounds chains;
  for (const auto & chain : found->chains) {
    chains.push_back(chain ? Result<Ns>(chain->response) : chain.faults());
  }
  test::simulate_and_compare(seed, model, overheads, found->bounds.tasks, chains, campaign);
}

TEST(ConditionsSoundness, NoResponseIsAboveItsBound)
{
  Campaign campaign;
  for (std::uint64_t i = 0; i < test::rounds(600); ++i) {
    run_conditions(test::seed_of(i), {}, campaign);
  }
  EXPECT_EQ(campaign.violations, 0U) << campaign.first;
  EXPECT_GT(campaign.systems - campaign.refused, 100U);
  EXPECT_GT(campaign.jobs, 100'000U);
  EXPECT_GT(campaign.bounds, campaign.refusals);
  EXPECT_GT(campaign.tightest, 0.95);
}

/// Tries systems until one shows the mistake.
void expect_noticed(const ConditionTerms & terms)
{
  Campaign campaign;
  for (std::uint64_t i = 0; i < 2000 && campaign.violations == 0; ++i) {
    run_conditions(test::seed() + i, terms, campaign);
  }
  EXPECT_GT(campaign.violations, 0U);
}

TEST(ConditionsSoundness, TheTimeUntilTheNextReleaseIsNeeded)
{
  ConditionTerms terms;
  terms.period = false;
  expect_noticed(terms);
}

TEST(ConditionsSoundness, TheTimeUntilItArrivesIsNeeded)
{
  ConditionTerms terms;
  terms.late = false;
  expect_noticed(terms);
}

}  // namespace
}  // namespace takt_plan
