#include "adopt/entities/ids.hpp"

#include <cxxabi.h>
#include <dlfcn.h>
#include <rcl/timer.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <system_error>
#include <typeinfo>

#include "rclcpp/event_handler.hpp"
#include "rclcpp/experimental/subscription_intra_process_base.hpp"
#include "shim/interface.h"

namespace takt_rclcpp
{

using takt_core::adapter::callback_id;
using takt_core::adapter::is_introspection;

namespace
{

std::int64_t depth_of(const rclcpp::QoS & qos)
{
  return qos.history() == rclcpp::HistoryPolicy::KeepAll ? -1
                                                         : static_cast<std::int64_t>(qos.depth());
}

/// True if `text` is the hexadecimal address of memory that is mapped in this process.
bool is_address_here(std::string_view text)
{
  std::uint64_t address = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), address, 16);
  if (text.size() < 9 || error != std::errc{} || end != text.data() + text.size()) {
    return false;
  }
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    std::uint64_t from = 0;
    std::uint64_t to = 0;
    if (
      std::sscanf(line.c_str(), "%" SCNx64 "-%" SCNx64, &from, &to) == 2 && from <= address &&
      address < to) {
      return true;
    }
  }
  return false;
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

std::string node_in_ids(std::string_view name)
{
  const std::size_t last = name.rfind('_');
  if (last == std::string_view::npos || last == 0 || name[last - 1] == '/') {
    return std::string(name);
  }
  const std::string_view tail = name.substr(last + 1);
  // A serial number may look like an address or a process id. So an address must be mapped in this
  // process, and a process id must have four digits, because containers have ids like 7.
  const bool process = tail.size() >= 4 && tail == std::to_string(::getpid());
  return std::string(process || is_address_here(tail) ? name.substr(0, last) : name);
}

unsigned long long made_as(const void * object)
{
  static const auto g_made_as =
    reinterpret_cast<takt_made_as>(::dlsym(RTLD_DEFAULT, TAKT_MADE_AS_SYMBOL));
  return g_made_as == nullptr ? 0 : g_made_as(object);
}

EntityName name_of(const std::string & node, const rclcpp::SubscriptionBase & subscription)
{
  const std::string topic = subscription.get_topic_name();
  EntityName name{callback_id(node, "sub", topic), {}, topic == "/parameter_events", topic};
  name.depth = depth_of(subscription.get_actual_qos());
  return name;
}

EntityName name_of(const std::string & node, const rclcpp::ServiceBase & service)
{
  // The getter of rclcpp is not const.
  const std::string name = const_cast<rclcpp::ServiceBase &>(service).get_service_name();
  return {callback_id(node, "service", name), {}, is_introspection(node, name)};
}

EntityName name_of(const std::string & node, const rclcpp::ClientBase & client)
{
  return {callback_id(node, "client", client.get_service_name()), {}, false};
}

EntityName name_of(const std::string & node, rclcpp::TimerBase & timer)
{
  std::int64_t period = 0;
  if (rcl_timer_get_period(timer.get_timer_handle().get(), &period) != RCL_RET_OK) {
    rcl_reset_error();
  }
  return {
    takt_core::adapter::timer_id(node, takt_rt::Duration{period}),
    {},
    false,
    {},
    takt_rt::Duration{period}};
}

EntityName name_of(const std::string & node, const rclcpp::Waitable & waitable)
{
  if (dynamic_cast<const rclcpp::EventHandlerBase *>(&waitable) != nullptr) {
    return {callback_id(node, "waitable", "event"), {}, true};
  }
  if (
    const auto * const intra =
      dynamic_cast<const rclcpp::experimental::SubscriptionIntraProcessBase *>(&waitable)) {
    const std::string topic = intra->get_topic_name();
    EntityName name{
      callback_id(node, "waitable", topic), callback_id(node, "sub", topic),
      topic == "/parameter_events", topic};
    name.depth = depth_of(intra->get_actual_qos());
    name.within_process = true;
    return name;
  }
  const std::string_view type = typeid(waitable).name();
  if (type.starts_with("N13rclcpp_action6Server")) {
    return {callback_id(node, "waitable", "action_server"), {}, false};
  }
  if (type.starts_with("N13rclcpp_action6Client")) {
    return {callback_id(node, "waitable", "action_client"), {}, false};
  }
  return {callback_id(node, "waitable", class_of(waitable)), {}, false};
}

EntityName name_of_timer(const std::string & node, const rclcpp::Waitable & waitable)
{
  EntityName name;
  name.id = name_of(node, waitable).id;
  name.id.insert(name.id.size() - 1, ".timer");
  name.follows_group = std::string_view(typeid(waitable).name()).starts_with("N13rclcpp_action");
  return name;
}

}  // namespace takt_rclcpp
