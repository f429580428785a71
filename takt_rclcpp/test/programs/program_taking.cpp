// Messages that a program takes in other ways: by itself, as bytes, behind a filter; and what a timer is told of its run.
#include <rclcpp/version.h>
#include <atomic>

#include "program.hpp"

namespace
{

using namespace std::chrono_literals;
using rclcpp::executors::MultiThreadedExecutor;
using rclcpp::executors::SingleThreadedExecutor;
using std_msgs::msg::Int32;

constexpr int kMessages = 40;

/// Publishes the numbers from 1 on, once `wanted` subscriptions are matched.
class Source : public rclcpp::Node
{
public:
  Source(const std::string & topic, std::size_t wanted)
  : Node("source"),
    publisher_(create_publisher<Int32>(topic, 100)),
    timer_(create_wall_timer(2ms, [this, wanted] {
      if (sent_ < kMessages && publisher_->get_subscription_count() == wanted) {
        Int32 message;
        message.data = ++sent_;
        publisher_->publish(message);
      }
    }))
  {
  }

private:
  int sent_ = 0;
  rclcpp::Publisher<Int32>::SharedPtr publisher_;
  rclcpp::TimerBase::SharedPtr timer_;
};

/// Spins `node` and a source of `wanted` subscriptions until somebody cancels.
void spin_with_source(
  rclcpp::Executor & executor, const rclcpp::Node::SharedPtr & node, const std::string & topic,
  std::size_t wanted)
{
  auto source = std::make_shared<Source>(topic, wanted);
  executor.add_node(node);
  executor.add_node(source);
  executor.spin();
}

// The executor does not have the subscription's group: a timer of the program takes its messages.
template <typename Executor>
void polled()
{
  Executor executor;
  auto node = std::make_shared<rclcpp::Node>("polls");
  auto apart = node->create_callback_group(rclcpp::CallbackGroupType::MutuallyExclusive, false);
  rclcpp::SubscriptionOptions options;
  options.callback_group = apart;
  std::atomic<int> called{0};
  int last = 0;
  int sum = 0;
  auto subscription = node->create_subscription<Int32>(
    "polled", kMessages, [&](Int32::ConstSharedPtr) { ++called; }, options);
  auto timer = node->create_wall_timer(5ms, [&] {
    Int32 message;
    rclcpp::MessageInfo info;
    while (subscription->take(message, info)) {
      sum += message.data;
      last = message.data;
    }
    if (last == kMessages) {
      executor.cancel();
    }
  });
  spin_with_source(executor, node, "polled", 1);
  say(
    "took to " + std::to_string(last) + ", sum " + std::to_string(sum) + ", called " +
    std::to_string(called));
}

void polls_a_subscription()
{
  polled<SingleThreadedExecutor>();
  polled<MultiThreadedExecutor>();
}

// One takes bytes, one takes what its filter lets through: the middleware's, or rclcpp's own.
void bytes_and_filters()
{
  SingleThreadedExecutor executor;
  auto node = std::make_shared<rclcpp::Node>("takes");
  int bytes = 0;
  int all = 0;
  int large = 0;
  int small = 0;
  const auto done = [&] {
    if (all == kMessages && large == kMessages / 2) {
      executor.cancel();
    }
  };
  auto generic = node->create_generic_subscription(
    "numbers", "std_msgs/msg/Int32", kMessages,
    [&](std::shared_ptr<const rclcpp::SerializedMessage> message) {
      bytes += static_cast<int>(message->size());
      ++all;
      done();
    });
  rclcpp::SubscriptionOptions options;
  options.content_filter_options.filter_expression = "data > %0";
  options.content_filter_options.expression_parameters = {std::to_string(kMessages / 2)};
  auto filtered = node->create_subscription<Int32>(
    "numbers", kMessages,
    [&](const Int32 & message, const rclcpp::MessageInfo &) {
      ++(message.data > kMessages / 2 ? large : small);
      done();
    },
    options);
  spin_with_source(executor, node, "numbers", 2);
  say(
    std::to_string(all) + " of " + std::to_string(bytes / all) + " bytes, " +
    std::to_string(large) + " through the filter, " + std::to_string(small) + " beside it");
}

#if RCLCPP_VERSION_GTE(28, 0, 0)
// Each run comes after the moment for which the timer was due, and these moments follow one another by periods.
void information_of_timers()
{
  SingleThreadedExecutor executor;
  auto node = std::make_shared<rclcpp::Node>("informed");
  int runs = 0;
  int early = 0;
  int off_the_grid = 0;
  std::int64_t before = 0;
  auto timer = node->create_wall_timer(5ms, [&](const rclcpp::TimerInfo & info) {
    const std::int64_t due = info.expected_call_time.nanoseconds();
    early += info.actual_call_time.nanoseconds() < due ? 1 : 0;
    off_the_grid += before != 0 && (due - before) % 5'000'000 != 0 ? 1 : 0;
    before = due;
    if (++runs == kMessages) {
      executor.cancel();
    }
  });
  executor.add_node(node);
  executor.spin();
  say(
    std::to_string(runs) + " runs, " + std::to_string(early) + " early, " +
    std::to_string(off_the_grid) + " off the grid");
}
#endif

}  // namespace

Ways ways_of_taking()
{
  Ways ways{
    {"bytes_and_filters", bytes_and_filters}, {"polls_a_subscription", polls_a_subscription}};
#if RCLCPP_VERSION_GTE(28, 0, 0)
  ways["information_of_timers"] = information_of_timers;
#endif
  return ways;
}
