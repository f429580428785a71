// The suite of sources (takt_host's test/source/suite.hpp) on adopted subscriptions of rclcpp, with
// the middleware of this machine. Another subscription, which takt does not adopt, shows which
// messages the publishers wrote.
#include "source/rmw_take.hpp"
#include "source/suite.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <rclcpp/rclcpp.hpp>
#include <std_msgs/msg/u_int64.hpp>
#include <thread>

#include "adopt/entity.hpp"
#include "with_rclcpp.hpp"

namespace takt_rclcpp
{
namespace
{

using Number = std_msgs::msg::UInt64;
using takt_host::test::Promise;
using takt_host::test::rmw_take_between;
using takt_host::test::RmwTake;

class Owner final : public RunOwner
{
public:
  void failed(const std::exception_ptr &) noexcept override { ADD_FAILURE() << "a callback threw"; }
  RunScope exclude() override { return {running_, {}}; }
  bool is_over() const noexcept override { return false; }

private:
  std::atomic<int> running_{0};
};

class AdoptedBackEnd final : public takt_host::test::BackEnd
{
public:
  AdoptedBackEnd()
  : node_(
      std::make_shared<rclcpp::Node>("n", rclcpp::NodeOptions().start_parameter_services(false))),
    executor_(std::move(*takt_core::Executor::create())),
    witness_(node_->create_subscription<Number>("numbers", rclcpp::QoS(100), [](const Number &) {}))
  {
    rmw_take_between() = {};
    rmw_take_between().armed = true;
  }
  ~AdoptedBackEnd() override
  {
    if (entity_ != nullptr) {
      entity_->silence();
      executor_->remove(*entity_->callback());
    }
    rmw_take_between() = {};
  }

  void subscribe(std::uint32_t depth, bool reliable) override
  {
    const rclcpp::QoS qos =
      reliable ? rclcpp::QoS(depth).reliable() : rclcpp::QoS(depth).best_effort();
    subscription_ = node_->create_subscription<Number>("numbers", qos, [this](const Number & one) {
      got.push_back({one.data, takt_core::current_run()->found});
    });
    match();
  }
  std::size_t add_publisher() override
  {
    publishers_.push_back(node_->create_publisher<Number>("numbers", rclcpp::QoS(100)));
    match();
    return publishers_.size() - 1;
  }
  void publish(std::size_t publisher, std::uint64_t value) override
  {
    Number number;
    number.data = value;
    publishers_[publisher]->publish(number);
    rmw_take_between().armed = false;
    rclcpp::MessageInfo info;
    number.data = 0;
    wait([&] { return witness_->take(number, info) && number.data == value; });
    rmw_take_between().armed = true;
    takt_core::MessageKey key;
    const rmw_message_info_t & written = info.get_rmw_message_info();
    std::copy_n(written.publisher_gid.data, key.publisher.size(), key.publisher.begin());
    key.source_time = written.source_timestamp;
    names[value] = key.name_by_time();
  }
  void lose(std::size_t publisher, std::uint64_t count) override
  {
    RmwTake::Publisher gid;
    std::copy_n(publishers_[publisher]->get_gid().data, gid.size(), gid.begin());
    rmw_take_between().lost[gid] += count;
  }
  void join() override
  {
    EntitySettings settings;
    settings.core = executor_;
    settings.owner = &owner_;
    takt_core::CallbackOptions options;
    options.id = "/n:sub(/numbers)";
    options.kind = takt_core::Kind::subscription;
    entity_ = make_entity(
      std::static_pointer_cast<rclcpp::SubscriptionBase>(subscription_), options, settings);
    entity_->facts.owner = &owner_;
    ASSERT_TRUE(executor_->add(entity_->callback()).ok());
    entity_->listen();
  }
  void before_next_take(std::function<void()> function) override
  {
    rmw_take_between().before = std::move(function);
  }
  takt_core::Executor & executor() override { return *executor_; }
  const takt_core::Callback & callback() override { return *entity_->callback(); }

private:
  template <typename Condition>
  void wait(Condition condition)
  {
    for (int look = 0; !condition(); ++look) {
      ASSERT_LT(look, patience);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  void match()
  {
    const std::size_t readers = subscription_ != nullptr ? 2 : 1;
    wait([&] {
      return witness_->get_publisher_count() == publishers_.size() &&
             (readers == 1 || subscription_->get_publisher_count() == publishers_.size()) &&
             std::all_of(publishers_.begin(), publishers_.end(), [&](const auto & one) {
               return one->get_subscription_count() == readers;
             });
    });
  }

  Owner owner_;
  const rclcpp::Node::SharedPtr node_;
  const std::shared_ptr<takt_core::Executor> executor_;
  const rclcpp::Subscription<Number>::SharedPtr witness_;
  rclcpp::Subscription<Number>::SharedPtr subscription_;
  std::vector<rclcpp::Publisher<Number>::SharedPtr> publishers_;
  std::shared_ptr<Entity> entity_;
};

class Sources : public WithRclcpp<Promise>
{
};

TEST_P(Sources, keep_the_promise)
{
  if (!publication_sequence_supported()) {
    GTEST_SKIP() << "this middleware has no publication sequence numbers";
  }
  AdoptedBackEnd back_end;
  EXPECT_EQ(GetParam().check(back_end), "");
}

INSTANTIATE_TEST_SUITE_P(
  Adopted, Sources, testing::ValuesIn(takt_host::test::promises()),
  [](const auto & test) { return std::string(test.param.name); });

}  // namespace
}  // namespace takt_rclcpp
