#include "workshop/camera_rclcpp.hpp"

#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <rclcpp/rclcpp.hpp>
#include <std_msgs/msg/int64.hpp>
#include <string>
#include <thread>
#include <vector>

#include "takt_rt/thread_attributes.hpp"
#include "workshop/camera_work.hpp"

namespace takt_bench::workshop
{

using std_msgs::msg::Int64;
using takt_rt::Faults;
using takt_rt::Result;
using takt_rt::Time;

namespace
{

constexpr int kCameraPriority = 90;
constexpr int kOthersPriority = 20;

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
  options.enable_rosout(false);
  options.start_parameter_services(false);
  options.start_parameter_event_publisher(false);
  return std::make_shared<rclcpp::Node>(name, options);
}

/// The three nodes.
struct Nodes
{
  Nodes(
    const std::shared_ptr<rclcpp::Context> & context, const Setting & setting, CameraLogs logs,
    StallNotes & stalls)
  : camera(make_node("camera", context)),
    perception(make_node("perception", context)),
    actuation(make_node("actuation", context)),
    shots(logs.camera),
    image_work(setting.exercise, logs, stalls),
    actuation_work(logs.actuation, stalls)
  {
    images = camera->create_publisher<Int64>("/image", kImageDepth);
    actuations = perception->create_publisher<Int64>("/actuation", kImageDepth);
    const auto log = [this](const Int64 & image) { image_work.log(image.data); };
    const auto detect = [this](const Int64 & image) {
      image_work.detect(image.data, [this](std::int64_t taken) { send(*actuations, taken); });
    };
    // In the node's default group, as the presenters' subscriptions. Which one goes first is not
    // said: since Iron rclcpp's executor keeps subscriptions in a hash table of their addresses.
    subscriptions.push_back(perception->create_subscription<Int64>("/image", kImageDepth, log));
    subscriptions.push_back(perception->create_subscription<Int64>("/image", kImageDepth, detect));
    subscriptions.push_back(actuation->create_subscription<Int64>(
      "/actuation", kImageDepth,
      [this](const Int64 & image) { actuation_work.actuate(image.data); }));
    timer = camera->create_wall_timer(kFramePeriod, [this] {
      // rclcpp's timer does not say when it was due; nothing of exercise 3-1 asks for it.
      send(*images, shots.shoot(takt_rt::to_ns(takt_rt::now())));
    });
  }

  /// Waits until the nodes have found each other.
  bool match() const
  {
    const Time latest = takt_rt::now() + kMatchPatience;
    while (images->get_subscription_count() < 2 || actuations->get_subscription_count() < 1) {
      if (takt_rt::now() > latest) {
        return false;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return true;
  }

  static void send(rclcpp::Publisher<Int64> & to, std::int64_t taken)
  {
    Int64 message;
    message.data = taken;
    to.publish(message);
  }

  std::shared_ptr<rclcpp::Node> camera, perception, actuation;
  Shots shots;
  ImageWork image_work;
  ActuationWork actuation_work;
  rclcpp::Publisher<Int64>::SharedPtr images, actuations;
  std::vector<rclcpp::SubscriptionBase::SharedPtr> subscriptions;
  rclcpp::TimerBase::SharedPtr timer;
};

/// An executor of rclcpp on a thread of its own under SCHED_FIFO.
class SpinningThread
{
public:
  SpinningThread(rclcpp::Executor & executor, int priority, const char * name)
  : executor_(executor),
    thread_([this, priority, name] { run(priority, name); })
  {
  }

  void cancel() { executor_.cancel(); }
  /// Waits for the end of the spin.
  void join() { thread_.join(); }

  // After `join`.
  const std::string & exception() const noexcept { return exception_; }
  const Faults & refused() const noexcept { return refused_; }

private:
  void run(int priority, const char * name)
  {
    takt_rt::ThreadAttributes attributes;
    attributes.policy = takt_rt::Policy::fifo;
    attributes.priority = priority;
    attributes.name = name;
    refused_ = takt_rt::apply(attributes).faults;
    try {
      executor_.spin();
    } catch (const std::exception & error) {
      exception_ = error.what();
    }
  }

  rclcpp::Executor & executor_;
  std::string exception_{};
  Faults refused_{};
  std::thread thread_;
};

}  // namespace

Result<std::unique_ptr<Found>> run_camera_rclcpp(const Setting & setting)
{
  auto found = std::make_unique<Found>();
  const CameraLogs logs(setting, *found);
  StallNotes stalls;
  const auto context = make_context();
  Nodes nodes(context, setting, logs, stalls);
  if (!nodes.match()) {
    return Faults{"the nodes of the exercise did not find each other"};
  }
  rclcpp::ExecutorOptions options;
  options.context = context;
  rclcpp::executors::SingleThreadedExecutor of_camera(options), of_others(options);
  of_camera.add_node(nodes.camera);
  of_others.add_node(nodes.perception);
  of_others.add_node(nodes.actuation);
  Faults refused;
  const Spin spin = [&](Time until, const std::function<void()> & meanwhile) {
    SpinningThread others(of_others, kOthersPriority, "main");
    SpinningThread camera(of_camera, kCameraPriority, "camera");
    meanwhile();
    std::this_thread::sleep_until(until);
    std::vector<std::string> faults;
    for (SpinningThread * each : {&camera, &others}) {
      each->cancel();
      each->join();
      refused.insert(refused.end(), each->refused().begin(), each->refused().end());
      if (!each->exception().empty()) {
        faults.push_back(each->exception());
      }
    }
    return faults;
  };
  const Faults faults = measure_camera(setting, nodes.shots, stalls, spin, *found);
  context->shutdown("the exercise is over");
  if (!faults.empty()) {
    return faults;
  }
  found->refused.insert(found->refused.end(), refused.begin(), refused.end());
  return found;
}

}  // namespace takt_bench::workshop
