// The nominal releases of a cyclic thread: phase and missed periods.
#include "takt_rt/release_grid.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <random>

namespace takt_rt
{
namespace
{

using namespace std::chrono_literals;

constexpr Duration kPeriod = 1ms;
constexpr Time kFirst{1h};

TEST(ReleaseGrid, MissesNoPeriodThatBeginsAtThatMoment)
{
  for (const std::int64_t periods : {1, 2, 5}) {
    ReleaseGrid grid(kFirst, kPeriod);
    EXPECT_EQ(grid.move_on(kFirst + periods * kPeriod), static_cast<std::uint64_t>(periods - 1));
    EXPECT_EQ(grid.release(), kFirst + periods * kPeriod);
    EXPECT_EQ(grid.move_on(grid.release() + kPeriod + 1ns), 1U);
  }
}

/// Whether `Grid` keeps phase and count for any latenesses.
template <typename Grid>
bool keeps_its_promise(std::uint64_t seed)
{
  std::mt19937_64 random(seed);
  std::exponential_distribution<double> lateness(1.0 / 0.7e6);  // mean: 0.7 periods
  Grid grid(kFirst, kPeriod);
  std::uint64_t begun = 0;
  std::uint64_t missed = 0;
  for (int i = 0; i < 1000; ++i) {
    const Duration since = grid.release() - kFirst;
    // Each release before this one was either a cycle or a missed period.
    if (since % kPeriod != 0ns || since / kPeriod != static_cast<std::int64_t>(begun + missed)) {
      return false;
    }
    ++begun;
    missed += grid.move_on(grid.release() + Duration(static_cast<std::int64_t>(lateness(random))));
  }
  return true;
}

/// Twin: counts from the wake-up.
struct RestartingGrid : ReleaseGrid
{
  RestartingGrid(Time first, Duration period) : ReleaseGrid(first, period) {}
  std::uint64_t move_on(Time now)
  {
    static_cast<ReleaseGrid &>(*this) = ReleaseGrid(now + kPeriod, kPeriod);
    return 0;
  }
};

/// Twin: counts one overrun for a late cycle, however late.
struct OnceCountingGrid : ReleaseGrid
{
  OnceCountingGrid(Time first, Duration period) : ReleaseGrid(first, period) {}
  std::uint64_t move_on(Time now) { return ReleaseGrid::move_on(now) > 0 ? 1 : 0; }
};

TEST(ReleaseGrid, KeepsPhaseAndCountThroughAnyLateness)
{
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    EXPECT_TRUE(keeps_its_promise<ReleaseGrid>(seed)) << seed;
    EXPECT_FALSE(keeps_its_promise<RestartingGrid>(seed)) << seed;
    EXPECT_FALSE(keeps_its_promise<OnceCountingGrid>(seed)) << seed;
  }
}

struct CatchingUpGrid : ReleaseGrid
{
  CatchingUpGrid(Time first, Duration period) : ReleaseGrid(first, period, Overrun::catch_up) {}
};

/// Twin: catches up, and yet counts the passed releases as missed.
struct CountingWhileCatchingUp : CatchingUpGrid
{
  using CatchingUpGrid::CatchingUpGrid;
  std::uint64_t move_on(Time now)
  {
    const bool late = now - release() > kPeriod;
    return CatchingUpGrid::move_on(now) + (late ? 1 : 0);
  }
};

TEST(ReleaseGrid, CatchingUpMissesNoReleaseThroughAnyLateness)
{
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    EXPECT_TRUE(keeps_its_promise<CatchingUpGrid>(seed)) << seed;
    EXPECT_FALSE(keeps_its_promise<CountingWhileCatchingUp>(seed)) << seed;
  }
  CatchingUpGrid grid(kFirst, kPeriod);
  EXPECT_EQ(grid.move_on(kFirst + 5 * kPeriod), 0U);
  EXPECT_EQ(grid.release(), kFirst + kPeriod);
}

TEST(ReleaseGrid, RestartingLosesItsPhaseOnlyIfReleasesPassed)
{
  ReleaseGrid grid(kFirst, kPeriod, Overrun::restart);
  EXPECT_EQ(grid.move_on(kFirst + 300us), 0U);
  EXPECT_EQ(grid.release(), kFirst + kPeriod);
  EXPECT_EQ(grid.move_on(grid.release() + 2300us), 2U);
  EXPECT_EQ(grid.release(), kFirst + kPeriod + 2300us + kPeriod);
}

}  // namespace
}  // namespace takt_rt
