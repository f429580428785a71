// A system outside of the theorem gets a sentence instead of a bound. Only the affected chains get
// it.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>

#include "support/example.hpp"
#include "takt_plan/priority_bounds.hpp"

namespace takt_plan
{
namespace
{

using test::Example;
using test::kMs;

/// Two threads on core 0 with a chain from the lower to the upper thread, and a third thread on
/// core 1.
struct Base : Example
{
  Base() : Example(2)
  {
    low = thread(0, 50);
    high = thread(0, 60);
    far = thread(1, 50);
    root = timer(low, 1, 10 * kMs, kMs);
    end = sub(high, 1, {root}, kMs);
    aside = timer(far, 1, 10 * kMs, kMs);
    chain({root, end});
    chain({aside});
  }
  Index low, high, far, root, end, aside;
};

/// The refusal of the first chain after `change`. The second chain must keep its bound.
std::string refusal(const std::function<void(Base &)> & change)
{
  Base base;
  change(base);
  const auto bounds = priority_bounds(base.model);
  if (!bounds) {
    return "fault: " + to_string(bounds.faults().front());
  }
  EXPECT_TRUE(bounds->chains[1].ok()) << bounds->chains[1].faults().front();
  return bounds->chains[0] ? "a bound" : to_string(bounds->chains[0].faults().front());
}

TEST(PriorityRefusal, NothingIsRefusedWithoutReason)
{
  EXPECT_EQ(refusal([](Base &) {}), "a bound");
}

TEST(PriorityRefusal, ThreadsWithoutAFixedPriority)
{
  EXPECT_EQ(
    refusal([](Base & b) { b.model.threads[b.low].kind = ThreadClass::fair; }),
    "'/c0' runs on thread 't0', which shares its core with everything on the machine; this "
    "analysis "
    "needs policy fifo or rr");
  EXPECT_EQ(
    refusal([](Base & b) { b.model.threads[b.low].kind = ThreadClass::deadline; }),
    "thread 't0' may delay '/c1' on core 0 of car: its policy is deadline, which needs a runtime "
    "within its deadline and a deadline within its period");
  EXPECT_EQ(
    refusal([](Base & b) {
      b.model.threads[b.low].kind = ThreadClass::deadline;
      b.model.threads[b.low].reservation = {5 * kMs, 50 * kMs, 50 * kMs, 0};
    }),
    "'/c1' has no bound, because the callback that starts it has no bound: '/c0' runs on thread "
    "'t0', whose policy is deadline; this analysis needs fifo or rr");
  EXPECT_EQ(
    refusal([](Base & b) { b.model.threads[b.high].follow = true; }),
    "'/c1' runs on thread 't1' of a following pool; this analysis needs a fixed OS priority");
}

TEST(PriorityRefusal, ThreadsOnSeveralCores)
{
  EXPECT_EQ(
    refusal([](Base & b) {
      b.model.threads[b.high].cores = {0, 1};
      b.model.threads[b.far].priority = 99;
    }),
    "'/c1' runs on thread 't1', which may be on 2 cores; this analysis needs it on one");
}

TEST(PriorityRefusal, TasksOnSeveralThreads)
{
  EXPECT_EQ(
    refusal([](Base & b) {
      b.model.tasks[b.end].threads = {b.low, b.high};
    }),
    "'/c1' may run on any of 2 threads; this analysis needs one thread for each callback");
}

TEST(PriorityRefusal, OrdersOfTheLeastUrgentThread)
{
  EXPECT_EQ(
    refusal([](Base & b) { b.model.threads[b.low].order = takt_core::Order::edf; }),
    "'/c1' depends on thread 't0', whose order is edf; this analysis needs priority or fifo there");
  // The work of a more urgent thread counts as a whole, for any order.
  EXPECT_EQ(
    refusal([](Base & b) { b.model.threads[b.high].order = takt_core::Order::window; }), "a bound");
  EXPECT_EQ(
    refusal([](Base & b) { b.model.threads[b.high].order = takt_core::Order::stock; }),
    "thread 't1' may delay '/c1' on core 0 of car and its order is stock, which drops callbacks "
    "that wait");
}

TEST(PriorityRefusal, WhatMayComeFromOtherCores)
{
  EXPECT_EQ(
    refusal([](Base & b) {
      const Index roaming = b.thread(0, 70);
      b.model.threads[roaming].cores = {0, 1};
      b.model.threads[b.far].priority = 80;
      b.timer(roaming, 1, 100 * kMs, kMs);
    }),
    "thread 't3' may delay '/c1' on core 0 of car and may be on other cores as well");
  EXPECT_EQ(
    refusal([](Base & b) {
      const Index reserved = b.thread(0, 0);
      b.model.threads[reserved].kind = ThreadClass::deadline;
      b.timer(reserved, 1, 100 * kMs, kMs);
    }),
    "thread 't3' may delay '/c1' on core 0 of car: its policy is deadline, which needs a runtime "
    "within its deadline and a deadline within its period");
}

TEST(PriorityRefusal, CeilingsOfThreadsThatMove)
{
  Base base;
  const Index roaming = base.thread(0, 10);
  base.model.threads[roaming].cores = {0, 1};
  base.model.threads[roaming].ceiling = 99;
  const Index task = base.timer(roaming, 1, 100 * kMs, kMs);
  EXPECT_TRUE(priority_bounds(base.model)->chains[0].ok()) << "it publishes nothing";
  base.model.tasks[task].middleware = 1;
  EXPECT_EQ(
    priority_bounds(base.model)->chains[0].faults().front(),
    "thread 't3' may delay '/c1' on core 0 of car: it publishes at the middleware ceiling and may "
    "be "
    "on other cores as well");
}

TEST(PriorityRefusal, ExclusiveGroupsThatSpanThreads)
{
  const auto grouped = [](bool exclusive) {
    return [exclusive](Base & b) {
      b.model.groups.push_back({"/g", exclusive});
      b.model.tasks[b.root].group = b.model.tasks[b.end].group = 0;
    };
  };
  EXPECT_EQ(
    refusal(grouped(true)),
    "'/c0', which may delay '/c1', is in the exclusive group '/g', whose callbacks run on several "
    "threads: it may have to wait for one that this analysis does not see");
  EXPECT_EQ(refusal(grouped(false)), "a bound");
}

TEST(PriorityRefusal, OverloadIsNamedWithTheCore)
{
  EXPECT_EQ(
    refusal([](Base & b) { b.timer(b.high, 1, 10 * kMs, 9 * kMs); }),
    "core 0 of car is overloaded: '/c1' and the callbacks that are at least as urgent need 110 % "
    "of the core");
}

TEST(PriorityRefusal, OverloadDoesNotTouchWhatIsMoreUrgent)
{
  Base base;
  base.timer(base.low, 0, 10 * kMs, 20 * kMs);
  const auto bounds = priority_bounds(base.model);
  ASSERT_TRUE(bounds.ok());
  ASSERT_TRUE(bounds->chains[0].ok()) << bounds->chains[0].faults().front();
  EXPECT_EQ(bounds->chains[0]->bound, (20 + 1 + 1) * kMs) << "blocked once";
}

TEST(PriorityRefusal, WhatDependsOnSomethingWithoutABoundHasNone)
{
  Base base;
  base.model.threads[base.far].kind = ThreadClass::fair;
  const Index next = base.sub(base.high, 1, {base.aside}, kMs);
  const auto bounds = priority_bounds(base.model);
  ASSERT_TRUE(bounds.ok());
  EXPECT_EQ(
    bounds->tasks[next].faults().front(),
    "'/c3' has no bound, because the callback that starts it has no bound: '/c2' runs on thread "
    "'t2', which shares its core with everything on the machine; this analysis needs policy fifo "
    "or rr");
  EXPECT_EQ(
    bounds->tasks[base.end].faults().front(),
    "'/c1' has no bound because '/c3', which may delay it, is released without one: '/c2' runs on "
    "thread 't2', which shares its core with everything on the machine; this analysis needs policy "
    "fifo or rr");
}

TEST(PriorityRefusal, NamesTheCauseWhereAnotherWayToTheSameCallbackHasNoBound)
{
  Base base;
  base.model.threads[base.far].kind = ThreadClass::fair;
  const Index both = base.sub(base.high, 1, {base.root, base.aside}, kMs);
  const auto bounds = priority_bounds(base.model);
  ASSERT_TRUE(bounds.ok());
  EXPECT_EQ(
    bounds->tasks[both].faults().front(),
    "'/c3' has no bound, because another callback that starts it has no bound: '/c2' runs on "
    "thread 't2', which shares its core with everything on the machine; this analysis needs policy "
    "fifo or rr");
}

TEST(PriorityRefusal, OfCallbacksThatDelayEachOtherNamesTheFirstWithoutABound)
{
  // The end of each chain delays the other chain, and each core is full.
  Example e(2);
  const Index first[]{e.thread(0, 50), e.thread(1, 50)};
  const Index second[]{e.thread(0, 60), e.thread(1, 60)};
  const Index a = e.timer(first[0], 1, 10 * kMs, 5 * kMs);
  const Index b = e.timer(first[1], 1, 10 * kMs, 5 * kMs);
  e.sub(second[1], 1, {a}, 5 * kMs);
  e.sub(second[0], 1, {b}, 5 * kMs);
  const auto bounds = priority_bounds(e.model);
  ASSERT_TRUE(bounds.ok());
  const std::string cause = "'/c1' has no bound below 1s, at which this analysis gives up";
  EXPECT_EQ(to_string(bounds->tasks[b].faults().front()), cause);
  EXPECT_EQ(
    to_string(bounds->tasks[a].faults().front()),
    "'/c0' has no bound because '/c3', which may delay it, is released without one: " + cause);
}

TEST(PriorityRefusal, ChainsAcrossTimersAndUnrelatedJoins)
{
  EXPECT_EQ(
    refusal([](Base & b) {
      b.model.tasks[b.aside].reads.push_back({b.end, 0, 0});
      b.model.chains[0].path = {b.root, b.end, b.aside};
    }),
    "'/c2' only reads what '/c1' publishes: the chain's response ends there, and beyond it has a "
    "data age");
  EXPECT_EQ(
    refusal([](Base & b) {
      const Index join = b.sub(b.high, 1, {b.end, b.aside}, kMs);
      b.model.tasks[join].all = true;
      b.model.chains[0].path = {b.root, b.end, join};
    }),
    "'/c3' waits for messages of sources that have nothing to do with each other; how long one "
    "waits for the other is not known");
}

// oracles/job_oracle refuted an earlier form: a process that starts between two messages of one
// release takes only the second message. From then on messages of different releases meet.
TEST(PriorityRefusal, JoinsOfOneReleaseThatComesThroughSeveralProcesses)
{
  // The root's message reaches the join by two ways. The arguments tell which callbacks are in a
  // process of their own.
  const auto joined = [](bool root, bool left, bool join) {
    return refusal([&](Base & b) {
      const Index right = b.sub(b.high, 1, {b.root}, kMs);
      const Index both = b.sub(b.high, 1, {b.end, right}, kMs, kMs);
      b.model.tasks[both].all = true;
      b.model.executors.push_back("other");
      const Index other = b.model.executors.size() - 1;
      const Index thread = b.thread(1, 40);
      b.model.threads[thread].executor = other;
      for (const auto & [task, moves] :
           {std::pair{b.root, root}, {b.end, left}, {right, join}, {both, join}}) {
        if (moves) {
          b.model.tasks[task].executor = other;
          b.model.tasks[task].threads = {thread};
        }
      }
      b.model.chains[0].path = {b.root, b.end, both};
    });
  };
  EXPECT_EQ(joined(false, false, false), "a bound");
  EXPECT_EQ(joined(true, true, true), "a bound");
  const std::string apart =
    "'/c4' waits for one message of each topic, and these come through several processes: one that "
    "starts later loses "
    "messages of one topic only, and then messages of different periods meet; let it wait for the "
    "newest of each topic "
    "(trigger: newest), or put all callbacks on the ways to it into its process";
  EXPECT_EQ(joined(false, true, false), apart) << "one way leaves the process";
  EXPECT_EQ(joined(false, false, true), apart) << "it is another process's";
  EXPECT_EQ(joined(true, false, false), apart) << "the root's messages come one after the other";
}

// Both ways begin with one callback of the join's process, which starts both of them or neither.
TEST(PriorityRefusal, JoinsMayWaitForWhatPartsInTheirProcess)
{
  EXPECT_EQ(
    refusal([](Base & b) {
      b.model.executors.push_back("other");
      b.model.tasks[b.root].executor = b.model.executors.size() - 1;
      const Index thread = b.thread(1, 40);
      b.model.threads[thread].executor = b.model.executors.size() - 1;
      b.model.tasks[b.root].threads = {thread};
      const Index left = b.sub(b.high, 1, {b.end}, kMs);
      const Index both = b.sub(b.high, 1, {b.end, left}, kMs);
      b.model.tasks[both].all = true;
      b.model.chains[0].path = {b.root, b.end, both};
    }),
    "a bound");
}

TEST(PriorityRefusal, TooManyWays)
{
  Base base;
  Index last = base.root;
  for (int i = 0; i < 7; ++i) {  // each step doubles the number of ways
    last = base.sub(base.high, 1, {last, last}, 1);
  }
  const auto bounds = priority_bounds(base.model);
  ASSERT_TRUE(bounds.ok());
  const std::string sentence =
    " is started in more than 64 ways, the most that this analysis tells apart: give the topics "
    "that "
    "start it fewer publishers";
  EXPECT_EQ(bounds->tasks[last].faults().front(), "'/c9'" + sentence);
  EXPECT_EQ(bounds->tasks[base.end].faults().front(), "'/c9', which may delay '/c1'," + sentence);
}

TEST(PriorityRefusal, BoundsBeyondTheHorizon)
{
  Base base;
  PriorityOptions options;
  options.horizon = kMs;
  const auto bounds = priority_bounds(base.model, options);
  ASSERT_TRUE(bounds.ok());
  EXPECT_TRUE(bounds->tasks[base.aside].ok());
  EXPECT_EQ(
    bounds->tasks[base.end].faults().front(),
    "'/c1' has no bound below 1ms, at which this analysis gives up");
}

}  // namespace
}  // namespace takt_plan
