// Functions and classes that the parts of the test program share (see program.cpp).
#ifndef PROGRAM_HPP_
#define PROGRAM_HPP_

#include <cstdio>
#include <functional>
#include <map>
#include <rclcpp/rclcpp.hpp>
#include <std_msgs/msg/int32.hpp>
#include <string>

/// The parts of the program, by the words that choose them.
using Ways = std::map<std::string, void (*)()>;
/// Programs with actions and lifecycle nodes. Empty if the libraries of these were not found.
Ways ways_of_components();
/// Programs that end in the middle of a spin, and look at their surroundings then.
Ways ways_of_ends();
/// Programs that end, and programs whose messages wait.
Ways ways_of_waiting();
/// Programs whose callbacks have equal ids or take the places of others.
Ways ways_of_ids();
/// Programs with listeners, events and timers.
Ways ways_of_listening();
/// Programs with messages that a history replaces.
Ways ways_of_replaced_messages();
/// Programs with executors inside callbacks of other executors, and beside other executors.
Ways ways_of_executors();
/// Programs that take messages by themselves, as bytes or behind a filter.
Ways ways_of_taking();
/// Programs whose messages wait for the end of a period.
Ways ways_of_holding();
/// Programs with waitables of their own.
Ways ways_of_waitables();
/// Programs for tests of watching; the tests drive them.
Ways ways_of_watching();

inline void say(const std::string & line)
{
  std::printf("%s\n", line.c_str());
  std::fflush(stdout);
}

inline void shut_down()
{
  rclcpp::shutdown();
}

/// A node that counts to `last` by its own messages, and then ends its executor's spin.
class Counting : public rclcpp::Node
{
public:
  Counting(
    const std::string & name, int last, std::function<void()> end,
    const rclcpp::NodeOptions & options = rclcpp::NodeOptions())
  : Node(name, options),
    last_(last),
    end_(std::move(end))
  {
    publisher_ = create_publisher<std_msgs::msg::Int32>("~/count", 10);
    subscription_ = create_subscription<std_msgs::msg::Int32>(
      "~/count", 10, [this](std_msgs::msg::Int32::UniquePtr message) { take(*message); });
    timer_ = create_wall_timer(std::chrono::milliseconds(2), [this] {
      if (sent_ < last_) {
        auto message = std::make_unique<std_msgs::msg::Int32>();
        message->data = ++sent_;
        publisher_->publish(std::move(message));
      }
    });
  }

private:
  void take(const std_msgs::msg::Int32 & message)
  {
    sum_ += message.data;
    if (message.data == last_) {
      say(
        std::string(get_name()) + " counted to " + std::to_string(message.data) + ", sum " +
        std::to_string(sum_));
      end_();
    }
  }

  const int last_;
  const std::function<void()> end_;
  int sent_ = 0;
  int sum_ = 0;
  rclcpp::Publisher<std_msgs::msg::Int32>::SharedPtr publisher_;
  rclcpp::Subscription<std_msgs::msg::Int32>::SharedPtr subscription_;
  rclcpp::TimerBase::SharedPtr timer_;
};

#endif  // PROGRAM_HPP_
