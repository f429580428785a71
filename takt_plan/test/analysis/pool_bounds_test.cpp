// Bounds of pools on whole models: refusals, and systems that starve under other executors.
#include "takt_plan/pool_bounds.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/pool_example.hpp"
#include "takt_plan/simulate.hpp"

namespace takt_plan
{
namespace
{

using takt_core::Order;
using takt_rt::Result;
using test::kMs;
using test::PoolExample;

PooledBounds bounds(const Model & model)
{
  auto result = pool_bounds(model);
  EXPECT_TRUE(result.ok()) << result.faults().front();
  return result ? *result : PooledBounds{};
}

/// The sentence of the refusal; if there is a bound, the bound.
std::string refusal(const Result<Ns> & bound)
{
  return bound ? "bound " + std::to_string(*bound) : to_string(bound.faults().front());
}

SimulationResult simulated(const Model & model, Ns duration)
{
  const auto simulation = simulation_model(model);
  EXPECT_TRUE(simulation.ok()) << simulation.faults().front();
  SimulationOptions options;
  options.duration = duration;
  options.phases = Phases::adversarial;
  options.runs = adversarial_runs(*simulation);
  const auto result = simulate(*simulation, options);
  EXPECT_TRUE(result.ok()) << result.faults().front();
  return *result;
}

// ---- covered systems ----

TEST(PoolBounds, AChainThroughTwoPoolsAddsUp)
{
  PoolExample e(4);
  const Index first = e.pooled_timer(1, 100 * kMs, 10 * kMs);
  const Index second = e.sub(0, 1, {first}, 20 * kMs, 3 * kMs);
  e.model.tasks[first].threads = {0, 1};
  e.model.tasks[second].threads = {2, 3};
  e.chain({first, second});
  EXPECT_EQ(*bounds(e.model).chains[0], 33 * kMs);
}

TEST(PoolBounds, TasksOfAFifoPoolAreEquallyUrgent)
{
  PoolExample e(1, Order::fifo);
  const Index urgent = e.pooled_timer(9, 100 * kMs, 10 * kMs);
  const Index other = e.pooled_timer(1, 100 * kMs, 20 * kMs);
  EXPECT_EQ(*bounds(e.model).tasks[urgent], 30 * kMs);
  EXPECT_EQ(*bounds(e.model).tasks[other], 30 * kMs);
}

TEST(PoolBounds, AReentrantTaskRunsBesideItself)
{
  PoolExample e(2);
  const Index task = e.pooled_timer(1, 100 * kMs, 90 * kMs, e.group(false));
  e.model.tasks[task].release->jitter = 100 * kMs;
  const Ns reentrant = *bounds(e.model).tasks[task];
  e.model.groups[0].exclusive = true;
  EXPECT_GT(*bounds(e.model).tasks[task], reentrant);
}

TEST(PoolBounds, ThreadsOfDifferentUrgencyOnCoresOfTheirOwnAreOnePool)
{
  PoolExample e(2);
  const Index task = e.pooled_timer(1, 100 * kMs, 10 * kMs);
  e.pooled_timer(2, 100 * kMs, 20 * kMs);
  e.model.threads[0].priority = 90;
  e.model.threads[1].priority = 10;
  e.thread(0, 80);  // a thread without work
  e.model.others.push_back({"log", 0, {0, 1}, kMs, 10 * kMs});
  EXPECT_EQ(*bounds(e.model).tasks[task], 10 * kMs);
}

// ---- refusals ----

TEST(PoolBounds, OtherOrdersAreRefused)
{
  PoolExample e(2, Order::window);
  e.pooled_timer(1, 100 * kMs, kMs);
  EXPECT_EQ(
    refusal(bounds(e.model).tasks[0]),
    "'/c0' may run on thread 't0': its order is window; this analysis needs priority or fifo");
}

TEST(PoolBounds, ThreadsThatPickByDifferentOrdersAreRefused)
{
  PoolExample e(2);
  e.model.threads[1].order = Order::fifo;
  e.pooled_timer(1, 100 * kMs, kMs);
  EXPECT_EQ(
    refusal(bounds(e.model).tasks[0]),
    "'/c0' may run on threads 't0' and 't1', which pick by different orders");
}

TEST(PoolBounds, ThreadsWithoutAFixedPriorityOfTheirOwnCoreAreRefused)
{
  const std::string sentence =
    "'/c0' may run on thread 't1': this analysis needs policy fifo or rr, a fixed OS priority and "
    "one core";
  PoolExample e(2);
  e.pooled_timer(1, 100 * kMs, kMs);
  e.model.threads[1].kind = ThreadClass::fair;
  EXPECT_EQ(refusal(bounds(e.model).tasks[0]), sentence);
  e.model.threads[1].kind = ThreadClass::fixed_priority;
  e.model.threads[1].follow = true;
  EXPECT_FALSE(bounds(e.model).tasks[0].ok());
  e.model.threads[1].follow = false;
  e.model.threads[1].cores = {0, 1};
  EXPECT_FALSE(bounds(e.model).tasks[0].ok());
}

TEST(PoolBounds, WhatMayTakeACoreIsRefused)
{
  const std::string sentence =
    "'/c0' may run on thread 't1': thread 't2' may take core 1 of car "
    "from it";
  PoolExample e(2);
  e.pooled_timer(1, 100 * kMs, kMs);
  e.timer(e.thread(1, 50), 1, 100 * kMs, kMs);
  EXPECT_EQ(refusal(bounds(e.model).tasks[0]), sentence);
  e.model.threads[2].priority = 49;
  EXPECT_TRUE(bounds(e.model).tasks[0].ok());
  e.model.threads[2].ceiling = 50;
  EXPECT_TRUE(bounds(e.model).tasks[0].ok()) << "it publishes nothing";
  e.model.tasks[1].middleware = 1;
  EXPECT_EQ(refusal(bounds(e.model).tasks[0]), sentence);
  e.model.threads[2].ceiling = 49;
  EXPECT_TRUE(bounds(e.model).tasks[0].ok());
  e.model.others.push_back({"irq", 50, {1}, 1, kMs});
  EXPECT_EQ(
    refusal(bounds(e.model).tasks[0]),
    "'/c0' may run on thread 't1': thread 'irq' may take core 1 of car from it");
}

// A message that comes while the callback waits for the end of its publisher's run waits, too.
TEST(PoolBounds, CallbacksBehindOneOfTheirPublishersInAGraphAreRefused)
{
  PoolExample e(2);
  const Index first = e.pooled_timer(1, 100 * kMs, 10 * kMs);
  const Index other = e.pooled_timer(1, 100 * kMs, kMs);
  const Index second = e.sub(0, 1, {first}, kMs, 0);
  e.model.tasks[second].threads = {0, 1};
  std::uint32_t position = 0;
  for (const Index task : {first, second}) {
    e.model.tasks[task].sequence = 0;
    e.model.tasks[task].position = position++;
    e.model.tasks[task].graph = true;
  }
  EXPECT_TRUE(bounds(e.model).tasks[second].ok()) << refusal(bounds(e.model).tasks[second]);
  Task & sub = e.model.tasks[second];
  sub.triggers.push_back({other, 0, 0});
  EXPECT_EQ(
    refusal(bounds(e.model).tasks[second]),
    "'/c2' may run on thread 't0': '/c2' is in a graph there behind '/c0', and also gets messages "
    "of others: such a message may wait for the end of a run of '/c0' while a thread is idle; take "
    "'/c2' out of the graph");
  sub.triggers.back().topic = 1;
  sub.all = true;
  EXPECT_TRUE(bounds(e.model).tasks[second].ok()) << "a set starts it once";
  sub.all = false;
  sub.graph = false;
  sub.sequence = kNone;
  EXPECT_TRUE(bounds(e.model).tasks[second].ok());
  sub.graph = true;
  sub.sequence = 0;
  sub.triggers.pop_back();
  e.model.tasks[first].group = e.group(false);
  EXPECT_NE(
    refusal(bounds(e.model).tasks[second]).find("whose runs may overlap"), std::string::npos);
}

TEST(PoolBounds, AGroupWithAMemberThatIsNotCoveredIsRefused)
{
  PoolExample e(2);
  const Index group = e.group(true);
  e.pooled_timer(2, 100 * kMs, kMs, group);
  const Index beside = e.timer(e.thread(0, 10), 1, 100 * kMs, kMs);
  e.model.tasks[beside].group = group;
  EXPECT_EQ(
    refusal(bounds(e.model).tasks[0]),
    "'/c0' is in an exclusive group with '/c1'; '/c1' may run on thread 't2': thread 't0' may take "
    "core 0 of car from it");
  e.model.groups[group].exclusive = false;
  EXPECT_TRUE(bounds(e.model).tasks[0].ok());
}

TEST(PoolBounds, OverloadIsRefusedAndSoIsWhatItStarts)
{
  PoolExample e(2);
  for (int i = 0; i < 3; ++i) {
    e.pooled_timer(1, 10 * kMs, 9 * kMs);
  }
  const Index started = e.pooled_sub(0, 0, kMs);
  const auto result = bounds(e.model);
  EXPECT_EQ(
    refusal(result.tasks[0]),
    "'/c0' has no bound below 1s: its threads are overloaded or nearly so, or something that may "
    "delay it has no bound");
  EXPECT_EQ(
    refusal(result.tasks[started]),
    "'/c3' has no bound, because the callback that starts it has no bound: '/c0' has no bound "
    "below 1s: its threads are overloaded or nearly so, or something that may delay it has no "
    "bound");
}

TEST(PoolBounds, ABrokenModelIsAFault)
{
  PoolExample e(2);
  e.pooled_timer(1, 100 * kMs, kMs);
  e.model.tasks[0].threads = {7};
  EXPECT_FALSE(pool_bounds(e.model).ok());
}

// ---- starvation under other executors: Teper et al., EMSOFT 2024, with two threads ----
//
// The examples have no slack: when the timers of the other groups come together, the last group
// needs all of the remaining time and one millisecond more. So they have no bound. With smaller
// execution times they have one.

/// Three timers, each in its own group, and one more in the group of the last.
PoolExample three_groups(Order order, Ns percent)
{
  PoolExample e(2, order);
  e.pooled_timer(4, 1000 * kMs, 5 * kMs * percent, e.group(true));
  e.pooled_timer(3, 1000 * kMs, 5 * kMs * percent, e.group(true));
  e.pooled_timer(2, 1000 * kMs, 5 * kMs * percent, e.group(true));
  e.pooled_timer(1, 1000 * kMs, kMs, 2);
  return e;
}

/// The last timer is rare.
PoolExample rare_timer(Order order, Ns percent)
{
  PoolExample e(2, order);
  e.pooled_timer(4, 1000 * kMs, 333 * kMs * percent / 100, e.group(true));
  e.pooled_timer(3, 1000 * kMs, 333 * kMs * percent / 100, e.group(true));
  e.pooled_timer(2, 500 * kMs, 334 * kMs * percent / 100, e.group(true));
  e.pooled_timer(1, 5000 * kMs, kMs, 2);
  return e;
}

/// Checks that each task has a bound, runs, and never exceeds the bound.
void expect_bounded(PoolExample e)
{
  for (Index task = 0; task < e.model.tasks.size(); ++task) {
    e.chain({task});
  }
  const auto result = bounds(e.model);
  const SimulationResult seen = simulated(e.model, 20'000 * kMs);
  for (Index task = 0; task < e.model.tasks.size(); ++task) {
    ASSERT_TRUE(result.tasks[task].ok()) << refusal(result.tasks[task]);
    EXPECT_GE(seen.tasks[task].from_source, 0) << "it never ran";
    EXPECT_LE(seen.tasks[task].from_source, *result.tasks[task]);
  }
}

TEST(PoolBounds, TheLastOfFourTimersInThreeGroupsIsNotStarved)
{
  expect_bounded(three_groups(Order::fifo, 100));
  expect_bounded(three_groups(Order::priority, 90));
}

TEST(PoolBounds, ARareTimerBesideAFrequentOneOfItsGroupIsNotStarved)
{
  expect_bounded(rare_timer(Order::fifo, 90));
  expect_bounded(rare_timer(Order::priority, 90));
}

TEST(PoolBounds, WhatTheLeastUrgentTimerMayWaitForEverHasNoBound)
{
  // Its group has 500 ms of each second, and the more urgent member uses them.
  EXPECT_FALSE(bounds(three_groups(Order::priority, 100).model).tasks[3].ok());
}

TEST(PoolBounds, AnOverloadedGroupIsToldAndLeavesTheOtherThreadToTheRest)
{
  PoolExample e(2);
  const Index a = e.group(true);
  e.pooled_timer(3, 1000 * kMs, 1000 * kMs, a);
  e.pooled_timer(2, 1000 * kMs, 500 * kMs, a);
  const Index beside = e.pooled_timer(1, 1000 * kMs, 500 * kMs, e.group(true));
  const auto result = bounds(e.model);
  EXPECT_FALSE(result.tasks[1].ok()) << refusal(result.tasks[1]);
  EXPECT_EQ(*result.tasks[beside], 500 * kMs);
}

}  // namespace
}  // namespace takt_plan
