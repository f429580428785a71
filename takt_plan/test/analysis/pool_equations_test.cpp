// Compares equations of pools with schedules that were worked out by hand.
#include "takt_plan/pool_equations.hpp"

#include <gtest/gtest.h>

namespace takt_plan
{
namespace
{

constexpr Ns kHorizon = 1'000'000;

PooledTask task(Ns period, Ns cost, int priority, std::vector<Index> threads)
{
  PooledTask result;
  result.arrivals = {{period, 0}};
  result.cost = cost;
  result.priority = priority;
  result.threads = std::move(threads);
  return result;
}

std::vector<Ns> bounds(const std::vector<PooledTask> & tasks, const PoolTerms & terms = {})
{
  std::vector<Ns> result;
  for (const PooledResponse & response : pooled_responses(tasks, kHorizon, terms)) {
    result.push_back(response.response);
  }
  return result;
}

TEST(PoolEquations, AsManyTasksAsThreadsDoNotDelayEachOther)
{
  const std::vector<Index> both{0, 1};
  EXPECT_EQ(bounds({task(100, 60, 1, both), task(100, 70, 2, both)}), (std::vector<Ns>{60, 70}));
  EXPECT_EQ(bounds({task(50, 49, 1, both), task(70, 69, 2, both)}), (std::vector<Ns>{49, 69}));
}

TEST(PoolEquations, TheThirdTaskWaitsForTheShorterOfTwo)
{
  const std::vector<Index> both{0, 1};
  const auto result =
    bounds({task(1000, 60, 3, both), task(1000, 30, 2, both), task(1000, 5, 1, both)});
  // Until 30 both threads may be busy. By the sum of work it is (60 + 30) / 2, each term limited by
  // itself.
  EXPECT_EQ(result[2], 30 + 5);
}

TEST(PoolEquations, OneThreadIsNonPreemptivePriorityScheduling)
{
  // The least urgent task waits for all others. The most urgent one waits for a task that had
  // begun.
  const auto result = bounds({task(100, 10, 3, {0}), task(100, 20, 2, {0}), task(100, 30, 1, {0})});
  EXPECT_EQ(result[0], 30 + 10);
  EXPECT_EQ(result[1], 30 + 10 + 20);
  EXPECT_EQ(result[2], 10 + 20 + 30);
}

TEST(PoolEquations, OnlyTasksThatShareAThreadDelayEachOther)
{
  const auto result = bounds(
    {task(100, 10, 3, {0}), task(100, 20, 2, {1}), task(100, 30, 1, {0, 1}),
     task(100, 40, 1, {2, 3})});
  EXPECT_EQ(result[0], 30 + 10) << "the one on both threads had begun";
  EXPECT_EQ(result[1], 30 + 20);
  EXPECT_EQ(result[2], 10 + 30) << "both are more urgent and fill a thread each";
  EXPECT_EQ(result[3], 40);
}

TEST(PoolEquations, MembersOfAGroupDelayEachOtherThoughThreadsAreIdle)
{
  std::vector<PooledTask> tasks{
    task(100, 10, 3, {0, 1, 2}), task(100, 20, 2, {0, 1, 2}), task(100, 30, 1, {0, 1, 2})};
  EXPECT_EQ(bounds(tasks), (std::vector<Ns>{10, 20, 30}));
  for (PooledTask & member : tasks) {
    member.group = 7;
  }
  EXPECT_EQ(bounds(tasks), (std::vector<Ns>{40, 60, 60}));
}

TEST(PoolEquations, ATaskWaitsForItsOwnEarlierActivationUnlessItIsReentrant)
{
  // Releases come up to a period late, so two may come at once.
  std::vector<PooledTask> tasks{task(100, 60, 1, {0, 1})};
  tasks[0].arrivals[0].jitter = 100;
  EXPECT_EQ(bounds(tasks)[0], 60 + 2 * 60);
  tasks[0].reentrant = true;
  EXPECT_EQ(bounds(tasks)[0], 60 + 60 / 2);
  tasks[0].serial = 8;
  EXPECT_EQ(bounds(tasks)[0], 60 + 60 / 2 + 8) << "it takes before the other one may";
}

TEST(PoolEquations, ARunIsBoundedAsAWhole)
{
  const std::vector<Index> both{0, 1};
  std::vector<PooledTask> tasks{
    task(1000, 10, 2, both), task(1000, 10, 2, both), task(1000, 10, 2, both),
    task(1000, 50, 9, both), task(1000, 50, 9, both)};
  for (const Index i : {1U, 2U}) {
    tasks[i].after = i - 1;
    tasks[i].arrivals[0].jitter = 100 * i;
  }
  const auto result = pooled_responses(tasks, kHorizon);
  EXPECT_EQ(result[0].response, 50 + 10);
  EXPECT_EQ(result[2].response, (50 + 50 + 10 + 10) / 2 + 10) << "from its own activation";
  EXPECT_EQ(result[2].first, 0U);
  EXPECT_EQ(result[2].from_first, 50 + 30) << "the urgent tasks run once in it";
}

TEST(PoolEquations, LessUrgentTasksBlockEachTaskOfARun)
{
  const std::vector<Index> both{0, 1};
  std::vector<PooledTask> tasks{task(1000, 10, 2, both), task(1000, 10, 2, both)};
  tasks[1].after = 0;
  tasks[1].arrivals[0].jitter = 100;
  for (int i = 0; i < 4; ++i) {
    tasks.push_back(task(10'000, 40, 1, both));
  }
  EXPECT_EQ(pooled_responses(tasks, kHorizon)[1].from_first, 10 + 40 + 10)
    << "the second takes the first one's thread at once";
  tasks.push_back(task(1000, 100, 9, both));
  // Two tasks have begun when the first task of the run begins to wait. Another one begins when the
  // second task waits, because the urgent task has taken the thread of the first.
  EXPECT_EQ(pooled_responses(tasks, kHorizon)[1].from_first, 10 + (100 + 3 * 40) / 2 + 10);
  PoolTerms published;
  published.again = false;
  EXPECT_EQ(pooled_responses(tasks, kHorizon, published)[1].from_first, 10 + 2 * 40 + 10);
}

TEST(PoolEquations, OverloadOfOneTaskFillsOneThread)
{
  const std::vector<Index> both{0, 1};
  std::vector<PooledTask> tasks{task(10, 11, 9, both), task(100, 20, 1, both)};
  EXPECT_EQ(bounds(tasks), (std::vector<Ns>{kUnbounded, 20})) << "the other thread is left";
  tasks.push_back(task(100, 30, 2, both));
  EXPECT_EQ(bounds(tasks)[1], 30 + 20);
  tasks[0].reentrant = true;
  tasks[0].cost = 21;
  EXPECT_EQ(bounds(tasks)[1], kUnbounded) << "it fills both";
}

TEST(PoolEquations, WhatSomethingElseMayDelayHasNoBoundAndOthersCountOnNothingOfIt)
{
  const std::vector<Index> both{0, 1};
  std::vector<PooledTask> tasks{task(100, 10, 9, both), task(100, 20, 1, both)};
  tasks[0].outside = true;
  EXPECT_EQ(bounds(tasks), (std::vector<Ns>{kUnbounded, 20}));
  tasks[0].threads = tasks[1].threads = {0};
  EXPECT_EQ(bounds(tasks), (std::vector<Ns>{kUnbounded, kUnbounded}));
  tasks[0].priority = 0;
  EXPECT_EQ(bounds(tasks), (std::vector<Ns>{kUnbounded, 30})) << "less urgent, it blocks once";
}

TEST(PoolEquations, FullThreadsAreGivenUpAfterLimitedSteps)
{
  // Each step makes the window longer by one, and no step ends it.
  std::vector<PooledTask> tasks{
    task(2, 1, 2, {0}), task(2, 1, 2, {0}), task(1'000'000'000'000, 1, 1, {0})};
  for (const PooledResponse & response : pooled_responses(tasks, kUnbounded)) {
    EXPECT_EQ(response.response, kUnbounded);
  }
}

TEST(PoolEquations, ManyTasksOnOverloadedThreadsAreGivenUpToo)
{
  std::vector<PooledTask> tasks;
  for (Index i = 0; i < 100; ++i) {
    tasks.push_back(task(1000 + static_cast<Ns>(i), 45, static_cast<int>(i % 3), {0, 1, 2, 3}));
    if (i % 10 != 0) {
      tasks[i].after = i - 1;
      tasks[i].arrivals = tasks[i - 1].arrivals;
    }
  }
  EXPECT_EQ(pooled_responses(tasks, kUnbounded)[0].response, kUnbounded);
}

TEST(PoolEquations, NothingOverflows)
{
  const Ns huge = kUnbounded - 1;
  std::vector<PooledTask> tasks{
    task(1, huge / 2, 1, {0, 1}), task(huge, huge, 1, {0, 1}), task(huge, 1, 2, {1})};
  tasks[2].arrivals[0].jitter = huge;
  for (const PooledResponse & response : pooled_responses(tasks, kUnbounded)) {
    EXPECT_GE(response.response, 1);
  }
}

}  // namespace
}  // namespace takt_plan
