// The account of the control loop: which cycles count, and what is a miss.
#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>

#include "control_loop/loop.hpp"
#include "control_loop/report.hpp"

namespace takt_bench::control_loop
{

namespace
{

using takt_rt::Duration;
using takt_rt::Time;
using namespace std::chrono_literals;

class ControlLoopAccount : public testing::Test
{
protected:
  // A cycle of release k, which begins and ends so long after its release.
  bool cycle(int k, Duration begin, Duration end)
  {
    takt_core::Run run;
    run.release = at(k);
    return account.cycle(run, run.release + begin, run.release + end);
  }
  static Time at(int k) { return Time(1s) + k * kPeriod; }

  Account account{at(10), at(20)};
};

TEST_F(ControlLoopAccount, CountsTheCyclesOfItsTime)
{
  EXPECT_TRUE(cycle(9, 1us, 900us));
  for (int k = 10; k < 20; ++k) {
    EXPECT_TRUE(cycle(k, 10us, 110us));
  }
  EXPECT_FALSE(cycle(20, 10us, 110us));
  EXPECT_EQ(account.wake_ups.count(), 10u);
  EXPECT_EQ(account.wake_ups.max(), 10'000);
  EXPECT_EQ(account.responses.max(), 110'000);
  EXPECT_EQ(account.first_release, at(10));
  EXPECT_EQ(account.last_release, at(19));
  EXPECT_EQ(account.misses, 0u);
  EXPECT_TRUE(account.late.empty());
}

TEST_F(ControlLoopAccount, ACycleThatEndsAfterTheNextReleaseIsAMiss)
{
  cycle(10, 10us, 1ms);  // just in time
  cycle(11, 10us, 1ms + 1ns);
  EXPECT_EQ(account.misses, 1u);
  ASSERT_EQ(account.late.size(), 1u);
  EXPECT_EQ(account.late[0].begin, at(11));
  EXPECT_EQ(account.late[0].end, at(12) + 1ns);
}

TEST_F(ControlLoopAccount, EachSkippedReleaseIsAMiss)
{
  cycle(10, 10us, 110us);
  cycle(14, 10us, 110us);  // without 11, 12 and 13
  EXPECT_EQ(account.misses, 3u);
  EXPECT_EQ(account.skipped, 3u);
  ASSERT_EQ(account.late.size(), 1u);
  EXPECT_EQ(account.late[0].begin, at(10));
  EXPECT_EQ(account.late[0].end, at(14) + 10us);
  EXPECT_EQ(account.late[0].misses, 3u);
}

TEST_F(ControlLoopAccount, MissesWithoutRoomCountAsMisses)
{
  Account long_one(at(0), at(200'000));
  takt_core::Run run;
  for (int k = 0; k < 70'000; ++k) {
    run.release = at(k);
    long_one.cycle(run, run.release, run.release + 2ms);
  }
  EXPECT_EQ(long_one.misses, 70'000u);
  EXPECT_EQ(long_one.unrecorded, 70'000u - long_one.late.size());
  EXPECT_GT(long_one.unrecorded, 0u);
}

TEST(ControlLoop, ARunIsCountedFromTheFirstReleaseToTheLast)
{
  LoopSetting setting;
  setting.duration = 200ms;
  setting.warm_up = 0s;
  setting.work = 10us;
  const auto found = run_loop(setting);
  ASSERT_TRUE(found.ok());
  const auto json = loop_json(setting, **found);
  EXPECT_EQ(json["expected"], 200);
  EXPECT_EQ(json["releases"], (*found)->account.wake_ups.count() + (*found)->account.skipped);
  EXPECT_GT((*found)->account.wake_ups.count(), 0u);
  EXPECT_FALSE((*found)->attributes.cores.empty());
}

TEST(ControlLoop, AStayingRunEndsAfterItsMeasurementWhereTheSignalCameBefore)
{
  sigset_t ends, before;
  sigemptyset(&ends);
  sigaddset(&ends, SIGINT);
  pthread_sigmask(SIG_BLOCK, &ends, &before);
  pthread_kill(pthread_self(), SIGINT);
  LoopSetting setting;
  setting.duration = 200ms;
  setting.warm_up = 0s;
  setting.work = 10us;
  setting.stay = true;
  const auto found = run_loop(setting);
  sigset_t pending;
  sigpending(&pending);
  EXPECT_EQ(sigismember(&pending, SIGINT), 0);  // it was taken
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  ASSERT_TRUE(found.ok());
  EXPECT_FALSE((*found)->attributes.cores.empty());  // noted when the measurement is over
}

}  // namespace

}  // namespace takt_bench::control_loop
