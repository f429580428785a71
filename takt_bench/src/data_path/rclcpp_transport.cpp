#include "data_path/rclcpp_transport.hpp"

#include <chrono>
#include <functional>
#include <rclcpp/rclcpp.hpp>
#include <std_msgs/msg/u_int8_multi_array.hpp>
#include <stdexcept>
#include <thread>
#include <utility>

#include "data_path/content.hpp"
#include "data_path/course.hpp"

namespace takt_bench::data_path
{

namespace
{

using Bytes = std_msgs::msg::UInt8MultiArray;

constexpr std::size_t kDepth = 4;
constexpr std::size_t kPool = 2;  // threads: one for the timer, one for the subscription

std::shared_ptr<rclcpp::Context> make_context()
{
  auto context = std::make_shared<rclcpp::Context>();
  rclcpp::InitOptions options;
  options.shutdown_on_signal = false;
  options.auto_initialize_logging(false);
  context->init(0, nullptr, options);
  return context;
}

std::shared_ptr<rclcpp::Node> make_node(
  const std::string & name, const std::shared_ptr<rclcpp::Context> & context)
{
  rclcpp::NodeOptions options;
  options.context(context);
  options.use_intra_process_comms(true);
  options.enable_rosout(false);
  options.start_parameter_services(false);
  options.start_parameter_event_publisher(false);
  return std::make_shared<rclcpp::Node>(name, options);
}

std::unique_ptr<rclcpp::Executor> make_executor(
  const std::shared_ptr<rclcpp::Context> & context, Variant variant)
{
  rclcpp::ExecutorOptions options;
  options.context = context;
  if (variant == Variant::rclcpp_pool) {
    return std::make_unique<rclcpp::executors::MultiThreadedExecutor>(options, kPool);
  }
  return std::make_unique<rclcpp::executors::SingleThreadedExecutor>(options);
}

/// A timer's callback publishes and a subscription's callback receives; each has a node, so that a
/// pool may run them side by side. Messages go as unique pointers.
class WithinProcess final : public OneThread
{
public:
  WithinProcess(const Setting & setting, Ledger & ledger)
  : setting_(setting),
    ledger_(ledger),
    context_(make_context()),
    executor_(make_executor(context_, setting.variant)),
    sends_(make_node("data_path_publisher", context_)),
    receives_(make_node("data_path", context_)),
    publisher_(sends_->create_publisher<Bytes>(setting.topic, kDepth)),
    subscription_(receives_->create_subscription<Bytes>(
      setting.topic, kDepth, [&ledger](Bytes::UniquePtr bytes) {
        ledger.arrived(bytes->data.data(), bytes->data.size());
      }))
  {
  }

  void run(Course & course) override
  {
    connect();
    const auto timer = sends_->create_wall_timer(setting_.interval, [&] { turn(course); });
    executor_->add_node(sends_);
    executor_->add_node(receives_);
    executor_->spin();
    executor_->remove_node(sends_);
    executor_->remove_node(receives_);
    context_->shutdown("the measurement is over");
  }

private:
  // The middleware matches the two ends as well. Until then rclcpp does not publish to it, but the
  // match would then fall into the measurement.
  void connect()
  {
    const takt_rt::Time end = takt_rt::now() + kMeeting;
    while (publisher_->get_subscription_count() == 0) {
      if (takt_rt::now() > end) {
        throw std::runtime_error("the middleware did not match publisher and receiver");
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  void turn(Course & course)
  {
    if (!began_) {
      ledger_.publishes();
      began_ = true;
    }
    if (const auto number = course.turn()) {
      auto message = std::make_unique<Bytes>();
      message->data.resize(setting_.size);
      write_number(message->data.data(), message->data.size(), *number);
      write_time(message->data.data());
      publisher_->publish(std::move(message));
    } else if (course.finished()) {
      executor_->cancel();
    }
  }

  const Setting & setting_;
  Ledger & ledger_;
  const std::shared_ptr<rclcpp::Context> context_;
  const std::unique_ptr<rclcpp::Executor> executor_;
  const std::shared_ptr<rclcpp::Node> sends_;
  const std::shared_ptr<rclcpp::Node> receives_;
  const rclcpp::Publisher<Bytes>::SharedPtr publisher_;
  const rclcpp::Subscription<Bytes>::SharedPtr subscription_;
  bool began_ = false;
};

}  // namespace

std::unique_ptr<OneThread> rclcpp_one_thread(const Setting & setting, Ledger & ledger)
{
  return std::make_unique<WithinProcess>(setting, ledger);
}

}  // namespace takt_bench::data_path
