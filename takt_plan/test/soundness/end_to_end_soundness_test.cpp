// On random systems whose chains read, no simulated response, reaction time or data age exceeds its
// bound. If a term of the equations is omitted, some do.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>

#include "models/close_releases.hpp"
#include "support/campaign.hpp"
#include "support/observed_ages.hpp"
#include "support/overheads.hpp"
#include "support/random_model.hpp"
#include "support/reading_model.hpp"
#include "takt_plan/end_to_end.hpp"
#include "takt_plan/simulate.hpp"

namespace takt_plan
{
namespace
{

using takt_rt::Result;

struct Campaign
{
  std::uint64_t bounds = 0, refusals = 0, ages = 0, responses = 0, violations = 0;
  double tightest = 0, tightest_age = 0, tightest_output = 0;  ///< largest observed shares of
                                                               ///< bounds
  std::string first;                                           ///< the first violation
};

void compare(
  const std::string & what, const Result<Ns> & bound, Ns observed, double & tightest,
  Campaign & campaign)
{
  if (!bound || *bound == 0) {
    return;
  }
  tightest = std::max(tightest, static_cast<double>(observed) / static_cast<double>(*bound));
  if (observed > *bound && campaign.violations++ == 0) {
    campaign.first =
      what + ": bound " + std::to_string(*bound) + ", observed " + std::to_string(observed);
  }
}

struct Situation
{
  const char * name;
  Phases phases;
  Execution execution;
  std::uint64_t runs;
};

void compare(
  const std::string & at, const EndToEndBounds & found, const SimulationModel & simulation,
  const SimulationOptions & options, Campaign & campaign)
{
  const auto result = simulate(simulation, options);
  ASSERT_TRUE(result.ok()) << result.faults().front();
  for (Index chain = 0; chain < found.chains.size(); ++chain) {
    const auto & answer = found.chains[chain];
    const std::string whose = at + simulation.model.chains[chain].name;
    const Responses & seen = result->chains[chain].responses;
    campaign.responses += seen.count;
    compare(
      whose, answer ? Result<Ns>(answer->response) : answer.faults(), seen.worst.time(),
      campaign.tightest, campaign);
  }
}

void compare_ages(
  const std::string & at, const EndToEndBounds & found, const SimulationModel & simulation,
  const SimulationOptions & options, std::uint64_t number, Campaign & campaign)
{
  test::RunRecord record(simulation.model);
  ASSERT_TRUE(watch(simulation, options, number, record).ok());
  for (Index chain = 0; chain < found.chains.size(); ++chain) {
    const auto & answer = found.chains[chain];
    const auto seen = record.ages(chain, options.execution == Execution::worst);
    if (!answer || !seen) {
      continue;
    }
    const std::string whose = at + simulation.model.chains[chain].name;
    campaign.ages += answer->data_age && seen->data_age >= 0 ? 1 : 0;
    compare(whose, answer->response, seen->response, campaign.tightest, campaign);
    // If the events are messages from outside, the reaction time equals the response.
    const Index root = simulation.model.chains[chain].path.front();
    const bool samples = simulation.model.tasks[root].timer;
    compare(
      whose + " reaction time", answer->reaction_time,
      samples ? seen->reaction_time : seen->response, campaign.tightest_age, campaign);
    compare(whose + " data age", answer->data_age, seen->data_age, campaign.tightest_age, campaign);
    compare(
      whose + " age at output", answer->age_at_output, seen->at_output, campaign.tightest_output,
      campaign);
  }
}

void run(std::uint64_t seed, const EndToEndTerms & terms, Campaign & campaign)
{
  Model model = test::reading_model(seed);
  if (seed % 5 == 0) {
    model = test::on_window_threads(std::move(model));
  }
  const test::Overheads overheads = test::some_overheads(seed);
  const auto found = end_to_end(test::with_overheads(model, overheads), terms);
  ASSERT_TRUE(found.ok()) << found.faults().front();
  for (const auto & answer : found->chains) {
    ++(answer ? campaign.bounds : campaign.refusals);
  }
  auto simulation = simulation_model(model);
  ASSERT_TRUE(simulation.ok()) << simulation.faults().front();
  test::vary(overheads, *simulation);
  for (const Situation & situation :
       {Situation{
          " adversarial ", Phases::adversarial, Execution::worst,
          std::min<std::uint64_t>(adversarial_runs(*simulation), 10)},
        Situation{" random ", Phases::random, Execution::worst, 4},
        Situation{" random, any times ", Phases::random, Execution::uniform, 3}}) {
    SimulationOptions options;
    options.duration = 30'000;
    options.seed = seed * 100;
    options.phases = situation.phases;
    options.execution = situation.execution;
    options.runs = situation.runs;
    const std::string at = "TAKT_TEST_SEED=" + std::to_string(seed) + situation.name;
    compare(at, *found, *simulation, options, campaign);
    for (std::uint64_t number = 0; number < std::min<std::uint64_t>(situation.runs, 3); ++number) {
      compare_ages(at, *found, *simulation, options, number, campaign);
    }
  }
}

TEST(EndToEndSoundness, NothingThatIsSeenIsAboveItsBound)
{
  Campaign result;
  for (std::uint64_t i = 0; i < test::rounds(400); ++i) {
    run(test::seed_of(i), {}, result);
  }
  EXPECT_EQ(result.violations, 0U) << result.first;
  EXPECT_GT(result.responses, 200'000U);
  EXPECT_GT(result.ages, 1'000U);
  EXPECT_GT(result.bounds, result.refusals);
  EXPECT_GT(result.tightest, 0.9) << "some responses nearly take their bound";
  EXPECT_GT(result.tightest_age, 0.9);
  EXPECT_GT(result.tightest_output, 0.9);
}

/// Tries systems until one shows that a term is missing.
void expect_needed(bool EndToEndTerms::*term)
{
  EndToEndTerms terms;
  terms.*term = false;
  Campaign result;
  for (std::uint64_t i = 0; i < 2000 && result.violations == 0; ++i) {
    run(test::seed() + i, terms, result);
  }
  EXPECT_GT(result.violations, 0U);
}

TEST(EndToEndSoundness, TheReadersPeriodIsNeeded)
{
  expect_needed(&EndToEndTerms::period);
}

TEST(EndToEndSoundness, TheMessagesTimeUnderWayIsNeeded)
{
  expect_needed(&EndToEndTerms::under_way);
}

TEST(EndToEndSoundness, WhatDelaysTheReaderIsNeeded)
{
  expect_needed(&EndToEndTerms::late);
}

}  // namespace
}  // namespace takt_plan
