// A node with known shares, for both front ends: `front` is rclcpp or takt_rcl.
//
// Each callback has a group of its own. The timers are called by their periods:
//
//     10 ms and 11 ms   the node, and its member sum_
//     12 ms and 13 ms   nothing but the variable g_shared, which the second one changes in another
//     function 14 ms             nothing 15 ms and /ticks  one object that is not the node's; the
//     first is a std::bind 16 ms             in the group of 10 ms, and the variable g_shared
#ifndef AUDITED_NODE_HPP_
#define AUDITED_NODE_HPP_

#include <chrono>
#include <cstdlib>
#include <functional>
#include <memory>
#include <std_msgs/msg/int32.hpp>
#include <vector>

namespace audited
{

using namespace std::chrono_literals;

inline int g_shared = 0;
inline const int kConstant = 3;

__attribute__((noinline)) inline void change()
{
  static int s_calls = 0;
  ++s_calls;
  g_shared += kConstant;
}

/// No node, and no virtual functions.
class Store
{
public:
  void put() { ++value_; }
  void take(const std_msgs::msg::Int32 & message) { value_ -= message.data; }

private:
  int value_ = 0;
};

class Node : public front::Node
{
public:
  using Int32 = std_msgs::msg::Int32;

  explicit Node(std::function<void()> end) : front::Node("audited"), end_(std::move(end))
  {
    publisher_ = create_publisher<Int32>("ticks", 10);
    const auto first = group();
    add(
      10ms, [this] { tick(); }, first);
    add(
      11ms, [this] { tock(); }, group());
    add(
      12ms, [] { ++g_shared; }, group());
    add(
      13ms, [] { change(); }, group());
    add(
      14ms, [] {}, group());
    add(15ms, std::bind(&Store::put, store_.get()), group());
    add(
      16ms, [] { ++g_shared; }, first);
    front::SubscriptionOptions options;
    options.callback_group = group();
    subscription_ = create_subscription<Int32>(
      "ticks", 10, [store = store_.get()](const Int32 & message) { store->take(message); },
      options);
  }

private:
  front::CallbackGroup::SharedPtr group()
  {
    return groups_.emplace_back(create_callback_group(front::CallbackGroupType::MutuallyExclusive));
  }
  template <typename F>
  void add(std::chrono::milliseconds period, F function, const front::CallbackGroup::SharedPtr & in)
  {
    timers_.push_back(create_wall_timer(period, function, in));
  }
  void tick()
  {
    ++sum_;
    publisher_->publish(Int32());
    if (++ticks_ == 60) {
      end_();
    }
  }
  void tock() { sum_ += 2; }

  const std::function<void()> end_;
  const std::unique_ptr<Store> store_ = std::make_unique<Store>();
  int sum_ = 0;
  int ticks_ = 0;
  std::vector<front::CallbackGroup::SharedPtr> groups_;
  std::vector<front::TimerBase::SharedPtr> timers_;
  front::Publisher<Int32>::SharedPtr publisher_;
  front::Subscription<Int32>::SharedPtr subscription_;
};

}  // namespace audited

#endif  // AUDITED_NODE_HPP_
