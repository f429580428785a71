#include "adopt/ids.hpp"

#include <cxxabi.h>
#include <rcl/timer.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <typeinfo>

#include "rclcpp/event_handler.hpp"
#include "rclcpp/experimental/subscription_intra_process_base.hpp"
#include "takt_core/duration_text.hpp"

namespace takt_rclcpp
{
namespace
{

std::string id_of(const std::string & node, std::string_view kind, std::string_view what)
{
  std::string id = node;
  id += ':';
  id += kind;
  id += '(';
  id += what;
  id += ')';
  return id;
}

bool is_introspection(std::string_view node, std::string_view service)
{
  constexpr std::array<std::string_view, 7> kNames{
    "describe_parameters", "get_parameter_types",       "get_parameters",      "list_parameters",
    "set_parameters",      "set_parameters_atomically", "get_type_description"};
  if (!service.starts_with(node) || service.size() <= node.size() + 1) {
    return false;
  }
  return std::find(kNames.begin(), kNames.end(), service.substr(node.size() + 1)) != kNames.end();
}

// The class of a waitable that rclcpp gives no name, without namespaces and template arguments.
std::string class_of(const rclcpp::Waitable & waitable)
{
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> demangled(
    abi::__cxa_demangle(typeid(waitable).name(), nullptr, nullptr, &status), &std::free);
  std::string name = demangled != nullptr ? demangled.get() : "waitable";
  name = name.substr(0, name.find('<'));
  if (const auto colon = name.rfind(':'); colon != std::string::npos) {
    name = name.substr(colon + 1);
  }
  std::erase_if(name, [](unsigned char c) { return std::isalnum(c) == 0 && c != '_'; });
  return name.empty() ? "waitable" : name;
}

}  // namespace

EntityName name_of(const std::string & node, const rclcpp::SubscriptionBase & subscription)
{
  const std::string topic = subscription.get_topic_name();
  return {id_of(node, "sub", topic), {}, topic == "/parameter_events", topic};
}

EntityName name_of(const std::string & node, const rclcpp::ServiceBase & service)
{
  // rclcpp declares its getter without const.
  const std::string name = const_cast<rclcpp::ServiceBase &>(service).get_service_name();
  return {id_of(node, "service", name), {}, is_introspection(node, name)};
}

EntityName name_of(const std::string & node, const rclcpp::ClientBase & client)
{
  return {id_of(node, "client", client.get_service_name()), {}, false};
}

EntityName name_of(const std::string & node, rclcpp::TimerBase & timer)
{
  std::int64_t period = 0;
  if (rcl_timer_get_period(timer.get_timer_handle().get(), &period) != RCL_RET_OK) {
    rcl_reset_error();
  }
  return {
    id_of(node, "timer", takt_core::print_duration(takt_core::Duration{period})),
    {},
    false,
    {},
    takt_core::Duration{period}};
}

EntityName name_of(const std::string & node, const rclcpp::Waitable & waitable)
{
  if (dynamic_cast<const rclcpp::EventHandlerBase *>(&waitable) != nullptr) {
    return {id_of(node, "waitable", "event"), {}, true};
  }
  if (
    const auto * const intra =
      dynamic_cast<const rclcpp::experimental::SubscriptionIntraProcessBase *>(&waitable)) {
    const std::string topic = intra->get_topic_name();
    return {
      id_of(node, "waitable", topic), id_of(node, "sub", topic), topic == "/parameter_events",
      topic};
  }
  const std::string_view type = typeid(waitable).name();
  if (type.starts_with("N13rclcpp_action6Server")) {
    return {id_of(node, "waitable", "action_server"), {}, false};
  }
  if (type.starts_with("N13rclcpp_action6Client")) {
    return {id_of(node, "waitable", "action_client"), {}, false};
  }
  return {id_of(node, "waitable", class_of(waitable)), {}, false};
}

}  // namespace takt_rclcpp
