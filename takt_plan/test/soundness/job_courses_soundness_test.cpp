// No simulated response of a chain that goes back and forth between cores exceeds its bound by
// courses, with known phases and without. If a term is omitted, some do.
#include <gtest/gtest.h>

#include "analysis/jobs/job_bounds.hpp"
#include "analysis/jobs/phase_cells.hpp"
#include "models/close_releases.hpp"
#include "models/crossing_model.hpp"
#include "support/campaign.hpp"
#include "support/overheads.hpp"
#include "support/phased_model.hpp"
#include "support/simulated_campaign.hpp"

namespace takt_plan
{
namespace
{

using test::SimulatedCampaign;

const test::SimulatedSituations kKnown{
  40'000,
  {{" worst ", Phases::fixed, Execution::worst, 1},
   {" any times ", Phases::fixed, Execution::uniform, 6}},
  true};
const test::SimulatedSituations kUnknown{
  20'000,
  {{" adversarial ", Phases::adversarial, Execution::worst, 0},
   {" random ", Phases::random, Execution::worst, 4},
   {" random, any times ", Phases::random, Execution::uniform, 6}},
  true};

enum class Systems
{
  known,    // phases
  unknown,  // phases
  sets      // of newest messages, with unknown phases
};

Model model_of(Systems systems, std::uint64_t seed)
{
  if (systems != Systems::sets) {
    return test::crossing_model(seed, systems == Systems::known);
  }
  Model model = test::phased_model(seed);
  model.others.clear();
  for (Task & task : model.tasks) {
    if (task.release) {
      task.release->offset.reset();
    }
  }
  return model;
}

void run(std::uint64_t seed, Systems systems, const JobTerms & terms, SimulatedCampaign & campaign)
{
  const Model model = model_of(systems, seed);
  const test::Overheads overheads = test::some_overheads(seed);
  const Model analysed = test::analysed_model(model, overheads);
  BoundsOptions options;
  options.jobs = terms;
  double looks = 0;
  constexpr std::int64_t kMost = 100'000'000;
  test::Bounds tasks, chains;
  if (systems == Systems::known) {
    const PriorityBounds found =
      detail::job_bounds(analysed, detail::Flow(analysed), options, 0, {}, looks, kMost);
    tasks = found.tasks;
    for (const auto & chain : found.chains) {
      chains.push_back(chain ? test::Bounds::value_type(chain->bound) : chain.faults());
    }
  } else {
    const std::vector<Ns> none_known(model.chains.size(), kUnbounded);
    const detail::BoundsOfAnyPhases found = detail::bounds_of_any_phases(
      analysed, terms.in_courses, none_known, kUnbounded - 1, false, looks);
    const takt_rt::Faults none{takt_rt::Fault{"no bound"}};
    for (const auto & task : found.tasks) {
      tasks.push_back(task ? test::Bounds::value_type(*task) : none);
    }
    for (const auto & chain : found.chains) {
      chains.push_back(chain ? test::Bounds::value_type(chain->bound) : none);
    }
  }
  for (const auto & chain : chains) {
    ++(chain ? campaign.bounds : campaign.refusals);
  }
  test::simulate_and_compare(
    seed, model, overheads, tasks, chains, campaign, systems == Systems::known ? kKnown : kUnknown);
}

SimulatedCampaign campaign_of(Systems systems, std::uint64_t rounds)
{
  SimulatedCampaign campaign;
  for (std::uint64_t i = 0; i < test::rounds(rounds); ++i) {
    run(test::seed_of(i), systems, {}, campaign);
  }
  return campaign;
}

TEST(JobCoursesSoundness, NoResponseIsAboveItsBoundWithKnownPhases)
{
  const SimulatedCampaign campaign = campaign_of(Systems::known, 100);
  EXPECT_EQ(campaign.violations, 0U) << campaign.first;
  EXPECT_GT(campaign.bounds, campaign.refusals);
  EXPECT_GT(campaign.tightest, 0.999) << "worst times reach some bounds";
}

TEST(JobCoursesSoundness, NoResponseIsAboveItsBoundWithUnknownPhases)
{
  const SimulatedCampaign campaign = campaign_of(Systems::unknown, 10);
  EXPECT_EQ(campaign.violations, 0U) << campaign.first;
  EXPECT_GT(campaign.bounds, 0U);
}

TEST(JobCoursesSoundness, NoResponseIsAboveItsBoundWithSetsAndUnknownPhases)
{
  const SimulatedCampaign campaign = campaign_of(Systems::sets, 40);
  EXPECT_EQ(campaign.violations, 0U) << campaign.first;
  EXPECT_GT(campaign.bounds, 0U);
}

/// Tries systems until one shows that a term is missing.
void expect_needed(
  bool CourseTerms::*term, Systems systems = Systems::known, std::uint64_t kind_of_seed = 0)
{
  JobTerms terms;
  terms.in_courses.*term = false;
  const SimulatedCampaign campaign =
    test::until_violation([&](std::uint64_t seed, SimulatedCampaign & found) {
      run(seed | kind_of_seed, systems, terms, found);
    });
  EXPECT_GT(campaign.violations, 0U);
}

TEST(JobCoursesSoundness, ShorterRunsAreNeeded)
{
  expect_needed(&CourseTerms::shorter);
}

TEST(JobCoursesSoundness, LaterRunsOfMoreUrgentThreadsAreNeeded)
{
  expect_needed(&CourseTerms::preempted);
}

TEST(JobCoursesSoundness, TheNextHyperperiodIsNeeded)
{
  expect_needed(&CourseTerms::again);
}

TEST(JobCoursesSoundness, CallbacksThatAreReleasedWhileTheirThreadWakesAreNeeded)
{
  expect_needed(&CourseTerms::pick, Systems::known, test::kCloseReleases);
}

TEST(JobCoursesSoundness, AllFirstMessagesOfSetsAreNeeded)
{
  expect_needed(&CourseTerms::starts, Systems::sets);
}

}  // namespace
}  // namespace takt_plan
