// Nodes for both front ends: `front` is rclcpp or takt_rcl. Equal timers and subscriptions are made
// in turn in groups of their own and in the node's default group. So their numbers tell whether
// takt counts them in the order in which they were made.
#ifndef TWIN_NODES_HPP_
#define TWIN_NODES_HPP_

#include <chrono>
#include <functional>
#include <std_msgs/msg/int32.hpp>

namespace twins
{

class Twin : public front::Node
{
public:
  using Int32 = std_msgs::msg::Int32;
  static constexpr int kMessages = 20;

  explicit Twin(std::function<void()> end) : Node("twin", "/ns"), end_(std::move(end))
  {
    one_ = create_callback_group(front::CallbackGroupType::MutuallyExclusive);
    two_ = create_callback_group(front::CallbackGroupType::Reentrant);
    using namespace std::chrono_literals;
    publisher_ = create_publisher<Int32>("numbers", 100);
    first_ = create_wall_timer(
      2500us, [this] { count(first_, ran_[0], 3); }, two_);
    second_ = create_wall_timer(2500us, [this] { count(second_, ran_[1], 5); });
    third_ = create_wall_timer(
      2500us, [this] { count(third_, ran_[2], 7); }, one_);
    slow_ = create_wall_timer(1500ms, [] {});
    front::SubscriptionOptions options;
    options.callback_group = two_;
    heard_ = create_subscription<Int32>(
      "numbers", 100, [this](const Int32 &) { hear(0); }, options);
    again_ = create_subscription<Int32>("numbers", 100, [this](const Int32 &) { hear(1); });
    publishing_ = create_wall_timer(
      33333333ns, [this] { publish(); }, one_);
  }

private:
  template <typename Timer>
  static void count(const Timer & timer, std::atomic<int> & ran, int last)
  {
    if (++ran == last) {
      timer->cancel();
    }
  }
  void hear(int which) { ++heard_count_[which]; }
  void publish()
  {
    if (sent_ == 0 && publisher_->get_subscription_count() < 2) {
      return;
    }
    if (sent_ < kMessages) {
      Int32 message;
      message.data = ++sent_;
      publisher_->publish(message);
    } else if (
      heard_count_[0] == kMessages && heard_count_[1] == kMessages && ran_[0] == 3 &&
      ran_[1] == 5 && ran_[2] == 7) {
      publishing_->cancel();
      end_();
    }
  }

  const std::function<void()> end_;
  int sent_ = 0;
  std::atomic<int> ran_[3] = {};
  std::atomic<int> heard_count_[2] = {};
  front::CallbackGroup::SharedPtr one_;
  front::CallbackGroup::SharedPtr two_;
  front::Publisher<Int32>::SharedPtr publisher_;
  front::TimerBase::SharedPtr first_;
  front::TimerBase::SharedPtr second_;
  front::TimerBase::SharedPtr third_;
  front::TimerBase::SharedPtr slow_;
  front::TimerBase::SharedPtr publishing_;
  front::Subscription<Int32>::SharedPtr heard_;
  front::Subscription<Int32>::SharedPtr again_;
};

}  // namespace twins

#endif  // TWIN_NODES_HPP_
