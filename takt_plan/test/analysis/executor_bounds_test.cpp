// Compares the equations of one thread with numbers of the tests of the `response-time-analysis`
// crate (MIT).
#include "takt_plan/executor_bounds.hpp"

#include <gtest/gtest.h>

namespace takt_plan
{
namespace
{

constexpr Ns kHorizon = 1'000'000;

Demand demand(Ns period, Ns cost, Ns jitter = 0)
{
  return {{{period, jitter}}, cost};
}

TEST(Nonpreemptive, ReproducesTheEventSourceOfEcrts19)
{
  EXPECT_EQ(nonpreemptive_bound(Supply::periodic(3, 5), demand(5, 2, 2), {}, 0, kHorizon), 7);
}

TEST(Nonpreemptive, ReproducesTheTimersAndPolledTasksOfEcrts19)
{
  // All others may delay a polled task. So it has the bound of an unblocked timer that comes after
  // all others.
  const std::vector<Demand> others{demand(10, 1), demand(20, 3)};
  const Supply supply = Supply::periodic(3, 5);
  EXPECT_EQ(nonpreemptive_bound(supply, demand(10, 1), others, 0, kHorizon), 12);
  EXPECT_EQ(nonpreemptive_bound(supply, demand(10, 1), others, 4, kHorizon), 20);
}

TEST(Nonpreemptive, ReproducesTheChainOfEcrts19)
{
  // The chain's last task takes 3, after the two tasks before it and two other chains.
  const std::vector<Demand> others{demand(25, 3), demand(20, 3, 25), demand(20, 3, 25)};
  EXPECT_EQ(nonpreemptive_bound(Supply::periodic(3, 5), demand(25, 3), others, 0, kHorizon), 72);
}

TEST(Nonpreemptive, OverloadHasNoBound)
{
  EXPECT_EQ(nonpreemptive_bound(Supply::periodic(1, 5), demand(5, 2), {}, 0, kHorizon), kUnbounded);
}

TEST(RoundRobin, ReproducesTheExampleOfRtss21)
{
  const std::vector<ExecutorTask> tasks{
    {demand(100, 10), true}, {demand(10'000, 230), true}, {demand(1000, 190), true}};
  EXPECT_EQ(
    round_robin_bounds(Supply::dedicated(), tasks, kHorizon), (std::vector<Ns>{530, 440, 440}));
}

TEST(RoundRobin, ATaskOnItsOwnTakesItsTime)
{
  EXPECT_EQ(
    round_robin_bounds(Supply::dedicated(), {{demand(100, 10), true}}, kHorizon),
    std::vector<Ns>{10});
}

TEST(RoundRobin, WhatIsNotPolledIsBlockedByOnePolledTask)
{
  const std::vector<ExecutorTask> tasks{
    {demand(100, 10), false}, {demand(1000, 50), true}, {demand(1000, 70), true}};
  EXPECT_EQ(round_robin_bounds(Supply::dedicated(), tasks, kHorizon)[0], 80);
}

TEST(RoundRobin, ALargerShareLowersNoBoundAndOverloadHasNone)
{
  const std::vector<ExecutorTask> tasks{{demand(100, 10), true}, {demand(1000, 190), true}};
  const auto full = round_robin_bounds(Supply::dedicated(), tasks, kHorizon);
  const auto part = round_robin_bounds(Supply::periodic(8, 10), tasks, kHorizon);
  EXPECT_LT(full[0], part[0]);
  EXPECT_LT(full[1], part[1]);
  EXPECT_EQ(
    round_robin_bounds(Supply::periodic(1, 10), tasks, kHorizon),
    (std::vector<Ns>{kUnbounded, kUnbounded}));
}

TEST(RoundRobin, ATaskThatFallsBehindSlowlyLeavesTheOthersTheirBounds)
{
  const std::vector<ExecutorTask> tasks{
    {demand(52, 20, 97), true}, {{{{16, 0}, {25, 20}}, 3}, true}};
  EXPECT_EQ(
    round_robin_bounds(Supply::dedicated(), tasks, 100 * kHorizon),
    (std::vector<Ns>{244, kUnbounded}));
}

TEST(BusyWindow, NeitherTheoremIsBelowTheOtherForTheExampleOfRtss21)
{
  const std::vector<ExecutorTask> tasks{
    {demand(100, 10), true}, {demand(10'000, 230), true}, {demand(1000, 190), true}};
  const Supply supply = Supply::dedicated();
  EXPECT_EQ(busy_window_bounds(supply, tasks, kHorizon), (std::vector<Ns>{430, 449, 449}));
  EXPECT_EQ(round_robin_bounds(supply, tasks, kHorizon), (std::vector<Ns>{530, 440, 440}));
  EXPECT_EQ(
    round_robin_or_busy_window_bounds(supply, tasks, kHorizon), (std::vector<Ns>{430, 440, 440}));
}

TEST(BusyWindow, WhatIsStartedOnTheThreadItselfIsNotLateInside)
{
  // The end of the first task starts the second one, and comes up to 950 late.
  std::vector<ExecutorTask> tasks{{demand(1000, 100), true}, {demand(1000, 50, 950), true}};
  EXPECT_EQ(busy_window_bounds(Supply::dedicated(), tasks, kHorizon)[0], 200);
  tasks[1].in_window = {{1000, 0}};
  EXPECT_EQ(busy_window_bounds(Supply::dedicated(), tasks, kHorizon)[0], 150);
}

TEST(BusyWindow, ATaskOnItsOwnTakesItsTimeAndOverloadHasNoBound)
{
  EXPECT_EQ(
    busy_window_bounds(Supply::dedicated(), {{demand(100, 10), true}}, kHorizon),
    std::vector<Ns>{10});
  EXPECT_EQ(
    busy_window_bounds(Supply::dedicated(), {{demand(100, 110), true}}, kHorizon),
    std::vector<Ns>{kUnbounded});
}

TEST(BusyWindow, BurstsBeyondTheLimitAreGivenUpAndLongPeriodsDoNotOverflow)
{
  const Supply supply = Supply::dedicated();
  const std::vector<ExecutorTask> bursts{{demand(2, 1, 10'000'000'000), true}};
  EXPECT_EQ(busy_window_bounds(supply, bursts, kUnbounded), std::vector<Ns>{kUnbounded});
  EXPECT_EQ(run_bound(supply, bursts, {0}, {20'000'000'000}, kUnbounded), 20'000'000'000);
  const Ns century = kUnbounded / 2;
  const std::vector<ExecutorTask> rare{{demand(century, 5, century), true}};
  EXPECT_EQ(busy_window_bounds(supply, rare, kUnbounded), std::vector<Ns>{10});
}

TEST(TaskRun, CountsWhatDelaysItOnceNotOncePerTask)
{
  std::vector<ExecutorTask> tasks{
    {demand(1000, 10), true}, {demand(1000, 10, 100), true}, {demand(1000, 70), true}};
  tasks[1].in_window = {{1000, 0}};
  const Supply supply = Supply::dedicated();
  const std::vector<Ns> bounds = round_robin_or_busy_window_bounds(supply, tasks, kHorizon);
  EXPECT_EQ(bounds, (std::vector<Ns>{90, 90, 90}));
  EXPECT_EQ(run_bound(supply, tasks, {0, 1}, bounds, kHorizon), 90);
  EXPECT_EQ(run_bound(supply, tasks, {0, 1}, {90, kUnbounded, 90}, kHorizon), kUnbounded);
}

TEST(TaskRun, IsNeverAboveAnyOfItsForms)
{
  std::vector<ExecutorTask> tasks{
    {demand(100, 10), true}, {demand(100, 5, 80), true}, {demand(300, 50, 200), true}};
  const Supply supply = Supply::periodic(9, 10);
  const std::vector<Ns> bounds = round_robin_or_busy_window_bounds(supply, tasks, kHorizon);
  const Ns bound = run_bound(supply, tasks, {0, 1}, bounds, kHorizon);
  EXPECT_LE(bound, bounds[0] + bounds[1]);
  EXPECT_LE(bound, round_robin_run_bound(supply, tasks, {0, 1}, bounds, kHorizon));
  EXPECT_LE(bound, busy_window_run_bound(supply, tasks, {0, 1}, bounds, kHorizon));
}

}  // namespace
}  // namespace takt_plan
