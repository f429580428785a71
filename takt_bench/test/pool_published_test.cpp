// Compares published analyses of pools with published numbers, and shows that they are not proofs.
#include "published/pool_published.hpp"

#include <gtest/gtest.h>

#include <initializer_list>
#include <random>

#include "support/pool_simulation.hpp"
#include "takt_plan/nanoseconds.hpp"

namespace takt_bench
{
namespace
{

using namespace takt_plan;  // NOLINT: all of it is about its models

PoolChain chain(Ticks period, std::initializer_list<Ticks> times, int priority = 0)
{
  PoolChain result{period, period, {}};
  for (const Ticks time : times) {
    result.tasks.push_back({time, priority, {}});
  }
  return result;
}

/// The case study of RTAS 2023 in microseconds, with the times that its authors later gave.
Pool case_study(int threads)
{
  return {
    threads,
    {chain(50'000, {3123, 3119}), chain(50'000, {3123, 4094, 4769, 5928}),
     chain(100'000, {11'097, 12'094, 12'088}), chain(200'000, {21'062, 41'005, 42'023, 22'069})}};
}

std::vector<Ticks> bounds(const takt_rt::Result<PoolBounds> & result)
{
  EXPECT_TRUE(result.ok()) << result.faults().front();
  return result ? result->chains : std::vector<Ticks>{};
}

TEST(PoolPublished, ReproducesTheCaseStudyOfRtas23)
{
  // The paper prints 204.77, 128.76, 155.10 and 245.20 ms.
  const auto result = pool_rtas23(case_study(2), PoolScheme::standard);
  EXPECT_EQ(bounds(result), (std::vector<Ticks>{204'774, 128'757, 155'096, 245'196}));
  EXPECT_FALSE(result->assumption_holds) << "every chain misses its deadline";
}

TEST(PoolPublished, ReproducesTheCaseStudyOfRtss22)
{
  // In tenths of a millisecond. The paper prints 103.3 for all three. Of the tasks before the last
  // one only the sum matters.
  const Pool pool{2, {chain(1000, {231, 79}), chain(1000, {385, 66}), chain(1600, {193, 79})}};
  EXPECT_EQ(bounds(pool_rtss22(pool)), (std::vector<Ticks>{1033, 1033, 1033}));
}

// The authors' script printed 54.1 and 76.1 for the first two chains, because it omitted the last
// chain.
TEST(PoolPublished, ReproducesThePrintedSlipOfTheCaseStudyOfRtss22)
{
  const Pool pool{2, {chain(1000, {231, 79}), chain(1000, {385, 66})}};
  EXPECT_EQ(bounds(pool_rtss22(pool)), (std::vector<Ticks>{541, 761}));
}

// For the same case the paper prints 103.9, 103.6 and 103.9 for RTAS 2023. They come from whole
// milliseconds, although the times are not whole, so the waiting is rounded up to 97, 98 and 97 ms.
// In tenths of a millisecond it is 95.6, 96.9 and 95.6.
TEST(PoolPublished, IsFinerThanWhatIsPrintedForRtas23OnTheCaseStudyOfRtss22)
{
  const Pool pool{2, {chain(1000, {231, 79}), chain(1000, {385, 66}), chain(1600, {193, 79})}};
  EXPECT_EQ(
    bounds(pool_rtas23(pool, PoolScheme::standard)), (std::vector<Ticks>{1034, 1034, 1034}));
}

TEST(PoolPublished, BothAnalysesAgreeOnTheStandardScheme)
{
  std::mt19937_64 random(1);
  for (int round = 0; round < 500; ++round) {
    Pool pool{static_cast<int>(2 + random() % 3), {}};
    for (int i = 0; i < 4; ++i) {
      const auto time = [&] { return static_cast<Ticks>(100 + random() % 900); };
      pool.chains.push_back(chain(static_cast<Ticks>(5000 + random() % 5000), {time(), time()}));
    }
    const auto a = bounds(pool_rtas23(pool, PoolScheme::standard));
    const auto b = bounds(pool_rtss22(pool));
    for (std::size_t i = 0; i < a.size(); ++i) {
      EXPECT_NEAR(static_cast<double>(a[i]), static_cast<double>(b[i]), 5) << "round " << round;
    }
  }
}

TEST(PoolPublished, MoreThreadsLowerNoneAndArbitraryDeadlinesRaiseAll)
{
  const auto two = bounds(pool_rtas23(case_study(2), PoolScheme::standard));
  const auto four = bounds(pool_rtas23(case_study(4), PoolScheme::standard));
  const auto arbitrary = bounds(pool_rtas23(case_study(4), PoolScheme::standard, true));
  for (std::size_t i = 0; i < two.size(); ++i) {
    EXPECT_LT(four[i], two[i]);
    EXPECT_GT(arbitrary[i], four[i]);
  }
}

TEST(PoolPublished, PrioritiesSpareTheMostImportantChain)
{
  Pool pool = case_study(2);
  for (std::size_t i = 0; i < pool.chains.size(); ++i) {
    for (PoolTask & task : pool.chains[i].tasks) {
      task.priority = 9 - static_cast<int>(i);
    }
  }
  const auto standard = bounds(pool_rtas23(pool, PoolScheme::standard));
  const auto priority = bounds(pool_rtas23(pool, PoolScheme::priority));
  EXPECT_LT(priority[0], standard[0] / 5);
  EXPECT_EQ(priority[3], standard[3]) << "nothing is below the last chain";
}

TEST(PoolPublished, ExclusiveGroupsAddWhatMayGoBefore)
{
  Pool pool = case_study(4);
  const auto before = bounds(pool_rtas23(pool, PoolScheme::standard));
  pool.chains[0].tasks[0].group = pool.chains[1].tasks[0].group = 1;
  const auto after = bounds(pool_rtas23(pool, PoolScheme::standard));
  EXPECT_GE(after[0], before[0] + pool.chains[1].tasks[0].time);
  EXPECT_GE(after[1], before[1] + pool.chains[0].tasks[0].time);
  EXPECT_EQ(after[2], before[2]);
  EXPECT_EQ(
    pool_rtss22(pool).faults(), takt_rt::Faults{"exclusive groups are outside of this theorem"});
}

TEST(PoolPublished, OverloadHasNoNumberOrANumberUnderAFalseAssumption)
{
  Pool pool{1, {chain(10, {9}), chain(10, {9})}};
  EXPECT_FALSE(pool_rtas23(pool, PoolScheme::standard)->assumption_holds);
  EXPECT_FALSE(pool_rtss22(pool)->assumption_holds);
  pool.chains.push_back(chain(10, {9}));
  EXPECT_EQ(bounds(pool_rtas23(pool, PoolScheme::standard))[0], kUnbounded);
  EXPECT_EQ(bounds(pool_rtss22(pool))[0], kUnbounded);
}

TEST(PoolPublished, WhatTheTheoremsDoNotCoverIsRefused)
{
  EXPECT_FALSE(pool_rtas23({0, {chain(10, {1})}}, PoolScheme::standard).ok());
  EXPECT_FALSE(pool_rtas23({1, {}}, PoolScheme::standard).ok());
  EXPECT_FALSE(pool_rtas23({1, {chain(10, {0})}}, PoolScheme::standard).ok());
  EXPECT_FALSE(pool_rtas23({1, {chain(10, {11})}}, PoolScheme::standard).ok());
  Pool late{1, {chain(10, {1})}};
  late.chains[0].deadline = 11;
  EXPECT_FALSE(pool_rtas23(late, PoolScheme::standard).ok());
  EXPECT_TRUE(pool_rtas23(late, PoolScheme::standard, true).ok());
}

// Two threads. While a task of the long chain runs on one, a lower task begins on the other; when
// the first ends, a higher chain takes its thread, and the long chain waits for either. This
// repeats for each of its tasks, each time with a new lower task; the published term counts two for
// all.
TEST(PoolPublished, NewLowerTasksBeforeEachTaskExceedThePrioritySchemesBound)
{
  constexpr int kTasks = 30, kHigh = 7;
  Pool pool{2, {}};
  std::vector<std::vector<Ticks>> releases;
  pool.chains.push_back({100'000, 100'000, std::vector<PoolTask>(kTasks, PoolTask{100, 50, {}})});
  releases.push_back({0});
  for (int i = 0; i < kHigh; ++i) {
    pool.chains.push_back(chain(200 * kHigh, {100}, 90));
    releases.emplace_back();
  }
  for (int i = 0; i < kTasks; ++i) {
    releases[1 + static_cast<std::size_t>(i % kHigh)].push_back(200 * i + 100);
    pool.chains.push_back(chain(1'000'000, {110}, 10));
    releases.push_back({200 * i + 95});
  }
  const auto published = pool_rtas23(pool, PoolScheme::priority);
  ASSERT_TRUE(published.ok());
  EXPECT_TRUE(published->assumption_holds) << "so the theorem claims to apply";
  EXPECT_GT(test::simulate_pool(pool, releases)[0], published->chains[0]);
}

TEST(PoolPublished, RefusesTimesNearTheEndOfTheRange)
{
  const Pool pool{2, {{kUnbounded - 1, kUnbounded - 1, {{kUnbounded / 2, 0, {}}}}}};
  EXPECT_FALSE(pool_rtas23(pool, PoolScheme::standard).ok());
  EXPECT_FALSE(pool_rtss22(pool).ok());
}

}  // namespace
}  // namespace takt_bench
