// Compares simulated responses of random systems with the bounds of the analyses: no response
// exceeds its bound.
#include <gtest/gtest.h>

#include <string>

#include "analysis/window/window_bounds.hpp"
#include "models/close_releases.hpp"
#include "support/campaign.hpp"
#include "support/from_text.hpp"
#include "support/overheads.hpp"
#include "support/random_model.hpp"
#include "support/simulated_campaign.hpp"
#include "takt_plan/bounds.hpp"
#include "takt_plan/draw.hpp"
#include "takt_plan/priority_bounds.hpp"

namespace takt_plan
{
namespace
{

const std::uint64_t kSeed = test::seed();

using test::SimulatedCampaign;

TEST(SimulationSoundness, NoResponseIsAboveItsPriorityBound)
{
  SimulatedCampaign campaign;
  for (std::uint64_t i = 0; i < test::rounds(200); ++i) {
    const std::uint64_t seed = test::seed_of(i);
    const Model model = test::random_model(seed);
    const test::Overheads overheads = test::some_overheads(seed);
    const auto bounds = priority_bounds(test::with_overheads(model, overheads));
    ASSERT_TRUE(bounds.ok());
    test::Bounds chains;
    for (const auto & chain : bounds->chains) {
      chains.push_back(chain ? test::Bounds::value_type(chain->bound) : chain.faults());
    }
    test::simulate_and_compare(seed, model, overheads, bounds->tasks, chains, campaign);
  }
  EXPECT_EQ(campaign.violations, 0U) << campaign.first;
  EXPECT_EQ(campaign.overwritten, 0U);
  EXPECT_GT(campaign.jobs, 500'000U);
  EXPECT_GT(campaign.bounds, 5 * campaign.refusals);
  EXPECT_GT(campaign.tightest, 0.99) << "adversarial phases reach some bounds";
}

TEST(SimulationSoundness, NoResponseIsAboveItsWindowBound)
{
  SimulatedCampaign campaign;
  for (std::uint64_t i = 0; i < test::rounds(200); ++i) {
    const std::uint64_t seed = test::seed_of(i);
    const Model model = test::on_window_threads(test::random_model(seed));
    const test::Overheads overheads = test::some_overheads(seed);
    const auto bounds = window_bounds(test::with_overheads(model, overheads));
    ASSERT_TRUE(bounds.ok());
    test::simulate_and_compare(seed, model, overheads, bounds->tasks, bounds->chains, campaign);
  }
  EXPECT_EQ(campaign.violations, 0U) << campaign.first;
  EXPECT_GT(campaign.jobs, 500'000U);
  EXPECT_GT(campaign.bounds, 2 * campaign.refusals);
}

/// Threads of one priority on one core. Each has a timer that takes up to some quanta.
SimulationModel turns(std::uint64_t seed, const std::string & policy)
{
  Draw draw(seed);
  std::string callbacks, threads, rules;
  for (int i = 0; i < 3; ++i) {
    const std::string name(1, static_cast<char>('a' + i));
    const std::string id = "/" + name + ":timer(2s)";
    callbacks += "  - {id: \"" + id + "\", time: " + std::to_string(draw.between(50, 500)) +
                 "ms, period: 2s}\n";
    threads += "      " + name + ": {policy: " + policy + ", priority: 50, cores: [0]}\n";
    rules += "      - {match: \"/" + name + ":**\", threads: " + name + "}\n";
  }
  return test::from_text(
    "version: 1\nhosts: {car: {cores: 1}}\noverheads: {context_switch: 10ms}\ncallbacks:\n" +
      callbacks,
    "version: 1\nexecutors:\n  main:\n    threads:\n" + threads +
      "    default: a\n    callbacks:\n" + rules);
}

/// The number of responses of threads that take turns, above the bounds for threads of `policy`.
int above(std::uint64_t seed, const std::string & policy)
{
  const auto found = bounds(turns(seed, policy).model);
  SimulationOptions options;
  options.seed = seed;
  options.phases = Phases::random;
  options.runs = 5;
  const auto result = simulate(turns(seed, "rr"), options);
  EXPECT_TRUE(found.ok() && result.ok());
  int count = 0;
  for (Index task = 0; task < result->tasks.size(); ++task) {
    EXPECT_TRUE(found->tasks[task].ok()) << found->tasks[task].faults().front();
    count += result->tasks[task].responses.worst.time() > *found->tasks[task] ? 1 : 0;
  }
  return count;
}

TEST(SimulationSoundness, SwitchesBetweenThreadsThatTakeTurnsAreCharged)
{
  int of_turns = 0, of_fifo = 0;
  for (std::uint64_t i = 0; i < test::rounds(100); ++i) {
    of_turns += above(kSeed + i, "rr");
    of_fifo += above(kSeed + i, "fifo");
  }
  EXPECT_EQ(of_turns, 0);
  EXPECT_GT(of_fifo, 0) << "they are needed";
}

}  // namespace
}  // namespace takt_plan
