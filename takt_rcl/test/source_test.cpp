// The suite of sources (takt_host's test/source/suite.hpp) on takt_rcl's subscriptions and the installed middleware.
#include "source/rmw_take.hpp"
#include "source/suite.hpp"

#include <std_msgs/msg/u_int64.hpp>

#include "ros_test.hpp"

namespace takt_rcl::test
{
namespace
{

using Number = std_msgs::msg::UInt64;
using takt_host::test::Promise;
using takt_host::test::rmw_take_between;

class RclBackEnd final : public takt_host::test::BackEnd
{
public:
  RclBackEnd(std::shared_ptr<Node> node, Executor executor)
  : node_(std::move(node)),
    executor_(std::move(executor))
  {
    rmw_take_between() = {};
    rmw_take_between().armed = true;
  }
  ~RclBackEnd() override { rmw_take_between() = {}; }

  void subscribe(std::uint32_t depth, bool reliable) override
  {
    const QoS qos = reliable ? QoS(depth).reliable() : QoS(depth).best_effort();
    subscription_ = node_->create_subscription<Number>("numbers", qos, [this](const Number & one) {
      got.push_back({one.data, takt_core::current_run()->found});
    });
    match();
  }
  std::size_t add_publisher() override
  {
    publishers_.push_back(node_->create_publisher<Number>("numbers", QoS(100)));
    match();
    return publishers_.size() - 1;
  }
  void publish(std::size_t publisher, std::uint64_t value) override
  {
    auto & from = *publishers_[publisher];
    Number number;
    number.data = value;
    from.publish(number);
    const std::uint64_t lost = rmw_take_between().lost[from.gid()];
    names[value] =
      takt_core::MessageKey{from.gid(), from.last_sequence() + lost, 0}.name_by_sequence();
  }
  void lose(std::size_t publisher, std::uint64_t count) override
  {
    rmw_take_between().lost[publishers_[publisher]->gid()] += count;
  }
  void join() override { executor_.add_node(node_); }
  void before_next_take(std::function<void()> function) override
  {
    rmw_take_between().before = std::move(function);
  }
  takt_core::Executor & executor() override { return executor_.core(); }
  const takt_core::Callback & callback() override { return *subscription_->callback(); }

private:
  void match()
  {
    if (subscription_ == nullptr) {
      return;
    }
    ASSERT_TRUE(subscription_->wait_for_matched(publishers_.size(), kPatience));
    for (const auto & publisher : publishers_) {
      ASSERT_TRUE(publisher->wait_for_matched(1, kPatience));
    }
  }

  const std::shared_ptr<Node> node_;
  Executor executor_;
  Subscription<Number>::SharedPtr subscription_;
  std::vector<Publisher<Number>::SharedPtr> publishers_;
};

class Sources : public RosTest, public ::testing::WithParamInterface<Promise>
{
};

TEST_P(Sources, keep_the_promise)
{
  if (!Context::publication_sequence_supported()) {
    GTEST_SKIP() << "this middleware has no publication sequence numbers";
  }
  RclBackEnd back_end(node("n"), executor());
  EXPECT_EQ(GetParam().check(back_end), "");
}

INSTANTIATE_TEST_SUITE_P(
  Rcl, Sources, ::testing::ValuesIn(takt_host::test::promises()),
  [](const auto & test) { return std::string(test.param.name); });

}  // namespace
}  // namespace takt_rcl::test
