// A sequence of a schedule, with a real middleware and by pointer: the callback that follows starts
// before one that was ready earlier.
#include <atomic>
#include <chrono>
#include <std_msgs/msg/u_int64.hpp>
#include <string>
#include <thread>
#include <vector>

#include "ros_test.hpp"
#include "takt_schedule/parse.hpp"

namespace takt_rcl::test
{

using Number = std_msgs::msg::UInt64;

class ScheduledSequence : public RosTest
{
protected:
  // First publishes to "earlier" and then to "follower". The order in which they ran.
  std::vector<std::string> order_of_runs(const std::string & rules, bool by_pointer)
  {
    const auto schedule = takt_schedule::parse_schedule(
      "version: 1\nexecutors:\n  main:\n    threads: {t: {}}\n    default: t\n" + rules,
      "schedule.yaml");
    EXPECT_TRUE(schedule);
    Executor executor = Executor::from_schedule(context, schedule.value(), "main");
    NodeOptions within = options();
    within.use_intra_process_comms(by_pointer);
    auto node = std::make_shared<Node>("n", within);
    auto peer = this->node("peer");
    std::vector<std::string> seen;
    auto to_earlier = node->create_publisher<Number>("/earlier", 10);
    auto to_follower = node->create_publisher<Number>("/follower", 10);
    auto first = node->create_subscription<Number>("/first", 10, [&](const Number & m) {
      EXPECT_NE(to_earlier->publish(m), 0U);
      EXPECT_NE(to_follower->publish(m), 0U);
      seen.emplace_back("first");
    });
    const auto note = [&](const char * name) {
      return [&seen, &executor, name](const Number &) {
        seen.emplace_back(name);
        if (seen.size() == 3) {
          executor.cancel();
        }
      };
    };
    auto earlier = node->create_subscription<Number>("/earlier", 10, note("earlier"));
    auto follower = node->create_subscription<Number>("/follower", 10, note("follower"));
    executor.add_node(node);
    auto to_first = peer->create_publisher<Number>("/first", 10);
    EXPECT_TRUE(to_first->wait_for_matched(1, kPatience));
    EXPECT_TRUE(to_earlier->wait_for_matched(1, kPatience));
    EXPECT_TRUE(to_follower->wait_for_matched(1, kPatience));
    EXPECT_NE(to_first->publish(Number()), 0U);
    executor.spin();
    return seen;
  }
};

TEST_F(ScheduledSequence, ACallbackFollowsByDirectCall)
{
  const std::string sequence = "    sequences: [[\"/n:sub(/first)\", \"/n:sub(/follower)\"]]\n";
  using Names = std::vector<std::string>;
  for (const bool by_pointer : {false, true}) {
    EXPECT_EQ(order_of_runs("", by_pointer), (Names{"first", "earlier", "follower"}));
    EXPECT_EQ(order_of_runs(sequence, by_pointer), (Names{"first", "follower", "earlier"}));
  }
}

// Each of two branches waits until the other one has begun.
TEST_F(ScheduledSequence, BranchesOfAGraphRunSideBySideAfterTheirPublisher)
{
  const auto schedule = takt_schedule::parse_schedule(
    "version: 1\nexecutors:\n  main:\n    threads: {t: {count: 2}}\n    default: t\n"
    "    sequences: [{graph: [\"/n:sub(/first)\", \"/l:sub(/left)\", \"/r:sub(/right)\"]}]\n",
    "schedule.yaml");
  ASSERT_TRUE(schedule);
  for (const bool by_pointer : {false, true}) {
    Executor executor = Executor::from_schedule(context, schedule.value(), "main");
    NodeOptions within = options();
    within.use_intra_process_comms(by_pointer);
    auto node = std::make_shared<Node>("n", within);
    auto left_node = std::make_shared<Node>("l", within);
    auto right_node = std::make_shared<Node>("r", within);
    auto peer = this->node("peer");
    auto to_left = node->create_publisher<Number>("/left", 10);
    auto to_right = node->create_publisher<Number>("/right", 10);
    std::atomic<bool> returning{false};
    std::atomic<int> begun{0};
    std::atomic<int> early{0};
    std::atomic<int> met{0};
    auto first = node->create_subscription<Number>("/first", 10, [&](const Number & m) {
      EXPECT_NE(to_right->publish(m), 0U);
      EXPECT_NE(to_left->publish(m), 0U);
      returning = true;
    });
    const auto meet = [&](const Number &) {
      early += returning ? 0 : 1;
      ++begun;
      const auto until = std::chrono::steady_clock::now() + kPatience;
      while (begun < 2 && std::chrono::steady_clock::now() < until) {
        std::this_thread::yield();
      }
      met += begun == 2 ? 1 : 0;
      if (met == 2 || begun < 2) {
        executor.cancel();
      }
    };
    auto left = left_node->create_subscription<Number>("/left", 10, meet);
    auto right = right_node->create_subscription<Number>("/right", 10, meet);
    executor.add_node(node);
    executor.add_node(left_node);
    executor.add_node(right_node);
    auto to_first = peer->create_publisher<Number>("/first", 10);
    ASSERT_TRUE(to_first->wait_for_matched(1, kPatience));
    ASSERT_TRUE(to_left->wait_for_matched(1, kPatience));
    ASSERT_TRUE(to_right->wait_for_matched(1, kPatience));
    ASSERT_NE(to_first->publish(Number()), 0U);
    executor.spin();
    EXPECT_EQ(met, 2);
    EXPECT_EQ(early, 0);
  }
}

}  // namespace takt_rcl::test
