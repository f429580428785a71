// Messages inside one process: delivery, callback signatures, sequence numbers, losses, wake-ups.
#include <atomic>
#include <std_msgs/msg/string.hpp>
#include <std_msgs/msg/u_int64.hpp>

#include "ros_test.hpp"

namespace takt_rcl::test
{

using Number = std_msgs::msg::UInt64;

Number number(std::uint64_t value)
{
  Number message;
  message.data = value;
  return message;
}

class PubSub : public RosTest
{
};

TEST_F(PubSub, DeliversInOrderWithoutLoss)
{
  auto n = node("n");
  std::vector<std::uint64_t> got;
  auto sub = n->create_subscription<Number>(
    "numbers", QoS(100), [&](const Number & m) { got.push_back(m.data); });
  auto pub = n->create_publisher<Number>("numbers", QoS(100));
  auto e = executor();
  e.add_node(n);
  ASSERT_TRUE(pub->wait_for_matched(1, kPatience));
  for (std::uint64_t i = 0; i < 50; ++i) {
    EXPECT_EQ(pub->publish(number(i)), i + 1);
  }
  ASSERT_TRUE(spin_until(e, [&] { return got.size() == 50; }));
  for (std::uint64_t i = 0; i < 50; ++i) {
    EXPECT_EQ(got[i], i);
  }
  EXPECT_EQ(sub->taken_messages(), 50u);
  EXPECT_EQ(sub->lost_messages(), 0u);
  EXPECT_EQ(sub->failed_takes(), 0u);
  EXPECT_EQ(n->count_publishers("numbers"), 1u);
  EXPECT_EQ(n->count_subscribers("/numbers"), 1u);
}

TEST_F(PubSub, EverySignatureGetsTheMessage)
{
  auto n = node("n");
  std::uint64_t sum = 0;
  using String = std_msgs::msg::String;
  std::vector<std::shared_ptr<SubscriptionBase>> subs;
  const auto subscribe = [&](auto callback) {
    subs.push_back(n->create_subscription<String>("s", QoS(10), callback));
  };
  subscribe([&](const String & m) { sum += m.data.size(); });
  subscribe([&](const String & m, const MessageInfo &) { sum += m.data.size(); });
  subscribe([&](String::ConstSharedPtr m) { sum += m->data.size(); });
  subscribe([&](String::SharedPtr m, const MessageInfo &) { sum += m->data.size(); });
  subscribe([&](UniqueMessage<String> m) { sum += m->data.size(); });
  subscribe([&](String::UniquePtr m) { sum += m->data.size(); });
  auto pub = n->create_publisher<String>("s", QoS(10));
  auto e = executor();
  e.add_node(n);
  ASSERT_TRUE(pub->wait_for_matched(subs.size(), kPatience));
  String message;
  message.data = "12345";
  pub->publish(message);
  pub->publish(std::make_unique<String>(message));
  ASSERT_TRUE(spin_until(e, [&] { return sum == 2 * 5 * subs.size(); }));
  EXPECT_EQ(subs[2]->allocated_messages(), 0u);
  EXPECT_EQ(subs[4]->allocated_messages(), 0u);
  EXPECT_GE(subs[5]->allocated_messages(), 2u);
}

TEST_F(PubSub, KeptMessagesComeFromThePoolUntilItIsExhausted)
{
  auto n = node("n");
  std::vector<std::shared_ptr<const Number>> kept;
  SubscriptionOptions pool;
  pool.extra_messages = 3;
  auto sub = n->create_subscription<Number>(
    "numbers", QoS(2), [&](std::shared_ptr<const Number> m) { kept.push_back(std::move(m)); },
    pool);
  auto pub = n->create_publisher<Number>("numbers", QoS(2));
  auto e = executor();
  e.add_node(n);
  ASSERT_TRUE(pub->wait_for_matched(1, kPatience));
  for (std::uint64_t i = 0; i < 10; ++i) {
    pub->publish(number(i));
    ASSERT_TRUE(spin_until(e, [&] { return kept.size() == i + 1; }));
  }
  for (std::uint64_t i = 0; i < 10; ++i) {
    EXPECT_EQ(kept[i]->data, i);
  }
  EXPECT_EQ(sub->allocated_messages(), 10u - (2 + 1 + 3));
}

TEST_F(PubSub, MessagesThatWaitBeforeTheExecutorComesAreNotLost)
{
  auto n = node("n");
  std::vector<std::uint64_t> got;
  auto sub = n->create_subscription<Number>(
    "numbers", QoS(10), [&](const Number & m) { got.push_back(m.data); });
  auto pub = n->create_publisher<Number>("numbers", QoS(10));
  ASSERT_TRUE(pub->wait_for_matched(1, kPatience));
  for (std::uint64_t i = 0; i < 5; ++i) {
    pub->publish(number(i));
  }
  auto e = executor();
  e.add_node(n);
  ASSERT_TRUE(spin_until(e, [&] { return got.size() == 5; }));
}

TEST_F(PubSub, TransientLocalMessagesReachASubscriptionMadeInACallback)
{
  auto n = node("n");
  auto pub = n->create_publisher<Number>("numbers", QoS(5).transient_local());
  for (std::uint64_t i = 0; i < 5; ++i) {
    pub->publish(number(i));
  }
  std::atomic<int> got{0};
  std::shared_ptr<SubscriptionBase> sub;
  auto guard = n->create_guard_condition([&] {
    sub = n->create_subscription<Number>(
      "numbers", QoS(5).transient_local(), [&](const Number &) { ++got; });
  });
  auto e = executor(2);
  e.add_node(n);
  Spinning spinning(e);
  guard->trigger();
  EXPECT_TRUE(wait_until([&] { return got == 5; }));
}

// In each round, messages race with the registration of the listener. The last message must arrive
// without another one that announces it.
TEST_F(PubSub, FirstWakeUpIsNotLostWhileMessagesRace)
{
  auto n = node("n");
  auto pub = n->create_publisher<Number>("numbers", QoS(1));
  auto e = executor(1);
  std::atomic<std::uint64_t> last{0};
  std::atomic<bool> go{false};
  std::atomic<std::uint64_t> round{0};
  std::atomic<bool> sent{false};
  constexpr std::uint64_t kRounds = 300;
  std::thread publisher([&] {
    for (std::uint64_t r = 1; r <= kRounds; ++r) {
      while (round.load() != r) {
        std::this_thread::yield();
      }
      const auto until = takt_rt::now() + std::chrono::microseconds(r % 64);
      while (takt_rt::now() < until) {
      }
      pub->publish(number(r));
      sent = true;
    }
  });
  Spinning spinning(e);
  bool all = true;
  for (std::uint64_t r = 1; r <= kRounds; ++r) {
    auto sub =
      n->create_subscription<Number>("numbers", QoS(1), [&](const Number & m) { last = m.data; });
    all = all && pub->wait_for_matched(1, kPatience);
    sent = false;
    round = r;
    e.add_node(n);  // registers the listener
    all = all && wait_until([&] { return last == r; }, all ? kPatience : 1ms);
    all = all && wait_until([&] { return sent.load(); });
    e.remove_node(n);
    sub.reset();
    all = all && wait_until([&] { return pub->get_subscription_count() == 0; });
  }
  publisher.join();
  EXPECT_TRUE(all);
}

TEST_F(PubSub, ReentrantCallbacksRunConcurrentlyOnTheirOwnMessages)
{
  auto n = node("n");
  std::atomic<int> inside{0};
  std::atomic<int> most{0};
  std::atomic<std::uint64_t> sum{0};
  std::atomic<bool> let_go{false};
  SubscriptionOptions reentrant;
  reentrant.callback_group = n->create_callback_group(CallbackGroupType::Reentrant);
  auto sub = n->create_subscription<Number>(
    "numbers", QoS(10),
    [&](const Number & m) {
      most = std::max<int>(most, ++inside);
      wait_until([&] { return let_go.load(); });
      sum += m.data;
      --inside;
    },
    reentrant);
  auto pub = n->create_publisher<Number>("numbers", QoS(10));
  auto e = executor(3);
  e.add_node(n);
  ASSERT_TRUE(pub->wait_for_matched(1, kPatience));
  Spinning spinning(e);
  for (std::uint64_t i = 1; i <= 3; ++i) {
    pub->publish(number(i));
  }
  EXPECT_TRUE(wait_until([&] { return inside == 3; }));
  let_go = true;
  EXPECT_TRUE(wait_until([&] { return sum == 6; }));
  EXPECT_EQ(most, 3);
}

TEST_F(PubSub, LargeKeepAllHistoryLosesNothing)
{
  auto n = node("n");
  std::uint64_t got = 0;
  auto sub =
    n->create_subscription<Number>("numbers", QoS(KeepAll()), [&](const Number &) { ++got; });
  auto pub = n->create_publisher<Number>("numbers", QoS(KeepAll()));
  auto e = executor();
  e.add_node(n);
  ASSERT_TRUE(pub->wait_for_matched(1, kPatience));
  for (std::uint64_t i = 0; i < 500; ++i) {
    ASSERT_NE(pub->publish(number(i)), 0u);
  }
  EXPECT_TRUE(spin_until(e, [&] { return got == 500; }));
  EXPECT_EQ(sub->lost_messages(), 0u);
}

TEST_F(PubSub, PublishAfterShutdownIsRefusedAndCounted)
{
  auto n = node("n");
  auto pub = n->create_publisher<Number>("numbers", QoS(1));
  context->shutdown();
  EXPECT_EQ(pub->publish(number(1)), 0u);
  EXPECT_EQ(pub->failed_publishes(), 1u);
  EXPECT_EQ(pub->last_sequence(), 0u);
}

}  // namespace takt_rcl::test
