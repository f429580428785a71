// A node for both front ends, to see in which order its callbacks run if all of them are ready at
// once: `front` is rclcpp or takt_rcl. All callbacks but the witness run on one thread of the
// schedule. On this thread the starter publishes to both topics, the less urgent one first, and
// keeps the thread until all messages have arrived and both timers are due again.
#ifndef TURNS_HPP_
#define TURNS_HPP_

#include <atomic>
#include <chrono>
#include <cstdio>
#include <functional>
#include <std_msgs/msg/int32.hpp>
#include <string>

namespace twins
{

class Turns : public front::Node
{
public:
  using Int32 = std_msgs::msg::Int32;

  explicit Turns(std::function<void()> end) : Node("turns", "/ns"), end_(std::move(end))
  {
    using namespace std::chrono_literals;
    // The timers are made in another order than the priorities of the schedules say. Under `window`
    // the starter is the last timer of its window, so that the next window begins with the first
    // timer.
    first_ = create_wall_timer(2ms, [this] { turn(first_seen_, "first"); });
    second_ = create_wall_timer(3ms, [this] { turn(second_seen_, "second"); });
    starter_ = create_wall_timer(1ms, [this] { start(); });
    to_low_ = create_publisher<Int32>("low", 10);
    to_high_ = create_publisher<Int32>("high", 10);
    to_witness_ = create_publisher<Int32>("witness", 10);
    low_ = create_subscription<Int32>("low", 10, [this](const Int32 &) { turn(low_seen_, "low"); });
    high_ =
      create_subscription<Int32>("high", 10, [this](const Int32 &) { turn(high_seen_, "high"); });
    elsewhere_ = create_callback_group(front::CallbackGroupType::MutuallyExclusive);
    front::SubscriptionOptions options;
    options.callback_group = elsewhere_;
    witness_ = create_subscription<Int32>(
      "witness", 10, [this](const Int32 &) { witnessed_ = true; }, options);
  }

private:
  void start()
  {
    const bool matched = to_low_->get_subscription_count() > 0 &&
                         to_high_->get_subscription_count() > 0 &&
                         to_witness_->get_subscription_count() > 0;
    // takt asks an adopted subscription for messages when the spin begins. Wait for later windows,
    // which have no run without a message.
    if (!matched || ++starts_ < 3) {
      return;
    }
    starter_->cancel();
    // Most middlewares deliver a message within the process while `publish` runs. A middleware that
    // delivers later keeps the order of the messages. So the witness, which runs on another thread,
    // gets its message last.
    to_low_->publish(Int32());
    to_high_->publish(Int32());
    to_witness_->publish(Int32());
    const auto due = std::chrono::steady_clock::now() + std::chrono::milliseconds(10);
    while (!witnessed_ || std::chrono::steady_clock::now() < due) {
    }
    begun_ = true;
  }

  // All callbacks that call this run on one thread.
  void turn(bool & seen, const char * name)
  {
    if (!begun_ || seen) {
      return;
    }
    seen = true;
    order_ += std::string(" ") + name;
    if (first_seen_ && second_seen_ && low_seen_ && high_seen_) {
      std::printf("order%s\n", order_.c_str());
      end_();
    }
  }

  const std::function<void()> end_;
  std::string order_;
  int starts_ = 0;
  bool begun_ = false;
  bool first_seen_ = false;
  bool second_seen_ = false;
  bool low_seen_ = false;
  bool high_seen_ = false;
  std::atomic<bool> witnessed_ = false;
  front::CallbackGroup::SharedPtr elsewhere_;
  front::Publisher<Int32>::SharedPtr to_low_;
  front::Publisher<Int32>::SharedPtr to_high_;
  front::Publisher<Int32>::SharedPtr to_witness_;
  front::TimerBase::SharedPtr first_;
  front::TimerBase::SharedPtr second_;
  front::TimerBase::SharedPtr starter_;
  front::Subscription<Int32>::SharedPtr low_;
  front::Subscription<Int32>::SharedPtr high_;
  front::Subscription<Int32>::SharedPtr witness_;
};

}  // namespace twins

#endif  // TURNS_HPP_
