// Extreme numbers: for any model there is an answer or a sentence after a limited number of steps.
//
// If a limit is missing, the test runs into the runner's time-out. The tests themselves read no
// clock.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "analysis/limits.hpp"
#include "analysis/window/window_bounds.hpp"
#include "support/example.hpp"
#include "takt_plan/executor_bounds.hpp"
#include "takt_plan/priority_bounds.hpp"

namespace takt_plan
{
namespace
{

using takt_core::Order;
using takt_rt::Result;
using test::Example;
using test::kMs;

constexpr Ns kYear = 365LL * 24 * 3600 * 1'000'000'000;
constexpr Order kOrders[] = {Order::priority, Order::window};

/// Two cores with a thread each: 0 and 1.
struct Extremes : Example
{
  explicit Extremes(Order order) : Example(2)
  {
    for (const Index core : {0U, 1U}) {
      model.threads[thread(core, 50)].order = order;
    }
  }
};

/// A thread without a nanosecond of slack, and a rare task that blocks it for one nanosecond more.
struct Full : Extremes
{
  explicit Full(Order order) : Extremes(order)
  {
    timer(0, 1, 2, 1);
    timer(0, 1, 2, 1);
    timer(0, 0, kYear, 1);
  }
};

std::vector<Result<Ns>> bounds_of(const Model & model, Order order, Ns horizon = 0)
{
  return order == Order::priority ? priority_bounds(model, {horizon, {}})->tasks
                                  : window_bounds(model, {horizon, {}})->tasks;
}

/// The sentence of the refusal; if there is a bound, the bound.
std::string refusal(const Result<Ns> & bound)
{
  return bound ? "bound " + std::to_string(*bound) : to_string(bound.faults().front());
}

bool has(const std::string & text, const std::string & part)
{
  return text.find(part) != std::string::npos;
}

TEST(Hostile, PeriodsOfANanosecondBesideThoseOfAYear)
{
  for (const Order order : kOrders) {
    Extremes e(order);
    e.timer(0, 1, 1, 1);  // fills the core
    e.timer(0, 0, kYear, kYear / 3);
    const auto bounds = bounds_of(e.model, order);
    EXPECT_FALSE(bounds[0].ok()) << refusal(bounds[0]);
    if (order == Order::window) {  // polling points starve no task: two runs of the other task come
                                   // first
      ASSERT_TRUE(bounds[1].ok()) << refusal(bounds[1]);
      EXPECT_EQ(*bounds[1], kYear / 3 + 2);
    } else {
      EXPECT_FALSE(bounds[1].ok()) << refusal(bounds[1]);
    }
  }
}

TEST(Hostile, AFullCoreIsGivenUpAndNotCalledOverloaded)
{
  // Windows grow by the blocking in each step.
  const auto bounds = bounds_of(Full(Order::priority).model, Order::priority);
  for (const Index task : {0U, 1U}) {
    const std::string text = refusal(bounds[task]);
    EXPECT_TRUE(has(text, "has no bound that 1000000 steps would find")) << text;
  }
  EXPECT_FALSE(bounds[2].ok());
}

TEST(Hostile, AFullThreadWithPollingPointsStarvesNobody)
{
  const auto bounds = bounds_of(Full(Order::window).model, Order::window);
  EXPECT_FALSE(bounds[0].ok()) << refusal(bounds[0]);
  EXPECT_FALSE(bounds[1].ok()) << refusal(bounds[1]);
  ASSERT_TRUE(bounds[2].ok()) << refusal(bounds[2]);
  EXPECT_EQ(*bounds[2], 5);  // two runs of each other task, and its own
}

TEST(Hostile, AThreadWithPollingPointsIsGivenUpToo)
{
  Extremes e(Order::window);
  e.model.threads[0].window_timers = takt_core::WindowTimers::immediate;
  e.timer(0, 1, 2, 1);
  e.timer(0, 1, 2, 1);
  const Index polled = e.sub(0, 1, {e.timer(1, 1, kYear, 1)}, 1);
  const auto bounds = bounds_of(e.model, Order::window);
  const std::string text = refusal(bounds[0]);
  EXPECT_TRUE(has(text, "has no bound that 1000000 steps for each task of its thread")) << text;
  EXPECT_FALSE(bounds[polled].ok()) << refusal(bounds[polled]);
}

TEST(Hostile, AFullCoreWithoutBlockingHasItsBound)
{
  Extremes e(Order::priority);
  // Thirds do not add up to 1 in binary.
  for (int i = 0; i < 3; ++i) {
    e.timer(0, 1, 3 * kMs, kMs);
  }
  for (const auto & bound : bounds_of(e.model, Order::priority)) {
    ASSERT_TRUE(bound.ok()) << refusal(bound);
    EXPECT_EQ(*bound, 3 * kMs);
  }
}

TEST(Hostile, ACoreThatIsFullButForALittle)
{
  for (const Order order : kOrders) {
    Extremes e(order);
    e.timer(0, 1, 1'000'000'007, 1'000'000'006);
    e.timer(0, 1, 1'000'000'009, 1);
    const auto bounds = bounds_of(e.model, order);
    for (const Index task : {0U, 1U}) {
      if (order == Order::priority) {  // both may come at once, in any order
        ASSERT_TRUE(bounds[task].ok()) << refusal(bounds[task]);
        EXPECT_EQ(*bounds[task], 1'000'000'007);
      } else {  // another polling point is another run of the other
        EXPECT_FALSE(bounds[task].ok()) << refusal(bounds[task]);
      }
    }
  }
}

TEST(Hostile, LargeBurstsWithinTheLimitHaveTheirExactBound)
{
  // 10'000 late releases come at once. The first of them does not wait, and is as late as the
  // jitter.
  Extremes e(Order::priority);
  e.timer(0, 1, 1000, 1, 10 * kMs);
  const auto bounds = bounds_of(e.model, Order::priority, 1000 * kMs);
  ASSERT_TRUE(bounds[0].ok()) << refusal(bounds[0]);
  EXPECT_EQ(*bounds[0], 10 * kMs + 1);
}

TEST(Hostile, BurstsBeyondTheLimitAreGivenUp)
{
  for (const Order order : kOrders) {
    Extremes e(order);
    e.timer(0, 1, 1000, 900, kYear);
    e.timer(0, 0, kMs, 1);
    const auto bounds = bounds_of(e.model, order, kUnbounded);
    EXPECT_FALSE(bounds[0].ok()) << refusal(bounds[0]);
  }
}

TEST(Hostile, BeyondTheHorizonIsSaidToBeBeyondTheHorizon)
{
  for (const Order order : kOrders) {
    Extremes e(order);
    e.timer(0, 1, 1000, 1, kYear);
    const auto bounds = bounds_of(e.model, order);
    EXPECT_FALSE(bounds[0].ok());
    EXPECT_FALSE(has(refusal(bounds[0]), "steps")) << refusal(bounds[0]);
  }
}

TEST(Hostile, TimesNearTheEndOfTheRange)
{
  for (const Order order : kOrders) {
    for (const Ns horizon : {Ns{0}, kUnbounded}) {
      Extremes e(order);
      const Index a = e.timer(0, 1, kUnbounded, kUnbounded - 1, kUnbounded - 1);
      e.sub(1, 1, {a}, kUnbounded - 1, kUnbounded - 1);
      for (const auto & bound : bounds_of(e.model, order, horizon)) {
        EXPECT_FALSE(bound.ok()) << refusal(bound);
      }
    }
  }
}

TEST(Hostile, LoadBeyondAnyPercentage)
{
  Extremes e(Order::priority);
  e.timer(0, 1, 1, kUnbounded - 1);
  EXPECT_TRUE(has(refusal(bounds_of(e.model, Order::priority)[0]), "more than 1000000 %"));
}

TEST(Hostile, OtherLoadThatNeverComesAgain)
{
  Extremes e(Order::priority);
  e.timer(0, 1, kMs, 1);
  e.model.others.push_back({});
  e.model.others.back().name = "other";
  e.model.others.back().priority = 90;
  e.model.others.back().cores = {0, 1};
  e.model.others.back().period = kUnbounded;
  e.model.others.back().time = 1;
  // On two cores the load may bring work that waited on another core, up to a period of it. So
  // there is no bound.
  const auto bounds = bounds_of(e.model, Order::priority);
  EXPECT_TRUE(has(refusal(bounds[0]), "has no bound below")) << refusal(bounds[0]);
}

TEST(Hostile, JittersThatFeedEachOther)
{
  // The second task of each chain delays the other chain. The jitter of each chain makes these
  // tasks of the other one come together.
  for (const Order order : kOrders) {
    Extremes e(order);
    const Index a = e.timer(0, 1, 10'000, 4'500);
    const Index b = e.timer(1, 1, 10'000, 4'500);
    e.sub(1, 2, {a}, 4'500);
    e.sub(0, 2, {b}, 4'500);
    const auto bounds = bounds_of(e.model, order);
    ASSERT_EQ(bounds.size(), 4U);
    for (const Index task : {2U, 3U}) {
      ASSERT_TRUE(bounds[task].ok()) << refusal(bounds[task]);
      EXPECT_GE(*bounds[task], 13'500);
    }
  }
}

TEST(Hostile, EquationsGiveUp)
{
  const Supply core = Supply::dedicated();
  const Demand full{{{1, 0}}, 1};
  EXPECT_EQ(nonpreemptive_bound(core, full, {}, 1, kYear), kUnbounded);
  const std::vector<Ns> bounds = round_robin_bounds(core, {{full, true}, {full, true}}, kYear);
  EXPECT_EQ(bounds, (std::vector<Ns>{kUnbounded, kUnbounded}));
  // One window has more releases than steps: the analysis makes no list of them.
  const Demand burst{{{1000, kYear}}, 1};
  EXPECT_EQ(nonpreemptive_bound(core, burst, {}, 0, kUnbounded), kUnbounded);
}

TEST(Hostile, LongPeriodsAndJittersDoNotOverflow)
{
  const Demand rare{{{kUnbounded - 1, kUnbounded - 2}, {Ns{1} << 62, kUnbounded - 1}}, 1};
  const Ns bound = nonpreemptive_bound(Supply::dedicated(), rare, {}, 0, kUnbounded);
  EXPECT_GE(bound, 4);  // two of the first source and two of the second, at once
  EXPECT_EQ(Supply::periodic(1, kUnbounded).in(kUnbounded - 1), 0);
}

TEST(Hostile, StepsAreCountedOverAllOfThem)
{
  detail::Steps steps(2);
  EXPECT_EQ(steps.left(), 2 * detail::kMostSteps);
  for (Ns i = 0; i < 2 * detail::kMostSteps; ++i) {
    ASSERT_TRUE(steps.take());
  }
  EXPECT_FALSE(steps.take());
  EXPECT_TRUE(steps.none());
}

}  // namespace
}  // namespace takt_plan
