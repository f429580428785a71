// On random systems with logical execution time no simulated response exceeds its bound. If a rule
// is omitted, some do.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>

#include "analysis/inputs/conditions.hpp"
#include "analysis/inputs/inputs.hpp"
#include "models/close_releases.hpp"
#include "models/condition_model.hpp"
#include "models/let_model.hpp"
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

/// The model as a wrong analysis would see it.
using Twin = std::function<void(Model &)>;

enum class Variant
{
  plain,
  slow,       ///< the groups' runs take three times as long
  conditions  ///< some messages wait for conditions
};

Model model_of(std::uint64_t seed, Variant variant)
{
  Model model = test::let_model(seed);
  for (Task & task : model.tasks) {
    const bool slower = variant == Variant::slow && model.has_logical_time(task);
    task.time = slower ? task.time * 3 : task.time;
  }
  return variant == Variant::conditions ? test::with_conditions_added(seed, std::move(model))
                                        : model;
}

void run_let(
  std::uint64_t seed, const EndToEndTerms & terms, const Twin & twin, SimulatedCampaign & campaign,
  Variant variant = Variant::plain)
{
  const Model model = model_of(seed, variant);
  const test::Overheads overheads =
    test::some_overheads_or(seed % 2 == 0 ? test::Overheads{} : test::Overheads{2, 1}, seed);
  Model seen_as = test::with_overheads(model, overheads);
  for (Task & task : seen_as.tasks) {
    task.dispatch = task.input ? overheads.dispatch : task.dispatch;  // without a switch
  }
  auto analysed = with_inputs_in_takers(std::move(seen_as));
  ASSERT_TRUE(analysed.ok()) << to_string(analysed.faults().front());
  analysed = with_conditions(std::move(*analysed));
  if (!analysed) {
    return;  // some messages need not come
  }
  twin(*analysed);
  const auto found = end_to_end(*analysed, terms);
  ASSERT_TRUE(found.ok()) << to_string(found.faults().front());
  test::Bounds tasks, chains;
  for (Index task = 0; task < model.tasks.size(); ++task) {
    tasks.push_back(model.tasks[task].input ? Faults{"in its takers"} : found->bounds.tasks[task]);
  }
  for (const auto & chain : found->chains) {
    chains.push_back(chain ? Result<Ns>(chain->response) : chain.faults());
  }
  test::SimulatedSituations situations;
  if (model.tasks.front().release->offset) {
    situations.all.push_back({" fixed ", Phases::fixed, Execution::uniform, 2});
    std::erase_if(situations.all, [](const auto & one) { return one.phases != Phases::fixed; });
  }
  test::simulate_and_compare(seed, model, overheads, tasks, chains, campaign, situations);
}

void keep(Model &)
{
}

TEST(LetSoundness, NoResponseIsAboveItsBound)
{
  SimulatedCampaign campaign;
  for (std::uint64_t i = 0; i < test::rounds(400); ++i) {
    run_let(test::seed_of(i), {}, keep, campaign);
  }
  EXPECT_EQ(campaign.violations, 0U) << campaign.first;
  EXPECT_GT(campaign.jobs, 200'000U);
  EXPECT_GT(campaign.bounds, campaign.refusals);
  EXPECT_GT(campaign.tightest, 0.99);
}

TEST(LetSoundness, NoResponseIsAboveItsBoundUnderConditions)
{
  SimulatedCampaign campaign;
  for (std::uint64_t i = 0; i < test::rounds(400); ++i) {
    run_let(test::seed_of(i), {}, keep, campaign, Variant::conditions);
  }
  EXPECT_EQ(campaign.violations, 0U) << campaign.first;
  EXPECT_GT(campaign.jobs, 100'000U);
}

/// Tries systems until one shows the mistake.
void expect_noticed(
  const EndToEndTerms & terms, const Twin & twin, Variant variant = Variant::plain)
{
  SimulatedCampaign campaign;
  for (std::uint64_t i = 0; i < 1000 && campaign.violations == 0; ++i) {
    run_let(test::seed() + i, terms, twin, campaign, variant);
  }
  EXPECT_GT(campaign.violations, 0U);
}

// The output comes early: at the end of the run.
TEST(LetSoundness, TheWaitForTheBorderIsNeeded)
{
  EndToEndTerms terms;
  terms.border = false;
  expect_noticed(terms, keep);
}

TEST(LetSoundness, TheTimeUntilTheNextReleaseIsNeeded)
{
  EndToEndTerms terms;
  terms.period = false;
  expect_noticed(terms, keep);
}

TEST(LetSoundness, TheWorkAtTheBorderIsNeeded)
{
  expect_noticed({}, [](Model & model) {
    for (Task & task : model.tasks) {
      if (task.border != kNone) {
        Task & border = model.tasks[task.border];
        border.dispatch = border.middleware = 0;
      }
    }
  });
}

// A message of another publisher may be in front of the message that is there at the border.
TEST(LetSoundness, ThatOnlyBordersPublishWhatAnInputGetsIsNeeded)
{
  expect_noticed({}, [](Model & model) {
    for (Task & task : model.tasks) {
      if (task.input) {
        task.input->from_borders = true;
      }
    }
  });
}

// The messages of a late run are not there when the next group begins at the border.
TEST(LetSoundness, ThatRunsEndWithinTheirPeriodIsNeeded)
{
  const auto unchecked = [](Model & model) {
    for (Group & group : model.groups) {
      group.logical_time.reset();
    }
  };
  expect_noticed({}, unchecked, Variant::slow);
}

}  // namespace
}  // namespace takt_plan
