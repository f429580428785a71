#include "parameter_services.hpp"

#include <rmw/qos_profiles.h>

#include <chrono>
#include <rcl_interfaces/msg/parameter_event.hpp>
#include <rcl_interfaces/msg/parameter_type.hpp>
#include <rcl_interfaces/srv/describe_parameters.hpp>
#include <rcl_interfaces/srv/get_parameter_types.hpp>
#include <rcl_interfaces/srv/get_parameters.hpp>
#include <rcl_interfaces/srv/list_parameters.hpp>
#include <rcl_interfaces/srv/set_parameters.hpp>
#include <rcl_interfaces/srv/set_parameters_atomically.hpp>
#include <string>
#include <type_traits>
#include <utility>

#include "node_state.hpp"
#include "takt_rcl/publisher.hpp"
#include "takt_rcl/service.hpp"

namespace takt_rcl
{
namespace
{

namespace srv = rcl_interfaces::srv;
using Event = rcl_interfaces::msg::ParameterEvent;
using Type = rcl_interfaces::msg::ParameterType;
using Value = rcl_interfaces::msg::ParameterValue;

Value to_message(const ParameterValue & value)
{
  Value message;
  message.type = static_cast<std::uint8_t>(value.index() + 1);
  struct Fill
  {
    Value & to;
    void operator()(bool v) const { to.bool_value = v; }
    void operator()(std::int64_t v) const { to.integer_value = v; }
    void operator()(double v) const { to.double_value = v; }
    void operator()(const std::string & v) const { to.string_value = v; }
    void operator()(const std::vector<std::uint8_t> & v) const { to.byte_array_value = v; }
    void operator()(const std::vector<bool> & v) const { to.bool_array_value = v; }
    void operator()(const std::vector<std::int64_t> & v) const { to.integer_array_value = v; }
    void operator()(const std::vector<double> & v) const { to.double_array_value = v; }
    void operator()(const std::vector<std::string> & v) const { to.string_array_value = v; }
  };
  std::visit(Fill{message}, value);
  return message;
}

// Absent: the message has no value, or an unknown type.
std::optional<ParameterValue> from_message(const Value & message)
{
  switch (message.type) {
    case Type::PARAMETER_BOOL:
      return message.bool_value;
    case Type::PARAMETER_INTEGER:
      return message.integer_value;
    case Type::PARAMETER_DOUBLE:
      return message.double_value;
    case Type::PARAMETER_STRING:
      return message.string_value;
    case Type::PARAMETER_BYTE_ARRAY:
      return message.byte_array_value;
    case Type::PARAMETER_BOOL_ARRAY:
      return message.bool_array_value;
    case Type::PARAMETER_INTEGER_ARRAY:
      return message.integer_array_value;
    case Type::PARAMETER_DOUBLE_ARRAY:
      return message.double_array_value;
    case Type::PARAMETER_STRING_ARRAY:
      return message.string_array_value;
    default:
      return std::nullopt;
  }
}

rcl_interfaces::msg::Parameter to_message(const Parameter & parameter)
{
  rcl_interfaces::msg::Parameter message;
  message.name = parameter.get_name();
  message.value = to_message(parameter.get_parameter_value());
  return message;
}

builtin_interfaces::msg::Time wall_time()
{
  const auto now = std::chrono::duration_cast<std::chrono::nanoseconds>(
                     std::chrono::system_clock::now().time_since_epoch())
                     .count();
  builtin_interfaces::msg::Time time;
  time.sec = static_cast<std::int32_t>(now / 1'000'000'000);
  time.nanosec = static_cast<std::uint32_t>(now % 1'000'000'000);
  return time;
}

}  // namespace

ParameterServices::ParameterServices(
  const std::shared_ptr<NodeState> & node, const std::shared_ptr<NodeParameters> & parameters)
: parameters_(parameters)
{
  ServiceOptions options;
  options.callback_group = node->make_group(CallbackGroupType::MutuallyExclusive, "parameters");
  options.qos = QoS(rmw_qos_profile_parameters);
  const auto offer = [&](auto type, const std::string & name, auto function) {
    using Srv = typename decltype(type)::type;
    auto service = std::make_shared<Service<Srv>>(
      node, node->fully_qualified_name() + "/" + name,
      [all = parameters, function](
        const typename Srv::Request & request, typename Srv::Response & response) {
        function(*all, request, response);
      },
      options);
    node->adopt(service);
    services_.push_back(std::move(service));
  };
  // An undeclared parameter has a value, a type or a descriptor without content.
  offer(
    std::type_identity<srv::GetParameters>(), "get_parameters",
    [](NodeParameters & all, const auto & request, auto & response) {
      for (const std::string & name : request.names) {
        const auto value = all.find(name);
        response.values.push_back(value ? to_message(*value) : Value());
      }
    });
  offer(
    std::type_identity<srv::GetParameterTypes>(), "get_parameter_types",
    [](NodeParameters & all, const auto & request, auto & response) {
      for (const std::string & name : request.names) {
        const auto value = all.find(name);
        response.types.push_back(value ? to_message(*value).type : Type::PARAMETER_NOT_SET);
      }
    });
  offer(
    std::type_identity<srv::SetParameters>(), "set_parameters",
    [](NodeParameters & all, const auto & request, auto & response) {
      for (const auto & one : request.parameters) {
        response.results.push_back(all.set({{one.name, from_message(one.value)}}));
      }
    });
  offer(
    std::type_identity<srv::SetParametersAtomically>(), "set_parameters_atomically",
    [](NodeParameters & all, const auto & request, auto & response) {
      std::vector<ParameterChange> changes;
      for (const auto & one : request.parameters) {
        changes.push_back({one.name, from_message(one.value)});
      }
      response.result = all.set(changes);
    });
  offer(
    std::type_identity<srv::DescribeParameters>(), "describe_parameters",
    [](NodeParameters & all, const auto & request, auto & response) {
      for (const std::string & name : request.names) {
        response.descriptors.push_back(all.describe(name).value_or(ParameterDescriptor()));
      }
    });
  offer(
    std::type_identity<srv::ListParameters>(), "list_parameters",
    [](NodeParameters & all, const auto & request, auto & response) {
      response.result = all.list(request.prefixes, request.depth);
    });

  auto events = std::make_shared<Publisher<Event>>(
    node, "/parameter_events", QoS(rmw_qos_profile_parameter_events), PublisherOptions());
  parameters->follow([events, name = node->fully_qualified_name()](
                       const auto & fresh, const auto & changed, const auto & deleted) {
    Event event;
    event.stamp = wall_time();
    event.node = name;
    for (const Parameter & one : fresh) {
      event.new_parameters.push_back(to_message(one));
    }
    for (const Parameter & one : changed) {
      event.changed_parameters.push_back(to_message(one));
    }
    for (const std::string & one : deleted) {
      event.deleted_parameters.emplace_back();
      event.deleted_parameters.back().name = one;
    }
    events->publish(event);
  });
}

ParameterServices::~ParameterServices()
{
  parameters_->follow(nullptr);
}

}  // namespace takt_rcl
