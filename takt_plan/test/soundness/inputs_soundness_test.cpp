// On random systems with non-triggering callbacks and sequences no simulated response exceeds its
// bound. If what they cost is omitted, some do.
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "analysis/inputs/inputs.hpp"
#include "analysis/jobs/job_bounds.hpp"
#include "models/close_releases.hpp"
#include "support/campaign.hpp"
#include "support/mixed_model.hpp"
#include "support/overheads.hpp"
#include "support/phased_model.hpp"
#include "support/random_model.hpp"
#include "support/simulated_campaign.hpp"
#include "support/storing_model.hpp"
#include "takt_plan/end_to_end.hpp"

namespace takt_plan
{
namespace
{

using takt_rt::Faults;
using takt_rt::Result;
using test::SimulatedCampaign;

/// The model as a wrong analysis would see it.
using Twin = std::function<void(Model &)>;

void run_inputs(std::uint64_t seed, const Twin & twin, SimulatedCampaign & campaign)
{
  const bool mixed = seed % 4 == 3;
  Model model = test::with_inputs(mixed ? test::mixed_model(seed) : test::random_model(seed), seed);
  if (seed % 5 == 0 && !mixed) {
    model = test::on_window_threads(std::move(model));
    for (Task & task : model.tasks) {  // a thread of each core has all
      if (task.input) {
        const Index first = model.tasks[task.input->takers.front()].threads.front();
        std::erase_if(task.input->takers, [&](Index taker) {
          return model.tasks[taker].threads.front() != first;
        });
        task.threads = {first};
      }
    }
  } else if (seed % 2 == 0 || mixed) {
    model = test::with_sequences(std::move(model), seed);
  }
  const test::Overheads overheads =
    test::some_overheads_or(seed % 2 == 0 ? test::Overheads{} : test::Overheads{8, 2}, seed);
  Model seen_as = test::with_overheads(model, overheads);
  for (Task & task : seen_as.tasks) {
    task.dispatch = task.input ? overheads.dispatch : task.dispatch;  // without a switch
  }
  twin(seen_as);
  const auto analysed = with_inputs_in_takers(std::move(seen_as));
  ASSERT_TRUE(analysed.ok()) << analysed.faults().front();
  const auto found = end_to_end(*analysed);
  ASSERT_TRUE(found.ok()) << found.faults().front();
  test::Bounds tasks = found->bounds.tasks, chains;
  for (Index task = 0; task < model.tasks.size(); ++task) {
    if (model.tasks[task].input) {
      tasks[task] = Faults{"in its takers"};
    }
  }
  for (const auto & chain : found->chains) {
    chains.push_back(chain ? Result<Ns>(chain->response) : chain.faults());
  }
  test::simulate_and_compare(seed, model, overheads, tasks, chains, campaign);
}

void run_sequences(std::uint64_t seed, const JobTerms & terms, SimulatedCampaign & campaign)
{
  const Model model = test::with_sequences(test::phased_model(seed), seed);
  const test::Overheads overheads = test::some_overheads(seed);
  const Model analysed = test::analysed_model(model, overheads);
  BoundsOptions options;
  options.jobs = terms;
  double looks = 0;
  const PriorityBounds bounds =
    detail::job_bounds(analysed, detail::Flow(analysed), options, 0, {}, looks, 100'000'000);
  test::Bounds chains;
  for (const auto & chain : bounds.chains) {
    chains.push_back(chain ? Result<Ns>(chain->bound) : chain.faults());
  }
  const test::SimulatedSituations situations{
    60'000,
    {{" worst ", Phases::fixed, Execution::worst, 1},
     {" any times ", Phases::fixed, Execution::uniform, 3}},
    true};
  test::simulate_and_compare(seed, model, overheads, bounds.tasks, chains, campaign, situations);
}

TEST(InputsSoundness, NoResponseIsAboveItsBound)
{
  SimulatedCampaign campaign;
  for (std::uint64_t i = 0; i < test::rounds(300); ++i) {
    run_inputs(
      test::seed_of(i), [](Model &) {}, campaign);
  }
  EXPECT_EQ(campaign.violations, 0U) << campaign.first;
  EXPECT_GT(campaign.jobs, 500'000U);
  EXPECT_GT(campaign.bounds, campaign.refusals);
  EXPECT_GT(campaign.overwritten, 0U) << "histories of inputs overflow";
  EXPECT_GT(campaign.tightest, 0.99);
}

TEST(InputsSoundness, NoResponseIsAboveItsBoundByJobWindowsWithSequences)
{
  SimulatedCampaign campaign;
  for (std::uint64_t i = 0; i < test::rounds(300); ++i) {
    run_sequences(test::seed_of(i), {}, campaign);
  }
  EXPECT_EQ(campaign.violations, 0U) << campaign.first;
  EXPECT_GT(campaign.bounds, 500U);
  EXPECT_GT(campaign.tightest, 0.99);
}

/// Tries systems until one shows the mistake.
void expect_noticed(const Twin & twin)
{
  SimulatedCampaign campaign;
  for (std::uint64_t i = 0; i < 1000 && campaign.violations == 0; ++i) {
    run_inputs(test::seed() + i, twin, campaign);
  }
  EXPECT_GT(campaign.violations, 0U);
}

TEST(InputsSoundness, TheTimeOfInputsIsNeeded)
{
  expect_noticed([](Model & model) {
    for (Task & task : model.tasks) {
      task.time = task.input ? 0 : task.time;
    }
  });
}

TEST(InputsSoundness, EachMessageThatMayWaitIsNeeded)
{
  expect_noticed([](Model & model) {
    for (Task & task : model.tasks) {
      task.depth = task.input ? 1 : task.depth;
    }
  });
}

TEST(InputsSoundness, MessagesThatAreLeftOutAreNeeded)
{
  expect_noticed([](Model & model) {
    for (Task & task : model.tasks) {
      if (task.input && task.input->keep == 1) {
        task.depth = 1;
      }
    }
  });
}

// A stale input: only the first taker would take its messages.
TEST(InputsSoundness, EveryTakerIsNeeded)
{
  expect_noticed([](Model & model) {
    for (Task & task : model.tasks) {
      if (task.input) {
        task.input->takers.resize(1);
      }
    }
  });
}

TEST(InputsSoundness, CallbacksThatOvertakeOthersAsUrgentAreNeeded)
{
  JobTerms terms;
  terms.sequences = false;
  SimulatedCampaign campaign;
  for (std::uint64_t i = 0; i < 1000 && campaign.violations == 0; ++i) {
    run_sequences(test::seed() + i, terms, campaign);
  }
  EXPECT_GT(campaign.violations, 0U);
}

}  // namespace
}  // namespace takt_plan
