// Messages between a loop that no executor runs and ROS 2.
#include <std_msgs/msg/u_int64.hpp>

#include "ros_test.hpp"
#include "takt_rcl/loop/loop_bridge.hpp"
#include "takt_rt/allocation_guard.hpp"

namespace takt_rcl::test
{
namespace
{

using Number = std_msgs::msg::UInt64;

Number number(std::uint64_t data)
{
  Number one;
  one.data = data;
  return one;
}

class LoopBridge : public RosTest
{
protected:
  void SetUp() override
  {
    RosTest::SetUp();
    n = node("n");
  }
  void TearDown() override
  {
    n.reset();
    RosTest::TearDown();
  }
  std::shared_ptr<Node> n;
};

TEST_F(LoopBridge, PublishesEachMessageOfTheLoopInOrder)
{
  constexpr std::uint64_t kMessages = 2000;
  LoopPublisherOptions options;
  options.waiting = kMessages;
  LoopPublisher<Number> output(*n, "output", QoS(kMessages), options);
  std::vector<std::uint64_t> got;
  const auto heard = n->create_subscription<Number>(
    "output", QoS(kMessages), [&](const Number & one) { got.push_back(one.data); });
  ASSERT_TRUE(output.publisher()->wait_for_matched(1, kPatience));
  auto run = executor();
  run.add_node(n);
  std::thread loop([&] {
    for (std::uint64_t i = 1; i <= kMessages; ++i) {
      EXPECT_TRUE(output.publish(number(i)));
    }
  });
  EXPECT_TRUE(spin_until(run, [&] { return got.size() == kMessages; }));
  loop.join();
  for (std::uint64_t i = 0; i < got.size(); ++i) {
    ASSERT_EQ(got[i], i + 1);
  }
  EXPECT_EQ(output.dropped(), 0u);
  EXPECT_EQ(output.refused(), 0u);
  run.remove_node(n);
}

TEST_F(LoopBridge, DropsAndCountsTheMessagesThatFindNoRoom)
{
  LoopPublisherOptions options;
  options.waiting = 4;
  LoopPublisher<Number> output(*n, "output", QoS(10), options);
  std::uint64_t kept = 0;
  for (std::uint64_t i = 0; i < 10; ++i) {
    kept += output.publish(number(i)) ? 1 : 0;
  }
  EXPECT_EQ(kept, 4u);
  EXPECT_EQ(output.dropped(), 6u);
  // The messages of the time before the executor are published then.
  std::vector<std::uint64_t> got;
  const auto heard = n->create_subscription<Number>(
    "output", QoS(10), [&](const Number & one) { got.push_back(one.data); });
  ASSERT_TRUE(output.publisher()->wait_for_matched(1, kPatience));
  auto run = executor();
  run.add_node(n);
  EXPECT_TRUE(spin_until(run, [&] { return got.size() == 4; }));
  EXPECT_EQ(got, (std::vector<std::uint64_t>{0, 1, 2, 3}));
  EXPECT_TRUE(output.publish(number(7))) << "there is room again";
  EXPECT_TRUE(spin_until(run, [&] { return got.size() == 5; }));
  run.remove_node(n);
}

TEST_F(LoopBridge, GivesTheLoopTheNewestMessageAndItsTime)
{
  LoopSubscription<Number> input(*n, "input", QoS(10), number(42));
  const auto first = input.read();
  EXPECT_EQ(first.message.data, 42u);
  EXPECT_FALSE(first.is_new);
  EXPECT_EQ(first.arrived, takt_rt::Time{});
  const auto publisher = n->create_publisher<Number>("input", QoS(10));
  ASSERT_TRUE(publisher->wait_for_matched(1, kPatience));
  auto run = executor();
  run.add_node(n);
  const auto before = takt_rt::now();
  for (std::uint64_t i = 1; i <= 3; ++i) {
    ASSERT_NE(publisher->publish(number(i)), 0u);
  }
  std::uint64_t last = 0;
  takt_rt::Time arrived{};
  EXPECT_TRUE(spin_until(run, [&] {
    const auto reading = input.read();
    EXPECT_EQ(reading.is_new, reading.message.data != (last == 0 ? 42 : last));
    if (reading.is_new) {
      EXPECT_GT(reading.message.data, last);
      last = reading.message.data;
      arrived = reading.arrived;
    }
    return last == 3;
  }));
  EXPECT_GT(arrived, before);
  EXPECT_LE(arrived, takt_rt::now());
  EXPECT_FALSE(input.read().is_new);
  run.remove_node(n);
}

TEST_F(LoopBridge, ReadAllocatesNothingAndPublishNeither)
{
  LoopPublisher<Number> output(*n, "output", QoS(10));
  LoopSubscription<Number> input(*n, "input");
  auto run = executor();
  run.add_node(n);
  const Number one = number(1);
  output.publish(one);
  takt_rt::AllocationGuard guard;
  for (int i = 0; i < 10; ++i) {
    output.publish(one);
    static_cast<void>(input.read());
  }
  EXPECT_EQ(guard.allocations(), 0u);
  run.remove_node(n);
}

TEST_F(LoopBridge, RefusesAReentrantGroupForWhatTheLoopReads)
{
  SubscriptionOptions options;
  options.callback_group = n->create_callback_group(CallbackGroupType::Reentrant);
  try {
    const LoopSubscription<Number> input(*n, "input", QoS(1), Number(), options);
    FAIL() << "it was accepted";
  } catch (const Error & error) {
    EXPECT_NE(std::string(error.what()).find("mutually exclusive"), std::string::npos);
  }
}

TEST_F(LoopBridge, HasIdsForASchedule)
{
  const LoopPublisher<Number> output(*n, "output", QoS(10));
  const LoopSubscription<Number> input(*n, "input");
  EXPECT_EQ(input.subscription()->id(), "/n:sub(/input)");
  EXPECT_EQ(output.id(), "/n:waitable(/output)");
}

}  // namespace
}  // namespace takt_rcl::test
