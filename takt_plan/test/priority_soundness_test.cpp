// No simulated response is above its bound; without any of the equations' terms, some are.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "support/random_model.hpp"
#include "support/simulation.hpp"
#include "takt_plan/priority_bounds.hpp"

namespace takt_plan
{
namespace
{

using test::Observed;
using test::random_model;
using test::simulate;
using test::Situation;

std::uint64_t environment(const char * name, std::uint64_t otherwise)
{
  const char * text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

const std::uint64_t kSeed = environment("TAKT_TEST_SEED", 1);
const std::uint64_t kRounds = environment("TAKT_TEST_ROUNDS", 1);

struct Campaign
{
  std::uint64_t systems = 0, bounds = 0, refusals = 0, runs = 0, violations = 0;
  std::string first;  ///< violation
};

void compare(
  const std::string & what, const takt_core::Result<Ns> & bound, Ns observed, Campaign & campaign)
{
  if (bound && observed > *bound) {
    if (campaign.violations++ == 0) {
      campaign.first =
        what + ": bound " + std::to_string(*bound) + ", observed " + std::to_string(observed);
    }
  }
}

void run(std::uint64_t seed, const PriorityOptions & options, Campaign & campaign)
{
  const Model model = random_model(seed);
  const auto bounds = priority_bounds(model, options);
  ASSERT_TRUE(bounds.ok()) << bounds.faults().front();
  ++campaign.systems;
  for (const auto & bound : bounds->tasks) {
    ++(bound ? campaign.bounds : campaign.refusals);
  }
  for (std::uint64_t i = 0; i < 6; ++i) {
    Situation situation;
    situation.seed = seed * 16 + i;
    situation.same_phase = i == 0;
    situation.worst_times = i < 4;
    situation.until = 30'000;
    const Observed observed = simulate(model, situation);
    campaign.runs += observed.runs;
    const std::string at =
      "TAKT_TEST_SEED=" + std::to_string(seed) + " situation " + std::to_string(i) + " ";
    for (Index t = 0; t < model.tasks.size(); ++t) {
      compare(at + model.tasks[t].id, bounds->tasks[t], observed.tasks[t], campaign);
    }
    for (Index c = 0; c < model.chains.size(); ++c) {
      const auto & chain = bounds->chains[c];
      const auto bound = chain ? takt_core::Result<Ns>(chain->bound) : chain.faults();
      compare(at + model.chains[c].name, bound, observed.chains[c], campaign);
    }
  }
}

Campaign campaign(std::uint64_t systems, const PriorityOptions & options)
{
  Campaign campaign;
  for (std::uint64_t i = 0; i < systems * kRounds; ++i) {
    run(kSeed + i, options, campaign);
  }
  return campaign;
}

TEST(PrioritySoundness, NoResponseIsAboveItsBound)
{
  const Campaign result = campaign(2000, {});
  EXPECT_EQ(result.violations, 0U) << result.first;
  EXPECT_GT(result.runs, 1'000'000U);
  EXPECT_GT(result.bounds, 9 * result.refusals) << "most tasks of stable systems have a bound";
}

/// As many systems as it takes to see that a term is missing.
void expect_needed(bool PriorityTerms::*term)
{
  PriorityOptions options;
  options.terms.*term = false;
  Campaign result;
  for (std::uint64_t i = 0; i < 2000 && result.violations == 0; ++i) {
    run(kSeed + i, options, result);
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

TEST(PrioritySoundness, EqualPrioritiesAreNeeded)
{
  expect_needed(&PriorityTerms::equals);
}

}  // namespace
}  // namespace takt_plan
