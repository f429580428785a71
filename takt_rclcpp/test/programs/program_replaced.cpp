// A message that a history replaces between the choice of its run and the take.
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <rclcpp/message_memory_strategy.hpp>

#include "program.hpp"

namespace
{

using namespace std::chrono_literals;
using Number = std_msgs::msg::Int32;

/// The number of published messages.
class Published
{
public:
  int one()
  {
    const std::lock_guard lock(mutex_);
    changed_.notify_all();
    return ++count_;
  }
  void wait_for_another()
  {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, 5s, [this, before = count_] { return count_ > before; });
  }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int count_ = 0;
};

/// rclcpp asks this strategy for a message right before each take. It waits until the history has a
/// later message.
class Late : public rclcpp::message_memory_strategy::MessageMemoryStrategy<Number>
{
public:
  explicit Late(Published & published) : published_(published) {}
  std::shared_ptr<Number> borrow_message() override
  {
    published_.wait_for_another();
    return MessageMemoryStrategy::borrow_message();
  }

private:
  Published & published_;
};

void replaced_before_the_take()
{
  const auto node = std::make_shared<rclcpp::Node>("late");
  const auto make_group = [&] {
    return node->create_callback_group(rclcpp::CallbackGroupType::MutuallyExclusive);
  };
  const auto reads = make_group();
  const auto writes = make_group();
  rclcpp::executors::MultiThreadedExecutor executor(rclcpp::ExecutorOptions(), 2);
  Published published;
  const auto publisher = node->create_publisher<Number>("~/number", 1);
  int handled = 0;
  rclcpp::SubscriptionOptions options;
  options.callback_group = reads;
  const auto subscription = node->create_subscription<Number>(
    "~/number", rclcpp::QoS(1),
    [&](const Number &) {
      if (++handled == 25) {
        executor.cancel();
      }
    },
    options, std::make_shared<Late>(published));
  const auto timer = node->create_wall_timer(
    25ms,
    [&] {
      publisher->publish(Number());
      published.one();
    },
    writes);
  executor.add_node(node);
  executor.spin();
  say(handled >= 25 ? "handled 25" : "ended early");
}

}  // namespace

Ways ways_of_replaced_messages()
{
  return {{"replaced_before_the_take", replaced_before_the_take}};
}
