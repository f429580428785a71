// The names of rclcpp that the shim hooks, without rclcpp's work: each stock function prints its
// name.
#ifndef SHIM__STAND_IN__RCLCPP_HPP_
#define SHIM__STAND_IN__RCLCPP_HPP_

#include <chrono>
#include <exception>
#include <functional>
#include <future>
#include <memory>

namespace rclcpp
{

class InitOptions
{
};
enum class SignalHandlerOptions
{
  All
};
void init(
  int argc, const char * const * argv, const InitOptions & options, SignalHandlerOptions signals);

class Node
{
};
namespace node_interfaces
{
class NodeBaseInterface
{
};
}  // namespace node_interfaces

class CallbackGroup
{
};
class TimerBase
{
};
class SubscriptionBase
{
};

namespace node_interfaces
{
class NodeTimers
{
public:
  virtual ~NodeTimers();
  virtual void add_timer(std::shared_ptr<TimerBase> timer, std::shared_ptr<CallbackGroup> group);
};
class NodeTopics
{
public:
  virtual ~NodeTopics();
  virtual void add_subscription(
    std::shared_ptr<SubscriptionBase> subscription, std::shared_ptr<CallbackGroup> group);
};
/// As a node does: the calls are made inside the library, through the tables of virtual functions.
void make(
  NodeTimers & timers, const std::shared_ptr<TimerBase> & timer, NodeTopics & topics,
  const std::shared_ptr<SubscriptionBase> & subscription);
}  // namespace node_interfaces

class Executor
{
public:
  virtual ~Executor();
  virtual void spin() = 0;
  virtual void spin_some(std::chrono::nanoseconds duration);
  virtual void spin_all(std::chrono::nanoseconds duration);
  virtual void spin_once(std::chrono::nanoseconds timeout);
  virtual int spin_until_future_complete_impl(
    std::chrono::nanoseconds timeout,
    const std::function<std::future_status(std::chrono::nanoseconds)> & wait);
  virtual void handle_updated_entities(bool notify);
  virtual void add_node(
    std::shared_ptr<node_interfaces::NodeBaseInterface> node, bool notify = true);
  virtual void add_node(std::shared_ptr<Node> node, bool notify = true);
  virtual void remove_node(
    std::shared_ptr<node_interfaces::NodeBaseInterface> node, bool notify = true);
  virtual void add_callback_group(
    std::shared_ptr<CallbackGroup> group, std::shared_ptr<node_interfaces::NodeBaseInterface> node,
    bool notify);
  virtual void remove_callback_group(std::shared_ptr<CallbackGroup> group, bool notify = true);
};

namespace executors
{
class SingleThreadedExecutor : public Executor
{
public:
  void spin() override;
};
class MultiThreadedExecutor : public Executor
{
public:
  void spin() override;
};
class StaticSingleThreadedExecutor : public Executor
{
public:
  void spin() override;
};
class EventsCBGExecutor : public Executor
{
public:
  void spin() override;
  void spin(const std::function<void(const std::exception &)> & handler);
};
}  // namespace executors

namespace experimental::executors
{
class EventsExecutor : public Executor
{
public:
  void spin() override;
  void handle_updated_entities(bool notify) override;
  using Executor::add_node;
  void add_node(std::shared_ptr<node_interfaces::NodeBaseInterface> node, bool notify) override;
  void remove_node(std::shared_ptr<node_interfaces::NodeBaseInterface> node, bool notify) override;
  void add_callback_group(
    std::shared_ptr<CallbackGroup> group, std::shared_ptr<node_interfaces::NodeBaseInterface> node,
    bool notify) override;
  void remove_callback_group(std::shared_ptr<CallbackGroup> group, bool notify) override;
};
}  // namespace experimental::executors

void spin(std::shared_ptr<Node> node);
void spin(std::shared_ptr<node_interfaces::NodeBaseInterface> node);

/// As a container does: the call is made inside the library, through the table of virtual
/// functions.
void spin_virtually(Executor & executor);

}  // namespace rclcpp

extern "C" int rcl_publish(const void * publisher, const void * message, void * allocation);
extern "C" int rcl_publisher_init(
  void * publisher, const void * node, const void * type, const char * topic, const void * options);
extern "C" int rcl_publisher_fini(void * publisher, void * node);
extern "C" int rcl_send_request(const void * client, const void * request, std::int64_t * number);

#endif  // SHIM__STAND_IN__RCLCPP_HPP_
