#include "shim/stand_in/rclcpp.hpp"

#include <dlfcn.h>

#include <cstdint>
#include <cstdio>

namespace rclcpp
{
namespace
{

void say(const char * what)
{
  std::printf("%s\n", what);
  std::fflush(stdout);
}

}  // namespace

void init(int, const char * const *, const InitOptions &, SignalHandlerOptions)
{
  say("stock init");
}

Executor::~Executor() = default;
void Executor::handle_updated_entities(bool)
{
}

node_interfaces::NodeTimers::~NodeTimers() = default;
node_interfaces::NodeTopics::~NodeTopics() = default;
void node_interfaces::NodeTimers::add_timer(
  std::shared_ptr<TimerBase>, std::shared_ptr<CallbackGroup>)
{
  say("stock timer");
}
void node_interfaces::NodeTopics::add_subscription(
  std::shared_ptr<SubscriptionBase>, std::shared_ptr<CallbackGroup>)
{
  say("stock subscription");
}
void node_interfaces::make(
  NodeTimers & timers, const std::shared_ptr<TimerBase> & timer, NodeTopics & topics,
  const std::shared_ptr<SubscriptionBase> & subscription)
{
  timers.add_timer(timer, nullptr);
  topics.add_subscription(subscription, nullptr);
}

void Executor::remove_node(std::shared_ptr<node_interfaces::NodeBaseInterface>, bool)
{
  say("stock node leaves");
}
void Executor::remove_callback_group(std::shared_ptr<CallbackGroup>, bool)
{
  say("stock group leaves");
}
void Executor::spin_some(std::chrono::nanoseconds duration)
{
  std::printf("stock some %d\n", static_cast<int>(duration.count()));
}
void Executor::spin_all(std::chrono::nanoseconds duration)
{
  std::printf("stock all %d\n", static_cast<int>(duration.count()));
}
void Executor::spin_once(std::chrono::nanoseconds timeout)
{
  std::printf("stock once %d\n", static_cast<int>(timeout.count()));
}
int Executor::spin_until_future_complete_impl(
  std::chrono::nanoseconds timeout,
  const std::function<std::future_status(std::chrono::nanoseconds)> & wait)
{
  return static_cast<int>(wait(timeout));
}

void Executor::add_node(std::shared_ptr<node_interfaces::NodeBaseInterface>, bool)
{
  say("stock node base");
}
void Executor::add_node(std::shared_ptr<Node>, bool)
{
  say("stock node");
}

void Executor::add_callback_group(
  std::shared_ptr<CallbackGroup>, std::shared_ptr<node_interfaces::NodeBaseInterface>, bool notify)
{
  say(notify ? "stock group, told" : "stock group");
}

void executors::SingleThreadedExecutor::spin()
{
  say("stock single");
}
void executors::MultiThreadedExecutor::spin()
{
  say("stock multi");
}
void executors::StaticSingleThreadedExecutor::spin()
{
  say("stock static");
}
void executors::EventsCBGExecutor::spin()
{
  say("stock cbg");
}
void executors::EventsCBGExecutor::spin(const std::function<void(const std::exception &)> &)
{
  say("stock cbg, handling");
}
void experimental::executors::EventsExecutor::spin()
{
  say("stock events");
}
void experimental::executors::EventsExecutor::handle_updated_entities(bool)
{
  say("stock updated");
}
void experimental::executors::EventsExecutor::add_node(
  std::shared_ptr<node_interfaces::NodeBaseInterface>, bool)
{
  say("stock collects a node");
}
void experimental::executors::EventsExecutor::remove_node(
  std::shared_ptr<node_interfaces::NodeBaseInterface>, bool)
{
  say("stock drops a node");
}
void experimental::executors::EventsExecutor::add_callback_group(
  std::shared_ptr<CallbackGroup>, std::shared_ptr<node_interfaces::NodeBaseInterface>, bool)
{
  say("stock collects a group");
}
void experimental::executors::EventsExecutor::remove_callback_group(
  std::shared_ptr<CallbackGroup>, bool)
{
  say("stock drops a group");
}

void spin(std::shared_ptr<node_interfaces::NodeBaseInterface>)
{
  executors::SingleThreadedExecutor executor;
  executor.spin();
}
void spin(std::shared_ptr<Node>)
{
  spin(std::make_shared<node_interfaces::NodeBaseInterface>());
}
void spin_virtually(Executor & executor)
{
  executor.spin();
}

}  // namespace rclcpp

// Takes the place of libtracetools, which has the middleware's tracepoint.
extern "C" void ros_trace_rmw_publish(const void *, const void *, std::int64_t source_time)
{
  std::printf("stock trace %lld\n", static_cast<long long>(source_time));
}

extern "C" int rcl_publish(const void *, const void *, void *)
{
  rclcpp::say("stock publish");
  // As the real middleware does, call the tracepoint of another library, through the dynamic
  // symbols.
  using Trace = void (*)(const void *, const void *, std::int64_t);
  reinterpret_cast<Trace>(::dlsym(RTLD_DEFAULT, "ros_trace_rmw_publish"))(nullptr, nullptr, 42);
  return 7;
}

extern "C" int rcl_publisher_init(
  void * publisher, const void *, const void *, const char * topic, const void *)
{
  *static_cast<const void **>(publisher) = topic;  // stands for the implementation
  std::printf("stock publisher of %s\n", topic);
  return std::string(topic) == "refused" ? 1 : 0;
}

extern "C" int rcl_publisher_fini(void *, void *)
{
  rclcpp::say("stock end of a publisher");
  return 0;
}

extern "C" int rcl_send_request(const void *, const void *, std::int64_t * number)
{
  rclcpp::say("stock request");
  *number = 5;
  return 0;
}
