// On random systems, histories of the computed depths lose no message. With a depth of one less,
// some lose messages.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>

#include "analysis/end_to_end/history_depth.hpp"
#include "models/close_releases.hpp"
#include "support/campaign.hpp"
#include "support/overheads.hpp"
#include "support/phased_model.hpp"
#include "support/random_model.hpp"
#include "takt_plan/simulate.hpp"

namespace takt_plan
{
namespace
{

enum class Known
{
  nothing,
  phases
};

struct Campaign
{
  std::uint64_t depths = 0, refusals = 0, deep = 0, received = 0, overwritten = 0;
  std::string first;
};

void run(Known known, std::uint64_t seed, std::uint32_t less, Campaign & campaign)
{
  Model model = known == Known::phases ? test::phased_model(seed) : test::random_model(seed);
  for (Task & task : model.tasks) {
    if (task.release && seed % 3 == 0 && known == Known::nothing) {
      task.timer = false;
    }
  }
  if (seed % 5 == 0 && known == Known::nothing) {
    model = test::on_window_threads(std::move(model));
  }
  const test::Overheads overheads = test::some_overheads(seed);
  Model analysed = test::with_overheads(model, overheads);
  for (Task & task : analysed.tasks) {
    task.store += task.newest ? task.dispatch : 0;
  }
  const auto found = history_depths(analysed);
  ASSERT_TRUE(found.ok()) << found.faults().front();
  std::vector<Ns> needed(model.tasks.size(), 0);
  std::vector<char> refused(model.tasks.size());
  for (const HistoryDepth & depth : *found) {
    ++(depth.needed ? campaign.depths : campaign.refusals);
    refused[depth.task] |= !depth.needed;
    needed[depth.task] = std::max(needed[depth.task], depth.needed ? *depth.needed : 0);
  }
  auto simulation = simulation_model(model);
  ASSERT_TRUE(simulation.ok()) << simulation.faults().front();
  test::vary(overheads, *simulation);
  for (Index task = 0; task < model.tasks.size(); ++task) {
    if (!refused[task] && needed[task] > less) {
      campaign.deep += needed[task] > 1 ? 1 : 0;
      simulation->tasks[task].depth = static_cast<std::uint32_t>(needed[task]) - less;
    }
  }
  for (const bool worst : {true, false}) {
    SimulationOptions options;
    options.duration = 30'000;
    options.seed = seed * 100;
    options.phases = known == Known::phases ? Phases::fixed
                     : worst                ? Phases::adversarial
                                            : Phases::random;
    options.execution = worst ? Execution::worst : Execution::uniform;
    options.runs = !worst ? 4
                   : known == Known::nothing
                     ? std::min<std::uint64_t>(adversarial_runs(*simulation), 16)
                     : 1;
    const auto result = simulate(*simulation, options);
    ASSERT_TRUE(result.ok()) << result.faults().front();
    for (Index task = 0; task < model.tasks.size(); ++task) {
      const TaskResult & seen = result->tasks[task];
      campaign.received += seen.received;
      if (!refused[task] && needed[task] > less && seen.overwritten > 0) {
        campaign.overwritten += seen.overwritten;
        if (campaign.first.empty()) {
          campaign.first = "TAKT_TEST_SEED=" + std::to_string(seed) + " " + model.tasks[task].id +
                           ": depth " + std::to_string(needed[task] - less) + " overwrites";
        }
      }
    }
  }
}

TEST(HistoryDepthSoundness, NothingIsOverwritten)
{
  Campaign result;
  for (std::uint64_t i = 0; i < test::rounds(400); ++i) {
    run(Known::nothing, test::seed_of(i), 0, result);
  }
  EXPECT_EQ(result.overwritten, 0U) << result.first;
  EXPECT_GT(result.received, 500'000U);
  EXPECT_GT(result.depths, 3 * result.refusals);
  EXPECT_GT(result.deep, 100U) << "many need more than one";
}

TEST(HistoryDepthSoundness, NothingIsOverwrittenWherePhasesAreKnown)
{
  Campaign result;
  for (std::uint64_t i = 0; i < test::rounds(400); ++i) {
    run(Known::phases, test::seed_of(i), 0, result);
  }
  EXPECT_EQ(result.overwritten, 0U) << result.first;
  EXPECT_GT(result.received, 100'000U);
  EXPECT_GT(result.deep, 50U) << "many need more than one";
}

TEST(HistoryDepthSoundness, OneLessIsTooFew)
{
  for (const Known known : {Known::nothing, Known::phases}) {
    Campaign result;
    for (std::uint64_t i = 0; i < 2000 && result.overwritten == 0; ++i) {
      run(known, test::seed() + i, 1, result);
    }
    EXPECT_GT(result.overwritten, 0U);
  }
}

}  // namespace
}  // namespace takt_plan
