// Subscriptions without a callback: take, take_sequence, latest, count, lost.
#include <std_msgs/msg/string.hpp>
#include <std_msgs/msg/u_int64.hpp>

#include "ros_test.hpp"
#include "takt_rcl/error.hpp"

namespace takt_rcl::test
{
namespace
{

using Number = std_msgs::msg::UInt64;

class Polling : public RosTest
{
protected:
  void open(std::size_t depth)
  {
    n = node("n");
    publisher = n->create_publisher<Number>("numbers", QoS(100));
    reader = n->create_polling_subscription<Number>("numbers", QoS(depth));
    ASSERT_TRUE(publisher->wait_for_matched(1, kPatience));
    ASSERT_TRUE(reader->wait_for_matched(1, kPatience));
  }
  void publish(std::uint64_t from, std::uint64_t to)
  {
    for (std::uint64_t i = from; i <= to; ++i) {
      Number one;
      one.data = i;
      ASSERT_NE(publisher->publish(one), 0u);
    }
  }
  bool waiting(std::size_t count) const
  {
    return wait_until([&] { return reader->count() == count; });
  }

  std::shared_ptr<Node> n;
  Publisher<Number>::SharedPtr publisher;
  PollingSubscription<Number>::SharedPtr reader;
};

TEST_F(Polling, TakesTheOldestOneByOneWithoutAnExecutor)
{
  open(10);
  Number got;
  MessageInfo info;
  EXPECT_FALSE(reader->take(got));
  EXPECT_EQ(reader->count(), 0u);
  publish(1, 3);
  ASSERT_TRUE(waiting(3));
  for (std::uint64_t i = 1; i <= 3; ++i) {
    ASSERT_TRUE(reader->take(got, info));
    EXPECT_EQ(got.data, i);
    EXPECT_EQ(info.publisher_gid(), publisher->gid());
    EXPECT_EQ(reader->count(), 3 - i);
  }
  EXPECT_FALSE(reader->take(got));
  EXPECT_EQ(reader->taken_messages(), 3u);
  EXPECT_EQ(reader->lost() + reader->failed_takes(), 0u);
  EXPECT_STREQ(reader->get_topic_name(), "/numbers");
  EXPECT_EQ(reader->get_actual_qos().depth(), 10u);
}

TEST_F(Polling, TakesASequence)
{
  open(5);
  std::vector<Number> some(3);
  std::vector<MessageInfo> infos(3);
  EXPECT_EQ(reader->take_sequence(some), 0u);
  publish(1, 4);
  ASSERT_TRUE(waiting(4));
  ASSERT_EQ(reader->take_sequence(some, infos.data()), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(some[i].data, i + 1);
    EXPECT_EQ(infos[i].publisher_gid(), publisher->gid());
  }
  EXPECT_EQ(reader->count(), 1u);
  ASSERT_EQ(reader->take_sequence(some), 1u);
  EXPECT_EQ(some[0].data, 4u);
  std::vector<Number> none;
  EXPECT_EQ(reader->take_sequence(none), 0u);
  std::vector<Number> more(50);  // than the history
  publish(5, 9);
  ASSERT_TRUE(waiting(5));
  EXPECT_EQ(reader->take_sequence(more), 5u);
  EXPECT_EQ(reader->lost(), 0u);
}

TEST_F(Polling, TheLatestStaysUntilANewerOneComes)
{
  open(10);
  EXPECT_EQ(reader->latest(), nullptr);
  publish(1, 4);
  ASSERT_TRUE(waiting(4));
  ASSERT_NE(reader->latest(), nullptr);
  EXPECT_EQ(reader->latest()->data, 4u);
  EXPECT_EQ(reader->count(), 0u);
  EXPECT_EQ(reader->latest_info().publisher_gid(), publisher->gid());
  publish(5, 5);
  ASSERT_TRUE(waiting(1));
  EXPECT_EQ(reader->latest()->data, 5u);
  EXPECT_EQ(reader->taken_messages(), 5u);
}

TEST_F(Polling, CountsOverwrittenMessagesAsLost)
{
  if (!Context::publication_sequence_supported()) {
    GTEST_SKIP() << "this middleware has no publication sequence numbers";
  }
  open(2);
  publish(1, 1);
  ASSERT_TRUE(waiting(1));
  ASSERT_NE(reader->latest(), nullptr);
  publish(2, 6);
  ASSERT_TRUE(waiting(2));
  Number got;
  // The last message is there when the one before it is the oldest.
  ASSERT_TRUE(wait_until([&] { return reader->take(got) && got.data == 5; }));
  ASSERT_TRUE(wait_until([&] { return reader->take(got); }));
  EXPECT_EQ(got.data, 6u);
  EXPECT_EQ(reader->lost(), 6 - reader->taken_messages());
  EXPECT_FALSE(reader->take(got));
  EXPECT_EQ(reader->count(), 0u);
}

TEST_F(Polling, RclsRefusalsAreErrors)
{
  EXPECT_THROW(node("n")->create_polling_subscription<Number>("not a name", QoS(1)), Error);
}

}  // namespace
}  // namespace takt_rcl::test
