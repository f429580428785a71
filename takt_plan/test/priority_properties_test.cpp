// What must hold for the bounds of any system, and where the published analysis is exceeded.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "support/example.hpp"
#include "support/random_model.hpp"
#include "support/simulation.hpp"
#include "takt_plan/picas_published.hpp"
#include "takt_plan/priority_bounds.hpp"

namespace takt_plan
{
namespace
{

using test::Example;
using test::kMs;
using test::random_model;

constexpr std::uint64_t kSystems = 300;

PriorityBounds bounds_of(const Model & model)
{
  auto bounds = priority_bounds(model);
  EXPECT_TRUE(bounds.ok());
  return std::move(*bounds);
}

Ns or_unbounded(const takt_core::Result<Ns> & bound)
{
  return bound ? *bound : kUnbounded;
}

/// No bound is lower after `change`.
template <typename Change>
void expect_no_bound_falls(const Change & change)
{
  std::uint64_t risen = 0;
  for (std::uint64_t seed = 1; seed <= kSystems; ++seed) {
    Model model = random_model(seed);
    PriorityOptions options;
    options.horizon = 200'000;  // of both, also where the change moves the default
    const auto before = priority_bounds(model, options);
    std::mt19937_64 random(seed);
    change(model, random);
    const auto after = priority_bounds(model, options);
    ASSERT_TRUE(before.ok() && after.ok());
    for (Index i = 0; i < model.tasks.size(); ++i) {
      const Ns old = or_unbounded(before->tasks[i]);
      const Ns now = or_unbounded(after->tasks[i]);
      EXPECT_GE(now, old) << "seed " << seed << " task " << i;
      risen += now > old;
    }
  }
  EXPECT_GT(risen, kSystems) << "the change matters";
}

Task & any_task(Model & model, std::mt19937_64 & random)
{
  return model.tasks[random() % model.tasks.size()];
}

TEST(PriorityProperties, LongerTimesLowerNoBound)
{
  expect_no_bound_falls([](Model & model, std::mt19937_64 & random) {
    any_task(model, random).time += 1 + static_cast<Ns>(random() % 40);
  });
}

TEST(PriorityProperties, OverheadsLowerNoBound)
{
  expect_no_bound_falls([](Model & model, std::mt19937_64 &) {
    for (Task & task : model.tasks) {
      task.dispatch = 1;
      task.middleware = 2;
    }
    for (Thread & thread : model.threads) {
      thread.ceiling = 99;
    }
  });
}

TEST(PriorityProperties, JitterAndDelaysLowerNoBound)
{
  expect_no_bound_falls([](Model & model, std::mt19937_64 & random) {
    for (Task & task : model.tasks) {
      if (task.release) {
        task.release->jitter += static_cast<Ns>(random() % 200);
      }
      for (Link & link : task.triggers) {
        link.delay += link.delay > 0 ? static_cast<Ns>(random() % 50) : 0;
      }
    }
  });
}

TEST(PriorityProperties, AnotherThreadLowersNoBound)
{
  expect_no_bound_falls([](Model & model, std::mt19937_64 & random) {
    model.others.push_back({"new", static_cast<int>(1 + random() % 99), {0}, 20, 700});
  });
}

TEST(PriorityProperties, ABoundIsNotBelowTheChainsOwnWork)
{
  for (std::uint64_t seed = 1; seed <= kSystems; ++seed) {
    const Model model = random_model(seed);
    const PriorityBounds bounds = bounds_of(model);
    for (Index c = 0; c < model.chains.size(); ++c) {
      Ns work = 0;
      for (const Index task : model.chains[c].path) {
        work += model.tasks[task].cost();
      }
      if (bounds.chains[c]) {
        EXPECT_GE(bounds.chains[c]->bound, work) << "seed " << seed << " chain " << c;
      }
    }
  }
}

TEST(PriorityProperties, TheLastTaskOfAChainHasAtLeastItsBound)
{
  for (std::uint64_t seed = 1; seed <= kSystems; ++seed) {
    const Model model = random_model(seed);
    const PriorityBounds bounds = bounds_of(model);
    for (Index c = 0; c < model.chains.size(); ++c) {
      const auto & task = bounds.tasks[model.chains[c].path.back()];
      if (task && bounds.chains[c]) {
        EXPECT_GE(*task, bounds.chains[c]->bound) << "seed " << seed << " chain " << c;
      }
    }
  }
}

/// Chains on one core each, in threads and with priorities by the rules of PiCAS.
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

TEST(PriorityProperties, WhereThePublishedAnalysisAppliesTheCorrectedOneIsNotBelowIt)
{
  std::uint64_t compared = 0, equal = 0;
  for (std::uint64_t seed = 1; seed <= kSystems; ++seed) {
    const Model model = by_the_rules(seed);
    const auto published = picas_published(model);
    ASSERT_TRUE(published.ok()) << published.faults().front();
    const PriorityBounds corrected = bounds_of(model);
    for (Index c = 0; c < model.chains.size(); ++c) {
      if (corrected.chains[c]) {
        EXPECT_GE(corrected.chains[c]->bound, (*published)[c].sum) << seed << " chain " << c;
        ++compared;
        equal += corrected.chains[c]->bound == (*published)[c].sum;
      }
    }
  }
  EXPECT_GT(compared, 3 * kSystems);
  EXPECT_GT(equal, compared / 2) << "what is corrected is rare under these rules";
}

// ---- why the published form is corrected: responses beyond it ----

/// The longest response of a chain in many situations.
Ns observed(const Model & model, Index chain)
{
  Ns most = -1;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    test::Situation situation;
    situation.seed = seed;
    situation.same_phase = seed == 1;
    situation.worst_times = true;
    situation.until = 400 * kMs;
    most = std::max(most, test::simulate(model, situation).chains[chain]);
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

TEST(PriorityProperties, JitterAfterAnotherCoreExceedsThePublishedBound)
{
  Example example(2);
  example.chain({example.timer(example.thread(0, 90), 5, 40 * kMs, 8 * kMs)});
  const Index a = example.timer(example.thread(0, 80), 3, 10 * kMs, kMs);
  example.chain({a, example.sub(example.thread(1, 85), 4, {a}, 4 * kMs)});
  example.chain({example.timer(example.thread(1, 70), 1, 40 * kMs, 5 * kMs)});
  expect_exceeded(example.model, 2);
}

TEST(PriorityProperties, EqualPrioritiesExceedThePublishedBound)
{
  Example example(1);
  const Index thread = example.thread(0, 90);
  example.chain({example.timer(thread, 1, 20 * kMs, 4 * kMs)});
  example.chain({example.timer(thread, 1, 20 * kMs, 5 * kMs)});
  expect_exceeded(example.model, 0);
}

TEST(PriorityProperties, OverloadHasAPublishedBoundAndNone)
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
}  // namespace takt_plan
