// No simulated response under `window` exceeds the bound of Theorem 3, with either timer rule.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "support/campaign.hpp"
#include "support/window_model.hpp"

namespace takt_plan
{
namespace
{

using takt_core::WindowTimers;
using test::Campaign;
using test::ThreadAnalysis;
using test::ThreadBounds;

using Tasks = std::vector<ExecutorTask>;

ThreadAnalysis busy_window(const BusyWindowTerms & terms = {})
{
  return {[terms](const Tasks & tasks, Ns horizon) {
    return busy_window_bounds(Supply::dedicated(), tasks, horizon, terms);
  }};
}

ThreadAnalysis smaller()
{
  return {[](const Tasks & tasks, Ns horizon) {
    return round_robin_or_busy_window_bounds(Supply::dedicated(), tasks, horizon);
  }};
}

ThreadAnalysis runs(const BusyWindowTerms & terms = {})
{
  ThreadAnalysis analysis = smaller();
  analysis.run =
    [terms](const Tasks & tasks, const TaskRun & run, const std::vector<Ns> & bounds, Ns horizon) {
      return run_bound(Supply::dedicated(), tasks, run, bounds, horizon, terms);
    };
  return analysis;
}

void run(
  std::uint64_t seed, WindowTimers simulated, WindowTimers assumed, const ThreadAnalysis & analysis,
  Campaign & campaign)
{
  const auto model = seed % 3 == 0 ? test::crowded_window_model : test::window_model;
  const ThreadBounds bounds = test::window_model_bounds(model(seed, assumed), analysis);
  test::compare(model(seed, simulated), bounds.tasks, bounds.chains, seed, campaign);
}

void expect_sound(WindowTimers timers, const ThreadAnalysis & analysis)
{
  Campaign result;
  for (std::uint64_t i = 0; i < test::rounds(500); ++i) {
    run(test::seed() + i, timers, timers, analysis, result);
  }
  EXPECT_EQ(result.violations, 0U) << result.first;
  EXPECT_GT(result.runs, 250'000U);
  EXPECT_GT(result.bounds, 2 * result.refusals);
}

TEST(BusyWindowSoundness, NoResponseIsAboveItsBoundUnderSnapshot)
{
  expect_sound(WindowTimers::snapshot, busy_window());
}

TEST(BusyWindowSoundness, NoResponseIsAboveItsBoundUnderImmediate)
{
  expect_sound(WindowTimers::immediate, busy_window());
}

TEST(BusyWindowSoundness, NorWithTheSmallerTheoremAndWithRunsUnderSnapshot)
{
  expect_sound(WindowTimers::snapshot, smaller());
  expect_sound(WindowTimers::snapshot, runs());
}

TEST(BusyWindowSoundness, NorWithTheSmallerTheoremAndWithRunsUnderImmediate)
{
  expect_sound(WindowTimers::immediate, smaller());
  expect_sound(WindowTimers::immediate, runs());
}

/// Tries systems until one shows that something is missing.
void expect_noticed(WindowTimers simulated, WindowTimers assumed, const ThreadAnalysis & analysis)
{
  Campaign campaign;
  for (std::uint64_t i = 1; i <= 6000 && campaign.violations == 0; ++i) {
    run(i, simulated, assumed, analysis, campaign);
  }
  EXPECT_GT(campaign.violations, 0U);
}

TEST(BusyWindowSoundness, TheTimerRuleMatters)
{
  expect_noticed(WindowTimers::snapshot, WindowTimers::immediate, busy_window());
}

TEST(BusyWindowSoundness, EarlierActivationsAreNeeded)
{
  BusyWindowTerms terms;
  terms.queued = false;
  expect_noticed(WindowTimers::snapshot, WindowTimers::snapshot, busy_window(terms));
}

TEST(BusyWindowSoundness, LaterActivationsAreNeeded)
{
  BusyWindowTerms terms;
  terms.later = false;
  expect_noticed(WindowTimers::snapshot, WindowTimers::snapshot, busy_window(terms));
}

TEST(BusyWindowSoundness, PollingPointsAreNeeded)
{
  BusyWindowTerms terms;
  terms.points = false;
  expect_noticed(WindowTimers::snapshot, WindowTimers::snapshot, busy_window(terms));
}

TEST(BusyWindowSoundness, LatenessFromOtherThreadsIsNeeded)
{
  ThreadAnalysis analysis = busy_window();
  analysis.punctual = true;
  expect_noticed(WindowTimers::snapshot, WindowTimers::snapshot, analysis);
}

TEST(BusyWindowSoundness, ARunNeedsLaterActivationsOfItsLastTask)
{
  BusyWindowTerms terms;
  terms.later = false;
  expect_noticed(WindowTimers::snapshot, WindowTimers::snapshot, runs(terms));
}

}  // namespace
}  // namespace takt_plan
