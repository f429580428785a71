// Sequence numbers: those of the publisher, those that arrive, and the gaps between them.
#include <algorithm>
#include <mutex>
#include <set>
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

class Sequences : public RosTest
{
protected:
  void SetUp() override
  {
    RosTest::SetUp();
    if (!Context::publication_sequence_supported()) {
      GTEST_SKIP() << "this middleware has no publication sequence numbers";
    }
  }
};

// The subscription sees the sequence numbers and gids that the publisher reports.
TEST_F(Sequences, NumbersAndGidsAgreeWithTheWriter)
{
  auto n = node("n");
  std::vector<std::pair<Gid, std::uint64_t>> got;
  std::vector<std::pair<Gid, std::uint64_t>> sent;
  auto sub = n->create_subscription<Number>(
    "numbers", QoS(100), [&](const Number &, const MessageInfo & info) {
      got.emplace_back(info.publisher_gid(), info.publication_sequence_number());
      EXPECT_FALSE(info.from_intra_process());
      EXPECT_GT(info.source_timestamp(), 0);
    });
  auto a = n->create_publisher<Number>("numbers", QoS(100));
  auto b = n->create_publisher<Number>("numbers", QoS(100));
  EXPECT_EQ(a->last_sequence(), 0u);
  EXPECT_NE(a->gid(), b->gid());
  auto e = executor();
  e.add_node(n);
  ASSERT_TRUE(sub->wait_for_matched(2, kPatience));
  ASSERT_TRUE(a->wait_for_matched(1, kPatience) && b->wait_for_matched(1, kPatience));
  for (int i = 0; i < 10; ++i) {
    sent.emplace_back(a->gid(), a->publish(number(0)));
    sent.emplace_back(b->gid(), b->publish(number(0)));
  }
  ASSERT_TRUE(spin_until(e, [&] { return got.size() == sent.size(); }));
  // The messages of each writer are in order; messages of different writers may be in any order.
  std::stable_sort(got.begin(), got.end());
  std::stable_sort(sent.begin(), sent.end());
  EXPECT_EQ(got, sent);
  EXPECT_EQ(a->last_sequence(), 10u);
}

TEST_F(Sequences, NumbersAgreeWhenThreadsShareAPublisher)
{
  auto n = node("n");
  std::mutex mutex;
  std::set<std::pair<std::uint64_t, std::uint64_t>> got;
  std::set<std::pair<std::uint64_t, std::uint64_t>> sent;
  auto sub = n->create_subscription<Number>(
    "numbers", QoS(1000), [&](const Number & m, const MessageInfo & info) {
      got.emplace(m.data, info.publication_sequence_number());
    });
  auto pub = n->create_publisher<Number>("numbers", QoS(1000));
  auto e = executor();
  e.add_node(n);
  ASSERT_TRUE(pub->wait_for_matched(1, kPatience));
  std::vector<std::thread> threads;
  for (std::uint64_t t = 0; t < 3; ++t) {
    threads.emplace_back([&, t] {
      for (std::uint64_t i = 0; i < 100; ++i) {
        const std::uint64_t sequence = pub->publish(number(1000 * t + i));
        std::lock_guard lock(mutex);
        sent.emplace(1000 * t + i, sequence);
      }
    });
  }
  for (auto & thread : threads) {
    thread.join();
  }
  ASSERT_TRUE(spin_until(e, [&] { return got.size() == 300; }));
  EXPECT_EQ(got, sent);
}

TEST_F(Sequences, OverwrittenMessagesAreCounted)
{
  auto n = node("n");
  std::vector<std::uint64_t> got;
  auto sub = n->create_subscription<Number>(
    "numbers", QoS(1), [&](const Number & m) { got.push_back(m.data); });
  auto pub = n->create_publisher<Number>("numbers", QoS(10));
  auto e = executor();
  e.add_node(n);
  ASSERT_TRUE(pub->wait_for_matched(1, kPatience));
  pub->publish(number(1));
  ASSERT_TRUE(spin_until(e, [&] { return got.size() == 1; }));
  for (std::uint64_t i = 2; i <= 6; ++i) {
    pub->publish(number(i));  // no run takes meanwhile: 6 overwrites 2 to 5
  }
  ASSERT_TRUE(spin_until(e, [&] { return got.size() == 2; }));
  EXPECT_EQ(got.back(), 6u);
  EXPECT_EQ(sub->lost_messages(), 4u);
  EXPECT_EQ(sub->overwritten(), 4u);
  EXPECT_EQ(sub->backlog(), 0u);
}

// More publishers than the subscription made room for.
TEST_F(Sequences, LossesOfManyPublishersAreAllCounted)
{
  auto n = node("n");
  int got = 0;
  auto sub = n->create_subscription<Number>("numbers", QoS(1), [&](const Number &) { ++got; });
  auto e = executor();
  e.add_node(n);
  constexpr std::size_t kPublishers = 17;
  std::vector<Publisher<Number>::SharedPtr> publishers;
  for (std::size_t p = 0; p < kPublishers; ++p) {
    publishers.push_back(n->create_publisher<Number>("numbers", QoS(1)));
  }
  ASSERT_TRUE(sub->wait_for_matched(kPublishers, kPatience));
  int expected = 0;
  for (int round = 0; round < 3; ++round) {
    for (const auto & pub : publishers) {
      ASSERT_TRUE(pub->wait_for_matched(1, kPatience));
      pub->publish(number(0));
      if (round > 0) {
        pub->publish(number(1));  // overwrites the previous message
      }
      ++expected;
      ASSERT_TRUE(spin_until(e, [&] { return got == expected; }));
    }
  }
  EXPECT_EQ(sub->lost_messages(), 2 * kPublishers);
  EXPECT_EQ(sub->forgotten_publishers(), 0u);
}

// Messages overwritten before, between and after executors all count.
TEST_F(Sequences, OverwrittenMessagesAreCountedWhereverTheNodeIs)
{
  auto n = node("n");
  std::vector<std::uint64_t> got;
  auto sub = n->create_subscription<Number>(
    "numbers", QoS(1), [&](const Number & m) { got.push_back(m.data); });
  auto pub = n->create_publisher<Number>("numbers", QoS(1));
  ASSERT_TRUE(pub->wait_for_matched(1, kPatience));
  const auto publish_ten = [&] {
    for (std::uint64_t i = 1; i <= 10; ++i) {
      pub->publish(number(i));
    }
  };
  publish_ten();
  EXPECT_EQ(sub->overwritten(), 9u);
  {
    auto e = executor();
    e.add_node(n);
    ASSERT_TRUE(spin_until(e, [&] { return got.size() == 1; }));
    EXPECT_EQ(sub->overwritten(), 9u);
    publish_ten();
    ASSERT_TRUE(spin_until(e, [&] { return got.size() == 2; }));
    EXPECT_EQ(sub->overwritten(), 18u);
    // the executor does not spin before `remove_node`, so it does not count these messages
    publish_ten();
    e.remove_node(n);
  }
  EXPECT_EQ(sub->overwritten(), 27u);
  publish_ten();  // overwrites the remaining message, too
  EXPECT_EQ(sub->overwritten(), 37u);
  auto e = executor();
  e.add_node(n);
  ASSERT_TRUE(spin_until(e, [&] { return got.size() == 3; }));
  e.spin_some();
  EXPECT_EQ(sub->overwritten(), 37u);
  EXPECT_EQ(got, (std::vector<std::uint64_t>{10, 10, 10}));
  EXPECT_EQ(sub->lost_messages(), 9u + 19u);  // counts from the first taken message on
}

}  // namespace takt_rcl::test
