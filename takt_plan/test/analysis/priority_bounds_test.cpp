// Bounds under fixed priorities: systems small enough to work out by hand, in milliseconds.
#include "takt_plan/priority_bounds.hpp"

#include <gtest/gtest.h>

#include "support/example.hpp"
#include "support/picas_case_study.hpp"

namespace takt_plan
{
namespace
{

using test::Example;
using test::kMs;
using test::kTenth;

PriorityBounds bounds_of(const Model & model)
{
  auto bounds = priority_bounds(model);
  for (const std::string & fault : sentences(bounds.faults())) {
    ADD_FAILURE() << fault;
  }
  return bounds ? std::move(*bounds) : PriorityBounds{};
}

/// In milliseconds; -1 for a task without a bound, with a printed sentence.
double task_bound(const Model & model, Index task)
{
  const auto bound = bounds_of(model).tasks[task];
  if (!bound) {
    ADD_FAILURE() << bound.faults().front();
    return -1;
  }
  return static_cast<double>(*bound) / static_cast<double>(kMs);
}

double chain_bound(const Model & model, Index chain = 0)
{
  const auto bound = bounds_of(model).chains[chain];
  if (!bound) {
    ADD_FAILURE() << bound.faults().front();
    return -1;
  }
  return static_cast<double>(bound->bound) / static_cast<double>(kMs);
}

TEST(PriorityBounds, ATaskOnItsOwnTakesItsTime)
{
  Example example(1);
  const Index task = example.timer(example.thread(0, 50), 1, 10 * kMs, 3 * kMs);
  EXPECT_EQ(task_bound(example.model, task), 3);
}

TEST(PriorityBounds, LateReleasesCountFromTheNominalTime)
{
  Example example(1);
  const Index task = example.timer(example.thread(0, 50), 1, 10 * kMs, 3 * kMs, 4 * kMs);
  EXPECT_EQ(task_bound(example.model, task), 7);
}

TEST(PriorityBounds, ALowerTaskOfTheThreadBlocksOnce)
{
  Example example(1);
  const Index thread = example.thread(0, 50);
  const Index high = example.timer(thread, 2, 10 * kMs, 2 * kMs);
  const Index low = example.timer(thread, 1, 20 * kMs, 3 * kMs);
  const Index lowest = example.timer(thread, 0, 20 * kMs, 1 * kMs);
  EXPECT_EQ(task_bound(example.model, high), 3 + 2);
  EXPECT_EQ(task_bound(example.model, low), 1 + 3 + 2);
  EXPECT_EQ(task_bound(example.model, lowest), 1 + 3 + 2);
}

TEST(PriorityBounds, ALessUrgentThreadDoesNotBlock)
{
  Example example(1);
  const Index high = example.timer(example.thread(0, 60), 0, 100 * kMs, 2 * kMs);
  example.timer(example.thread(0, 50), 9, 100 * kMs, 50 * kMs);
  EXPECT_EQ(task_bound(example.model, high), 2);
}

TEST(PriorityBounds, WorkOnAnotherCoreDoesNotMatter)
{
  Example example(2);
  const Index task = example.timer(example.thread(0, 50), 0, 100 * kMs, 2 * kMs);
  example.timer(example.thread(1, 90), 9, 100 * kMs, 99 * kMs);
  EXPECT_EQ(task_bound(example.model, task), 2);
}

// The example of Lehoczky (RTSS 1990): the busy window has seven activations, and the fifth is the
// worst.
TEST(PriorityBounds, TheWorstActivationNeedNotBeTheFirst)
{
  Example example(1);
  example.timer(example.thread(0, 60), 0, 70 * kMs, 26 * kMs);
  const Index low = example.timer(example.thread(0, 50), 0, 100 * kMs, 62 * kMs);
  EXPECT_EQ(task_bound(example.model, low), 118);
}

TEST(PriorityBounds, EqualPrioritiesDelayEachOther)
{
  Example example(1);
  const Index thread = example.thread(0, 50);
  const Index a = example.timer(thread, 1, 20 * kMs, 2 * kMs);
  const Index b = example.timer(thread, 1, 20 * kMs, 3 * kMs);
  EXPECT_EQ(task_bound(example.model, a), 5);
  EXPECT_EQ(task_bound(example.model, b), 5);
}

TEST(PriorityBounds, FifoKnowsNoPriorities)
{
  Example example(1);
  const Index thread = example.thread(0, 50);
  example.model.threads[thread].order = takt_core::Order::fifo;
  const Index high = example.timer(thread, 9, 10 * kMs, 1 * kMs);
  example.timer(thread, 1, 10 * kMs, 3 * kMs);
  example.timer(thread, 1, 10 * kMs, 4 * kMs);
  EXPECT_EQ(task_bound(example.model, high), 8) << "all the others may be before it";
}

// Of two threads with equal priority, the kernel lets the running one go on, for any remaining
// work.
TEST(PriorityBounds, ThreadsOfEqualPriorityOnACoreCountAsAWhole)
{
  Example example(1);
  const Index a = example.timer(example.thread(0, 50), 1, 20 * kMs, 2 * kMs);
  const Index other = example.thread(0, 50);
  example.timer(other, 0, 20 * kMs, 3 * kMs);
  example.timer(other, 0, 20 * kMs, 4 * kMs);
  EXPECT_EQ(task_bound(example.model, a), 9);
}

TEST(PriorityBounds, AChainOnOneCoreIsDelayedOnceForAllOfItsTasks)
{
  Example example(1);
  const Index thread = example.thread(0, 50);
  const Index a = example.timer(thread, 1, 20 * kMs, 1 * kMs);
  const Index b = example.sub(thread, 2, {a}, 2 * kMs);
  example.chain({a, b});
  example.timer(example.thread(0, 60), 0, 10 * kMs, 4 * kMs);
  EXPECT_EQ(chain_bound(example.model), 1 + 2 + 4);
}

TEST(PriorityBounds, LaterActivationsOvertakeALeastUrgentEnd)
{
  for (const bool end_is_low : {true, false}) {
    Example example(1);
    const Index thread = example.thread(0, 50);
    const Index a = example.timer(example.thread(0, end_is_low ? 55 : 45), 1, 10 * kMs, 2 * kMs);
    const Index b = example.sub(thread, 1, {a}, 7 * kMs);
    example.chain({a, b});
    example.timer(example.thread(0, 60), 0, 100 * kMs, 3 * kMs);
    // The first task may run a second time before the chain's end. On the same thread it may not,
    // once the last task has begun.
    EXPECT_EQ(chain_bound(example.model), 3 + 2 + 7 + (end_is_low ? 2 : 0));
    example.model.tasks[a].threads = {thread};
    example.model.tasks[a].priority = 2;
    EXPECT_EQ(chain_bound(example.model), 3 + 2 + 7);
  }
}

TEST(PriorityBounds, WhatLessUrgentWorkStartsRunsOnce)
{
  Example example(1);
  const Index thread = example.thread(0, 50);
  const Index timer = example.timer(thread, 1, 10 * kMs, 1 * kMs);
  example.sub(thread, 3, {timer}, 2 * kMs);
  const Index task = example.timer(thread, 2, 100 * kMs, 20 * kMs);
  EXPECT_EQ(task_bound(example.model, task), 1 + 2 + 20) << "the timer blocks and starts the other";
}

TEST(PriorityBounds, WhatItStartsWaitsForItsEndOnlyOnItsOwnThread)
{
  Example example(1);
  const Index thread = example.thread(0, 50);
  const Index timer = example.timer(thread, 1, 10 * kMs, 1 * kMs);
  const Index sub = example.sub(thread, 3, {timer}, 2 * kMs);
  EXPECT_EQ(task_bound(example.model, timer), 1);
  EXPECT_EQ(task_bound(example.model, sub), 3);
  example.model.tasks[sub].threads = {example.thread(0, 60)};
  EXPECT_EQ(task_bound(example.model, timer), 3) << "it is preempted once it has published";
}

TEST(PriorityBounds, ASegmentAfterAnotherCoreIsReleasedLateAndUnevenly)
{
  Example example(2);
  const Index a = example.timer(example.thread(0, 50), 0, 10 * kMs, 1 * kMs);
  example.timer(example.thread(0, 60), 0, 40 * kMs, 4 * kMs);
  const Index b = example.sub(example.thread(1, 50), 0, {a}, 2 * kMs, 3 * kMs);
  const Index low = example.timer(example.thread(1, 40), 0, 50 * kMs, 5 * kMs);
  example.chain({a, b});
  EXPECT_EQ(chain_bound(example.model), 5 + 3 + 2);
  // Releases come up to 8 late, so two runs may come at once.
  EXPECT_EQ(task_bound(example.model, low), 5 + 2 + 2);
}

// Three tasks of 10 ms on one core in two processes, with messages of 1 ms between them. No other
// task can delay them. The messages must not make the first task interfere with the others as if it
// came at any time.
TEST(PriorityBounds, MessagesBetweenProcessesOnOneCoreArePartOfTheChain)
{
  Example example(1);
  const Index first = example.thread(0, 60);
  const Index second = example.thread(0, 50);
  const Index root = example.timer(first, 0, 40 * kMs, 10 * kMs);
  const Index middle = example.sub(second, 0, {root}, 10 * kMs, 1 * kMs);
  const Index last = example.sub(first, 1, {middle}, 10 * kMs, 1 * kMs);
  example.chain({root, middle, last});
  EXPECT_EQ(chain_bound(example.model), 10 + 1 + 10 + 1 + 10);

  PriorityOptions apart;
  apart.delays = Delays::between_segments;
  EXPECT_EQ(priority_bounds(example.model, apart)->chains[0]->bound, 32 * kMs)
    << "nor where each releases the next with jitter: the first one's activation before has ended";
}

// A less urgent task of the thread may begin at the start, and while each message is under way.
TEST(PriorityBounds, AMessageUnderWayLetsLessUrgentWorkBegin)
{
  Example example(1);
  const Index thread = example.thread(0, 50);
  const Index root = example.timer(thread, 2, 40 * kMs, 3 * kMs);
  const Index last = example.sub(thread, 2, {root}, 3 * kMs, 1 * kMs);
  example.timer(thread, 1, 40 * kMs, 2 * kMs);
  example.chain({root, last});
  EXPECT_EQ(chain_bound(example.model), 2 + 3 + 1 + 3) << "it does not run twice in this time";
  example.timer(thread, 1, 40 * kMs, 2 * kMs);
  EXPECT_EQ(chain_bound(example.model), 2 + 3 + (1 + 2) + 3);
}

TEST(PriorityBounds, DeadlinesAreArbitrary)
{
  Example example(2);
  const Index a = example.timer(example.thread(0, 50), 0, 10 * kMs, 9 * kMs);
  const Index b = example.sub(example.thread(1, 50), 0, {a}, 9 * kMs);
  example.chain({a, b});
  EXPECT_EQ(chain_bound(example.model), 18) << "beyond its period, and no less true";
}

TEST(PriorityBounds, OtherThreadsCount)
{
  Example example(1);
  const Index task = example.timer(example.thread(0, 50), 0, 100 * kMs, 2 * kMs);
  example.model.others.push_back({"irq", 90, {0}, kMs, 10 * kMs});
  example.model.others.push_back({"logger", 10, {0}, 5 * kMs, 10 * kMs});
  EXPECT_EQ(task_bound(example.model, task), 3);
}

TEST(PriorityBounds, OverheadsArePartOfEveryRun)
{
  Example example(1);
  const Index thread = example.thread(0, 50);
  const Index high = example.timer(thread, 2, 10 * kMs, kMs);
  const Index low = example.timer(thread, 1, 10 * kMs, kMs);
  example.model.tasks[high].dispatch = 2 * kMs;
  example.model.tasks[low].middleware = kMs;
  EXPECT_EQ(task_bound(example.model, high), 3 + 2);
}

TEST(PriorityBounds, ALessUrgentThreadAtTheCeilingBlocksForOneMessage)
{
  Example example(1);
  const Index high = example.timer(example.thread(0, 60), 0, 10 * kMs, 2 * kMs);
  const Index low = example.timer(example.thread(0, 50), 0, 10 * kMs, 2 * kMs);
  example.model.tasks[low].middleware = kMs;
  EXPECT_EQ(task_bound(example.model, high), 2);
  for (Thread & thread : example.model.threads) {
    thread.ceiling = 99;
  }
  EXPECT_EQ(task_bound(example.model, high), 3);
}

TEST(PriorityBounds, WaysOfOneReleaseMeetAtTheLastOfThem)
{
  Example example(3);
  const Index a = example.timer(example.thread(0, 50), 0, 100 * kMs, 1 * kMs);
  const Index b = example.sub(example.thread(1, 50), 0, {a}, 2 * kMs);
  const Index c = example.sub(example.thread(2, 50), 0, {a}, 7 * kMs);
  const Index join = example.sub(example.thread(1, 60), 0, {b, c}, 4 * kMs);
  example.model.tasks[join].all = true;
  example.chain({a, b, join});
  EXPECT_EQ(chain_bound(example.model), 1 + 7 + 4) << "also by the shorter way";
  // It runs once for each release, for any number of ways.
  const Index low = example.timer(example.thread(1, 10), 0, 100 * kMs, 1 * kMs);
  EXPECT_EQ(task_bound(example.model, low), 1 + 2 + 4);
}

// Behind a set that the chain enters by the faster topic, the bound is the sum over single runs.
TEST(PriorityBounds, OfTwoTopicsOfOneRunTheOneThatIsUnderWayForLongerCounts)
{
  Example example(4);
  const Index fast = example.timer(example.thread(0, 50), 0, 40 * kMs, 1 * kMs);
  const Index slow = example.timer(example.thread(1, 50), 0, 100 * kMs, 1 * kMs);
  const Index set = example.sub(example.thread(2, 50), 0, {fast, slow}, 2 * kMs);
  const Index join = example.sub(example.thread(3, 50), 0, {set, set}, 3 * kMs);
  example.model.tasks[set].newest = true;
  example.model.tasks[join].all = true;
  example.chain({fast, set, join});
  const double at_once = chain_bound(example.model);
  example.model.tasks[join].triggers[1].delay = 14 * kMs;
  EXPECT_EQ(chain_bound(example.model), at_once + 14);
}

TEST(PriorityBounds, EachOfSeveralTopicsMayStartATask)
{
  Example example(1);
  const Index thread = example.thread(0, 50);
  const Index a = example.timer(thread, 1, 20 * kMs, 1 * kMs);
  const Index b = example.timer(thread, 1, 20 * kMs, 1 * kMs);
  const Index both = example.sub(thread, 2, {a, b}, 3 * kMs);
  example.chain({a, both});
  EXPECT_EQ(task_bound(example.model, both), chain_bound(example.model));
  EXPECT_GE(chain_bound(example.model), 1 + 1 + 3 + 3) << "a's message may be the second";
}

TEST(PriorityBounds, TheCaseStudyOfPicasCorrected)
{
  // Published: 18.4, 75.6, 63.1, 45.1, 47.9, 378 and 248.2 (128.2 before a period is added). Here
  // the two copies of the timer of chains 1 and 2 have one priority and delay each other (+2.3),
  // chain 2 does not count its own tasks twice, and no period is skipped, so chain 7 does not wait
  // for a further period.
  const Ns twice[] = {207, 504, 631, 451, 479, 3780, 1282};
  // With one timer for both chains, as in the graph, no other task disturbs chain 1.
  const Ns once[] = {184, 320, 631, 451, 456, 3780, 1282};
  for (const bool timer_twice : {true, false}) {
    const auto bounds = bounds_of(test::picas_case_study(timer_twice));
    for (Index i = 0; i < std::size(twice); ++i) {
      ASSERT_TRUE(bounds.chains[i].ok()) << bounds.chains[i].faults().front();
      EXPECT_EQ(bounds.chains[i]->bound, (timer_twice ? twice : once)[i] * kTenth) << i + 1;
    }
  }
}

TEST(PriorityBounds, ABoundIsTheSumOfItsParts)
{
  PriorityOptions options;
  options.explain = true;
  const auto found = priority_bounds(test::picas_case_study(true), options);
  ASSERT_TRUE(found.ok());
  const PriorityBounds & bounds = *found;
  std::size_t interferences = 0;
  for (const auto & chain : bounds.chains) {
    ASSERT_TRUE(chain.ok());
    ASSERT_FALSE(chain->segments.empty());
    Ns end = 0;
    for (const SegmentBound & segment : chain->segments) {
      EXPECT_EQ(segment.released, end) << "no delays between cores here";
      for (const BoundTerm & term : segment.terms) {
        interferences += term.kind == TermKind::interference ? 1 : 0;
      }
      EXPECT_EQ(segment.response, sum_of(segment.terms));
      end += segment.response;
    }
    EXPECT_EQ(chain->bound, end);
  }
  EXPECT_GT(interferences, 10U);
}

TEST(PriorityBounds, MessagesOfWhatTakesNoTimeAreUnderWayAsLong)
{
  Example example(2);
  const Index sender = example.timer(example.thread(0, 50), 0, 100 * kMs, 0);
  const Index receiver = example.sub(example.thread(1, 50), 0, {sender}, 2 * kMs, 3 * kMs);
  // The task takes no time once it begins, and begins a moment after its release.
  EXPECT_NEAR(task_bound(example.model, receiver), 3 + 2, 1e-5);
}

TEST(PriorityBounds, AModelWithFaultsIsNotAnalysed)
{
  Example example(1);
  example.timer(example.thread(0, 50), 0, 0, kMs);
  EXPECT_EQ(
    priority_bounds(example.model).faults(), takt_rt::Faults{"task '/c0' needs a positive period"});
}

}  // namespace
}  // namespace takt_plan
