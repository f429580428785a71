// The suite of sources (takt_host's test/source/suite.hpp) on adopted subscriptions, services and
// clients of rclcpp, with the middleware of this machine. For subscriptions, another subscription,
// which takt does not adopt, shows which messages the publishers wrote.
#include "source/rmw_take.hpp"
#include "source/suite.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <rcl_interfaces/srv/list_parameters.hpp>
#include <rclcpp/rclcpp.hpp>
#include <std_msgs/msg/u_int64.hpp>
#include <string>
#include <thread>
#include <vector>

#include "adopt/entity.hpp"
#include "with_rclcpp.hpp"

namespace takt_rclcpp
{
namespace
{

using Number = std_msgs::msg::UInt64;
using Srv = rcl_interfaces::srv::ListParameters;
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

/// A service or a client of rclcpp, adopted. Its requests or responses have no keys.
class CallBackEnd : public takt_host::test::BackEnd
{
public:
  CallBackEnd() : executor_(std::move(*takt_core::Executor::create()))
  {
    keys = false;
    EXPECT_TRUE(executor_->add_observer(before_take_).ok());
  }
  ~CallBackEnd() override
  {
    if (entity_ != nullptr) {
      entity_->silence();
      executor_->remove(*entity_->callback());
    }
  }
  void lose(std::size_t, std::uint64_t) override { FAIL() << "a lost message does not show"; }
  void before_next_take(std::function<void()> function) override
  {
    before_take_->function = std::move(function);
  }
  takt_core::Executor & executor() override { return *executor_; }
  const takt_core::Callback & callback() override { return *entity_->callback(); }

protected:
  template <typename Object>
  void join(const std::shared_ptr<Object> & object, takt_core::Kind kind)
  {
    EntitySettings settings;
    settings.core = executor_;
    settings.owner = &owner_;
    takt_core::CallbackOptions options;
    options.id = "/n:numbers";
    options.kind = kind;
    entity_ = make_entity(object, options, settings);
    entity_->facts.owner = &owner_;
    ASSERT_TRUE(executor_->add(entity_->callback()).ok());
    entity_->listen();
  }
  template <typename Condition>
  void wait(Condition condition) const
  {
    for (int look = 0; !condition(); ++look) {
      ASSERT_LT(look, patience);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  static rclcpp::QoS qos(std::uint32_t depth, bool reliable)
  {
    return reliable ? rclcpp::QoS(depth).reliable() : rclcpp::QoS(depth).best_effort();
  }

  const rclcpp::Node::SharedPtr node_ =
    std::make_shared<rclcpp::Node>("n", rclcpp::NodeOptions().start_parameter_services(false));

private:
  Owner owner_;
  const std::shared_ptr<takt_core::Executor> executor_;
  const std::shared_ptr<takt_host::test::BeforeTake> before_take_ =
    std::make_shared<takt_host::test::BeforeTake>();
  std::shared_ptr<Entity> entity_;
};

// Clients are the publishers of its requests.
class ServiceBackEnd final : public CallBackEnd
{
public:
  void subscribe(std::uint32_t depth, bool reliable) override
  {
    service_ = node_->create_service<Srv>(
      "numbers",
      [this](const Srv::Request::SharedPtr & request, const Srv::Response::SharedPtr &) {
        got.push_back({request->depth, takt_core::current_run()->found});
      },
      qos(depth, reliable));
    match();
  }
  std::size_t add_publisher() override
  {
    clients_.push_back(node_->create_client<Srv>("numbers", rclcpp::QoS(100)));
    match();
    return clients_.size() - 1;
  }
  void publish(std::size_t publisher, std::uint64_t value) override
  {
    const auto request = std::make_shared<Srv::Request>();
    request->depth = value;
    clients_[publisher]->async_send_request(request);
  }
  void join() override
  {
    CallBackEnd::join(
      std::static_pointer_cast<rclcpp::ServiceBase>(service_), takt_core::Kind::service);
  }

private:
  void match() const
  {
    if (service_ != nullptr) {
      for (const auto & one : clients_) {
        wait([&] { return one->service_is_ready(); });
      }
    }
  }

  rclcpp::Service<Srv>::SharedPtr service_;
  std::vector<rclcpp::Client<Srv>::SharedPtr> clients_;
};

// A service is the publisher of its responses. They do not say which service sent them, so one
// service stands for all publishers.
class ClientBackEnd final : public CallBackEnd
{
public:
  void subscribe(std::uint32_t depth, bool reliable) override
  {
    client_ = node_->create_client<Srv>("numbers", qos(depth, reliable));
    match();
  }
  std::size_t add_publisher() override
  {
    if (service_ == nullptr) {
      service_ = node_->create_service<Srv>(
        "numbers", [](const Srv::Request::SharedPtr &, const Srv::Response::SharedPtr &) {},
        rclcpp::QoS(100));
      match();
    }
    return 0;
  }
  void publish(std::size_t, std::uint64_t value) override
  {
    if (client_ == nullptr) {
      return;  // a service publishes only answers
    }
    client_->async_send_request(
      std::make_shared<Srv::Request>(), [this, value](rclcpp::Client<Srv>::SharedFuture) {
        got.push_back({value, takt_core::current_run()->found});
      });
    Srv::Request request;
    Srv::Response response;
    rmw_request_id_t header;
    wait([&] { return service_->take_request(request, header); });
    service_->send_response(header, response);
  }
  void join() override
  {
    CallBackEnd::join(
      std::static_pointer_cast<rclcpp::ClientBase>(client_), takt_core::Kind::client);
  }

private:
  void match() const
  {
    if (client_ != nullptr && service_ != nullptr) {
      wait([&] { return client_->service_is_ready(); });
    }
  }

  rclcpp::Client<Srv>::SharedPtr client_;
  rclcpp::Service<Srv>::SharedPtr service_;
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

class CallSources : public WithRclcpp<Promise>
{
};

TEST_P(CallSources, of_a_service_keep_the_promise)
{
  ServiceBackEnd back_end;
  EXPECT_EQ(GetParam().check(back_end), "");
}

TEST_P(CallSources, of_a_client_keep_the_promise)
{
  ClientBackEnd back_end;
  EXPECT_EQ(GetParam().check(back_end), "");
}

std::vector<Promise> without_losses()
{
  std::vector<Promise> all = takt_host::test::promises();
  std::erase_if(
    all, [](const Promise & one) { return std::string(one.name) == "counts_what_was_lost"; });
  return all;
}

INSTANTIATE_TEST_SUITE_P(
  Adopted, CallSources, testing::ValuesIn(without_losses()),
  [](const auto & test) { return std::string(test.param.name); });

INSTANTIATE_TEST_SUITE_P(
  Adopted, Sources, testing::ValuesIn(takt_host::test::promises()),
  [](const auto & test) { return std::string(test.param.name); });

}  // namespace
}  // namespace takt_rclcpp
