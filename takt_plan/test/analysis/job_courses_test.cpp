// Bounds of chains that go back and forth between cores, by all orders in which their jobs may
// begin: small systems whose worst case a reader can add up.
#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "support/example.hpp"
#include "takt_plan/bounds.hpp"

namespace takt_plan
{
namespace
{

using test::Example;
using test::kMs;

struct Found
{
  Ns bound = 0;
  Ns without = 0;  // courses
};

/// The bounds of a chain, by windows with courses and without; kUnbounded: none.
Found bounds_of(const Model & model, Index chain)
{
  BoundsOptions options;
  const auto bound = [&] {
    const auto found = bounds(model, options);
    EXPECT_TRUE(found.ok());
    return found && found->chains[chain] ? found->chains[chain]->bound : kUnbounded;
  };
  Found result;
  result.bound = bound();
  options.jobs.courses = false;
  result.without = bound();
  return result;
}

Index timer(Example & example, Index thread, int priority, Ns period, Ns time, std::optional<Ns> at)
{
  const Index task = example.timer(thread, priority, period, time);
  example.model.tasks[task].timer = true;
  example.model.tasks[task].release->offset = at;
  return task;
}

/// Two chains of three callbacks of 10 ms each: a from core 0 over core 1 back, b the other way
/// round. The first callbacks are the most urgent of their cores, the last ones the least urgent.
Model two_chains(Ns period, std::optional<Ns> a_at, std::optional<Ns> b_at)
{
  Example example(2);
  const Index zero = example.thread(0, 50);
  const Index one = example.thread(1, 50);
  const Index a1 = timer(example, zero, 3, period, 10 * kMs, a_at);
  const Index a2 = example.sub(one, 2, {a1}, 10 * kMs);
  const Index a3 = example.sub(zero, 1, {a2}, 10 * kMs);
  const Index b1 = timer(example, one, 3, period, 10 * kMs, b_at);
  const Index b2 = example.sub(zero, 2, {b1}, 10 * kMs);
  const Index b3 = example.sub(one, 1, {b2}, 10 * kMs);
  example.chain({a1, a2, a3});
  example.chain({b1, b2, b3});
  return example.model;
}

TEST(JobCourses, ChainsThatBeginTogetherDelayEachOtherOnce)
{
  // If b1 takes no time, its message is on core 0 at 0. It may come just before a1 is released
  // there, so b2 has core 0 first. Then a1 and b3, and a2 and a3 behind them, have both cores.
  const Found found = bounds_of(two_chains(100 * kMs, 0, 0), 0);
  EXPECT_EQ(found.bound, 40 * kMs);
  EXPECT_GT(found.without, 40 * kMs);
}

TEST(JobCourses, AShorterRunLetsAnotherChainGoFirst)
{
  // If b1 takes 1 ms of its 10, b2 has core 0 just before a1 is released at 1 ms, and to 11 ms. a1
  // has it to 21 ms; meanwhile b3 has core 1. a2 ends at 31 ms, a3 at 41 ms.
  const Found found = bounds_of(two_chains(100 * kMs, 1 * kMs, 0), 0);
  EXPECT_EQ(found.bound, 40 * kMs);
  EXPECT_GT(found.without, 40 * kMs);
}

TEST(JobCourses, AJobOfTheHyperperiodBeforeGoesFirst)
{
  // b1 is released 5 ms before the next a1. If it takes these 5 ms, b2 begins just before a1, as
  // above.
  EXPECT_EQ(bounds_of(two_chains(40 * kMs, 0, 35 * kMs), 0).bound, 40 * kMs);
}

TEST(JobCourses, AMoreUrgentThreadPreemptsTheChainOnce)
{
  // a1 to 5 ms, h to 10 ms, a1 to 15 ms, a2 to 25 ms, a3 to 35 ms.
  Example example(2);
  const Index low = example.thread(0, 50);
  const Index other = example.thread(1, 50);
  const Index high = example.thread(0, 60);
  const Index a1 = timer(example, low, 1, 100 * kMs, 10 * kMs, 0);
  const Index a2 = example.sub(other, 1, {a1}, 10 * kMs);
  const Index a3 = example.sub(low, 1, {a2}, 10 * kMs);
  timer(example, high, 1, 100 * kMs, 5 * kMs, 5 * kMs);
  example.chain({a1, a2, a3});
  EXPECT_EQ(bounds_of(example.model, 0).bound, 35 * kMs);
}

TEST(JobCourses, WhateverThePhasesAreOneRunOfTheOtherChainIsInTheWay)
{
  // Some callback of b begins just before one of a is ready, and takes 10 ms. From then on both
  // chains change cores at the same times.
  const Found found = bounds_of(two_chains(100 * kMs, std::nullopt, std::nullopt), 0);
  EXPECT_GE(found.bound, 40 * kMs);
  EXPECT_LE(found.bound, 40 * kMs + 40 * kMs / 64) << "by the width of cells of phases";
  EXPECT_GT(found.without, 45 * kMs);
}

TEST(JobCourses, AMessageMayComeJustBeforeATimerOfItsThread)
{
  // m comes at 0, and its callback begins. The more urgent timer a1 of the same thread is released
  // at 0, too, and waits for 15 ms.
  Model model = two_chains(100 * kMs, 0, 0);
  Task message = model.tasks.front();
  message.id = "/m";
  message.priority = 2;
  message.time = 15 * kMs;
  message.timer = false;
  model.tasks.push_back(message);
  model.chains.push_back(model.chains.front());
  model.chains.back().path.resize(1);
  EXPECT_EQ(bounds_of(model, 2).bound, 25 * kMs);
}

TEST(JobCourses, ATimerThatTheProgramMovesHasNoConstantPhase)
{
  // The same chains. After a reset between a2 and a3 another callback of b may be in the way.
  Model model = two_chains(100 * kMs, std::nullopt, std::nullopt);
  for (Task & task : model.tasks) {
    task.any_phase = task.release.has_value() && &task != &model.tasks.front();
  }
  const Found found = bounds_of(model, 0);
  EXPECT_EQ(found.bound, found.without);
}

}  // namespace
}  // namespace takt_plan
