#include "takt_rcl/node.hpp"

#include <rcl/graph.h>

#include <rcl_interfaces/msg/parameter_type.hpp>
#include <rosgraph_msgs/msg/clock.hpp>
#include <utility>

#include "messages/type_description_service.hpp"
#include "node_state.hpp"
#include "parameter_services.hpp"
#include "takt_rcl/error.hpp"

namespace takt_rcl
{
namespace
{

constexpr const char * kDescribesTypes = "start_type_description_service";

}  // namespace

Node::Node(const std::string & name, const NodeOptions & options) : Node(name, "", options)
{
}

Node::Node(const std::string & name, const std::string & namespace_, const NodeOptions & options)
: state_(std::make_shared<NodeState>(name, namespace_, options, overrides_)),
  parameters_(std::make_shared<NodeParameters>(state_->fully_qualified_name())),
  wants_services_(options.start_parameter_services())
{
  bool simulated = false;
  if (const ParameterValue * const given = find_override("use_sim_time"); given != nullptr) {
    simulated = detail::parameter_as<bool>(named("use_sim_time"), *given);
  }
  ParameterDescriptor clock_choice;
  clock_choice.description = "Whether the node's clock follows /clock, from its creation on.";
  clock_choice.read_only = true;
  parameters_->declare("use_sim_time", simulated, clock_choice);
  bool describes_types = false;
  if (const ParameterValue * const given = find_override(kDescribesTypes); given != nullptr) {
    describes_types = detail::parameter_as<bool>(named(kDescribesTypes), *given);
  }
  ParameterDescriptor service_choice;
  service_choice.description = "Whether the node has the service ~/get_type_description.";
  service_choice.read_only = true;
  parameters_->declare(kDescribesTypes, describes_types, service_choice);
  if (wants_services_ == true) {
    start_parameter_services();
  }
  if (options.automatically_declare_parameters_from_overrides()) {
    ParameterDescriptor any;
    any.dynamic_typing = true;  // as in rclcpp: an override's type is a guess
    for (const auto & [parameter, value] : overrides_) {
      if (!has_parameter(parameter)) {
        declare(parameter, value, any);
      }
    }
  }
  if (describes_types) {
    start_type_description_service();
  }
  clock_ = simulated ? Clock::simulated() : std::make_shared<Clock>(RCL_ROS_TIME);
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
  state_->leave_all();
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

CallbackGroup::SharedPtr Node::make_group(
  CallbackGroupType type, bool automatic, const std::string & name)
{
  return state_->make_group(type, name, automatic);
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
  takt_rt::Duration period, Timer::Function function, const TimerOptions & options, bool ros_time)
{
  const bool simulated = ros_time && clock_->ros_time_is_active();
  auto own = std::make_shared<Timer>(
    state_, period, std::move(function), options, simulated ? clock_ : nullptr);
  // A run holds its timer. The user's last handle waits for that run nevertheless, as handles of
  // all entities do.
  Timer * const object = own.get();
  Timer::SharedPtr timer(object, [own = std::move(own)](Timer * ended) mutable {
    ended->leave_node();
    own.reset();
  });
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

std::string Node::named(const std::string & parameter) const
{
  return get_fully_qualified_name() + ": parameter '" + parameter + "'";
}

const ParameterValue * Node::find_override(const std::string & name) const
{
  const auto found = overrides_.find(name);
  return found != overrides_.end() ? &found->second : nullptr;
}

void Node::declare(
  const std::string & name, ParameterValue value, const ParameterDescriptor & descriptor)
{
  if (wants_services_.value_or(true)) {
    start_parameter_services();
  }
  parameters_->declare(name, std::move(value), descriptor);
}

void Node::start_parameter_services()
{
  std::call_once(services_started_, [this] {
    services_ = std::make_unique<ParameterServices>(state_, parameters_);
  });
}

// In a group of its own, so that a schedule may give it other threads than the node's real-time
// callbacks.
void Node::start_type_description_service()
{
  const rosidl_service_type_support_t * const type = type_description_support();
  if (type == nullptr) {
    throw Error(
      get_fully_qualified_name() + ": this distribution of ROS 2 has no type descriptions; set " +
      kDescribesTypes + " to false");
  }
  ServiceOptions options;
  options.callback_group =
    create_callback_group(CallbackGroupType::MutuallyExclusive, "type_description");
  auto service = std::make_shared<ServiceBase>(
    state_, *type, "~/get_type_description",
    make_type_description_handler({state_, state_->rcl()}, rcl_mutex()), options);
  adopt(service);
  type_descriptions_ = std::move(service);
}

bool Node::has_parameter(const std::string & name) const
{
  return parameters_->has(name);
}

void Node::undeclare_parameter(const std::string & name)
{
  parameters_->undeclare(name);
}

SetParametersResult Node::set_parameters_atomically(const std::vector<Parameter> & parameters)
{
  std::vector<ParameterChange> changes;
  for (const Parameter & one : parameters) {
    changes.push_back(detail::to_change(one));
  }
  return parameters_->set(changes);
}

SetParametersResult Node::set_parameter(const Parameter & parameter)
{
  return set_parameters_atomically({parameter});
}

std::vector<SetParametersResult> Node::set_parameters(const std::vector<Parameter> & parameters)
{
  std::vector<SetParametersResult> results;
  for (const Parameter & one : parameters) {
    results.push_back(set_parameter(one));
  }
  return results;
}

ParameterDescriptor Node::describe_parameter(const std::string & name) const
{
  const auto descriptor = parameters_->describe(name);
  if (!descriptor) {
    throw Error(named(name) + " has not been declared");
  }
  return *descriptor;
}

std::vector<ParameterDescriptor> Node::describe_parameters(
  const std::vector<std::string> & names) const
{
  std::vector<ParameterDescriptor> descriptors;
  for (const std::string & name : names) {
    descriptors.push_back(describe_parameter(name));
  }
  return descriptors;
}

std::vector<std::uint8_t> Node::get_parameter_types(const std::vector<std::string> & names) const
{
  std::vector<std::uint8_t> types;
  for (const std::string & name : names) {
    const auto descriptor = parameters_->describe(name);
    types.push_back(
      descriptor ? descriptor->type : rcl_interfaces::msg::ParameterType::PARAMETER_NOT_SET);
  }
  return types;
}

std::vector<Parameter> Node::get_parameters(const std::vector<std::string> & names) const
{
  std::vector<Parameter> parameters;
  for (const std::string & name : names) {
    parameters.push_back(get_parameter(name));
  }
  return parameters;
}

ListParametersResult Node::list_parameters(
  const std::vector<std::string> & prefixes, std::uint64_t depth) const
{
  return parameters_->list(prefixes, depth);
}

std::shared_ptr<PreSetParametersCallbackHandle> Node::add_pre_set_parameters_callback(
  NodeParameters::PreSet callback)
{
  return parameters_->add_pre_set(std::move(callback));
}

std::shared_ptr<OnSetParametersCallbackHandle> Node::add_on_set_parameters_callback(
  NodeParameters::OnSet callback)
{
  return parameters_->add_on_set(std::move(callback));
}

std::shared_ptr<PostSetParametersCallbackHandle> Node::add_post_set_parameters_callback(
  NodeParameters::PostSet callback)
{
  return parameters_->add_post_set(std::move(callback));
}

void Node::remove_pre_set_parameters_callback(const PreSetParametersCallbackHandle * handle)
{
  parameters_->remove(*handle);
}

void Node::remove_on_set_parameters_callback(const OnSetParametersCallbackHandle * handle)
{
  parameters_->remove(*handle);
}

void Node::remove_post_set_parameters_callback(const PostSetParametersCallbackHandle * handle)
{
  parameters_->remove(*handle);
}

const ParameterValue & Node::need_override(const std::string & name) const
{
  const ParameterValue * const given = find_override(name);
  if (given == nullptr) {
    throw Error(
      named(name) + " has no value; give it one with --ros-args -p or in a parameter file");
  }
  return *given;
}

Parameter Node::get_parameter(const std::string & name) const
{
  const auto value = parameters_->find(name);
  if (!value) {
    throw Error(named(name) + " has not been declared");
  }
  return Parameter(name, *value);
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

std::map<std::string, std::vector<std::string>> Node::get_topic_names_and_types() const
{
  rcl_allocator_t allocator = rcl_get_default_allocator();
  rcl_names_and_types_t found = rcl_get_zero_initialized_names_and_types();
  if (rcl_get_topic_names_and_types(state_->rcl(), &allocator, false, &found) != RCL_RET_OK) {
    detail::throw_rcl("cannot list the topics");
  }
  std::map<std::string, std::vector<std::string>> topics;
  for (std::size_t i = 0; i < found.names.size; ++i) {
    const rcutils_string_array_t & types = found.types[i];
    topics[found.names.data[i]].assign(types.data, types.data + types.size);
  }
  detail::ignore(rcl_names_and_types_fini(&found));
  return topics;
}

std::vector<std::string> Node::get_node_names() const
{
  rcutils_string_array_t names = rcutils_get_zero_initialized_string_array();
  rcutils_string_array_t namespaces = rcutils_get_zero_initialized_string_array();
  if (
    rcl_get_node_names(state_->rcl(), rcl_get_default_allocator(), &names, &namespaces) !=
    RCL_RET_OK) {
    detail::throw_rcl("cannot list the nodes");
  }
  std::vector<std::string> nodes;
  for (std::size_t i = 0; i < names.size; ++i) {
    const std::string space = namespaces.data[i];
    nodes.push_back(space + (space.ends_with('/') ? "" : "/") + names.data[i]);
  }
  detail::ignore(rcutils_string_array_fini(&names));
  detail::ignore(rcutils_string_array_fini(&namespaces));
  return nodes;
}

}  // namespace takt_rcl
