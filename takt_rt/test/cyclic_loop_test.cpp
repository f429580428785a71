// The loop of a cyclic thread under virtual time.
#include "takt_rt/cyclic_loop.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <vector>

#include "support/virtual_clock.hpp"

namespace takt_rt
{
namespace
{

using namespace std::chrono_literals;
using test::VirtualClock;

constexpr Duration kPeriod = 1ms;
constexpr Time kFirst{1h};

struct Kept
{
  std::vector<Cycle> cycles;
  int early = 0;

  void run(const Cycle & cycle) { cycles.push_back(cycle); }
  void woke_early() { ++early; }
};

Kept run(std::int64_t periods, std::function<Duration(std::size_t)> late)
{
  VirtualClock clock(std::move(late));
  const std::atomic<bool> stop{false};
  Kept kept;
  run_cycles(clock, ReleaseGrid(kFirst, kPeriod), kFirst + periods * kPeriod, stop, kept);
  return kept;
}

TEST(CyclicLoop, TellsEachCycleItsReleaseAndHowLateItIs)
{
  const Kept kept = run(10, [](std::size_t sleep) { return Duration(1us) * (sleep + 1); });
  ASSERT_EQ(kept.cycles.size(), 10U);
  for (std::size_t i = 0; i < kept.cycles.size(); ++i) {
    EXPECT_EQ(kept.cycles[i].release, kFirst + static_cast<std::int64_t>(i) * kPeriod);
    EXPECT_EQ(kept.cycles[i].latency, Duration(1us) * (i + 1));
    EXPECT_EQ(kept.cycles[i].missed, 0U);
  }
}

TEST(CyclicLoop, SleepsAgainAfterAnEarlyWakeUp)
{
  const Kept kept =
    run(10, [](std::size_t sleep) { return sleep % 2 == 0 ? Duration(-200us) : Duration(5us); });
  EXPECT_EQ(kept.early, 10);
  EXPECT_EQ(kept.cycles.size(), 10U);
}

TEST(CyclicLoop, TellsALateCycleOfThePeriodsThatPassedAndKeepsThePhase)
{
  const Kept kept =
    run(10, [](std::size_t sleep) { return sleep == 2 ? Duration(3'200us) : Duration{}; });
  ASSERT_EQ(kept.cycles.size(), 7U);
  EXPECT_EQ(kept.cycles[2].missed, 3U);
  EXPECT_EQ(kept.cycles[3].release, kFirst + 6 * kPeriod);
  EXPECT_EQ(kept.cycles[3].latency, Duration{});
}

TEST(CyclicLoop, EndsAtTheNextWakeUpAfterAStop)
{
  std::atomic<bool> stop{false};
  VirtualClock clock([&stop](std::size_t sleep) {
    stop = sleep == 4;
    return Duration(1us);
  });
  Kept kept;
  run_cycles(clock, ReleaseGrid(kFirst, kPeriod), kNever, stop, kept);
  EXPECT_EQ(clock.sleeps(), 5U);
  EXPECT_EQ(kept.cycles.size(), 4U);
}

}  // namespace
}  // namespace takt_rt
