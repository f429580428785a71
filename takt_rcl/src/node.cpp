#include "takt_rcl/node.hpp"

#include <rcl/graph.h>

#include <rosgraph_msgs/msg/clock.hpp>
#include <utility>

#include "node_state.hpp"
#include "takt_rcl/error.hpp"

namespace takt_rcl
{

Node::Node(const std::string & name, const NodeOptions & options) : Node(name, "", options)
{
}

Node::Node(const std::string & name, const std::string & namespace_, const NodeOptions & options)
: state_(std::make_shared<NodeState>(name, namespace_, options, overrides_))
{
  const bool simulated = declare_parameter("use_sim_time", false);
  clock_ = std::make_shared<Clock>(simulated);
  if (simulated) {
    SubscriptionOptions clock_options;
    clock_options.callback_group =
      create_callback_group(CallbackGroupType::MutuallyExclusive, "clock");
    clock_subscription_ = create_subscription<rosgraph_msgs::msg::Clock>(
      "/clock", ClockQoS(),
      [clock = clock_](const rosgraph_msgs::msg::Clock & message) {
        clock->set_simulated(Time(message.clock));
      },
      clock_options);
  }
}

Node::~Node()
{
  state_->leave(nullptr);
}

const char * Node::get_name() const
{
  return rcl_node_get_name(state_->rcl());
}
const char * Node::get_namespace() const
{
  return rcl_node_get_namespace(state_->rcl());
}
const std::string & Node::get_fully_qualified_name() const
{
  return state_->fully_qualified_name();
}
Logger Node::get_logger() const
{
  return Logger(rcl_node_get_logger_name(state_->rcl()));
}
std::shared_ptr<Context> Node::get_context() const
{
  return state_->context();
}
std::shared_ptr<Clock> Node::get_clock() const
{
  return clock_;
}
Time Node::now() const
{
  return clock_->now();
}

CallbackGroup::SharedPtr Node::create_callback_group(
  CallbackGroupType type, const std::string & name)
{
  return state_->make_group(type, name);
}

CallbackGroup::SharedPtr Node::get_default_callback_group() const
{
  return state_->default_group();
}

TimerOptions Node::timer_options(CallbackGroup::SharedPtr group, bool autostart)
{
  TimerOptions options;
  options.callback_group = std::move(group);
  options.autostart = autostart;
  return options;
}

Timer::SharedPtr Node::add_timer(
  Duration period, Timer::Function function, const TimerOptions & options, bool ros_time)
{
  const bool simulated = ros_time && clock_->ros_time_is_active();
  auto timer = std::make_shared<Timer>(
    state_, period, std::move(function), options, simulated ? clock_ : nullptr);
  adopt(timer);
  return timer;
}

GuardCondition::SharedPtr Node::create_guard_condition(
  GuardCondition::Function callback, const GuardConditionOptions & options)
{
  auto guard = std::make_shared<GuardCondition>(state_, std::move(callback), options);
  adopt(guard);
  return guard;
}

void Node::adopt(const std::shared_ptr<Entity> & entity)
{
  state_->adopt(entity);
}

const ParameterValue * Node::find_override(const std::string & name) const
{
  const auto found = overrides_.find(name);
  return found != overrides_.end() ? &found->second : nullptr;
}

void Node::declare(const std::string & name, ParameterValue value)
{
  std::lock_guard lock(parameters_mutex_);
  if (!parameters_.emplace(name, std::move(value)).second) {
    throw Error(
      get_fully_qualified_name() + ": parameter '" + name + "' has been declared already");
  }
}

bool Node::has_parameter(const std::string & name) const
{
  std::lock_guard lock(parameters_mutex_);
  return parameters_.contains(name);
}

const ParameterValue & Node::get_parameter(const std::string & name) const
{
  std::lock_guard lock(parameters_mutex_);
  const auto found = parameters_.find(name);
  if (found == parameters_.end()) {
    throw Error(get_fully_qualified_name() + ": parameter '" + name + "' has not been declared");
  }
  return found->second;
}

const ParameterMap & Node::get_parameter_overrides() const
{
  return overrides_;
}

std::size_t Node::count_publishers(const std::string & topic) const
{
  std::size_t count = 0;
  if (
    rcl_count_publishers(state_->rcl(), state_->resolve_topic(topic).c_str(), &count) !=
    RCL_RET_OK) {
    detail::throw_rcl("cannot count the publishers of '" + topic + "'");
  }
  return count;
}

std::size_t Node::count_subscribers(const std::string & topic) const
{
  std::size_t count = 0;
  if (
    rcl_count_subscribers(state_->rcl(), state_->resolve_topic(topic).c_str(), &count) !=
    RCL_RET_OK) {
    detail::throw_rcl("cannot count the subscribers of '" + topic + "'");
  }
  return count;
}

}  // namespace takt_rcl
