#include "listen/action_parts.hpp"

#include <rcl/client.h>
#include <rcl/error_handling.h>
#include <rcl/service.h>
#include <rcl/subscription.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include "listen/wait_set.hpp"

namespace takt_rclcpp
{
namespace
{

/// The ends of the names of an action's services and topics, in the order of rclcpp_action's
/// EntityType.
constexpr std::array<std::string_view, 3> kOfServer{
  "/_action/send_goal", "/_action/get_result", "/_action/cancel_goal"};
constexpr std::array<std::string_view, 5> kOfClient{
  "/_action/send_goal", "/_action/get_result", "/_action/cancel_goal", "/_action/feedback",
  "/_action/status"};

template <typename Names>
int number_of_part(const Names & names, const char * name)
{
  if (name == nullptr) {
    rcl_reset_error();
    return -1;
  }
  const auto found = std::find_if(names.begin(), names.end(), [&](std::string_view end) {
    return std::string_view(name).ends_with(end);
  });
  return found == names.end() ? -1 : static_cast<int>(found - names.begin());
}

// A wait set holds rcl's handles of the entities that were added to it.
template <typename Handle, typename Names>
void collect_parts(
  const Handle ** handles, std::size_t count, const Names & names,
  const char * (*name_of)(const Handle *),
  rcl_ret_t (*set)(const Handle *, rcl_event_callback_t, const void *),
  std::vector<ActionPart> & parts)
{
  for (std::size_t i = 0; i < count; ++i) {
    const Handle * const handle = handles[i];
    const int part = handle == nullptr ? -1 : number_of_part(names, name_of(handle));
    if (part >= 0) {
      parts.push_back(
        {part, handle, name_of(handle), [=](rcl_event_callback_t callback, const void * data) {
           return set(handle, callback, data);
         }});
    }
  }
}

}  // namespace

std::vector<ActionPart> parts_of_action(
  rclcpp::Waitable & waitable, rclcpp::Context & context, bool is_server)
{
  WaitSet holder(context);
  rcl_wait_set_t & set = holder.make(
    waitable.get_number_of_ready_subscriptions(), waitable.get_number_of_ready_guard_conditions(),
    waitable.get_number_of_ready_timers(), waitable.get_number_of_ready_clients(),
    waitable.get_number_of_ready_services(), waitable.get_number_of_ready_events());
  waitable.add_to_wait_set(set);
  std::vector<ActionPart> parts;
  if (is_server) {
    collect_parts(
      set.services, set.size_of_services, kOfServer, &rcl_service_get_service_name,
      &rcl_service_set_on_new_request_callback, parts);
    return parts.size() == kOfServer.size() ? parts : std::vector<ActionPart>();
  }
  collect_parts(
    set.clients, set.size_of_clients, kOfClient, &rcl_client_get_service_name,
    &rcl_client_set_on_new_response_callback, parts);
  collect_parts(
    set.subscriptions, set.size_of_subscriptions, kOfClient, &rcl_subscription_get_topic_name,
    &rcl_subscription_set_on_new_message_callback, parts);
  return parts.size() == kOfClient.size() ? parts : std::vector<ActionPart>();
}

}  // namespace takt_rclcpp
