// take_sequence of a subscription with a callback.
#include <std_msgs/msg/u_int64.hpp>

#include "ros_test.hpp"

namespace takt_rcl::test
{
namespace
{

using Number = std_msgs::msg::UInt64;
using Numbers = std::vector<std::uint64_t>;

class TakeSequence : public RosTest
{
protected:
  void publish(std::uint64_t from, std::uint64_t to)
  {
    for (std::uint64_t i = from; i <= to; ++i) {
      Number one;
      one.data = i;
      ASSERT_NE(publisher->publish(one), 0u);
    }
  }
  // The callback takes up to `most` messages after its own. Twice, because a publisher's first
  // message by pointer travels both ways.
  void expect_batches(
    const NodeOptions & options, std::size_t most, const std::vector<Numbers> & wanted)
  {
    n = std::make_shared<Node>("n", options);
    publisher = n->create_publisher<Number>("numbers", QoS(100));
    std::vector<Numbers> batches;
    std::vector<Number> others(most);
    std::vector<MessageInfo> infos(most);
    subscription = n->create_subscription<Number>("numbers", QoS(100), [&](const Number & first) {
      Numbers batch{first.data};
      const std::size_t taken = subscription->take_sequence(others, infos.data());
      for (std::size_t i = 0; i < taken; ++i) {
        batch.push_back(others[i].data);
        EXPECT_EQ(infos[i].publisher_gid(), publisher->gid());
      }
      batches.push_back(batch);
    });
    auto e = executor();
    e.add_node(n);
    ASSERT_TRUE(publisher->wait_for_matched(1, kPatience));
    ASSERT_TRUE(subscription->wait_for_matched(1, kPatience));
    for (int round = 1; round <= 2; ++round) {
      batches.clear();
      publish(1, 7);
      ASSERT_TRUE(wait_until([&] { return subscription->backlog() >= 7; }));
      ASSERT_TRUE(spin_until(e, [&] { return subscription->taken_messages() == 7u * round; }));
      ASSERT_TRUE(spin_until(e, [&] { return subscription->backlog() == 0; }));
      EXPECT_EQ(batches, wanted);
    }
    EXPECT_EQ(subscription->lost_messages() + subscription->failed_takes(), 0u);
  }

  std::shared_ptr<Node> n;
  Publisher<Number>::SharedPtr publisher;
  Subscription<Number>::SharedPtr subscription;
};

TEST_F(TakeSequence, InTheCallback)
{
  expect_batches(options(), 3, {{1, 2, 3, 4}, {5, 6, 7}});
}

TEST_F(TakeSequence, AllThatWait)
{
  expect_batches(options(), 50, {{1, 2, 3, 4, 5, 6, 7}});
}

TEST_F(TakeSequence, OfMessagesByPointer)
{
  expect_batches(options().use_intra_process_comms(true), 3, {{1, 2, 3, 4}, {5, 6, 7}});
}

TEST_F(TakeSequence, OutsideOfTheCallback)
{
  n = node("n");
  publisher = n->create_publisher<Number>("numbers", QoS(100));
  Numbers called;
  subscription = n->create_subscription<Number>(
    "numbers", QoS(100), [&](const Number & m) { called.push_back(m.data); });
  ASSERT_TRUE(publisher->wait_for_matched(1, kPatience));
  ASSERT_TRUE(subscription->wait_for_matched(1, kPatience));
  std::vector<Number> some(2);
  EXPECT_EQ(subscription->take_sequence(some), 0u);
  publish(1, 4);
  Numbers got;
  ASSERT_TRUE(wait_until([&] {
    const std::size_t taken = subscription->take_sequence(some);
    for (std::size_t i = 0; i < taken; ++i) {
      got.push_back(some[i].data);
    }
    return got.size() >= 4;
  }));
  EXPECT_EQ(got, (Numbers{1, 2, 3, 4}));
  auto e = executor();
  e.add_node(n);
  publish(5, 5);
  ASSERT_TRUE(spin_until(e, [&] { return !called.empty(); }));
  EXPECT_EQ(called, (Numbers{5}));
  Number one;
  MessageInfo info;
  EXPECT_FALSE(subscription->take(one, info));
  EXPECT_EQ(subscription->taken_messages(), 5u);
}

TEST_F(TakeSequence, CountsLostMessages)
{
  if (!Context::publication_sequence_supported()) {
    GTEST_SKIP() << "this middleware has no publication sequence numbers";
  }
  n = node("n");
  publisher = n->create_publisher<Number>("numbers", QoS(100));
  subscription = n->create_subscription<Number>("numbers", QoS(2), [](const Number &) {});
  ASSERT_TRUE(publisher->wait_for_matched(1, kPatience));
  ASSERT_TRUE(subscription->wait_for_matched(1, kPatience));
  std::vector<Number> some(10);
  std::size_t taken = 0;
  publish(1, 1);
  ASSERT_TRUE(wait_until([&] { return (taken += subscription->take_sequence(some)) == 1; }));
  publish(2, 6);
  ASSERT_TRUE(wait_until([&] {
    const std::size_t now = subscription->take_sequence(some);
    taken += now;
    return now > 0 && some[now - 1].data == 6;
  }));
  EXPECT_EQ(subscription->lost_messages(), 6 - taken);
}

}  // namespace
}  // namespace takt_rcl::test
