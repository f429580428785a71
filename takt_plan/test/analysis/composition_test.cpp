// Bounds over threads of several kinds: systems small enough to work out by hand, and refusals.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "support/example.hpp"
#include "takt_plan/bounds.hpp"
#include "takt_plan/simulation_model.hpp"

namespace takt_plan
{
namespace
{

using takt_core::Order;
using test::Example;
using test::kMs;
using test::kTenth;

constexpr Ns kCore = 10 * kMs;  // in each as much: all of it

struct Mixed : Example
{
  explicit Mixed(int cores = 3) : Example(cores) {}

  Index window(Index core, int priority)
  {
    const Index index = thread(core, priority);
    model.threads[index].order = Order::window;
    return index;
  }

  Index reserved(std::vector<Index> cores, Ns runtime, Ns deadline, Ns period)
  {
    const Index index = thread(cores.front(), 0);
    Thread & thread = model.threads[index];
    thread.kind = ThreadClass::deadline;
    thread.cores = std::move(cores);
    thread.reservation = {runtime, deadline, period, 0};
    return index;
  }
};

Bounds bounds_of(const Model & model)
{
  auto found = bounds(model);
  EXPECT_TRUE(found.ok());
  return found ? std::move(*found) : Bounds{};
}

double in_ms(const takt_rt::Result<Ns> & bound)
{
  if (!bound) {
    ADD_FAILURE() << bound.faults().front();
    return -1;
  }
  return static_cast<double>(*bound) / static_cast<double>(kMs);
}

TEST(Composition, AChainThroughEveryKindIsTheSumOfItsParts)
{
  Mixed m;
  const Index a = m.timer(m.thread(0, 50), 0, 100 * kMs, 2 * kMs, 5 * kTenth);
  const Index b = m.sub(m.window(1, 50), 0, {a}, 3 * kMs, 1 * kMs);
  const Index c = m.sub(m.reserved({2}, 5 * kMs, kCore, kCore), 0, {b}, 4 * kMs);
  const Index d = m.sub(0, 0, {c}, 1 * kMs);
  m.chain({a, b, c, d});
  m.chain({a, b});
  m.chain({a});
  const Bounds found = bounds_of(m.model);
  EXPECT_EQ(in_ms(found.tasks[a]), 2.5) << "the last one comes after it";
  EXPECT_EQ(in_ms(found.tasks[b]), 2.5 + 1 + 3);
  EXPECT_EQ(in_ms(found.tasks[c]), 6.5 + 2 * 5 + 4) << "nothing comes for twice the gap";
  EXPECT_EQ(in_ms(found.tasks[d]), 20.5 + 1) << "the first one has ended";
  ASSERT_TRUE(found.chains[0].ok());
  const ChainAnswer & whole = *found.chains[0];
  EXPECT_EQ(whole.analysis, Analysis::several);
  EXPECT_EQ(whole.bound, *found.tasks[d]);
  ASSERT_EQ(whole.segments.size(), 4U);
  const Analysis kinds[] = {
    Analysis::priority, Analysis::window, Analysis::deadline, Analysis::priority};
  for (Index i = 0; i < 4; ++i) {
    EXPECT_EQ(whole.segments[i].analysis, kinds[i]);
    const Ns end = whole.segments[i].released + whole.segments[i].response;
    EXPECT_EQ(end, *found.tasks[whole.segments[i].tasks.back()]);
  }
  EXPECT_EQ(found.chains[1]->analysis, Analysis::several);
  EXPECT_EQ(found.chains[2]->analysis, Analysis::priority);
}

TEST(Composition, ASegmentGoesThroughAMoreUrgentWindow)
{
  Mixed m;
  const Index a = m.timer(m.window(0, 60), 0, 100 * kMs, 2 * kMs);
  const Index b = m.sub(m.thread(0, 50), 0, {a}, 3 * kMs);
  m.chain({a, b});
  const Bounds found = bounds_of(m.model);
  EXPECT_EQ(in_ms(found.tasks[b]), 5);
  EXPECT_EQ(found.chains[0]->analysis, Analysis::priority);
  EXPECT_EQ(found.chains[0]->segments.size(), 1U);
}

TEST(Composition, ASegmentBeginsAfterALessUrgentWindow)
{
  Mixed m;
  const Index a = m.timer(m.window(0, 40), 0, 100 * kMs, 2 * kMs);
  const Index b = m.sub(m.thread(0, 50), 0, {a}, 3 * kMs);
  m.chain({a, b});
  const Bounds found = bounds_of(m.model);
  // The run of `b` that the last run of `a` started may have just begun. The analysis does not know
  // that this run of `b` ended long ago.
  EXPECT_EQ(in_ms(found.tasks[a]), 2 + 3);
  EXPECT_EQ(in_ms(found.tasks[b]), 5 + 3);
  EXPECT_EQ(found.chains[0]->analysis, Analysis::several);
}

TEST(Composition, ReservationsGoBeforeEveryPriority)
{
  for (const bool constrained : {false, true}) {
    Mixed m;
    const Index task = m.timer(m.thread(0, 50), 0, 100 * kMs, 2 * kMs);
    const Index reserved = m.reserved({0, 1}, 1 * kMs, constrained ? 5 * kMs : kCore, kCore);
    m.timer(reserved, 0, 100 * kMs, kTenth);
    // ceil((5 + 20) / 10) budgets, or ceil((3 + 5) / 10).
    EXPECT_EQ(in_ms(bounds_of(m.model).tasks[task]), constrained ? 2 + 1 : 2 + 3);
    m.model.threads[0].order = Order::window;
    EXPECT_EQ(in_ms(bounds_of(m.model).tasks[task]), constrained ? 2 + 1 : 2 + 3);
  }
}

TEST(Composition, SwitchesAreTakenFromAReservation)
{
  Mixed m;
  const Index reserved = m.reserved({0}, 5 * kMs, kCore, kCore);
  const Index task = m.timer(reserved, 0, 100 * kMs, 2 * kMs);
  m.model.threads[reserved].reservation.context_switch = kTenth;
  // One due replenishment, and two more in 12.3 ms.
  EXPECT_EQ(in_ms(bounds_of(m.model).tasks[task]), 2 * 5 + 2 + 0.3);
}

/// A thread that has its core for itself.
struct Whole : Mixed
{
  explicit Whole(Order order) : Mixed(1)
  {
    model.threads[reserved({0}, kCore, kCore, kCore)].order = order;
    urgent = timer(0, 2, 100 * kMs, 1 * kMs);
    middle = timer(0, 1, 100 * kMs, 3 * kMs);
    low = timer(0, 0, 100 * kMs, 5 * kMs);
  }
  Index urgent, middle, low;
};

TEST(Composition, OrderInsideAReservation)
{
  const Whole priority(Order::priority);
  const Bounds by_priority = bounds_of(priority.model);
  EXPECT_EQ(in_ms(by_priority.tasks[priority.urgent]), 1 + 5) << "blocked by one run";
  EXPECT_EQ(in_ms(by_priority.tasks[priority.middle]), 3 + 1 + 5);
  EXPECT_EQ(in_ms(by_priority.tasks[priority.low]), 9);
  for (const Order order : {Order::fifo, Order::window}) {
    const Whole all(order);
    for (const auto & bound : bounds_of(all.model).tasks) {
      EXPECT_EQ(in_ms(bound), 9) << "all others first";
    }
  }
}

/// The refusal of a task in a reservation on cores 0 and 1 after `change`.
std::string refusal(const std::function<void(Mixed &)> & change)
{
  Mixed m;
  m.timer(m.reserved({0, 1}, 6 * kMs, kCore, kCore), 0, 100 * kMs, 2 * kMs);
  change(m);
  const Bounds found = bounds_of(m.model);
  return found.tasks[0] ? "a bound" : to_string(found.tasks[0].faults().front());
}

TEST(Composition, RefusesReservationsThatMayNotHold)
{
  const std::string on = "'/c0' runs on thread 't0': ";
  EXPECT_EQ(refusal([](Mixed &) {}), "a bound");
  EXPECT_EQ(
    refusal([](Mixed & m) { m.model.threads[0].reservation.runtime = 0; }),
    on +
      "its policy is deadline, which needs a runtime within its deadline and a deadline within "
      "its period");
  EXPECT_EQ(
    refusal([](Mixed & m) { m.model.threads[0].reservation.deadline = 11 * kMs; }),
    on +
      "its policy is deadline, which needs a runtime within its deadline and a deadline within "
      "its period");
  EXPECT_EQ(
    refusal([](Mixed & m) {
      m.reserved({1, 2}, kMs, kCore, kCore);
    }),
    on +
      "thread 't1', also of policy deadline, has only some of the same cores; give both threads "
      "the same cores");
  EXPECT_EQ(refusal([](Mixed & m) { m.reserved({1, 0}, 6 * kMs, kCore, kCore); }), "a bound");
  EXPECT_EQ(
    refusal([](Mixed & m) {
      m.reserved({0, 1}, 7 * kMs, kCore, kCore);
    }),
    "a bound")
    << "two of 0.6 and 0.7 on two cores: 1.3 is no more than 2 - 0.7";
  EXPECT_EQ(
    refusal([](Mixed & m) {
      m.reserved({0, 1}, 8 * kMs, kCore, kCore);
    }),
    on +
      "the threads of policy deadline on its cores ask for 140 % of a core, and the test for "
      "their admission grants 120 %");
  EXPECT_EQ(refusal([](Mixed & m) { m.reserved({2}, kCore, kCore, kCore); }), "a bound")
    << "elsewhere";
}

TEST(Composition, RefusesWhatRunsOutsideOfTheEquations)
{
  const std::string on = "'/c0' runs on thread 't0': ";
  EXPECT_EQ(
    refusal([](Mixed & m) { m.model.threads[0].order = Order::edf; }),
    on + "its order is edf; this analysis needs priority, fifo or window");
  EXPECT_EQ(
    refusal([](Mixed & m) { m.model.threads[0].follow = true; }),
    on + "it follows its callbacks' priorities, which its policy does not know");
  EXPECT_EQ(
    refusal([](Mixed & m) {
      m.model.tasks[0].threads = {0, m.thread(2, 10)};
    }),
    "'/c0' may run on thread 't0': this analysis needs policy fifo or rr, a fixed OS priority and "
    "one core");
  EXPECT_EQ(
    refusal([](Mixed & m) {
      const Index pooled = m.timer(0, 0, 100 * kMs, kMs);
      m.model.tasks[pooled].threads = {0, m.thread(2, 10)};
    }),
    "'/c0' may run on thread 't0': this analysis needs policy fifo or rr, a fixed OS priority and "
    "one core")
    << "what shares a thread with a pool is part of it";
  EXPECT_EQ(
    refusal([](Mixed & m) { m.model.tasks[0].time = 61 * kMs; }),
    "'/c0' has no bound below 10s: its thread is overloaded or nearly so, or something on it is "
    "released without a bound");
}

TEST(Composition, ReservationsThatAreNoneCannotBeSimulatedEither)
{
  Mixed m;
  m.timer(m.reserved({0}, 0, kCore, kCore), 0, 100 * kMs, kMs);
  EXPECT_EQ(
    simulation_model(m.model).faults(),
    takt_rt::Faults{"'t0': its policy is deadline, which needs a runtime within its deadline and "
                    "a deadline within its period"});
}

TEST(Composition, ExtremeReservationsHaveASentence)
{
  for (const Ns switches : {Ns{0}, Ns{1}, kUnbounded}) {
    for (const Ns runtime : {Ns{1}, kUnbounded}) {
      Mixed m;
      const Index reserved = m.reserved({0}, runtime, kUnbounded, kUnbounded);
      m.model.threads[reserved].reservation.context_switch = switches;
      const Index task = m.timer(reserved, 0, 1, kUnbounded - 1, kUnbounded - 1);
      const Index beside = m.sub(m.window(0, 50), 0, {task}, 1);
      const Index below = m.timer(m.thread(0, 40), 0, kMs, kUnbounded / 2);
      const Bounds found = bounds_of(m.model);
      for (const Index each : {task, beside, below}) {
        EXPECT_FALSE(found.tasks[each].ok());
      }
    }
  }
}

TEST(Composition, WhatDependsOnSomethingWithoutABoundHasNone)
{
  Mixed m;
  const Index other = m.thread(0, 10);
  m.model.threads[other].kind = ThreadClass::fair;
  const Index a = m.timer(other, 0, 100 * kMs, kMs);
  const Index b = m.sub(m.window(1, 50), 0, {a}, kMs);
  const Index c = m.sub(m.thread(2, 50), 0, {b}, kMs);
  m.chain({a, b, c});
  const Bounds found = bounds_of(m.model);
  const std::string cause =
    "'/c0' runs on thread 't0', which shares its core with everything on the machine; this "
    "analysis "
    "needs policy fifo or rr";
  EXPECT_EQ(
    found.tasks[b].faults().front(),
    "'/c1' has no bound, because the callback that starts it has no bound: " + cause);
  EXPECT_EQ(
    found.tasks[c].faults().front(),
    "'/c2' has no bound, because the callback that starts it has no bound: " + cause);
  EXPECT_FALSE(found.chains[0].ok());
}

// oracles/job_oracle refuted an earlier form: it ignored members of an exclusive group on threads
// outside of the pool, and the first bound was 1 ms.
TEST(Composition, APoolSeesMembersOfItsGroupsOnOtherThreads)
{
  Mixed m(3);
  m.model.groups.push_back({"g", true});
  const Index pooled = m.timer(m.thread(0, 50), 1, 100 * kMs, 1 * kMs);
  m.model.tasks[pooled].threads.push_back(m.thread(1, 50));
  const Index own = m.thread(2, 50);
  const Index mate = m.timer(own, 2, 150 * kMs, 3 * kMs);
  const Index beside = m.timer(own, 3, 150 * kMs, 5 * kMs);
  m.model.tasks[pooled].group = m.model.tasks[mate].group = 0;
  const Bounds found = bounds_of(m.model);
  EXPECT_GE(in_ms(found.tasks[pooled]), 3 + 1) << "its mate runs";
  EXPECT_GE(in_ms(found.tasks[mate]), 1 + 5 + 3) << "the group is left, but its thread is taken";
  EXPECT_GE(in_ms(found.tasks[beside]), 3 + 5);
  m.model.threads[own].order = Order::window;
  EXPECT_FALSE(bounds_of(m.model).tasks[pooled].ok())
    << "when its mate gives the group back is not known";
}

TEST(Composition, KindsThatDelayEachOtherInACircleFindTheirLeastBounds)
{
  // The second task of each chain is as late as the thread of the other chain makes it, and shares
  // a core with that thread.
  Mixed m;
  const Index left = m.window(0, 50);
  const Index right = m.thread(1, 50);
  const Index a = m.timer(left, 0, 100 * kMs, 4 * kMs);
  const Index b = m.timer(right, 1, 100 * kMs, 5 * kMs);
  const Index from_a = m.sub(right, 2, {a}, 6 * kMs);
  const Index from_b = m.sub(left, 0, {b}, 7 * kMs);
  const Bounds found = bounds_of(m.model);
  EXPECT_EQ(in_ms(found.tasks[a]), 4 + 7);
  EXPECT_EQ(in_ms(found.tasks[b]), 5 + 6);
  EXPECT_EQ(in_ms(found.tasks[from_a]), 11 + 5 + 6) << "blocked by the first one";
  EXPECT_EQ(in_ms(found.tasks[from_b]), 11 + 4 + 7);
}

}  // namespace
}  // namespace takt_plan
