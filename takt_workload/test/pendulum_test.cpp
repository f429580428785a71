// The pendulum and its control loop in simulated time: delays that it stands, and delays that let
// it fall.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "live/control_loop.hpp"
#include "takt_rt/application/application.hpp"
#include "takt_rt/application/simulated_clock.hpp"

namespace takt_workload
{

namespace
{

using namespace std::chrono_literals;
using takt_rt::Duration;

/// How long the cycle with that number is held up before its torque.
using Delay = std::function<Duration(int cycle)>;

struct Ran
{
  ControlState state;
  double least_angle = 0.0, most_angle = 0.0;  // of the samples
  std::size_t samples = 0;
};

/// The loop on a cyclic thread for a simulated time. `before`: of the loop's start.
Ran run(
  Duration time, const Delay & delay,
  const std::function<void(ControlLoop &)> & before = [](ControlLoop &) {})
{
  takt_rt::SimulatedClock clock;
  int cycle = 0;
  ControlLoop loop(clock, [&] { clock.spend(ControlLoop::kWork + delay(cycle++)); });
  before(loop);
  takt_rt::ApplicationOptions all;
  all.clock = &clock;
  all.lock_memory = false;
  takt_rt::Application application(all);
  takt_rt::CyclicOptions options;
  options.period = ControlLoop::kPeriod;
  application.add(options, [&](const takt_rt::Cycle & now) { loop.step(now); });
  loop.start();
  EXPECT_TRUE(application.start().ok());
  Ran ran;
  for (Duration passed{}; passed < time; passed += 1s) {
    clock.advance(1s);
    for (float angle = 0.0F; loop.angles().try_pop(angle); ++ran.samples) {
      ran.least_angle = std::min<double>(ran.least_angle, angle);
      ran.most_angle = std::max<double>(ran.most_angle, angle);
    }
  }
  application.stop();
  application.wait();
  ran.state = loop.state();
  return ran;
}

}  // namespace

TEST(Pendulum, StandsInTimeAndAtItsSetPoint)
{
  const Ran ran = run(
    10s, [](int) { return Duration{}; },
    [](ControlLoop & loop) {
      loop.setting().with([](ControlSetting & now) { now.setpoint = 0.25; });
    });
  EXPECT_EQ(ran.state.falls, 0U);
  EXPECT_EQ(ran.state.missed, 0U);
  EXPECT_EQ(ran.state.late, 0U);
  EXPECT_GE(ran.state.cycles, 9'990U);
  EXPECT_NEAR(ran.state.wanted, 0.25, 1e-9);
  EXPECT_NEAR(ran.state.angle, 0.25, 0.001);  // the wind bends it by less than 0.2 mrad
  EXPECT_GT(ran.least_angle, -0.01);
  EXPECT_LT(ran.most_angle, 0.26);  // no overshoot
  EXPECT_NEAR(static_cast<double>(ran.samples), 2000.0, 5.0);
}

TEST(Pendulum, StandsWithDelaysOfAMillisecondAndMissedPeriods)
{
  // Every third torque comes 1 ms after its measurement, which costs a period.
  const Ran ran = run(20s, [](int cycle) { return cycle % 3 == 0 ? 850us : 0us; });
  EXPECT_EQ(ran.state.falls, 0U);
  EXPECT_LT(ran.most_angle, 0.01);
}

TEST(Pendulum, OutlivesASingleDelayWhileItIsQuiet)
{
  // As of a host that holds up a core now and then: 12 ms each second.
  const Ran ran = run(20s, [](int cycle) { return cycle % 1000 == 999 ? 12ms : 0ms; });
  EXPECT_EQ(ran.state.falls, 0U);
  EXPECT_GE(ran.state.missed, 19U * 11U);
}

TEST(Pendulum, FallsWithDelaysOfTenMilliseconds)
{
  const Ran ran = run(20s, [](int) { return 10ms; });
  EXPECT_GE(ran.state.falls, 10U);  // 0.7 s down, and up again
  EXPECT_GT(std::max(ran.most_angle, -ran.least_angle), 0.59);
  EXPECT_GT(ran.state.late, 0U);
}

TEST(Pendulum, FallsBesideALoggerInTheSameThread)
{
  // Between two runs of the logger, of 20 to 35 ms, the timer has a cycle or more.
  const Ran ran =
    run(20s, [](int cycle) { return cycle % 5 == 4 ? 20ms + 1ms * (cycle % 16) : 0ms; });
  EXPECT_GE(ran.state.falls, 5U);
}

TEST(Pendulum, FallsWithCyclesOfFourMilliseconds)
{
  // An ordinary thread among busy ones wakes up at the kernel's tick, here 250 Hz.
  const Ran ran = run(20s, [](int) { return 3ms; });
  EXPECT_GE(ran.state.falls, 3U);
}

TEST(Pendulum, FallsWithoutGains)
{
  const Ran ran = run(
    5s, [](int) { return 0ms; },
    [](ControlLoop & loop) {
      loop.setting().set({0.0, 0.0, 0.0});
    });
  EXPECT_GE(ran.state.falls, 2U);
  EXPECT_EQ(ran.state.late, 0U);
}

TEST(Pendulum, ALongSleepOfTheMachineIsOneFall)
{
  Plant plant;
  plant.start(takt_rt::from_ns(0));
  plant.advance(takt_rt::from_ns(0) + 1h);
  EXPECT_EQ(plant.falls(), 1U);
  EXPECT_FALSE(plant.stands());
  plant.advance(takt_rt::from_ns(0) + 1h + Plant::kDown);
  EXPECT_TRUE(plant.stands());
}

}  // namespace takt_workload
