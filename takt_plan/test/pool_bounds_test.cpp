// Bounds of pools on whole models: refusals, what starves elsewhere, and the published ones beside them.
#include "takt_plan/pool_bounds.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/example.hpp"
#include "takt_plan/pool_published.hpp"
#include "takt_plan/simulate.hpp"

namespace takt_plan
{
namespace
{

using takt_core::Order;
using takt_core::Result;
using test::Example;
using test::kMs;

/// One pool; every task may run on all of its threads unless it says otherwise.
struct PoolExample : Example
{
  explicit PoolExample(int threads, Order order = Order::priority) : Example(threads)
  {
    for (int i = 0; i < threads; ++i) {
      model.threads[thread(static_cast<Index>(i), 50)].order = order;
      all.push_back(static_cast<Index>(i));
    }
  }

  Index pooled_timer(int priority, Ns period, Ns time, Index group = kNone)
  {
    const Index task = timer(0, priority, period, time);
    model.tasks[task].threads = all;
    model.tasks[task].group = group;
    return task;
  }

  Index pooled_sub(int priority, Index from, Ns time)
  {
    const Index task = sub(0, priority, {from}, time);
    model.tasks[task].threads = all;
    return task;
  }

  Index group(bool exclusive)
  {
    model.groups.push_back({"g" + std::to_string(model.groups.size()), exclusive});
    return model.groups.size() - 1;
  }

  std::vector<Index> all;
};

PooledBounds bounds(const Model & model)
{
  auto result = pool_bounds(model);
  EXPECT_TRUE(result.ok()) << result.faults().front();
  return result ? *result : PooledBounds{};
}

/// The sentence, or the bound where there should be none.
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

// ---- what is covered ----

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
  e.thread(0, 80);  // has nothing to do
  e.model.others.push_back({"log", 0, {0, 1}, kMs, 10 * kMs});
  EXPECT_EQ(*bounds(e.model).tasks[task], 10 * kMs);
}

// ---- what is refused ----

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
    "'/c3' has no bound because what starts it has none: '/c0' has no bound below 1s: its threads "
    "are overloaded or nearly so, or something that may delay it has no bound");
}

TEST(PoolBounds, ABrokenModelIsAFault)
{
  PoolExample e(2);
  e.pooled_timer(1, 100 * kMs, kMs);
  e.model.tasks[0].threads = {7};
  EXPECT_FALSE(pool_bounds(e.model).ok());
}

// ---- starvation elsewhere: Teper et al., EMSOFT 2024, with two threads ----
//
// The examples leave no time to spare: when the timers of the other groups come together, the last
// group needs what is left to the last millisecond and one more, so they have no bound. With the times
// at some percent of that they have.

/// Three timers in groups of their own and one in the last one's.
PoolExample three_groups(Order order, Ns percent)
{
  PoolExample e(2, order);
  e.pooled_timer(4, 1000 * kMs, 5 * kMs * percent, e.group(true));
  e.pooled_timer(3, 1000 * kMs, 5 * kMs * percent, e.group(true));
  e.pooled_timer(2, 1000 * kMs, 5 * kMs * percent, e.group(true));
  e.pooled_timer(1, 1000 * kMs, kMs, 2);
  return e;
}

/// The last one is rare.
PoolExample rare_timer(Order order, Ns percent)
{
  PoolExample e(2, order);
  e.pooled_timer(4, 1000 * kMs, 333 * kMs * percent / 100, e.group(true));
  e.pooled_timer(3, 1000 * kMs, 333 * kMs * percent / 100, e.group(true));
  e.pooled_timer(2, 500 * kMs, 334 * kMs * percent / 100, e.group(true));
  e.pooled_timer(1, 5000 * kMs, kMs, 2);
  return e;
}

/// Bounded, run, and never above the bound.
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
  // Its group has 500 ms of each second, which the more urgent member takes.
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

// ---- beside the published analyses ----

struct CaseStudy
{
  Pool published;
  PoolExample ours;
};

/// That of RTAS 2023, in microseconds there; the first chain is the most urgent one.
CaseStudy case_study(int threads, Order order)
{
  struct
  {
    Ticks period;
    std::vector<Ticks> times;
  } const chains[] = {
    {50'000, {3123, 3119}},
    {50'000, {3123, 4094, 4769, 5928}},
    {100'000, {11'097, 12'094, 12'088}},
    {200'000, {21'062, 41'005, 42'023, 22'069}}};
  CaseStudy study{{threads, {}}, PoolExample(threads, order)};
  int priority = 9;
  for (const auto & chain : chains) {
    PoolChain & published = study.published.chains.emplace_back();
    published.period = published.deadline = chain.period;
    std::vector<Index> path;
    for (const Ticks time : chain.times) {
      published.tasks.push_back({time, priority, {}});
      path.push_back(
        path.empty() ? study.ours.pooled_timer(priority, 1000 * chain.period, 1000 * time)
                     : study.ours.pooled_sub(priority, path.back(), 1000 * time));
    }
    study.ours.chain(std::move(path));
    --priority;
  }
  return study;
}

TEST(PoolBounds, AreOnTheSafeSideOfThePublishedOnes)
{
  for (const int threads : {2, 4}) {
    for (const Order order : {Order::priority, Order::fifo}) {
      const CaseStudy study = case_study(threads, order);
      const auto published = pool_rtas23(
        study.published, order == Order::fifo ? PoolScheme::standard : PoolScheme::priority);
      ASSERT_TRUE(published.ok());
      const auto ours = bounds(study.ours.model);
      const SimulationResult seen = simulated(study.ours.model, 5'000 * kMs);
      for (Index chain = 0; chain < 4; ++chain) {
        const Ns worst = seen.chains[chain].responses.worst.time();
        EXPECT_GE(1000 * published->chains[chain], worst)
          << "the case study is not what breaks them";
        if (threads == 4) {
          ASSERT_TRUE(ours.chains[chain].ok()) << refusal(ours.chains[chain]);
        }
        if (ours.chains[chain].ok()) {
          EXPECT_GE(*ours.chains[chain], 1000 * published->chains[chain]);
        }
      }
    }
  }
}

TEST(PoolBounds, OfTheCaseStudyWithFourThreadsAreThese)
{
  // In microseconds, by priority; published 12.3, 30.1, 57.9 and 171.5 ms. Blocking before each task,
  // and chains that are not held to end by their deadlines, are what makes the difference.
  const auto result = bounds(case_study(4, Order::priority).ours.model);
  std::vector<Ns> found;
  for (const Result<Ns> & chain : result.chains) {
    found.push_back(chain ? *chain / 1000 : 0);
  }
  EXPECT_EQ(found, (std::vector<Ns>{40'904, 140'132, 143'338, 248'169}));
}

TEST(PoolBounds, HoldWhereThePublishedPrioritySchemeIsExceeded)
{
  // pool_published_test.cpp has the schedule: while a task of the long chain runs, a less urgent one
  // begins on the other thread; when it ends, a more urgent one takes its thread.
  constexpr int kTasks = 30, kUrgent = 7;
  constexpr Ns kRare = 100'000;
  PoolExample e(2);
  PoolChain long_chain{kRare, kRare, std::vector<PoolTask>(kTasks, PoolTask{100, 50, {}})};
  Pool pool{2, {std::move(long_chain)}};
  std::vector<Index> path;
  for (int i = 0; i < kTasks; ++i) {
    path.push_back(
      path.empty() ? e.pooled_timer(50, kRare, 100) : e.pooled_sub(50, path.back(), 100));
  }
  e.model.tasks[path.front()].release->offset = 0;
  const auto add = [&](int priority, Ns period, Ns time, Ns offset) {
    const Index task = e.pooled_timer(priority, period, time);
    e.model.tasks[task].release->offset = offset;
    pool.chains.push_back({period, period, {{time, priority, {}}}});
  };
  for (int i = 0; i < kUrgent; ++i) {
    add(90, 200 * kUrgent, 100, 200 * i + 100);
  }
  for (int i = 0; i < kTasks; ++i) {
    add(10, kRare, 110, 200 * i + 95);
  }
  const Index chain = e.chain(std::move(path));
  const auto published = pool_rtas23(pool, PoolScheme::priority);
  ASSERT_TRUE(published.ok());
  EXPECT_TRUE(published->assumption_holds);
  const auto simulation = simulation_model(e.model);
  ASSERT_TRUE(simulation.ok());
  SimulationOptions options;
  options.duration = kRare;
  const auto seen = simulate(*simulation, options);
  ASSERT_TRUE(seen.ok()) << seen.faults().front();
  const Ns worst = seen->chains[chain].responses.worst.time();
  EXPECT_GT(worst, published->chains[0]);
  const auto ours = bounds(e.model);
  ASSERT_TRUE(ours.chains[chain].ok()) << refusal(ours.chains[chain]);
  EXPECT_LE(worst, *ours.chains[chain]);
}

}  // namespace
}  // namespace takt_plan
