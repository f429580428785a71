// The loop of a cyclic thread under virtual time: phase, missed periods, statistics, host stalls.
#include <gtest/gtest.h>

#include <chrono>

#include "latency/recorded_cycles.hpp"
#include "support/virtual_account.hpp"
#include "takt_rt/allocation_guard.hpp"
#include "takt_rt/test/support/virtual_clock.hpp"

namespace takt_bench::latency
{
namespace
{

using namespace std::chrono_literals;
using takt_rt::Duration;
using takt_rt::Time;
using takt_rt::test::VirtualClock;
using test::VirtualAccount;

constexpr Duration kPeriod = 1ms;
constexpr Time kFirst{1h};

/// Runs one period for each of these latenesses.
struct Loop
{
  explicit Loop(std::function<Duration(std::size_t)> late) : clock(std::move(late)) {}

  void run(std::int64_t periods, Duration period = kPeriod)
  {
    LateWakeUp late_wake_up(account);
    RecordedCycles cycles(late_wake_up, statistics);
    takt_rt::run_cycles(
      clock, takt_rt::ReleaseGrid(kFirst, period), kFirst + periods * period, stop, cycles);
  }

  VirtualClock clock;
  VirtualAccount account;
  std::atomic<bool> stop{false};
  CycleStatistics statistics;
  const Cycles & ordinary = statistics.ordinary;
  const Cycles & held_up = statistics.held_up;
};

TEST(CyclicLoop, RecordsTheLatencyOfEachCycle)
{
  Loop loop([](std::size_t sleep) { return Duration(1us) * (sleep + 1); });
  loop.run(100);
  EXPECT_EQ(loop.ordinary.latencies.count(), 100U);
  EXPECT_EQ(loop.ordinary.latencies.min(), 1'000);
  EXPECT_EQ(loop.ordinary.latencies.max(), 100'000);
  EXPECT_EQ(loop.ordinary.sum_ns.value(), 5'050'000);
  EXPECT_EQ(loop.ordinary.overruns.value(), 0);
}

TEST(CyclicLoop, SleepsAgainAfterAnEarlyWakeUp)
{
  Loop loop([](std::size_t sleep) { return sleep % 2 == 0 ? Duration(-200us) : Duration(5us); });
  loop.run(10);
  EXPECT_EQ(loop.clock.sleeps(), 20U);
  EXPECT_EQ(loop.statistics.early_wake_ups.value(), 10);
  EXPECT_EQ(loop.ordinary.latencies.count(), 10U);
  EXPECT_EQ(loop.ordinary.latencies.min(), 5'000);
  EXPECT_EQ(loop.ordinary.latencies.max(), 5'000);
}

TEST(CyclicLoop, KeepsItsPhaseAfterAWakeUpThatIsLessThanAPeriodLate)
{
  Loop loop([](std::size_t sleep) { return sleep == 3 ? Duration(400us) : Duration{}; });
  loop.account.waited = 0us;
  loop.run(10);
  // No thread explains this cycle, so it counts as held up. The next cycle is at its own nominal
  // time.
  EXPECT_EQ(loop.held_up.latencies.count(), 1U);
  EXPECT_EQ(loop.held_up.latencies.max(), 400'000);
  EXPECT_EQ(loop.held_up.overruns.value(), 0);
  EXPECT_EQ(loop.ordinary.latencies.count(), 9U);
  EXPECT_EQ(loop.ordinary.latencies.max(), 0);
}

TEST(CyclicLoop, CountsEachMissedPeriodOnceAndKeepsItsPhase)
{
  Loop loop([](std::size_t sleep) { return sleep == 2 ? Duration(3'200us) : Duration{}; });
  loop.account.kept = false;
  loop.run(10);
  // Releases 3, 4 and 5 passed while the thread waited for release 2.
  EXPECT_EQ(loop.ordinary.overruns.value(), 3);
  EXPECT_EQ(loop.ordinary.latencies.count(), 7U);
  EXPECT_EQ(loop.ordinary.latencies.max(), 3'200'000);
  EXPECT_EQ(loop.ordinary.sum_ns.value(), 3'200'000) << "the next cycle was at its nominal time";
}

TEST(CyclicLoop, EndsAtTheNextWakeUpAfterAStopAndDropsThatCycle)
{
  Loop loop([&loop](std::size_t sleep) {
    loop.stop = sleep == 4;
    return Duration(1us);
  });
  loop.run(1'000'000);
  EXPECT_EQ(loop.clock.sleeps(), 5U);
  EXPECT_EQ(loop.ordinary.latencies.count(), 4U);
}

TEST(CyclicLoop, CountsADayWithoutAllocation)
{
  constexpr std::int64_t kPeriods = 24 * 3600 * 100;  // of 10 ms
  Loop loop([](std::size_t sleep) {
    return sleep % 1'000'000 == 999'999 ? Duration(25ms) : Duration(20us + 1ns * (sleep % 1000));
  });
  loop.account.kept = false;
  const takt_rt::AllocationGuard guard;
  loop.run(kPeriods, 10ms);
  const std::uint64_t allocations = guard.allocations();
  EXPECT_EQ(allocations, 0U);
  EXPECT_EQ(loop.ordinary.overruns.value(), 16);  // two periods each of eight late cycles
  EXPECT_EQ(
    loop.ordinary.latencies.count(),
    static_cast<std::uint64_t>(kPeriods - loop.ordinary.overruns.value()));
  EXPECT_EQ(loop.ordinary.latencies.min(), 20'000);
  EXPECT_EQ(loop.ordinary.latencies.max(), 25'000'000);
  // The median is exact to 1 %, the width of a bucket.
  EXPECT_NEAR(static_cast<double>(loop.ordinary.latencies.quantile(0.5)), 20'500, 205);
}

// A cycle is 0.5 ms late. Returns its kind if the thread was ready for `waited`.
const char * kind_of(Duration waited, bool kept)
{
  Loop * running = nullptr;
  Loop loop([&](std::size_t sleep) {
    if (sleep == 5) {
      running->account.waited += waited;
      return Duration(500us);
    }
    return Duration(10us);
  });
  running = &loop;
  loop.account.kept = kept;
  loop.run(10);
  return loop.held_up.latencies.count() == 1 ? "held up" : "ordinary";
}

TEST(HostStall, IsALateWakeUpThatNoThreadExplains)
{
  EXPECT_STREQ(kind_of(0us, true), "held up");
  EXPECT_STREQ(kind_of(240us, true), "held up");
  EXPECT_STREQ(kind_of(260us, true), "ordinary") << "other threads had the core";
  EXPECT_STREQ(kind_of(0us, false), "ordinary") << "without an account no cycle is held up";
}

TEST(HostStall, IsNotBlamedForWaitsOfEarlierCycles)
{
  Loop * running = nullptr;
  Loop loop([&](std::size_t sleep) {
    // An earlier cycle waited for 2 ms and read the account; the late one did not wait at all.
    running->account.waited += sleep == 3 ? Duration(2ms) : Duration{};
    return sleep == 3 ? Duration(900us) : sleep == 5 ? Duration(600us) : Duration(10us);
  });
  running = &loop;
  loop.run(10);
  EXPECT_EQ(loop.held_up.latencies.count(), 1U);
  EXPECT_EQ(loop.held_up.latencies.max(), 600'000);
  EXPECT_EQ(loop.ordinary.latencies.max(), 900'000);
}

TEST(HostStall, LeavesTheAccountUnreadInMostCycles)
{
  Loop loop([](std::size_t) { return Duration(10us); });
  loop.run(1600);
  EXPECT_LE(loop.account.readings, 1600U / 16 + 1);
}

}  // namespace
}  // namespace takt_bench::latency
