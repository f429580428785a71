// Bounds under polling points: systems small enough to work out by hand, and refusals.
#include "analysis/window/window_bounds.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "support/example.hpp"

namespace takt_plan
{
namespace
{

using takt_core::Order;
using takt_core::WindowTimers;
using test::Example;
using test::kMs;
using test::kTenth;

struct Windows : Example
{
  explicit Windows(WindowTimers rule = WindowTimers::snapshot) : Example(2)
  {
    for (const Index core : {0U, 1U}) {
      Thread & t = model.threads[thread(core, 50)];
      t.order = Order::window;
      t.window_timers = rule;
    }
  }
};

double in_ms(const takt_rt::Result<Ns> & bound)
{
  if (!bound) {
    ADD_FAILURE() << bound.faults().front();
    return -1;
  }
  return static_cast<double>(*bound) / static_cast<double>(kMs);
}

WindowBounds bounds_of(const Model & model)
{
  auto bounds = window_bounds(model);
  EXPECT_TRUE(bounds.ok());
  return bounds ? std::move(*bounds) : WindowBounds{};
}

TEST(WindowBounds, ATaskOnItsOwnTakesItsTime)
{
  Windows w;
  const Index task = w.timer(0, 0, 10 * kMs, 3 * kMs, 2 * kMs);
  EXPECT_EQ(in_ms(bounds_of(w.model).tasks[task]), 5) << "with its jitter";
}

TEST(WindowBounds, EveryOtherTaskMayRunInThisWindowAndInTheNext)
{
  Windows w;
  // The task has just missed the polling point of a window in which another task runs. It comes
  // second in the next window, in which the fast task runs again if it is released early enough.
  const Index task = w.timer(0, 0, 1000 * kMs, 5 * kMs);
  const Index fast = w.timer(0, 0, 10 * kMs, 3 * kMs);
  EXPECT_EQ(in_ms(bounds_of(w.model).tasks[task]), 3 + 5) << "not within 3 ms";
  WindowOptions round_robin;
  round_robin.round_robin_only = true;
  EXPECT_EQ(in_ms(window_bounds(w.model, round_robin)->tasks[task]), 3 + 3 + 5);
  w.model.tasks[fast].release->jitter = 8 * kMs;
  EXPECT_EQ(in_ms(bounds_of(w.model).tasks[task]), 3 + 3 + 5);
}

TEST(WindowBounds, ASlowTaskRunsOnlyOnceBeforeAnother)
{
  Windows w;
  const Index task = w.timer(0, 0, 1000 * kMs, 5 * kMs);
  w.timer(0, 0, 500 * kMs, 3 * kMs);
  EXPECT_EQ(in_ms(bounds_of(w.model).tasks[task]), 3 + 5);
}

TEST(WindowBounds, ImmediateTimersGoBeforeTheWindow)
{
  for (const WindowTimers rule : {WindowTimers::snapshot, WindowTimers::immediate}) {
    Windows w(rule);
    const Index timer = w.timer(0, 0, 100 * kMs, 1 * kMs);
    w.sub(0, 0, {w.timer(1, 0, 100 * kMs, kMs)}, 3 * kMs);
    w.sub(0, 0, {w.timer(1, 0, 100 * kMs, kMs)}, 4 * kMs);
    // Either one of the two subscriptions blocks, or both run before the next polling point.
    const bool immediate = rule == WindowTimers::immediate;
    EXPECT_EQ(in_ms(bounds_of(w.model).tasks[timer]), 1 + (immediate ? 4 : 3 + 4));
  }
}

TEST(WindowBounds, AChainIsTheSumOfItsTasks)
{
  Windows w;
  const Index a = w.timer(0, 0, 100 * kMs, 2 * kMs);
  const Index b = w.sub(1, 0, {a}, 3 * kMs, 1 * kMs);
  w.chain({a, b});
  EXPECT_EQ(in_ms(bounds_of(w.model).chains[0]), 2 + 1 + 3);
}

TEST(WindowBounds, LessUrgentThreadsDoNotMatter)
{
  Windows w;
  const Index task = w.timer(0, 0, 100 * kMs, 2 * kMs);
  w.timer(w.thread(0, 40), 0, 100 * kMs, 90 * kMs);
  w.model.others.push_back({"logger", 10, {0}, kMs, 10 * kMs});
  EXPECT_EQ(in_ms(bounds_of(w.model).tasks[task]), 2);
}

TEST(WindowBounds, MoreUrgentThreadsAreTakenOffTheCore)
{
  Windows w;
  const Index task = w.timer(0, 0, 100 * kMs, 2 * kMs);
  const Index urgent = w.thread(0, 60);
  w.model.threads[urgent].order = Order::window;
  w.timer(urgent, 0, 10 * kMs, kMs);
  EXPECT_EQ(in_ms(bounds_of(w.model).tasks[task]), 2 + 1) << "it has ended a period before";
  w.model.tasks[task].time = 9 * kMs;
  EXPECT_EQ(in_ms(bounds_of(w.model).tasks[task]), 9 + 2) << "it may have begun just before";
}

TEST(WindowBounds, OtherThreadsAreTakenOffTheCore)
{
  Windows w;
  const Index task = w.timer(0, 0, 100 * kMs, 2 * kMs);
  w.model.others.push_back({"irq", 90, {0}, kMs, 10 * kMs});
  EXPECT_EQ(in_ms(bounds_of(w.model).tasks[task]), 2 + 1);
  // The task may be as late as the more urgent load makes it, and then come three times.
  w.model.others.push_back({"more", 95, {0}, 8 * kMs, 100 * kMs});
  EXPECT_EQ(in_ms(bounds_of(w.model).tasks[task]), 2 + 3 + 8);
}

TEST(WindowBounds, OnePublishAtTheCeilingIsTakenOffTheCore)
{
  Windows w;
  const Index task = w.timer(0, 0, 100 * kMs, 2 * kMs);
  for (int i = 0; i < 2; ++i) {
    const Index low = w.thread(0, 10 + i);
    w.model.threads[low].ceiling = 70;
    w.model.tasks[w.timer(low, 0, 100 * kMs, kMs)].middleware = (3 + i) * kTenth;
  }
  EXPECT_EQ(in_ms(bounds_of(w.model).tasks[task]), 2.4) << "the longer one of them";
}

/// The refusal of a task on core 0 after `change`. The task on core 1 must keep its bound.
std::string refusal(const std::function<void(Windows &)> & change)
{
  Windows w;
  w.timer(0, 0, 100 * kMs, 2 * kMs);
  w.timer(1, 0, 100 * kMs, 2 * kMs);
  change(w);
  const WindowBounds bounds = bounds_of(w.model);
  EXPECT_TRUE(bounds.tasks[1].ok());
  return bounds.tasks[0] ? "a bound" : to_string(bounds.tasks[0].faults().front());
}

TEST(WindowBounds, RefusesWhatTheTheoremDoesNotCover)
{
  const std::string on = "'/c0' runs on thread 't0': ";
  EXPECT_EQ(refusal([](Windows &) {}), "a bound");
  EXPECT_EQ(
    refusal([](Windows & w) { w.model.threads[0].order = Order::stock; }),
    on + "its order is stock; this analysis needs window");
  EXPECT_EQ(
    refusal([](Windows & w) { w.model.threads[0].kind = ThreadClass::fair; }),
    on + "this analysis needs policy fifo or rr, a fixed OS priority and one core");
  EXPECT_EQ(
    refusal([](Windows & w) { w.timer(w.thread(0, 50), 0, 10 * kMs, kMs); }),
    "'/c0' has no bound because '/c2', which may take its core, has none");
  EXPECT_EQ(
    refusal([](Windows & w) {
      const Index beside = w.thread(0, 90);
      w.model.threads[beside].cores = {0, 1};
      w.model.threads[1].priority = 95;
      w.timer(beside, 0, 10 * kMs, kMs);
    }),
    on + "thread 't2' may take core 0 of car from it: it may be on other cores as well");
  EXPECT_EQ(
    refusal([](Windows & w) {
      const Index beside = w.thread(0, 10);
      w.model.threads[beside].follow = true;
      w.timer(beside, 0, 10 * kMs, kMs);
    }),
    on + "thread 't2' may take core 0 of car from it: it follows its callbacks' priorities");
  EXPECT_EQ(
    refusal([](Windows & w) {
      w.model.threads[1].priority = 95;
      w.model.others.push_back({"irq", 90, {0, 1}, kMs, 10 * kMs});
    }),
    on + "thread 'irq' may take core 0 of car from it: it may be on other cores as well");
  EXPECT_EQ(
    refusal([](Windows & w) {
      w.model.groups.push_back({"/g", true});
      w.model.tasks[0].group = w.model.tasks[w.timer(w.thread(0, 10), 0, 10 * kMs, 1)].group = 0;
    }),
    on + "'/c0' is in an exclusive group that spans threads");
  EXPECT_EQ(
    refusal([](Windows & w) { w.model.tasks[0].time = 101 * kMs; }),
    "'/c0' has no bound below 10s: its thread is overloaded or nearly so, or something "
    "on it is "
    "released without a bound");
}

TEST(WindowBounds, AnOverloadedTaskDoesNotStarveOthers)
{
  Windows w;
  const Index task = w.timer(0, 0, 100 * kMs, 2 * kMs);
  const Index over = w.timer(0, 0, 10 * kMs, 11 * kMs);
  const WindowBounds bounds = bounds_of(w.model);
  EXPECT_EQ(in_ms(bounds.tasks[task]), 11 + 11 + 2) << "once in this window and once in the next";
  EXPECT_FALSE(bounds.tasks[over].ok());
}

TEST(WindowBounds, WhatIsStartedFromElsewhereHasNoBound)
{
  Windows w;
  const Index other = w.timer(w.thread(0, 10), 0, 100 * kMs, kMs);
  const Index task = w.sub(1, 0, {other}, kMs);
  EXPECT_EQ(
    bounds_of(w.model).tasks[task].faults().front(),
    "'/c1' has no bound, because the callback that starts it has no bound: '/c0' runs on thread "
    "'t2': its order is priority; this analysis needs window");
}

}  // namespace
}  // namespace takt_plan
