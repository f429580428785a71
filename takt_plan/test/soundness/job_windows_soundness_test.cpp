// No simulated response is above the bound that job windows give it; without any of their terms, some are.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "analysis/jobs/job_bounds.hpp"
#include "support/campaign.hpp"
#include "support/overheads.hpp"
#include "support/random_model.hpp"
#include "support/simulated_campaign.hpp"

namespace takt_plan
{
namespace
{

using test::SimulatedCampaign;

/// A random system whose timers have offsets on one epoch; some of its callbacks wait for sets of newest messages.
Model phased_model(std::uint64_t seed)
{
  Model model = test::random_model(seed);
  std::mt19937_64 random(seed);
  const auto pick = [&](Ns least, Ns most) {
    return std::uniform_int_distribution<Ns>(least, most)(random);
  };
  for (Index index = 0; index < model.tasks.size(); ++index) {
    Task & task = model.tasks[index];
    const Index other = static_cast<Index>(pick(0, static_cast<Ns>(index)));
    if (task.triggers.size() == 1 && other < index && pick(0, 2) == 0) {
      task.triggers.push_back({other, 0, 1});
    }
    if (task.release) {
      task.timer = true;
      task.release->jitter = 0;
      // Some start later than others by whole periods, so that sets begin with this or that message.
      task.release->offset = pick(0, 3 * task.release->period / 50) * 50;
    } else if (task.triggers.size() == 2 && task.triggers[0].from != task.triggers[1].from) {
      task.all = false;
      task.newest = true;
      task.store = task.middleware = pick(0, task.time);  // what each run takes to keep its message
    }
  }
  return model;
}

const test::SimulatedSituations kSituations{
  60'000,
  {{" worst ", Phases::fixed, Execution::worst, 1},
   {" any times ", Phases::fixed, Execution::uniform, 3}},
  true};

void run(std::uint64_t seed, const JobTerms & terms, SimulatedCampaign & campaign)
{
  const Model model = phased_model(seed);
  const test::Overheads overheads = test::some_overheads(seed);
  Model analysed = test::with_overheads(model, overheads);
  for (Task & task : analysed.tasks) {
    task.store += task.newest ? task.dispatch : 0;
  }
  BoundsOptions options;
  options.jobs = terms;
  double looks = 0;
  const PriorityBounds bounds = detail::job_bounds(
    analysed, detail::Flow(analysed), options, 0, looks, std::int64_t{100'000'000});
  test::Bounds chains;
  for (const auto & chain : bounds.chains) {
    ++(chain ? campaign.bounds : campaign.refusals);
    chains.push_back(chain ? test::Bounds::value_type(chain->bound) : chain.faults());
  }
  test::simulate_and_compare(seed, model, overheads, bounds.tasks, chains, campaign, kSituations);
}

TEST(JobWindowsSoundness, NoResponseIsAboveItsBound)
{
  SimulatedCampaign campaign;
  for (std::uint64_t i = 0; i < test::rounds(400); ++i) {
    run(test::seed() + i, {}, campaign);
  }
  EXPECT_EQ(campaign.violations, 0U) << campaign.first;
  EXPECT_GT(campaign.jobs, 100'000U);
  EXPECT_GT(2 * campaign.bounds, campaign.refusals) << "a late timer leaves a whole system without";
  EXPECT_GT(campaign.tightest, 0.999) << "worst times reach some bounds";
}

/// As many systems as it takes to see that a term is missing.
void expect_needed(bool JobTerms::*term)
{
  JobTerms terms;
  terms.*term = false;
  SimulatedCampaign campaign;
  for (std::uint64_t i = 0; i < 1000 && campaign.violations == 0; ++i) {
    run(test::seed() + i, terms, campaign);
  }
  EXPECT_GT(campaign.violations, 0U);
}

TEST(JobWindowsSoundness, BlockingIsNeeded)
{
  expect_needed(&JobTerms::blocking);
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

}  // namespace
}  // namespace takt_plan
