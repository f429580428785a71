// Each published message is taken, overwritten in the history, or lost on the wire.
#include <std_msgs/msg/u_int64.hpp>

#include "ros_test.hpp"

namespace takt_rcl::test
{
namespace
{

using Number = std_msgs::msg::UInt64;

struct Traffic
{
  std::size_t depth;
  std::size_t publishers;
  bool reliable;
};

class Accounts : public RosTest, public ::testing::WithParamInterface<Traffic>
{
protected:
  void SetUp() override
  {
    RosTest::SetUp();
    if (!Context::publication_sequence_supported()) {
      GTEST_SKIP() << "this middleware has no publication sequence numbers";
    }
  }
  static QoS qos(std::size_t depth)
  {
    QoS result(depth);
    return GetParam().reliable ? result.reliable() : result.best_effort();
  }
};

TEST_P(Accounts, published_is_taken_and_overwritten_and_lost)
{
  constexpr std::uint64_t kMarker = 1'000'000;
  constexpr std::uint64_t kMessages = 3000;
  const auto [depth, count, reliable] = GetParam();
  auto n = node("n");
  std::vector<std::atomic<int>> markers(count);
  std::atomic<std::uint64_t> handled{0};
  std::atomic<bool> slow{false};
  auto sub = n->create_subscription<Number>("numbers", qos(depth), [&](const Number & m) {
    ++handled;
    if (m.data >= kMarker) {
      ++markers[m.data - kMarker];
    }
    // Slower than its publishers while they publish fast.
    for (const auto until = takt_rt::now() + 30us; slow && takt_rt::now() < until;) {
    }
  });
  std::vector<Publisher<Number>::SharedPtr> publishers;
  for (std::size_t i = 0; i < count; ++i) {
    publishers.push_back(n->create_publisher<Number>("numbers", qos(kMessages)));
  }
  auto e = executor();
  e.add_node(n);
  ASSERT_TRUE(sub->wait_for_matched(count, kPatience));
  for (const auto & publisher : publishers) {
    ASSERT_TRUE(publisher->wait_for_matched(1, kPatience));
  }
  Spinning spinning(e);
  const auto publish = [](const auto & publisher, std::uint64_t value) {
    Number message;
    message.data = value;
    publisher->publish(message);
  };
  // Wait until each publisher is known: losses count from the first taken message of a publisher.
  const auto mark = [&](int times) {
    for (std::size_t i = 0; i < count; ++i) {
      const bool taken = wait_until([&] {
        publish(publishers[i], kMarker + i);
        return wait_until([&] { return markers[i] >= times; }, 20ms);
      });
      ASSERT_TRUE(taken) << "publisher " << i;
    }
  };
  mark(1);
  const auto quiet = [&] { return wait_until([&] { return sub->callback()->backlog() == 0; }); };
  ASSERT_TRUE(quiet());
  for (auto & marker : markers) {
    marker = 0;
  }
  slow = true;
  std::vector<std::thread> threads;
  for (const auto & publisher : publishers) {
    threads.emplace_back([&] {
      for (std::uint64_t i = 0; i < kMessages / count; ++i) {
        publish(publisher, i);
      }
    });
  }
  for (auto & thread : threads) {
    thread.join();
  }
  slow = false;
  mark(1);
  ASSERT_TRUE(quiet());
  std::uint64_t published = 0;
  for (const auto & publisher : publishers) {
    published += publisher->last_sequence();
  }
  const auto callback = sub->callback();
  // Messages that are still under way arrive soon.
  const auto accounted = [&] {
    return sub->taken_messages() + callback->message_counts().overwritten + *callback->lost();
  };
  EXPECT_TRUE(
    wait_until([&] { return accounted() == published && handled == sub->taken_messages(); }))
    << "published " << published << ", taken " << sub->taken_messages() << ", handled " << handled
    << ", overwritten " << callback->message_counts().overwritten << ", lost " << *callback->lost()
    << ", announced " << callback->arrivals() << ", failed takes " << sub->failed_takes();
  if (reliable) {
    EXPECT_EQ(*callback->lost(), 0U);
    EXPECT_EQ(callback->message_counts().overwritten, published - handled) << "each term by itself";
  }
  if (depth == 1) {
    EXPECT_GT(callback->message_counts().overwritten, 0U) << "meant to be too fast";
  }
}

INSTANTIATE_TEST_SUITE_P(
  Histories, Accounts,
  ::testing::Values(
    Traffic{1, 1, true}, Traffic{1, 3, true}, Traffic{10, 1, true}, Traffic{10, 3, true},
    Traffic{1000, 1, true}, Traffic{1000, 3, true}, Traffic{1, 1, false}, Traffic{10, 3, false},
    Traffic{1000, 1, false}, Traffic{1000, 3, false}),
  [](const auto & info) {
    return "depth_" + std::to_string(info.param.depth) + "_publishers_" +
           std::to_string(info.param.publishers) +
           (info.param.reliable ? "_reliable" : "_best_effort");
  });

}  // namespace
}  // namespace takt_rcl::test
