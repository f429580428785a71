// No simulated response in pools is above its bound; without any of the equations' terms, some are.
#include <gtest/gtest.h>

#include <string>

#include "support/campaign.hpp"
#include "support/random_pool_model.hpp"
#include "takt_plan/pool_bounds.hpp"
#include "takt_plan/simulate.hpp"

namespace takt_plan
{
namespace
{

using takt_core::Result;

struct Campaign
{
  std::uint64_t bounds = 0, refusals = 0, jobs = 0, overwritten = 0, violations = 0;
  double tightest = 0;  ///< largest part of a bound that was seen
  std::string first;    ///< violation
};

void compare(const std::string & what, const Result<Ns> & bound, Ns observed, Campaign & campaign)
{
  if (!bound || *bound == 0) {
    return;
  }
  campaign.tightest =
    std::max(campaign.tightest, static_cast<double>(observed) / static_cast<double>(*bound));
  if (observed > *bound && campaign.violations++ == 0) {
    campaign.first =
      what + ": bound " + std::to_string(*bound) + ", observed " + std::to_string(observed);
  }
}

/// What overheads cost, as `build_model` charges them to an analysis model.
struct Overheads
{
  Ns dispatch = 0;
  Ns context_switch = 0;
};

void run(
  std::uint64_t seed, const Overheads & overheads, const PoolOptions & options, Campaign & campaign)
{
  const Model model = test::random_pool_model(seed);
  Model analysed = model;
  for (Task & task : analysed.tasks) {
    task.dispatch = overheads.dispatch + 2 * overheads.context_switch;
  }
  const auto bounds = pool_bounds(analysed, options);
  ASSERT_TRUE(bounds.ok()) << bounds.faults().front();
  for (const auto & bound : bounds->tasks) {
    ++(bound ? campaign.bounds : campaign.refusals);
  }
  auto simulation = simulation_model(model);
  ASSERT_TRUE(simulation.ok()) << simulation.faults().front();
  for (SimulatedTask & task : simulation->tasks) {
    task.best = 0;
    task.dispatch = overheads.dispatch;
  }
  simulation->context_switches.assign(model.hosts.size(), overheads.context_switch);
  struct Situation
  {
    const char * name;
    Phases phases;
    Execution execution;
    std::uint64_t runs;
  };
  for (const Situation & situation :
       {Situation{
          " adversarial ", Phases::adversarial, Execution::worst, adversarial_runs(*simulation)},
        Situation{" adversarial, any times ", Phases::adversarial, Execution::uniform, 4},
        Situation{" fixed ", Phases::fixed, Execution::worst, 1},
        Situation{" random ", Phases::random, Execution::worst, 8},
        Situation{" random, any times ", Phases::random, Execution::uniform, 4}}) {
    SimulationOptions how;
    how.duration = 20'000;
    how.seed = seed * 100;
    how.phases = situation.phases;
    how.execution = situation.execution;
    how.runs = situation.runs;
    const auto result = simulate(*simulation, how);
    ASSERT_TRUE(result.ok()) << result.faults().front();
    campaign.jobs += result->jobs;
    const std::string at = "TAKT_TEST_SEED=" + std::to_string(seed) + situation.name;
    for (Index t = 0; t < model.tasks.size(); ++t) {
      campaign.overwritten += result->tasks[t].overwritten;
      compare(at + model.tasks[t].id, bounds->tasks[t], result->tasks[t].from_source, campaign);
    }
    for (Index c = 0; c < model.chains.size(); ++c) {
      compare(
        at + model.chains[c].name, bounds->chains[c], result->chains[c].responses.worst.time(),
        campaign);
    }
  }
}

TEST(PoolSoundness, NoResponseIsAboveItsBound)
{
  Campaign result;
  for (std::uint64_t i = 0; i < test::rounds(1000); ++i) {
    run(test::seed() + i, i % 3 == 0 ? Overheads{1, 2} : Overheads{}, {}, result);
  }
  EXPECT_EQ(result.violations, 0U) << result.first;
  EXPECT_EQ(result.overwritten, 0U);
  EXPECT_GT(result.jobs, 5'000'000U);
  EXPECT_GT(result.bounds, 3 * result.refusals);
  EXPECT_GT(result.tightest, 0.99) << "some bounds are reached";
}

/// As many systems as it takes to see that a term is missing.
void expect_needed(bool PoolTerms::*term, const Overheads & overheads = {})
{
  PoolOptions options;
  options.terms.*term = false;
  Campaign result;
  for (std::uint64_t i = 0; i < 1000 && result.violations == 0; ++i) {
    run(test::seed() + i, overheads, options, result);
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

TEST(PoolSoundness, WakingThreadsOneAfterAnotherIsNeeded)
{
  expect_needed(&PoolTerms::wake, {1, 2});
}

}  // namespace
}  // namespace takt_plan
