// A message that replaces another one right before the take runs with its own activation.
#include <dlfcn.h>
#include <rcl/subscription.h>

#include <functional>
#include <std_msgs/msg/u_int64.hpp>
#include <vector>

#include "ros_test.hpp"

namespace
{

std::function<void()> before_take;

}  // namespace

// Replaces the middleware's function, to act between the pick of a run and its take.
extern "C" rcl_ret_t rcl_take(
  const rcl_subscription_t * subscription, void * message, rmw_message_info_t * info,
  rmw_subscription_allocation_t * allocation)
{
  static const auto real = reinterpret_cast<decltype(&rcl_take)>(::dlsym(RTLD_NEXT, "rcl_take"));
  if (before_take) {
    const std::function<void()> once = std::exchange(before_take, nullptr);
    once();
  }
  return real(subscription, message, info, allocation);
}

namespace takt_rcl::test
{

using Number = std_msgs::msg::UInt64;
using takt_core::ActivationSet;

class ReplacedMessage : public RosTest
{
};

TEST_F(ReplacedMessage, RunsWithItsOwnActivation)
{
  auto n = node("n");
  auto pub = n->create_publisher<Number>("numbers", QoS(1));
  struct Got
  {
    std::uint64_t data;
    std::uint32_t instance;
  };
  std::vector<Got> got;
  auto sub = n->create_subscription<Number>("numbers", QoS(1), [&](const Number & m) {
    const ActivationSet & activations = *takt_core::current_activations();
    ASSERT_EQ(activations.size(), 1u);
    got.push_back({m.data, activations.begin()->instance});
  });
  auto e = executor();
  e.add_node(n);
  ASSERT_TRUE(pub->wait_for_matched(1, kPatience));
  const auto publish = [&](std::uint32_t instance) {
    ActivationSet activations;
    activations.add({4711, instance, takt_rt::now()});
    const takt_core::ActivationScope scope(activations);
    Number number;
    number.data = instance;
    pub->publish(number);
  };
  before_take = [&] { publish(2); };
  publish(1);
  ASSERT_TRUE(spin_until(e, [&] { return !got.empty(); }));
  publish(3);
  ASSERT_TRUE(spin_until(e, [&] { return got.size() == 2; }));
  e.spin_some();
  ASSERT_EQ(got.size(), 2u);
  EXPECT_EQ(got[0].data, 2u);
  EXPECT_EQ(got[0].instance, 2u);
  EXPECT_EQ(got[1].data, 3u);
  EXPECT_EQ(got[1].instance, 3u);
  EXPECT_EQ(sub->overwritten(), 1u);
  EXPECT_EQ(sub->backlog(), 0u);
}

}  // namespace takt_rcl::test
