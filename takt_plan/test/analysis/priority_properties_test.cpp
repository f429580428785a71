// Properties of the bounds of any system.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "support/random_model.hpp"
#include "takt_plan/priority_bounds.hpp"

namespace takt_plan
{
namespace
{

using test::random_model;

constexpr std::uint64_t kSystems = 300;

PriorityBounds bounds_of(const Model & model)
{
  auto bounds = priority_bounds(model);
  EXPECT_TRUE(bounds.ok());
  return std::move(*bounds);
}

Ns or_unbounded(const takt_rt::Result<Ns> & bound)
{
  return bound ? *bound : kUnbounded;
}

/// Checks that `change` makes no bound smaller.
template <typename Change>
void expect_no_bound_falls(const Change & change)
{
  std::uint64_t risen = 0;
  for (std::uint64_t seed = 1; seed <= kSystems; ++seed) {
    Model model = random_model(seed);
    PriorityOptions options;
    options.horizon = 200'000;  // equal for both systems, because `change` may move the default
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

}  // namespace
}  // namespace takt_plan
