// Compares bounds of threads of fixed priority with the published bounds, and shows responses that
// exceed the published ones.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "published/picas_published.hpp"
#include "support/example.hpp"
#include "support/simulation.hpp"
#include "takt_plan/priority_bounds.hpp"

namespace takt_bench
{
namespace
{

using namespace takt_plan;  // NOLINT: all of it is about its models
using takt_plan::test::Example;
using takt_plan::test::kMs;

constexpr std::uint64_t kSystems = 300;

PriorityBounds bounds_of(const Model & model)
{
  auto bounds = priority_bounds(model);
  EXPECT_TRUE(bounds.ok());
  return std::move(*bounds);
}

/// Chains on one core each, with threads and priorities by the rules of PiCAS.
Model by_the_rules(std::uint64_t seed)
{
  std::mt19937_64 random(seed);
  const auto pick = [&](int least, int most) {
    return std::uniform_int_distribution<int>(least, most)(random);
  };
  Example example(2);
  for (Index thread = 0; thread < 6; ++thread) {
    example.thread(thread % 2, 90 - static_cast<int>(thread));
  }
  int priority = 100;
  for (Index chain = 0; chain < 6; ++chain) {
    const Index core = static_cast<Index>(pick(0, 1));
    const Index thread = core + 2 * (chain / 2);  // more important chains in more urgent threads
    const int length = pick(1, 4);
    priority -= length;
    std::vector<Index> path;
    for (int i = 0; i < length; ++i) {
      const Ns time = pick(1, 15) * kMs / 2;
      path.push_back(
        i == 0 ? example.timer(thread, priority, pick(4, 20) * 10 * kMs, time)
               : example.sub(thread, priority + i, {path.back()}, time));
    }
    example.chain(std::move(path));
  }
  return example.model;
}

// The corrected bound is smaller only if activations of the chain's own timer cannot meet, or if no
// task overtakes a callback that has begun: the published form counts both. The soundness campaigns
// show that the corrected bounds hold.
TEST(PicasComparison, WhereThePublishedAnalysisAppliesTheCorrectedOneIsHardlyEverBelowIt)
{
  std::uint64_t compared = 0, equal = 0, below = 0;
  for (std::uint64_t seed = 1; seed <= kSystems; ++seed) {
    const Model model = by_the_rules(seed);
    const auto published = picas_published(model);
    ASSERT_TRUE(published.ok()) << published.faults().front();
    const PriorityBounds corrected = bounds_of(model);
    for (Index c = 0; c < model.chains.size(); ++c) {
      if (corrected.chains[c]) {
        below += corrected.chains[c]->bound < (*published)[c].sum ? 1 : 0;
        ++compared;
        equal += corrected.chains[c]->bound == (*published)[c].sum;
      }
    }
  }
  EXPECT_GT(compared, 3 * kSystems);
  EXPECT_GT(equal, compared / 2) << "what is corrected is rare under these rules";
  EXPECT_LT(below, compared / 100);
}

// ---- why the published form is corrected: responses beyond it ----

/// The longest response of a chain in many situations.
Ns observed(const Model & model, Index chain)
{
  Ns most = -1;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    takt_plan::test::Situation situation;
    situation.seed = seed;
    situation.same_phase = seed == 1;
    situation.worst_times = true;
    situation.until = 400 * kMs;
    most = std::max(most, takt_plan::test::simulate(model, situation).chains[chain]);
  }
  return most;
}

void expect_exceeded(const Model & model, Index chain)
{
  const auto published = picas_published(model);
  ASSERT_TRUE(published.ok()) << published.faults().front();
  const PriorityBounds corrected = bounds_of(model);
  ASSERT_TRUE(corrected.chains[chain].ok()) << corrected.chains[chain].faults().front();
  const Ns seen = observed(model, chain);
  EXPECT_GT(seen, (*published)[chain].bound);
  EXPECT_LE(seen, corrected.chains[chain]->bound);
}

TEST(PicasComparison, JitterAfterAnotherCoreExceedsThePublishedBound)
{
  Example example(2);
  example.chain({example.timer(example.thread(0, 90), 5, 40 * kMs, 8 * kMs)});
  const Index a = example.timer(example.thread(0, 80), 3, 10 * kMs, kMs);
  example.chain({a, example.sub(example.thread(1, 85), 4, {a}, 4 * kMs)});
  example.chain({example.timer(example.thread(1, 70), 1, 40 * kMs, 5 * kMs)});
  expect_exceeded(example.model, 2);
}

TEST(PicasComparison, EqualPrioritiesExceedThePublishedBound)
{
  Example example(1);
  const Index thread = example.thread(0, 90);
  example.chain({example.timer(thread, 1, 20 * kMs, 4 * kMs)});
  example.chain({example.timer(thread, 1, 20 * kMs, 5 * kMs)});
  expect_exceeded(example.model, 0);
}

TEST(PicasComparison, OverloadHasAPublishedBoundAndNone)
{
  Example example(1);
  const Index thread = example.thread(0, 90);
  example.chain({example.timer(thread, 2, 10 * kMs, 6 * kMs)});
  example.chain({example.timer(thread, 1, 10 * kMs, 5 * kMs)});
  EXPECT_EQ((*picas_published(example.model))[1].bound, 27 * kMs);
  EXPECT_GT(observed(example.model, 1), 27 * kMs);
  EXPECT_FALSE(bounds_of(example.model).chains[1].ok());
}

}  // namespace
}  // namespace takt_bench
