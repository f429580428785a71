// Messages that a program takes in other ways: by itself, as bytes, behind a filter. And the
// information that a timer gets of its run.
#include <dlfcn.h>
#include <rclcpp/version.h>
#include <atomic>
#include <memory>
#include <rclcpp/serialization.hpp>
#include <sensor_msgs/msg/temperature.hpp>
#include <string>
#include <vector>

#include "program.hpp"

namespace
{

using namespace std::chrono_literals;
using rclcpp::executors::MultiThreadedExecutor;
using rclcpp::executors::SingleThreadedExecutor;
using sensor_msgs::msg::Temperature;
using std_msgs::msg::Int32;

constexpr int kMessages = 40;

/// Publishes the numbers from 1 on, once `wanted` subscriptions are matched.
class Source : public rclcpp::Node
{
public:
  Source(const std::string & topic, std::size_t wanted)
  : Node("source"),
    publisher_(create_publisher<Int32>(topic, 100)),
    timer_(create_wall_timer(2ms, [this, wanted] {
      if (sent_ < kMessages && publisher_->get_subscription_count() == wanted) {
        Int32 message;
        message.data = ++sent_;
        publisher_->publish(message);
      }
    }))
  {
  }

private:
  int sent_ = 0;
  rclcpp::Publisher<Int32>::SharedPtr publisher_;
  rclcpp::TimerBase::SharedPtr timer_;
};

/// Spins `node` and a source of `wanted` subscriptions until the program cancels the spin.
void spin_with_source(
  rclcpp::Executor & executor, const rclcpp::Node::SharedPtr & node, const std::string & topic,
  std::size_t wanted)
{
  auto source = std::make_shared<Source>(topic, wanted);
  executor.add_node(node);
  executor.add_node(source);
  executor.spin();
}

// The executor does not have the subscription's group: a timer of the program takes its messages.
template <typename Executor>
void polled()
{
  Executor executor;
  auto node = std::make_shared<rclcpp::Node>("polls");
  auto apart = node->create_callback_group(rclcpp::CallbackGroupType::MutuallyExclusive, false);
  rclcpp::SubscriptionOptions options;
  options.callback_group = apart;
  std::atomic<int> called{0};
  int last = 0;
  int sum = 0;
  auto subscription = node->create_subscription<Int32>(
    "polled", kMessages, [&](Int32::ConstSharedPtr) { ++called; }, options);
  auto timer = node->create_wall_timer(5ms, [&] {
    Int32 message;
    rclcpp::MessageInfo info;
    while (subscription->take(message, info)) {
      sum += message.data;
      last = message.data;
    }
    if (last == kMessages) {
      executor.cancel();
    }
  });
  spin_with_source(executor, node, "polled", 1);
  say(
    "took to " + std::to_string(last) + ", sum " + std::to_string(sum) + ", called " +
    std::to_string(called));
}

void polls_a_subscription()
{
  polled<SingleThreadedExecutor>();
  polled<MultiThreadedExecutor>();
}

// One subscription takes bytes. The other one gets the messages that pass a filter, the
// middleware's or rclcpp's own.
void bytes_and_filters()
{
  SingleThreadedExecutor executor;
  auto node = std::make_shared<rclcpp::Node>("takes");
  int bytes = 0;
  int all = 0;
  int large = 0;
  int small = 0;
  const auto done = [&] {
    if (all == kMessages && large == kMessages / 2) {
      executor.cancel();
    }
  };
  auto generic = node->create_generic_subscription(
    "numbers", "std_msgs/msg/Int32", kMessages,
    [&](std::shared_ptr<const rclcpp::SerializedMessage> message) {
      bytes += static_cast<int>(message->size());
      ++all;
      done();
    });
  rclcpp::SubscriptionOptions options;
  options.content_filter_options.filter_expression = "data > %0";
  options.content_filter_options.expression_parameters = {std::to_string(kMessages / 2)};
  auto filtered = node->create_subscription<Int32>(
    "numbers", kMessages,
    [&](const Int32 & message, const rclcpp::MessageInfo &) {
      ++(message.data > kMessages / 2 ? large : small);
      done();
    },
    options);
  spin_with_source(executor, node, "numbers", 2);
  say(
    std::to_string(all) + " of " + std::to_string(bytes / all) + " bytes, " +
    std::to_string(large) + " through the filter, " + std::to_string(small) + " beside it");
}

#if RCLCPP_VERSION_GTE(28, 0, 0)
// Each run begins after the time at which the timer was due, and these times follow one another by
// periods.
void information_of_timers()
{
  SingleThreadedExecutor executor;
  auto node = std::make_shared<rclcpp::Node>("informed");
  int runs = 0;
  int early = 0;
  int off_the_grid = 0;
  std::int64_t before = 0;
  auto timer = node->create_wall_timer(5ms, [&](const rclcpp::TimerInfo & info) {
    const std::int64_t due = info.expected_call_time.nanoseconds();
    early += info.actual_call_time.nanoseconds() < due ? 1 : 0;
    off_the_grid += before != 0 && (due - before) % 5'000'000 != 0 ? 1 : 0;
    before = due;
    if (++runs == kMessages) {
      executor.cancel();
    }
  });
  executor.add_node(node);
  executor.spin();
  say(
    std::to_string(runs) + " runs, " + std::to_string(early) + " early, " +
    std::to_string(off_the_grid) + " off the grid");
}
#endif

// One subscription only stores messages, and the other one works with the stored messages. Between
// the messages a timer of another node prints how many were stored by then.
class Fusing : public rclcpp::Node
{
public:
  explicit Fusing(bool within_process, std::function<void()> end)
  : Node("fuses", rclcpp::NodeOptions().use_intra_process_comms(within_process)),
    end_(std::move(end))
  {
    stored_ = create_subscription<Int32>("stored", 10, [this](Int32::ConstSharedPtr message) {
      ++kept_;
      newest_ = message->data;
    });
    works_ = create_subscription<Int32>("work", 10, [this](Int32::ConstSharedPtr message) {
      say(
        "work " + std::to_string(message->data) + ": stored " + std::to_string(kept_) +
        ", newest " + std::to_string(newest_));
      if (message->data == 2) {
        end_();
      }
    });
  }
  int kept() const { return kept_; }

private:
  std::function<void()> end_;
  int kept_ = 0;
  int newest_ = 0;
  rclcpp::Subscription<Int32>::SharedPtr stored_;
  rclcpp::Subscription<Int32>::SharedPtr works_;
};

void stores(bool within_process)
{
  SingleThreadedExecutor executor;
  auto fuses = std::make_shared<Fusing>(within_process, [&] { executor.cancel(); });
  auto source = std::make_shared<rclcpp::Node>(
    "source", rclcpp::NodeOptions().use_intra_process_comms(within_process));
  auto to_store = source->create_publisher<Int32>("stored", 10);
  auto to_work = source->create_publisher<Int32>("work", 10);
  int step = 0;
  int sent = 0;
  const auto publish = [](rclcpp::Publisher<Int32> & to, int value) {
    Int32 message;
    message.data = value;
    to.publish(message);
  };
  auto timer = source->create_wall_timer(20ms, [&] {
    if (to_store->get_subscription_count() != 1 || to_work->get_subscription_count() != 1) {
      return;
    }
    if (++step % 2 == 1) {
      for (int i = 0; i < 3; ++i) {
        publish(*to_store, ++sent);
      }
    } else {
      say("stored by itself: " + std::to_string(fuses->kept()));
      publish(*to_work, step / 2);
    }
  });
  executor.add_node(fuses);
  executor.add_node(source);
  executor.spin();
}

void stores_messages()
{
  stores(false);
}

void stores_messages_within_the_process()
{
  stores(true);
}

// Two subscriptions whose messages have headers, one of which gets bytes. Every second message of
// `b` has a stamp that no message of `a` is near to.
void fuse_by_stamps(bool within_process)
{
  SingleThreadedExecutor executor;
  auto fuses = std::make_shared<rclcpp::Node>(
    "fuses", rclcpp::NodeOptions().use_intra_process_comms(within_process));
  auto source = std::make_shared<rclcpp::Node>("source");
  auto a = fuses->create_subscription<Temperature>("a", 10, [](const Temperature & message) {
    say("a " + std::to_string(message.header.stamp.sec));
  });
  auto b = fuses->create_subscription<Temperature>(
    "b", 10, [](std::shared_ptr<rclcpp::SerializedMessage> bytes) {
      Temperature message;
      rclcpp::Serialization<Temperature>().deserialize_message(bytes.get(), &message);
      say("b " + std::to_string(message.header.stamp.sec));
    });
  auto to_a = source->create_publisher<Temperature>("a", 10);
  auto to_b = source->create_publisher<Temperature>("b", 10);
  int step = 0;
  auto timer = source->create_wall_timer(20ms, [&] {
    if (to_a->get_subscription_count() != 1 || to_b->get_subscription_count() != 1) {
      return;
    }
    if (++step == 6) {
      executor.cancel();
      return;
    }
    Temperature message;
    message.header.stamp.sec = step;
    to_b->publish(message);
    if (step % 2 == 0) {
      message.header.stamp.nanosec = 10'000'000;
      to_a->publish(message);
    }
  });
  executor.add_node(fuses);
  executor.add_node(source);
  executor.spin();
}

void fuses_by_stamps()
{
  fuse_by_stamps(false);
}

void fuses_by_stamps_within_the_process()
{
  fuse_by_stamps(true);
}

// A library's subscription has a message that waits for one of `b`, when the program destroys the
// subscription and closes the library.
void closes_the_library_of_a_waiting_message()
{
  void * const library = ::dlopen(TAKT_SUBSCRIBER, RTLD_NOW | RTLD_LOCAL);
  auto * const subscribe = reinterpret_cast<void (*)(
    rclcpp::Node &, const std::string &, rclcpp::SubscriptionBase::SharedPtr &)>(
    ::dlsym(library, "subscribe"));
  SingleThreadedExecutor executor;
  auto fuses = std::make_shared<rclcpp::Node>("fuses");
  auto source = std::make_shared<rclcpp::Node>("source");
  rclcpp::SubscriptionBase::SharedPtr a;
  subscribe(*fuses, "a", a);
  auto b = fuses->create_subscription<Temperature>("b", 10, [](const Temperature &) {});
  auto to_a = source->create_publisher<Temperature>("a", 10);
  int step = 0;
  auto timer = source->create_wall_timer(20ms, [&] {
    if (to_a->get_subscription_count() != 1 && step == 0) {
      return;
    }
    ++step;
    if (step == 1) {
      Temperature message;
      message.header.stamp.sec = 1;
      to_a->publish(message);
    } else if (step == 4) {
      a.reset();
      ::dlclose(library);
    } else if (step == 7) {
      executor.cancel();
    }
  });
  executor.add_node(fuses);
  executor.add_node(source);
  executor.spin();
  say("ended");
}

// A message of the timer is for two nodes, and the first of them has a message for a third one.
void follow_one_another()
{
  SingleThreadedExecutor executor;
  auto source = std::make_shared<rclcpp::Node>("source");
  auto first = std::make_shared<rclcpp::Node>("first");
  auto second = std::make_shared<rclcpp::Node>("second");
  auto beside = std::make_shared<rclcpp::Node>("beside");
  auto begin = source->create_publisher<Int32>("begin", 1);
  auto go_on = first->create_publisher<Int32>("go_on", 1);
  std::vector<std::string> order;
  int sent = 0;
  int ticks = 0;
  auto at_first = first->create_subscription<Int32>("begin", 1, [&](const Int32 & message) {
    order.push_back("first");
    go_on->publish(message);
  });
  auto at_second = second->create_subscription<Int32>(
    "go_on", 1, [&](const Int32 &) { order.push_back("second"); });
  auto at_beside = beside->create_subscription<Int32>(
    "begin", 1, [&](const Int32 &) { order.push_back("beside"); });
  auto timer = source->create_wall_timer(5ms, [&] {
    if (order.size() == 3) {
      say(order[0] + " " + order[1] + " " + order[2]);
      order.clear();
    } else if (sent > 0) {
      return;  // some of them have yet to run
    }
    const bool matched =
      begin->get_subscription_count() == 2 && go_on->get_subscription_count() == 1 &&
      at_first->get_publisher_count() == 1 && at_second->get_publisher_count() == 1 &&
      at_beside->get_publisher_count() == 1;
    // When the spin begins, takt looks once for messages in each subscription. A timer that was due
    // before may come first.
    const bool looked = ++ticks > 1;
    if (sent == 3) {
      executor.cancel();
    } else if (matched && looked) {
      ++sent;
      begin->publish(Int32());
    }
  });
  for (const auto & node : {source, first, second, beside}) {
    executor.add_node(node);
  }
  executor.spin();
}

}  // namespace

Ways ways_of_taking()
{
  Ways ways{
    {"bytes_and_filters", bytes_and_filters},
    {"closes_the_library_of_a_waiting_message", closes_the_library_of_a_waiting_message},
    {"follow_one_another", follow_one_another},
    {"fuses_by_stamps", fuses_by_stamps},
    {"fuses_by_stamps_within_the_process", fuses_by_stamps_within_the_process},
    {"polls_a_subscription", polls_a_subscription},
    {"stores_messages", stores_messages},
    {"stores_messages_within_the_process", stores_messages_within_the_process}};
#if RCLCPP_VERSION_GTE(28, 0, 0)
  ways["information_of_timers"] = information_of_timers;
#endif
  return ways;
}
