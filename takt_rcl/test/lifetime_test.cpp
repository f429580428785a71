// Nodes and entities end while others run, and exceptions leave through spin.
#include <atomic>
#include <functional>
#include <std_msgs/msg/u_int64.hpp>
#include <stdexcept>

#include "ros_test.hpp"
#include "takt_schedule/parse.hpp"

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
      EXPECT_EQ(*captured, 7);  // the objects of a run live until its end
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
    EXPECT_EQ(self.id(), "/n:timer(1ms)");  // valid until the end of this run
    ++ran;
  });
  int other = 0;
  auto witness = n->create_wall_timer(3ms, [&] { ++other; });
  auto e = executor();
  e.add_node(n);
  ASSERT_TRUE(spin_until(e, [&] { return other >= 5; }));
  EXPECT_EQ(ran, 1);
}

// Makes a callback of any kind that runs `function` as soon as the test starts it.
class AnyEntity : public RosTest, public ::testing::WithParamInterface<takt_core::Kind>
{
protected:
  void SetUp() override
  {
    RosTest::SetUp();
    n_ = node("n");
    pub_ = n_->create_publisher<Number>("numbers", QoS(10));
  }

  std::shared_ptr<Entity> make(
    std::function<void()> function, const CallbackGroup::SharedPtr & group = nullptr)
  {
    if (GetParam() == takt_core::Kind::subscription) {
      SubscriptionOptions options;
      options.callback_group = group;
      auto sub = n_->create_subscription<Number>(
        "numbers", QoS(10), [function](const Number &) { function(); }, options);
      subscriptions_.push_back(sub);
      return sub;
    }
    if (GetParam() == takt_core::Kind::timer) {
      return n_->create_wall_timer(1ms, function, group);
    }
    GuardConditionOptions options;
    options.callback_group = group;
    auto guard = n_->create_guard_condition(function, options);
    guards_.push_back(guard);
    return guard;
  }

  // Starts all of them.
  void go()
  {
    for (const auto & guard : guards_) {
      if (const auto alive = guard.lock(); alive != nullptr) {
        alive->trigger();
      }
    }
    if (!subscriptions_.empty()) {
      std::erase_if(subscriptions_, [](const auto & weak) { return weak.expired(); });
      ASSERT_TRUE(
        wait_until([&] { return pub_->get_subscription_count() == subscriptions_.size(); }));
      pub_->publish(Number());
    }
  }

  std::shared_ptr<Node> n_;

private:
  std::shared_ptr<Publisher<Number>> pub_;
  std::vector<std::weak_ptr<GuardCondition>> guards_;
  std::vector<std::weak_ptr<SubscriptionBase>> subscriptions_;
};

INSTANTIATE_TEST_SUITE_P(
  Kinds, AnyEntity,
  ::testing::Values(
    takt_core::Kind::timer, takt_core::Kind::subscription, takt_core::Kind::waitable),
  [](const auto & info) { return std::string(takt_core::to_string(info.param)); });

TEST_P(AnyEntity, DestroyingWaitsForARunOnAnotherThread)
{
  std::atomic<bool> inside{false};
  std::atomic<bool> let_go{false};
  std::atomic<bool> ended{false};
  auto entity = make([&] {
    inside = true;
    wait_until([&] { return let_go.load(); });
    ended = true;
  });
  auto e = executor();
  e.add_node(n_);
  Spinning spinning(e);
  go();
  ASSERT_TRUE(wait_until([&] { return inside.load(); }));
  std::atomic<bool> destroyed{false};
  std::thread destroyer([&] {
    entity.reset();
    EXPECT_TRUE(ended);
    destroyed = true;
  });
  std::this_thread::sleep_for(20ms);  // gives a fault time to show; the test does not depend on it
  EXPECT_FALSE(destroyed);
  let_go = true;
  destroyer.join();
}

// Each callback waits until both run, so that each finds the other one running.
TEST_P(AnyEntity, TwoCallbacksMayDestroyEachOther)
{
  constexpr auto kExclusive = CallbackGroupType::MutuallyExclusive;
  std::shared_ptr<Entity> a;
  std::shared_ptr<Entity> b;
  std::atomic<int> inside{0};
  std::atomic<int> ran{0};
  std::weak_ptr<int> witness;
  {
    auto captured = std::make_shared<int>(7);
    witness = captured;
    const auto drop = [&inside, &ran](std::shared_ptr<Entity> & other) {
      ++inside;
      wait_until([&] { return inside >= 2; });
      other.reset();
      ++ran;
    };
    a = make(
      [&b, drop, captured] {
        drop(b);
        EXPECT_EQ(*captured, 7);  // the objects of a run live until its end
      },
      n_->create_callback_group(kExclusive));
    b = make(
      [&a, drop, captured] {
        drop(a);
        EXPECT_EQ(*captured, 7);
      },
      n_->create_callback_group(kExclusive));
  }
  auto e = executor(2);
  e.add_node(n_);
  go();  // first, so that no other object holds a handle meanwhile
  Spinning spinning(e);
  ASSERT_TRUE(wait_until([&] { return witness.expired(); }))
    << inside << " inside, " << ran << " over";
  auto other = make([&] { ++ran; }, n_->create_callback_group(kExclusive));
  go();
  ASSERT_TRUE(wait_until([&] { return ran >= 3; }));
  spinning.stop();
  EXPECT_GE(inside, 2);  // a timer may begin one more run before the other callback destroys it
  EXPECT_EQ(e.core().scheduler().callbacks().size(), 1u);
}

// During its run, a callback destroys itself and makes its successor with the same id.
TEST_P(AnyEntity, ASuccessorMadeInsideTheCallbackHasTheSameId)
{
  std::atomic<bool> replaced{false};
  std::atomic<int> successor_ran{0};
  std::shared_ptr<Entity> first;
  std::shared_ptr<Entity> second;
  std::string id;
  first = make(
    [&] {
      first.reset();
      second =
        make([&] { ++successor_ran; }, n_->create_callback_group(CallbackGroupType::Reentrant));
      EXPECT_EQ(second->id(), id);
      replaced = true;
    },
    n_->create_callback_group(CallbackGroupType::MutuallyExclusive));
  id = first->id();
  auto e = executor(2);
  e.add_node(n_);
  go();  // first, so that no other object holds a handle meanwhile
  Spinning spinning(e);
  ASSERT_TRUE(wait_until([&] { return replaced.load(); }));
  go();
  EXPECT_TRUE(wait_until([&] { return successor_ran > 0; }));
  spinning.stop();
}

// Announcements without a run wait for the next executor.
TEST_F(Lifetime, BacklogMovesWithTheNode)
{
  auto n = node("n");
  int got = 0;
  int ran = 0;
  auto sub = n->create_subscription<Number>("numbers", QoS(5), [&](const Number &) { ++got; });
  auto pub = n->create_publisher<Number>("numbers", QoS(5));
  GuardConditionOptions deep;
  deep.depth = 5;
  auto guard = n->create_guard_condition([&] { ++ran; }, deep);
  ASSERT_TRUE(pub->wait_for_matched(1, kPatience));
  auto a = executor();
  a.add_node(n);
  for (int i = 0; i < 3; ++i) {
    pub->publish(Number());
    guard->trigger();
  }
  ASSERT_TRUE(wait_until([&] { return sub->backlog() == 3; }));
  a.remove_node(n);
  auto b = executor();
  b.add_node(n);
  EXPECT_TRUE(spin_until(b, [&] { return got == 3 && ran == 3; }));
  b.spin_some();
  EXPECT_EQ(got + ran, 6);
}

TEST_F(Lifetime, GroupsComeAndGoByThemselves)
{
  auto n = node("n");
  std::atomic<int> with_node{0};
  std::atomic<int> alone{0};
  auto group = n->create_callback_group(CallbackGroupType::MutuallyExclusive, false);
  EXPECT_FALSE(group->automatically_add_to_executor_with_node());
  GuardConditionOptions in_group;
  in_group.callback_group = group;
  auto first = n->create_guard_condition([&] { ++alone; }, in_group);
  auto other = n->create_guard_condition([&] { ++with_node; });
  auto a = executor();
  auto b = executor();
  a.add_node(n);
  EXPECT_EQ(first->number(), 0u);
  EXPECT_NE(other->number(), 0u);
  EXPECT_THROW(a.add_callback_group(n->get_default_callback_group(), n), Error);
  EXPECT_THROW(a.add_callback_group(group, node("m")), Error);
  b.add_callback_group(group, n);
  EXPECT_THROW(a.add_callback_group(group, n), Error);
  auto second = n->create_guard_condition([&] { ++alone; }, in_group);
  for (const auto & guard : {first, second, other}) {
    guard->trigger();
  }
  EXPECT_TRUE(spin_until(b, [&] { return alone == 2; }));
  EXPECT_EQ(with_node, 0);
  EXPECT_TRUE(spin_until(a, [&] { return with_node == 1; }));
  EXPECT_THROW(a.remove_callback_group(group), Error);
  b.remove_callback_group(group);
  EXPECT_EQ(first->number(), 0u);
  EXPECT_EQ(second->number(), 0u);
  a.add_callback_group(group, n);
  a.remove_node(n);  // the node's callbacks leave their group
  EXPECT_NE(first->number(), 0u);
  EXPECT_EQ(other->number(), 0u);
  {
    auto c = executor();
    c.add_node(n);
    EXPECT_NE(first->number(), 0u);
    EXPECT_NE(other->number(), 0u);
  }
  EXPECT_EQ(other->number(), 0u);
  n.reset();
  EXPECT_EQ(first->number(), 0u);
}

TEST_F(Lifetime, AContextStartsAfreshAfterAShutdown)
{
  const auto fault_of = [&] {
    try {
      node("fault");
    } catch (const Error & error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  int told = 0;
  context->on_shutdown([&] { ++told; });
  auto old = node("old");
  auto pub = old->create_publisher<Number>("numbers", QoS(1));
  EXPECT_THROW(context->init(0, nullptr), Error);
  EXPECT_TRUE(context->shutdown("once"));
  EXPECT_EQ(told, 1);
  EXPECT_EQ(fault_of(), "cannot make node 'fault': the context has been shut down");
  EXPECT_THROW(Executor{context}, Error);
  InitOptions quiet;
  quiet.shutdown_on_signal = false;
  context->init(0, nullptr, quiet);
  EXPECT_TRUE(context->ok());
  EXPECT_EQ(context->shutdown_reason(), "");
  auto n = node("n");
  int got = 0;
  auto sub = n->create_subscription<Number>("numbers", QoS(1), [&](const Number &) { ++got; });
  auto again = n->create_publisher<Number>("numbers", QoS(1));
  auto e = executor();
  e.add_node(n);
  ASSERT_TRUE(again->wait_for_matched(1, kPatience));
  again->publish(Number());
  EXPECT_TRUE(spin_until(e, [&] { return got == 1; }));
  EXPECT_EQ(pub->publish(Number()), 0u);  // the publisher belongs to the context that was shut down
  old.reset();
  pub.reset();
  EXPECT_TRUE(context->shutdown());
  EXPECT_EQ(told, 2);
  context = std::make_shared<Context>();
  EXPECT_EQ(
    fault_of(),
    "cannot make node 'fault': the context is not initialised; call takt_rcl::init first");
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

TEST_F(Lifetime, ExceptionUnderReportNamesItsCallbackAndSpinGoesOn)
{
  const auto schedule = takt_schedule::parse_schedule(
    "version: 1\nexecutors: {main: {on_exception: report, threads: {t: {}}, default: t}}\n",
    "schedule.yaml");
  ASSERT_TRUE(schedule.ok());
  ::testing::internal::CaptureStderr();
  int ran = 0;
  bool ran_again = false;
  {
    auto e = Executor::from_schedule(context, schedule.value(), "main");
    auto n = node("n");
    auto timer = n->create_wall_timer(1ms, [&] {
      ++ran;
      throw std::runtime_error("the sensor is off");
    });
    e.add_node(n);
    EXPECT_NO_THROW(ran_again = spin_until(e, [&] { return ran >= 2; }));
    // The executor ends here, and reports the remaining exceptions.
  }
  const std::string output = ::testing::internal::GetCapturedStderr();
  EXPECT_TRUE(ran_again);
  EXPECT_NE(output.find("executor main: callback /n:timer(1ms) threw "), std::string::npos)
    << output;
  EXPECT_NE(output.find("; it said: the sensor is off"), std::string::npos) << output;
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
    // The executor ends. The node lives on.
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

// All operations at once, for the sanitizers.
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
