// A message that arrives while a subscription registers its listener is not lost.
//
// rmw_fastrtps first asks its reader for the number of waiting messages, and then starts to listen.
// This program publishes a message between the two steps: it defines the reader's function for this
// question, so that the middleware calls it here.
#include <dlfcn.h>
#include <rmw/rmw.h>

#include <functional>
#include <std_msgs/msg/u_int64.hpp>

#include "ros_test.hpp"

namespace
{
thread_local std::function<void()> in_between;
}

// eprosima::fastdds::dds::DataReader::get_unread_count(bool) const
extern "C" std::uint64_t _ZNK8eprosima7fastdds3dds10DataReader16get_unread_countEb(
  const void * self, bool mark_as_read)
{
  using Function = std::uint64_t (*)(const void *, bool);
  static const auto next = reinterpret_cast<Function>(
    ::dlsym(RTLD_NEXT, "_ZNK8eprosima7fastdds3dds10DataReader16get_unread_countEb"));
  const std::uint64_t count = next(self, mark_as_read);
  if (in_between) {
    const auto act = std::exchange(in_between, nullptr);
    act();
  }
  return count;
}

namespace takt_rcl::test
{

using Number = std_msgs::msg::UInt64;

class FirstWakeUp : public RosTest
{
protected:
  // Publishes one message while `act` registers a listener. False: this middleware does not call
  // the replaced function.
  template <typename Act>
  bool publish_during(Act act)
  {
    auto pub = node_->create_publisher<Number>("numbers", QoS(1));
    bool published = false;
    in_between = [&] {
      published = pub->wait_for_matched(1, kPatience) && pub->publish(Number()) == 1;
    };
    act();
    in_between = nullptr;
    keep_ = pub;
    return published;
  }

  // This middleware has the function. If a new version renames it, the test must fail, not skip.
  static bool stands_in()
  {
    return std::string(rmw_get_implementation_identifier()) == "rmw_fastrtps_cpp";
  }

  void SetUp() override
  {
    RosTest::SetUp();
    if (!stands_in()) {
      GTEST_SKIP() << "this program stands in for a function of Fast DDS only";
    }
    node_ = node("n");
  }
  void TearDown() override
  {
    keep_.reset();
    node_.reset();
  }

  std::shared_ptr<Node> node_;
  std::shared_ptr<PublisherBase> keep_;
};

TEST_F(FirstWakeUp, SurvivesAMessageWhileTheSubscriptionIsMade)
{
  int got = 0;
  std::shared_ptr<SubscriptionBase> sub;
  ASSERT_TRUE(publish_during([&] {
    sub = node_->create_subscription<Number>("numbers", QoS(1), [&](const Number &) { ++got; });
  }))
    << "the middleware does not ask for what waits when it begins to listen";
  auto e = executor();
  e.add_node(node_);
  EXPECT_TRUE(spin_until(e, [&] { return got == 1; }));
}

TEST_F(FirstWakeUp, SurvivesAMessageWhileItGetsIntoAnExecutor)
{
  int got = 0;
  auto sub = node_->create_subscription<Number>("numbers", QoS(1), [&](const Number &) { ++got; });
  auto e = executor();
  ASSERT_TRUE(publish_during([&] { e.add_node(node_); }))
    << "the middleware does not ask for what waits when it begins to listen";
  EXPECT_TRUE(spin_until(e, [&] { return got == 1; }));
}

TEST_F(FirstWakeUp, SurvivesAMessageWhileItLeavesAnExecutor)
{
  int got = 0;
  auto sub = node_->create_subscription<Number>("numbers", QoS(1), [&](const Number &) { ++got; });
  auto a = executor();
  a.add_node(node_);
  ASSERT_TRUE(publish_during([&] { a.remove_node(node_); }))
    << "the middleware does not ask for what waits when it begins to listen";
  auto b = executor();
  b.add_node(node_);
  EXPECT_TRUE(spin_until(b, [&] { return got == 1; }));
}

}  // namespace takt_rcl::test
