// Messages of a callback group with logical execution time, in each form in which a program
// publishes.
#include <array>
#include <atomic>
#include <rclcpp/serialization.hpp>
#include <rclcpp/serialized_message.hpp>
#include <thread>
#include <utility>
#include <vector>

#include "program.hpp"

namespace
{

using namespace std::chrono_literals;
using std_msgs::msg::Int32;

constexpr int kRuns = 3;
constexpr int kForms = 3;

/// How many messages of each run the readers have heard.
using Heard = std::array<std::atomic<int>, kRuns + 1>;

/// Publishes a message in each form, and then works for so long that an executor with two threads
/// runs the readers' callbacks meanwhile, unless the messages are held.
class Writer : public rclcpp::Node
{
public:
  Writer(const Heard & heard, bool within_process)
  : Node("writer", rclcpp::NodeOptions().use_intra_process_comms(within_process)),
    heard_(heard)
  {
    for (const char * const topic : {"typed", "bytes", "loaned"}) {
      publishers_.push_back(create_publisher<Int32>(topic, 10));
    }
    timer_ = create_wall_timer(200ms, [this] { run(); });
  }
  int heard_in_runs() const { return in_runs_; }

private:
  void run()
  {
    for (const auto & publisher : publishers_) {
      if (publisher->get_subscription_count() != 1) {
        return;
      }
    }
    if (runs_ == kRuns) {
      return;
    }
    Int32 message;
    message.data = ++runs_;
    RCLCPP_INFO(get_logger(), "run %d", runs_);  // log lines are messages, too
    publishers_[0]->publish(message);
    if (get_node_options().use_intra_process_comms()) {
      // Within the process rclcpp publishes neither bytes nor loans.
      publishers_[1]->publish(message);
      publishers_[2]->publish(std::make_unique<Int32>(message));
    } else {
      rclcpp::SerializedMessage bytes;
      rclcpp::Serialization<Int32>().serialize_message(&message, &bytes);
      publishers_[1]->publish(bytes);
      auto loan = publishers_[2]->borrow_loaned_message();
      loan.get() = message;
      publishers_[2]->publish(std::move(loan));
    }
    const auto end = std::chrono::steady_clock::now() + 100ms;
    while (heard_.at(runs_) < kForms && std::chrono::steady_clock::now() < end) {
      std::this_thread::sleep_for(1ms);
    }
    in_runs_ += heard_.at(runs_);
  }

  const Heard & heard_;
  int runs_ = 0;
  int in_runs_ = 0;
  std::vector<rclcpp::Publisher<Int32>::SharedPtr> publishers_;
  rclcpp::TimerBase::SharedPtr timer_;
};

void holds(bool within_process, int depth = 10)
{
  rclcpp::executors::MultiThreadedExecutor executor(rclcpp::ExecutorOptions(), 2);
  Heard heard{};
  std::atomic<int> all{0};
  auto reader = std::make_shared<rclcpp::Node>(
    "reader", rclcpp::NodeOptions().use_intra_process_comms(within_process));
  auto writer = std::make_shared<Writer>(heard, within_process);
  std::vector<rclcpp::Subscription<Int32>::SharedPtr> subscriptions;
  for (const char * const topic : {"typed", "bytes", "loaned"}) {
    subscriptions.push_back(
      reader->create_subscription<Int32>(topic, depth, [&](const Int32 & message) {
        ++heard.at(message.data);
        if (++all == kForms * kRuns) {
          executor.cancel();
        }
      }));
  }
  executor.add_node(reader);
  executor.add_node(writer);
  executor.spin();
  say(
    "heard in the runs: " + std::to_string(writer->heard_in_runs()) +
    ", in all: " + std::to_string(all.load()));
}

void holds_messages()
{
  holds(false);
}

void holds_messages_within_the_process()
{
  holds(true);
}

void holds_messages_in_a_short_buffer()
{
  holds(true, 1);
}

// The program ends its context in the run that published. A node of another context hears the
// message.
void ends_its_context_with_a_held_message()
{
  const auto apart = std::make_shared<rclcpp::Context>();
  apart->init(0, nullptr);
  auto reader = std::make_shared<rclcpp::Node>("reader", rclcpp::NodeOptions().context(apart));
  auto subscription = reader->create_subscription<Int32>("stop", 10, [](const Int32 &) {});
  auto writer = std::make_shared<rclcpp::Node>("writer");
  auto publisher = writer->create_publisher<Int32>("stop", 10);
  auto timer = writer->create_wall_timer(50ms, [&] {
    if (publisher->get_subscription_count() == 1) {
      Int32 message;
      message.data = 7;
      publisher->publish(message);
      shut_down();
    }
  });
  rclcpp::executors::SingleThreadedExecutor executor;
  executor.add_node(writer);
  executor.spin();
  Int32 message;
  rclcpp::MessageInfo info;
  const auto end = std::chrono::steady_clock::now() + 10s;
  while (!subscription->take(message, info) && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(1ms);
  }
  say("heard " + std::to_string(message.data));
  apart->shutdown("the program has ended");
}

// The publisher ends in the run that published, so takt cannot hold its message any longer.
void ends_a_publisher_with_a_held_message()
{
  rclcpp::executors::SingleThreadedExecutor executor;
  auto reader = std::make_shared<rclcpp::Node>("reader");
  auto writer = std::make_shared<rclcpp::Node>("writer");
  int heard = 0;
  auto subscription = reader->create_subscription<Int32>("short", 10, [&](const Int32 & message) {
    heard += message.data;
    executor.cancel();
  });
  auto publisher = writer->create_publisher<Int32>("short", rclcpp::QoS(10).reliable());
  auto timer = writer->create_wall_timer(50ms, [&] {
    if (publisher != nullptr && publisher->get_subscription_count() == 1) {
      Int32 message;
      message.data = 7;
      publisher->publish(message);
      publisher.reset();
    }
  });
  executor.add_node(reader);
  executor.add_node(writer);
  executor.spin();
  say("heard " + std::to_string(heard));
}

}  // namespace

Ways ways_of_holding()
{
  return {
    {"ends_its_context_with_a_held_message", ends_its_context_with_a_held_message},
    {"holds_messages_in_a_short_buffer", holds_messages_in_a_short_buffer},
    {"ends_a_publisher_with_a_held_message", ends_a_publisher_with_a_held_message},
    {"holds_messages", holds_messages},
    {"holds_messages_within_the_process", holds_messages_within_the_process}};
}
