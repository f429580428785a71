// Wall timers, ROS-time timers, simulated time and its jumps.
#include <atomic>
#include <rosgraph_msgs/msg/clock.hpp>

#include "ros_test.hpp"

namespace takt_rcl::test
{

class Timers : public RosTest
{
};

TEST_F(Timers, ReleasesLieOnTheGridWhateverTheCallbackTakes)
{
  auto n = node("n");
  std::vector<TimerInfo> infos;
  auto timer = n->create_wall_timer(5ms, [&](const TimerInfo & info) { infos.push_back(info); });
  EXPECT_EQ(timer->period(), 5ms);
  auto e = executor();
  e.add_node(n);
  ASSERT_TRUE(spin_until(e, [&] { return infos.size() >= 10; }));
  for (std::size_t i = 0; i < infos.size(); ++i) {
    const Duration since = infos[i].expected_call_time - infos[0].expected_call_time;
    EXPECT_EQ(since % 5ms, 0ns);
    EXPECT_GE(infos[i].actual_call_time, infos[i].expected_call_time);
  }
}

TEST_F(Timers, CancelAndResetFromAnywhere)
{
  auto n = node("n");
  int ran = 0;
  auto timer = n->create_wall_timer(1ms, [&](Timer & self) {
    if (++ran == 3) {
      self.cancel();
    }
  });
  int other = 0;
  auto witness = n->create_wall_timer(1ms, [&] { ++other; });
  auto e = executor();
  e.add_node(n);
  EXPECT_FALSE(timer->is_canceled());
  ASSERT_TRUE(spin_until(e, [&] { return other >= 20; }));
  EXPECT_EQ(ran, 3);
  EXPECT_TRUE(timer->is_canceled());
  EXPECT_EQ(timer->time_until_trigger(), Duration::max());
  timer->reset();
  EXPECT_FALSE(timer->is_canceled());
  EXPECT_LE(timer->time_until_trigger(), 1ms);
  ASSERT_TRUE(spin_until(e, [&] { return ran >= 4; }));
}

TEST_F(Timers, StateIsKeptWithoutAnExecutor)
{
  auto n = node("n");
  int ran = 0;
  auto cancelled = n->create_wall_timer(1ms, [&] { ++ran; });
  auto waiting = n->create_wall_timer(
    1ms, [&] { ++ran; }, nullptr, false);
  EXPECT_TRUE(waiting->is_canceled());
  cancelled->cancel();
  EXPECT_TRUE(cancelled->is_canceled());
  int other = 0;
  auto witness = n->create_wall_timer(1ms, [&] { ++other; });
  {
    auto e = executor();
    e.add_node(n);
    ASSERT_TRUE(spin_until(e, [&] { return other >= 10; }));
    EXPECT_EQ(ran, 0);
    EXPECT_TRUE(cancelled->is_canceled());
    waiting->reset();
    ASSERT_TRUE(spin_until(e, [&] { return ran >= 1; }));
  }
  EXPECT_FALSE(waiting->is_canceled());
  EXPECT_TRUE(cancelled->is_canceled());
}

// A program that spins in small steps has one executor after the other.
TEST_F(Timers, PhaseIsKeptFromExecutorToExecutor)
{
  constexpr auto kPeriod = 100ms;
  auto n = node("n");
  std::vector<std::int64_t> releases;
  std::uint64_t skipped_last = 0;  // skipped periods that come after the last release
  TimerOptions at_once;
  at_once.offset = 0ms;
  auto timer = n->create_wall_timer(
    kPeriod,
    [&](const TimerInfo & info) {
      releases.push_back(info.expected_call_time.nanoseconds());
      skipped_last = info.skipped;
    },
    at_once);
  ASSERT_TRUE(wait_until([&] {
    spin_some(n);
    return releases.size() >= 4;
  }));
  const std::int64_t period = std::chrono::nanoseconds(kPeriod).count();
  for (const std::int64_t release : releases) {
    EXPECT_EQ((release - releases.front()) % period, 0);
  }
  EXPECT_EQ(
    (releases.back() - releases.front()) / period,
    static_cast<std::int64_t>(releases.size() - 1 + timer->skipped_periods() - skipped_last));
  EXPECT_LE(timer->time_until_trigger(), kPeriod);
}

TEST_F(Timers, MissedPeriodsFollowThePolicy)
{
  const auto run = [&](takt_core::MissedPeriods policy) {
    auto n = node("n");
    std::vector<TimerInfo> infos;
    TimerOptions options;
    options.missed_periods = policy;
    auto timer = n->create_wall_timer(
      2ms,
      [&](const TimerInfo & info) {
        infos.push_back(info);
        if (infos.size() == 1) {
          std::this_thread::sleep_for(11ms);  // misses five or more
        }
      },
      options);
    auto e = executor();
    e.add_node(n);
    EXPECT_TRUE(spin_until(e, [&] { return infos.size() >= 8; }));
    return std::pair(infos, timer->skipped_periods());
  };
  const auto [skip, skipped] = run(takt_core::MissedPeriods::skip);
  EXPECT_GE(skipped, 4u);
  EXPECT_EQ((skip.back().expected_call_time - skip.front().expected_call_time) % 2ms, 0ns);
  const auto [all, none] = run(takt_core::MissedPeriods::catch_up);
  EXPECT_EQ(none, 0u);
  for (std::size_t i = 1; i < all.size(); ++i) {
    EXPECT_EQ(all[i].expected_call_time - all[i - 1].expected_call_time, 2ms);
  }
}

// As in adopted programs: one rule of a schedule applies to all of these timers.
TEST_F(Timers, OneThatItsCallbackReplacesKeepsItsId)
{
  auto n = node("again");
  auto e = executor(2);
  e.add_node(n);
  std::vector<std::string> ids;
  std::vector<takt_rt::Time> ran;
  Timer::SharedPtr timer;
  std::function<void(Timer &)> again = [&](Timer & self) {
    ids.push_back(self.id());
    ran.push_back(takt_rt::now());
    timer = n->create_wall_timer(10ms, again);
  };
  timer = n->create_wall_timer(10ms, again);
  ASSERT_TRUE(spin_until(e, [&] { return ids.size() >= 6; }));
  EXPECT_EQ(ids, std::vector<std::string>(ids.size(), "/again:timer(10ms)"));
  for (std::size_t i = 1; i < ran.size(); ++i) {
    EXPECT_GE(ran[i] - ran[i - 1], 9ms) << i;  // counts from the timer's creation
  }
  // A second timer, which the callback makes and keeps beside the first, has another id.
  Timer::SharedPtr beside;
  const auto twice = [&](Timer & self) {
    if (beside == nullptr) {
      beside = n->create_wall_timer(20ms, [] {});
      EXPECT_EQ(self.id(), "/again:timer(20ms)");
      EXPECT_EQ(beside->id(), "/again:timer(20ms)#2");
    }
  };
  timer = n->create_wall_timer(20ms, twice);
  ASSERT_TRUE(spin_until(e, [&] { return beside != nullptr; }));
  EXPECT_EQ(beside->id(), "/again:timer(20ms)#2");
}

TEST_F(Timers, ROSTimeWithoutSimulationIsSystemTime)
{
  auto n = node("n");
  int ran = 0;
  auto timer = n->create_timer(2ms, [&] { ++ran; });
  EXPECT_FALSE(n->get_clock()->ros_time_is_active());
  const auto system = std::chrono::system_clock::now().time_since_epoch();
  EXPECT_LT(std::abs(n->now().seconds() - std::chrono::duration<double>(system).count()), 60.0);
  auto e = executor();
  e.add_node(n);
  EXPECT_TRUE(spin_until(e, [&] { return ran >= 3; }));
}

/// A node on simulated time, and a publisher of that time.
class SimulatedTime : public RosTest
{
protected:
  void SetUp() override
  {
    restart({"-p", "use_sim_time:=true"});
    node_ = node("n");
    NodeOptions wall = options();
    wall.parameter_overrides({{"use_sim_time", false}});
    simulator_ = std::make_shared<Node>("simulator", wall);
    clock_ = simulator_->create_publisher<rosgraph_msgs::msg::Clock>("/clock", ClockQoS());
    executor_.emplace(executor());
    ASSERT_TRUE(clock_->wait_for_matched(1, kPatience));
    executor_->add_node(node_);
  }
  void TearDown() override { executor_.reset(); }

  void set(Duration time)
  {
    rosgraph_msgs::msg::Clock message;
    message.clock = Time(time.count());
    clock_->publish(message);
    ASSERT_TRUE(spin_until(*executor_, [&] { return node_->now().nanoseconds() == time.count(); }));
    while (executor_->spin_some() > 0) {
    }
  }

  std::shared_ptr<Node> node_;
  std::shared_ptr<Node> simulator_;
  std::shared_ptr<Publisher<rosgraph_msgs::msg::Clock>> clock_;
  std::optional<Executor> executor_;
};

TEST_F(SimulatedTime, TimersFollowTheClockAndNothingElse)
{
  std::vector<TimerInfo> infos;
  auto timer = node_->create_timer(100ms, [&](const TimerInfo & i) { infos.push_back(i); });
  EXPECT_EQ(timer->id(), "/n:timer(100ms)");
  EXPECT_TRUE(node_->get_clock()->ros_time_is_active());
  EXPECT_EQ(node_->now().nanoseconds(), 0);
  set(1000s);  // the first time is not a jump
  EXPECT_EQ(infos.size(), 0u);
  set(1000s + 99ms);
  EXPECT_EQ(infos.size(), 0u);
  EXPECT_EQ(timer->time_until_trigger(), 1ms);
  set(1000s + 103ms);
  ASSERT_EQ(infos.size(), 1u);
  EXPECT_EQ(infos[0].expected_call_time, Time((1000s + 100ms) / 1ns));
  EXPECT_EQ(infos[0].actual_call_time, Time((1000s + 103ms) / 1ns));
  set(1000s + 200ms);
  EXPECT_EQ(infos.size(), 2u);
}

TEST_F(SimulatedTime, TimersGoOnFromExecutorToExecutor)
{
  std::vector<std::int64_t> ms;
  auto timer = node_->create_timer(100ms, [&](const TimerInfo & i) {
    ms.push_back(i.expected_call_time.nanoseconds() / 1'000'000);
  });
  set(1000s);
  executor_->remove_node(node_);
  // One executor receives the time and releases the timer. The next executor runs it.
  for (const Duration time : {Duration(1000s + 150ms), Duration(1000s + 230ms)}) {
    const std::size_t before = ms.size();
    rosgraph_msgs::msg::Clock message;
    message.clock = Time(time.nanoseconds());
    clock_->publish(message);
    ASSERT_TRUE(wait_until([&] {
      spin_some(node_);
      return ms.size() > before;
    }));
  }
  EXPECT_EQ(ms, (std::vector<std::int64_t>{1'000'100, 1'000'200}));
}

TEST_F(SimulatedTime, JumpForwardRunsOnceAndKeepsThePhase)
{
  std::vector<TimerInfo> infos;
  auto timer = node_->create_timer(100ms, [&](const TimerInfo & i) { infos.push_back(i); });
  set(10s);
  set(20s + 50ms);
  ASSERT_EQ(infos.size(), 1u);
  EXPECT_EQ(infos[0].skipped, 99u);
  EXPECT_EQ(timer->skipped_periods(), 99u);
  set(20s + 99ms);
  EXPECT_EQ(infos.size(), 1u);
  set(20s + 100ms);
  EXPECT_EQ(infos.size(), 2u);
}

TEST_F(SimulatedTime, JumpBackWaitsAtMostOnePeriod)
{
  int ran = 0;
  auto timer = node_->create_timer(100ms, [&] { ++ran; });
  set(1000s);
  set(1000s + 100ms);
  EXPECT_EQ(ran, 1);
  set(5s);
  EXPECT_EQ(ran, 1);
  EXPECT_EQ(timer->time_until_trigger(), 100ms);
  set(5s + 100ms);
  EXPECT_EQ(ran, 2);
}

TEST_F(SimulatedTime, CancelResetAndLateTimers)
{
  int ran = 0;
  set(50s);
  auto timer = node_->create_timer(1s, [&] { ++ran; });
  set(51s);
  EXPECT_EQ(ran, 1);
  timer->cancel();
  EXPECT_TRUE(timer->is_canceled());
  set(60s);
  EXPECT_EQ(ran, 1);
  timer->reset();
  set(60s + 999ms);
  EXPECT_EQ(ran, 1);
  set(61s);
  EXPECT_EQ(ran, 2);
  timer.reset();
  set(70s);
  EXPECT_EQ(ran, 2);
}

TEST_F(SimulatedTime, WallTimersDoNotCare)
{
  int ran = 0;
  auto timer = node_->create_wall_timer(1ms, [&] { ++ran; });
  EXPECT_TRUE(spin_until(*executor_, [&] { return ran >= 3; }));
}

TEST_F(SimulatedTime, TimerIsTheRootOfItsActivations)
{
  std::uint32_t root = 0;
  auto timer =
    node_->create_timer(100ms, [&] { root = takt_core::current_activations()->begin()->root; });
  set(1s);
  set(1s + 100ms);
  EXPECT_EQ(root, timer->number());
}

}  // namespace takt_rcl::test
