// Each simulated run is inside the window of one of its callback's jobs. If a term of the windows
// is omitted, some are not.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "analysis/jobs/job_times.hpp"
#include "models/close_releases.hpp"
#include "simulation/hyperperiod_run.hpp"
#include "support/campaign.hpp"
#include "support/overheads.hpp"
#include "support/phased_model.hpp"
#include "takt_plan/hyperperiod.hpp"
#include "takt_plan/simulate.hpp"
#include "takt_plan/simulation_observer.hpp"

namespace takt_plan
{
namespace
{

constexpr Ns kDuration = 60'000;

struct Campaign
{
  std::uint64_t systems = 0, jobs = 0, runs = 0, outside = 0;
  std::string first;
};

bool contains(const PhasedJob & job, Ns hyperperiod, Ns release, Ns end)
{
  // The last job that may be released by then, or an earlier one.
  for (Ns turn = detail::floor_div(release - job.earliest, hyperperiod);
       job.latest + turn * hyperperiod >= release; --turn) {
    if (end <= job.end + turn * hyperperiod) {
      return true;
    }
  }
  return false;
}

/// Compares each run with the windows.
class Judge final : public SimulationObserver
{
public:
  Judge(const Model & model, const Hyperperiod & hyperperiod, std::string name, Campaign & campaign)
  : model_(model),
    hyperperiod_(hyperperiod),
    name_(std::move(name)),
    campaign_(campaign),
    jobs_(model.tasks.size())
  {
    for (const PhasedJob & job : hyperperiod.jobs) {
      jobs_[job.task].push_back(job);
    }
  }

  void on_end(Index /*thread*/, Index task, Ns release, Ns /*start*/, Ns end) override
  {
    const auto & jobs = jobs_[task];
    if (jobs.empty()) {
      return;
    }
    ++campaign_.runs;
    const bool inside = std::any_of(jobs.begin(), jobs.end(), [&](const PhasedJob & job) {
      return contains(job, hyperperiod_.length, release, end);
    });
    if (!inside && campaign_.outside++ == 0) {
      campaign_.first = name_ + model_.tasks[task].id + " from " + std::to_string(release) +
                        " to " + std::to_string(end);
    }
  }

private:
  const Model & model_;
  const Hyperperiod & hyperperiod_;
  const std::string name_;
  Campaign & campaign_;
  std::vector<std::vector<PhasedJob>> jobs_;
};

void run(std::uint64_t seed, const JobTerms & terms, Campaign & campaign)
{
  const Model model = test::phased_model(seed);
  const test::Overheads overheads = test::some_overheads(seed);
  BoundsOptions bounds;
  bounds.jobs = terms;
  const auto found = hyperperiod(test::analysed_model(model, overheads), bounds);
  if (!found) {
    return;
  }
  ++campaign.systems;
  campaign.jobs += found->jobs.size();
  auto simulation = simulation_model(model);
  ASSERT_TRUE(simulation);
  vary(overheads, *simulation);
  for (SimulatedTask & task : simulation->tasks) {
    task.best = 0;
  }
  for (const Execution execution : {Execution::worst, Execution::uniform}) {
    SimulationOptions options;
    options.duration = kDuration;
    options.seed = seed * 100;
    options.execution = execution;
    Judge judge(model, *found, "TAKT_TEST_SEED=" + std::to_string(seed) + " ", campaign);
    ASSERT_TRUE(watch(*simulation, options, 0, judge));
  }
}

TEST(HyperperiodSoundness, EachRunIsInsideAWindow)
{
  Campaign campaign;
  for (std::uint64_t i = 0; i < test::rounds(300); ++i) {
    run(test::seed_of(i), {}, campaign);
  }
  EXPECT_EQ(campaign.outside, 0U) << campaign.first;
  EXPECT_GT(campaign.runs, 20'000U);
  EXPECT_GT(campaign.systems, 100U);
}

/// Tries systems until one shows that a term is missing.
void expect_needed(bool JobTerms::*term)
{
  JobTerms terms;
  terms.*term = false;
  Campaign campaign;
  for (std::uint64_t i = 0; i < 1000 && campaign.outside == 0; ++i) {
    run(test::seed() + i, terms, campaign);
  }
  EXPECT_GT(campaign.outside, 0U);
}

TEST(HyperperiodSoundness, BlockingIsNeeded)
{
  expect_needed(&JobTerms::blocking);
}

TEST(HyperperiodSoundness, EarlierBusyIntervalsAreNeeded)
{
  expect_needed(&JobTerms::begins);
}

TEST(HyperperiodSoundness, AllOrdersOfArrivalAreNeeded)
{
  expect_needed(&JobTerms::orders);
}

}  // namespace
}  // namespace takt_plan
