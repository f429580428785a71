// To port a node, a user changes the namespace: programs as users write them for rclcpp.
#include <algorithm>
#include <functional>
#include <set>
#include <std_msgs/msg/string.hpp>
#include <thread>

#include "ros_test.hpp"

#define RCLCPP_INFO TAKT_INFO
#define RCLCPP_INFO_STREAM TAKT_INFO_STREAM
#define RCLCPP_WARN_ONCE TAKT_WARN_ONCE
#define RCLCPP_WARN_THROTTLE TAKT_WARN_THROTTLE

namespace rclcpp = takt_rcl;

namespace
{

using namespace std::chrono_literals;

// ---- as in the introductions to publishers, subscribers, timers and parameters ----

class Talker : public rclcpp::Node
{
public:
  Talker() : Node("talker"), count_(0)
  {
    this->declare_parameter("greeting", "hello");
    publisher_ = this->create_publisher<std_msgs::msg::String>("chatter", 10);
    timer_ = this->create_wall_timer(5ms, std::bind(&Talker::on_timer, this));
  }

private:
  void on_timer()
  {
    auto message = std_msgs::msg::String();
    message.data = this->get_parameter("greeting").as_string() + " " + std::to_string(count_++);
    RCLCPP_INFO(this->get_logger(), "publishing '%s'", message.data.c_str());
    publisher_->publish(message);
  }

  rclcpp::TimerBase::SharedPtr timer_;
  rclcpp::Publisher<std_msgs::msg::String>::SharedPtr publisher_;
  size_t count_;
};

class Listener : public rclcpp::Node
{
public:
  explicit Listener(const rclcpp::NodeOptions & options = rclcpp::NodeOptions())
  : Node("listener", options)
  {
    using std::placeholders::_1;
    subscription_ = this->create_subscription<std_msgs::msg::String>(
      "chatter", 10, std::bind(&Listener::on_message, this, _1));
    by_pointer_ = this->create_subscription<std_msgs::msg::String>(
      "chatter", rclcpp::SensorDataQoS(),
      [this](const std_msgs::msg::String::ConstSharedPtr message) { last_ = message; });
  }

  int heard = 0;

private:
  void on_message(const std_msgs::msg::String & message)
  {
    RCLCPP_INFO_STREAM(get_logger(), "heard '" << message.data << "'");
    heard += message.data.rfind("hello ", 0) == 0;
    if (heard == 3) {
      rclcpp::shutdown();
    }
  }

  rclcpp::Subscription<std_msgs::msg::String>::SharedPtr subscription_;
  rclcpp::Subscription<std_msgs::msg::String>::SharedPtr by_pointer_;
  std_msgs::msg::String::ConstSharedPtr last_;
};

class Porting : public ::testing::Test
{
protected:
  void SetUp() override
  {
    const char * arguments[] = {"program", "--ros-args", "-p", "given:=7", "--log-level", "warn"};
    rclcpp::init(6, arguments);
  }
  void TearDown() override { rclcpp::shutdown(); }
};

TEST_F(Porting, MinimalPublisherSubscriberAndTimerRunUntilShutdown)
{
  bool told = false;
  rclcpp::on_shutdown([&] { told = true; });
  auto talker = std::make_shared<Talker>();
  auto listener = std::make_shared<Listener>();
  rclcpp::executors::SingleThreadedExecutor executor;
  executor.add_node(talker);
  executor.add_node(listener);
  executor.spin();
  EXPECT_GE(listener->heard, 3);
  EXPECT_FALSE(rclcpp::ok());
  EXPECT_TRUE(told);
}

TEST_F(Porting, AfterShutdownTheErrorSaysSoAndInitStartsAfresh)
{
  EXPECT_TRUE(rclcpp::shutdown());
  try {
    rclcpp::Node::make_shared("late");
    FAIL() << "nothing was thrown";
  } catch (const takt_rcl::Error & error) {
    EXPECT_STREQ(error.what(), "cannot make node 'late': the context has been shut down");
  }
  EXPECT_FALSE(rclcpp::shutdown());
  rclcpp::init(0, nullptr);
  EXPECT_STREQ(rclcpp::Node::make_shared("early")->get_name(), "early");
}

TEST_F(Porting, ALoopWithARateSpinsANode)
{
  auto talker = std::make_shared<Talker>();
  auto listener = std::make_shared<Listener>(rclcpp::NodeOptions().use_intra_process_comms(true));
  rclcpp::Rate rate(500);
  const auto until = takt_rt::now() + takt_rcl::test::kPatience;
  while (rclcpp::ok() && takt_rt::now() < until) {
    rclcpp::spin_some(talker);
    rclcpp::spin_some(listener);
    rate.sleep();
  }
  EXPECT_FALSE(rclcpp::ok()) << "the listener has not ended the program";
  EXPECT_GE(listener->heard, 3);
}

TEST_F(Porting, MultiThreadedExecutorsRunGroups)
{
  auto node = rclcpp::Node::make_shared("node");
  auto reentrant = node->create_callback_group(rclcpp::CallbackGroupType::Reentrant);
  rclcpp::SubscriptionOptions options;
  options.callback_group = reentrant;
  rclcpp::PublisherOptions publisher_options;
  publisher_options.callback_group = reentrant;
  std::atomic<int> got{0};
  auto sub = node->create_subscription<std_msgs::msg::String>(
    "chatter", 10, [&](std_msgs::msg::String::UniquePtr) { ++got; }, options);
  auto pub = node->create_publisher<std_msgs::msg::String>("chatter", 10, publisher_options);
  auto timer = node->create_wall_timer(
    std::chrono::duration<double>(0.002), [&] { pub->publish(std_msgs::msg::String()); });
  EXPECT_EQ(timer->period(), 2ms);
  auto by_hand = node->create_callback_group(rclcpp::CallbackGroupType::MutuallyExclusive, false);
  std::atomic<int> ticks{0};
  auto other = node->create_wall_timer(
    1ms, [&] { ++ticks; }, by_hand);
  rclcpp::executors::MultiThreadedExecutor executor(rclcpp::ExecutorOptions(), 3);
  EXPECT_EQ(executor.get_number_of_threads(), 3u);
  EXPECT_GE(rclcpp::executors::MultiThreadedExecutor().get_number_of_threads(), 2u);
  executor.add_node(node);
  executor.add_callback_group(by_hand, node);
  std::thread spinner([&] { executor.spin(); });
  EXPECT_TRUE(takt_rcl::test::wait_until([&] { return got > 3 && ticks > 3; }));
  executor.cancel();
  spinner.join();
  executor.remove_callback_group(by_hand);
  executor.remove_node(node);
}

TEST_F(Porting, EventsOfPublishersAndSubscriptions)
{
  auto node = rclcpp::Node::make_shared("node");
  bool publisher_matched = false;
  bool subscription_matched = false;
  rclcpp::PublisherOptions publisher_options;
  publisher_options.event_callbacks.deadline_callback = [](rclcpp::QOSDeadlineOfferedInfo &) {};
  publisher_options.event_callbacks.liveliness_callback = [](rclcpp::QOSLivelinessLostInfo &) {};
  publisher_options.event_callbacks.incompatible_qos_callback =
    [](rclcpp::QOSOfferedIncompatibleQoSInfo & event) { (void)event.last_policy_kind; };
  publisher_options.event_callbacks.incompatible_type_callback =
    [](rclcpp::IncompatibleTypeInfo &) {};
  publisher_options.event_callbacks.matched_callback = [&](rclcpp::MatchedInfo & event) {
    publisher_matched = event.current_count == 1;
  };
  rclcpp::SubscriptionOptions options;
  options.use_default_callbacks = false;
  options.event_callbacks.deadline_callback = [](rclcpp::QOSDeadlineRequestedInfo & event) {
    (void)event.total_count_change;
  };
  options.event_callbacks.liveliness_callback = [](rclcpp::QOSLivelinessChangedInfo & event) {
    (void)event.alive_count;
  };
  options.event_callbacks.incompatible_qos_callback =
    [](rclcpp::QOSRequestedIncompatibleQoSInfo &) {};
  options.event_callbacks.message_lost_callback = [](rclcpp::QOSMessageLostInfo &) {};
  options.event_callbacks.incompatible_type_callback = [](rclcpp::IncompatibleTypeInfo &) {};
  options.event_callbacks.matched_callback = [&](rclcpp::MatchedInfo & event) {
    subscription_matched = event.current_count == 1;
  };
  auto sub = node->create_subscription<std_msgs::msg::String>(
    "chatter", 10, [](std_msgs::msg::String::ConstSharedPtr) {}, options);
  auto pub = node->create_publisher<std_msgs::msg::String>("chatter", 10, publisher_options);
  EXPECT_TRUE(takt_rcl::test::wait_until([&] {
    rclcpp::spin_some(node);
    return publisher_matched && subscription_matched;
  }))
    << "matched: publisher " << publisher_matched << ", subscription " << subscription_matched;
}

TEST_F(Porting, CancelEndsSpinAll)
{
  auto node = rclcpp::Node::make_shared("node");
  rclcpp::executors::SingleThreadedExecutor executor;
  int runs = 0;
  rclcpp::GuardCondition::SharedPtr guard;
  guard = node->create_guard_condition([&] {
    guard->trigger();
    if (++runs == 3) {
      executor.cancel();
    }
  });
  executor.add_node(node);
  guard->trigger();
  EXPECT_EQ(executor.spin_all(0s), 3u);
}

TEST_F(Porting, ACallbackMayTakeItsNodeOutOfSpinSome)
{
  auto node = rclcpp::Node::make_shared("node");
  auto guard = node->create_guard_condition([&] { node.reset(); });
  guard->trigger();
  rclcpp::spin_some(node);
  EXPECT_EQ(node, nullptr);

  auto other = rclcpp::Node::make_shared("other");
  rclcpp::executors::SingleThreadedExecutor executor;
  auto leaver = other->create_guard_condition([&] { executor.remove_node(other); });
  leaver->trigger();
  EXPECT_EQ(executor.spin_node_some(other), 1u);
  executor.add_node(other);
}

TEST_F(Porting, SpinAllGoesOnUntilNothingIsReady)
{
  auto node = rclcpp::Node::make_shared("node");
  int left = 5;
  rclcpp::GuardCondition::SharedPtr guard;
  guard = node->create_guard_condition([&] {
    if (--left > 0) {
      guard->trigger();
    }
  });
  rclcpp::executors::SingleThreadedExecutor executor;
  executor.add_node(node);
  guard->trigger();
  EXPECT_EQ(executor.spin_some(), 1u);
  EXPECT_EQ(executor.spin_all(10s), 4u);
  EXPECT_EQ(left, 0);
  EXPECT_THROW(executor.spin_all(-1ns), std::invalid_argument);
}

TEST_F(Porting, Parameters)
{
  auto node = std::make_shared<rclcpp::Node>(
    "node", rclcpp::NodeOptions()
              .append_parameter_override("speed", 1.5)
              .automatically_declare_parameters_from_overrides(true));
  EXPECT_EQ(node->get_parameter("given").as_int(), 7);
  EXPECT_EQ(node->get_parameter("speed").as_double(), 1.5);
  EXPECT_EQ(node->get_parameter("speed").get_type_name(), "double");
  EXPECT_THROW(node->get_parameter("speed").as_string(), takt_rcl::Error);
  EXPECT_THROW(node->get_parameter("never"), takt_rcl::Error);
  EXPECT_EQ(node->get_parameter_or<int>("never", 3), 3);
  int out = 0;
  EXPECT_TRUE(node->get_parameter_or("given", out, 1));
  EXPECT_EQ(out, 7);

  auto other = rclcpp::Node::make_shared("other");
  EXPECT_EQ(other->declare_parameter<int>("given"), 7);
  EXPECT_THROW(other->declare_parameter<int>("absent"), takt_rcl::Error);
  const auto k = other->declare_parameter("k", 3);
  EXPECT_EQ(k, 3);
  EXPECT_EQ(other->declare_parameter("flags", std::vector<bool>{true})[0], true);
  EXPECT_TRUE(other->get_parameter("flags").as_bool_array()[0]);
}

TEST_F(Porting, TimeAndClocks)
{
  auto node = rclcpp::Node::make_shared("node");
  const rclcpp::Time begin = node->get_clock()->now();
  const rclcpp::Duration took = node->now() - begin;
  EXPECT_GE(took.seconds(), 0.0);
  EXPECT_GE(rclcpp::Clock(RCL_STEADY_TIME).now().seconds(), 0.0);
  EXPECT_EQ(rclcpp::Time(1, 2) + rclcpp::Duration::from_seconds(0.5), rclcpp::Time(1, 500'000'002));
  const builtin_interfaces::msg::Time stamp = begin;
  EXPECT_EQ(rclcpp::Time(stamp), begin);
  EXPECT_TRUE(rclcpp::sleep_for(1ms));
  rclcpp::WallRate rate(2ms);
  EXPECT_EQ(rate.period(), 2ms);
  EXPECT_THROW(rclcpp::Rate(0.0), std::invalid_argument);
  EXPECT_THROW(rclcpp::Rate(-1ms), std::invalid_argument);
}

TEST_F(Porting, GraphQueries)
{
  auto node = rclcpp::Node::make_shared("node", "space");
  auto pub = node->create_publisher<std_msgs::msg::String>("chatter", 10);
  EXPECT_TRUE(takt_rcl::test::wait_until([&] {
    const auto topics = node->get_topic_names_and_types();
    const auto found = topics.find("/space/chatter");
    return found != topics.end() &&
           found->second == std::vector<std::string>{"std_msgs/msg/String"};
  }));
  EXPECT_TRUE(takt_rcl::test::wait_until([&] {
    const auto names = node->get_node_names();
    return std::count(names.begin(), names.end(), "/space/node") == 1;
  }));
}

TEST_F(Porting, AGuardConditionWithoutANodeTellsItsListener)
{
  auto guard = std::make_shared<rclcpp::GuardCondition>();
  guard->trigger();
  std::size_t triggers = 0;
  guard->set_on_trigger_callback([&](std::size_t count) { triggers += count; });
  guard->trigger();
  guard->trigger();
  EXPECT_EQ(triggers, 2u);
  guard->set_on_trigger_callback(nullptr);
  guard->trigger();
  EXPECT_EQ(triggers, 2u);
  EXPECT_EQ(guard->number(), 0u);
}

// Counts log lines with a handler that replaces that of rcutils.
int g_lines = 0;
std::string g_last;

TEST_F(Porting, LoggingMacrosCountAndFormat)
{
  auto node = rclcpp::Node::make_shared("node");
  const auto before = rcutils_logging_get_output_handler();
  rcutils_logging_set_output_handler([](
                                       const rcutils_log_location_t *, int, const char *,
                                       rcutils_time_point_value_t, const char * format,
                                       va_list * arguments) {
    char text[100];
    std::vsnprintf(text, sizeof(text), format, *arguments);
    g_last = text;
    ++g_lines;
  });
  int evaluated = 0;
  for (int i = 0; i < 3; ++i) {
    RCLCPP_WARN_ONCE(node->get_logger(), "once %d", i);
    RCLCPP_WARN_THROTTLE(node->get_logger(), *node->get_clock(), 1000000, "rarely %d", i);
    TAKT_WARN_SKIPFIRST(node->get_logger(), "but the first");
    TAKT_WARN_EXPRESSION(node->get_logger(), i == 1, "if");
    TAKT_ERROR_STREAM_ONCE(node->get_logger(), "stream " << i << " once");
    TAKT_FATAL_STREAM_THROTTLE(node->get_logger(), *node->get_clock(), 1000000, i << " rarely");
    TAKT_INFO_STREAM(node->get_logger(), "below the level " << ++evaluated);
  }
  TAKT_ERROR_STREAM(node->get_logger(), "100% " << 7);
  rcutils_logging_set_output_handler(before);
  EXPECT_EQ(g_lines, 1 + 1 + 2 + 1 + 1 + 1 + 1);
  EXPECT_EQ(g_last, "100% 7");
  EXPECT_EQ(evaluated, 0);
}

}  // namespace
