// Things come and go while others run; exceptions leave through spin.
#include <atomic>
#include <std_msgs/msg/u_int64.hpp>
#include <stdexcept>

#include "ros_test.hpp"

namespace takt_rcl::test
{

using Number = std_msgs::msg::UInt64;

class Lifetime : public RosTest
{
};

TEST_F(Lifetime, SubscriptionMayEndInsideItsOwnCallback)
{
  auto n = node("n");
  std::shared_ptr<SubscriptionBase> sub;
  std::weak_ptr<int> witness;
  std::atomic<int> got{0};
  {
    auto captured = std::make_shared<int>(7);
    witness = captured;
    sub = n->create_subscription<Number>("numbers", QoS(10), [&, captured](const Number & m) {
      sub.reset();
      EXPECT_EQ(*captured, 7);  // what a run uses lives until its end
      EXPECT_EQ(m.data, 5u);
      ++got;
    });
  }
  auto pub = n->create_publisher<Number>("numbers", QoS(10));
  auto e = executor();
  e.add_node(n);
  ASSERT_TRUE(pub->wait_for_matched(1, kPatience));
  Number five;
  five.data = 5;
  pub->publish(five);
  pub->publish(five);
  pub->publish(five);
  {
    Spinning spinning(e);
    ASSERT_TRUE(wait_until([&] { return got == 1; }));
    ASSERT_TRUE(wait_until([&] { return witness.expired(); }));
    ASSERT_TRUE(wait_until([&] { return pub->get_subscription_count() == 0; }));
  }
  EXPECT_EQ(got, 1);
}

TEST_F(Lifetime, TimerMayEndInsideItsOwnCallback)
{
  auto n = node("n");
  std::atomic<int> ran{0};
  Timer::SharedPtr timer;
  timer = n->create_wall_timer(1ms, [&](Timer & self) {
    EXPECT_EQ(&self, timer.get());
    timer.reset();
    EXPECT_EQ(self.id(), "/n:timer(1ms)");  // alive until the end of this run
    ++ran;
  });
  int other = 0;
  auto witness = n->create_wall_timer(3ms, [&] { ++other; });
  auto e = executor();
  e.add_node(n);
  ASSERT_TRUE(spin_until(e, [&] { return other >= 5; }));
  EXPECT_EQ(ran, 1);
}

TEST_F(Lifetime, DestroyingWaitsForARunOnAnotherThread)
{
  auto n = node("n");
  std::atomic<bool> inside{false};
  std::atomic<bool> let_go{false};
  std::atomic<bool> ended{false};
  auto guard = n->create_guard_condition([&] {
    inside = true;
    wait_until([&] { return let_go.load(); });
    ended = true;
  });
  auto e = executor();
  e.add_node(n);
  Spinning spinning(e);
  guard->trigger();
  ASSERT_TRUE(wait_until([&] { return inside.load(); }));
  std::atomic<bool> destroyed{false};
  std::thread destroyer([&] {
    guard.reset();
    EXPECT_TRUE(ended);
    destroyed = true;
  });
  std::this_thread::sleep_for(20ms);  // gives a fault the time to show; nothing depends on it
  EXPECT_FALSE(destroyed);
  let_go = true;
  destroyer.join();
}

TEST_F(Lifetime, ExceptionLeavesThroughSpin)
{
  auto n = node("n");
  std::atomic<bool> fail{true};
  std::atomic<int> good{0};
  auto guard = n->create_guard_condition([&] {
    if (fail) {
      throw std::out_of_range("from the callback");
    }
    ++good;
  });
  auto e = executor(2);
  e.add_node(n);
  guard->trigger();
  EXPECT_THROW(e.spin(), std::out_of_range);
  guard->trigger();
  EXPECT_THROW(e.spin_once(1s), std::out_of_range);
  guard->trigger();
  EXPECT_THROW(e.spin_some(), std::out_of_range);
  fail = false;
  guard->trigger();
  Spinning spinning(e);
  EXPECT_TRUE(wait_until([&] { return good == 1; }));
}

TEST_F(Lifetime, SpinningTwiceIsAnError)
{
  auto e = executor();
  auto n = node("n");
  std::atomic<bool> running{false};
  auto guard = n->create_guard_condition([&] { running = true; });
  e.add_node(n);
  guard->trigger();
  Spinning spinning(e);
  ASSERT_TRUE(wait_until([&] { return running.load(); }));
  EXPECT_TRUE(e.is_spinning());
  EXPECT_THROW(e.spin(), Error);
  EXPECT_THROW(e.spin_once(0s), Error);
}

TEST_F(Lifetime, CancelBeforeSpinIsNotLost)
{
  auto e = executor();
  e.cancel();
  e.spin();
}

TEST_F(Lifetime, ShutdownEndsSpinAlsoFromACallback)
{
  auto n = node("n");
  auto e = executor(2);
  auto guard = n->create_guard_condition([&] { EXPECT_TRUE(context->shutdown("enough")); });
  e.add_node(n);
  guard->trigger();
  e.spin();
  EXPECT_FALSE(context->ok());
  EXPECT_EQ(context->shutdown_reason(), "enough");
  e.spin();  // returns at once
}

TEST_F(Lifetime, NodeIsInOneExecutorAtATime)
{
  auto n = node("n");
  auto a = executor();
  auto b = executor();
  std::atomic<int> ran{0};
  auto guard = n->create_guard_condition([&] { ++ran; });
  a.add_node(n);
  EXPECT_THROW(a.add_node(n), Error);
  EXPECT_THROW(b.add_node(n), Error);
  EXPECT_THROW(b.remove_node(n), Error);
  const std::uint32_t first = guard->number();
  EXPECT_NE(first, 0u);
  guard->trigger();  // waits while the node moves
  a.remove_node(n);
  EXPECT_EQ(guard->number(), 0u);
  b.add_node(n);
  EXPECT_TRUE(spin_until(b, [&] { return ran == 1; }));
}

TEST_F(Lifetime, NodeMovesBetweenExecutorsWithAllItsCallbacks)
{
  auto n = node("n");
  int got = 0;
  int ticks = 0;
  auto sub = n->create_subscription<Number>("numbers", QoS(5), [&](const Number &) { ++got; });
  auto pub = n->create_publisher<Number>("numbers", QoS(5));
  auto timer = n->create_wall_timer(1ms, [&] { ++ticks; });
  ASSERT_TRUE(pub->wait_for_matched(1, kPatience));
  for (int round = 1; round <= 3; ++round) {
    auto e = executor();
    e.add_node(n);
    const int before = ticks;
    pub->publish(Number());
    EXPECT_TRUE(spin_until(e, [&] { return got == round && ticks > before; }));
    // The executor goes and leaves the node behind.
  }
}

TEST_F(Lifetime, ExecutorOutlivesItsNodes)
{
  auto e = executor();
  for (int i = 0; i < 3; ++i) {
    auto n = node("n");
    int ran = 0;
    auto guard = n->create_guard_condition([&] { ++ran; });
    e.add_node(n);
    guard->trigger();
    EXPECT_TRUE(spin_until(e, [&] { return ran == 1; }));
    guard->trigger();
    n.reset();  // before its guard condition
    guard->trigger();
    e.spin_some();
    EXPECT_EQ(ran, 1);
  }
  EXPECT_TRUE(e.core().scheduler().callbacks().empty());
}

TEST_F(Lifetime, EntitiesOutliveNodeAndContext)
{
  auto n = node("n");
  auto pub = n->create_publisher<Number>("numbers", QoS(1));
  auto sub = n->create_subscription<Number>("numbers", QoS(1), [](const Number &) {});
  auto timer = n->create_wall_timer(1s, [] {});
  n.reset();
  context.reset();
  EXPECT_NE(pub->publish(Number()), 0u);
  EXPECT_FALSE(timer->is_canceled());
}

TEST_F(Lifetime, CallbackThatCannotBeAddedIsOneClearErrorAndLeavesNothing)
{
  auto e = executor(1);
  auto n = node("n");
  e.add_node(n);
  TimerOptions wrong;
  wrong.binding.threads = 0b100;
  try {
    n->create_wall_timer(
      1s, [] {}, wrong);
    FAIL() << "nothing was thrown";
  } catch (const Error & error) {
    EXPECT_NE(std::string(error.what()).find("cannot add /n:timer(1s)"), std::string::npos)
      << error.what();
  }
  EXPECT_TRUE(e.core().scheduler().callbacks().empty());
  EXPECT_EQ(n->create_wall_timer(1s, [] {})->id(), "/n:timer(1s)");
}

// Everything at once, for the sanitizers and for whatever nobody thought of.
TEST_F(Lifetime, EntitiesComeAndGoUnderLoad)
{
  auto n = node("n");
  auto e = executor(2);
  e.add_node(n);
  auto pub = n->create_publisher<Number>("numbers", QoS(5));
  std::atomic<std::uint64_t> got{0};
  SubscriptionOptions reentrant;
  reentrant.callback_group = n->create_callback_group(CallbackGroupType::Reentrant);
  auto feeder = n->create_wall_timer(1ms, [&] { pub->publish(Number()); });
  Spinning spinning(e);
  for (int i = 0; i < 100; ++i) {
    auto sub = n->create_subscription<Number>(
      "numbers", QoS(5), [&](std::shared_ptr<const Number>) { ++got; }, reentrant);
    auto timer = n->create_wall_timer(100us, [&] { ++got; });
    const std::uint64_t before = got;
    ASSERT_TRUE(wait_until([&] { return got > before + 3; }));
  }
  spinning.stop();
  EXPECT_EQ(e.core().scheduler().callbacks().size(), 1u);
}

}  // namespace takt_rcl::test
