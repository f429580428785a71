// Simulated responses against the bounds of the analyses: on random systems none is above its bound.
#include <gtest/gtest.h>

#include <string>

#include "support/campaign.hpp"
#include "support/overheads.hpp"
#include "support/random_model.hpp"
#include "takt_plan/priority_bounds.hpp"
#include "takt_plan/simulate.hpp"
#include "takt_plan/window_bounds.hpp"

namespace takt_plan
{
namespace
{

const std::uint64_t kSeed = test::seed();

struct Campaign
{
  std::uint64_t bounds = 0, refusals = 0, jobs = 0, overwritten = 0, violations = 0;
  double tightest = 0;  ///< largest part of a bound that was seen
  std::string first;    ///< violation
};

void compare(
  const std::string & what, const takt_core::Result<Ns> & bound, Ns observed, Campaign & campaign)
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

template <typename Chains, typename BoundOf>
void run(
  std::uint64_t seed, const Model & model, const test::Overheads & overheads,
  const std::vector<takt_core::Result<Ns>> & tasks, const Chains & chains, const BoundOf & bound_of,
  Campaign & campaign)
{
  for (const auto & bound : tasks) {
    ++(bound ? campaign.bounds : campaign.refusals);
  }
  auto simulation = simulation_model(model);
  ASSERT_TRUE(simulation.ok()) << simulation.faults().front();
  test::vary(overheads, *simulation);
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
        Situation{" random ", Phases::random, Execution::worst, 4},
        Situation{" random, any times ", Phases::random, Execution::uniform, 2}}) {
    SimulationOptions options;
    options.duration = 30'000;
    options.seed = seed * 100;
    options.phases = situation.phases;
    options.execution = situation.execution;
    options.runs = situation.runs;
    const auto result = simulate(*simulation, options);
    ASSERT_TRUE(result.ok()) << result.faults().front();
    campaign.jobs += result->jobs;
    const std::string at = "TAKT_TEST_SEED=" + std::to_string(seed) + situation.name;
    for (Index t = 0; t < model.tasks.size(); ++t) {
      campaign.overwritten += result->tasks[t].overwritten;
      compare(at + model.tasks[t].id, tasks[t], result->tasks[t].from_source, campaign);
    }
    for (Index c = 0; c < model.chains.size(); ++c) {
      compare(
        at + model.chains[c].name, bound_of(chains[c]), result->chains[c].responses.worst.time(),
        campaign);
    }
  }
}

TEST(SimulationSoundness, NoResponseIsAboveItsPriorityBound)
{
  Campaign campaign;
  for (std::uint64_t i = 0; i < test::rounds(200); ++i) {
    const Model model = test::random_model(kSeed + i);
    const test::Overheads overheads = test::some_overheads(i);
    const auto bounds = priority_bounds(test::with_overheads(model, overheads));
    ASSERT_TRUE(bounds.ok());
    run(
      kSeed + i, model, overheads, bounds->tasks, bounds->chains,
      [](const takt_core::Result<ChainBound> & chain) {
        return chain ? takt_core::Result<Ns>(chain->bound) : chain.faults();
      },
      campaign);
  }
  EXPECT_EQ(campaign.violations, 0U) << campaign.first;
  EXPECT_EQ(campaign.overwritten, 0U);
  EXPECT_GT(campaign.jobs, 500'000U);
  EXPECT_GT(campaign.bounds, 5 * campaign.refusals);
  EXPECT_GT(campaign.tightest, 0.99) << "adversarial phases reach some bounds";
}

TEST(SimulationSoundness, NoResponseIsAboveItsWindowBound)
{
  Campaign campaign;
  for (std::uint64_t i = 0; i < test::rounds(200); ++i) {
    const Model model = test::on_window_threads(test::random_model(kSeed + i));
    const test::Overheads overheads = test::some_overheads(i);
    const auto bounds = window_bounds(test::with_overheads(model, overheads));
    ASSERT_TRUE(bounds.ok());
    run(
      kSeed + i, model, overheads, bounds->tasks, bounds->chains,
      [](const takt_core::Result<Ns> & chain) { return chain; }, campaign);
  }
  EXPECT_EQ(campaign.violations, 0U) << campaign.first;
  EXPECT_GT(campaign.jobs, 500'000U);
  EXPECT_GT(campaign.bounds, 2 * campaign.refusals);
}

}  // namespace
}  // namespace takt_plan
