// Writes and splits the ids of callbacks and groups (docs/schedule.md). All front ends, files and
// programs use these functions, so that a callback has the same id everywhere.
//
//     /ns/node:timer(100ms)  /ns/node:sub(/points)  /ns/node:sub(/points)#2 /ns/node:group(default)
//
// Ids spell a timer's period as `print_duration` does. Set-up only: allocates, does not block.
#ifndef TAKT_CORE__ADAPTER__CALLBACK_IDS_HPP_
#define TAKT_CORE__ADAPTER__CALLBACK_IDS_HPP_

#include <cstddef>
#include <string>
#include <string_view>

#include "takt_rt/time.hpp"

namespace takt_core::adapter
{

using takt_rt::Duration;

/// "`node`:`kind`(`what`)". `what`: the topic, the service, the period or the user's name. A
/// timer's name that reads as a period is spelled as a period.
std::string callback_id(std::string_view node, std::string_view kind, std::string_view what);
/// The id of a timer that the user gave no name: "`node`:timer(100ms)".
std::string timer_id(std::string_view node, Duration period);
/// The id of a group of `node`. `what`: the name or number of the group; "default" for the node's
/// default group.
std::string group_id(std::string_view node, std::string_view what);
/// The group of a callback outside all groups of its node: "`id`:group(own)".
std::string own_group_id(std::string_view id);

/// `base` for number 1, `base#n` for a further callback or group with the same id.
std::string numbered(const std::string & base, unsigned number);

/// `id` with another kind: "/a:sub(/x)#2" for "/a:waitable(/x)#2".
std::string with_kind(std::string_view id, std::string_view kind);

/// Returns an id or pattern, as a file or a user gives it, with the usual spelling of a timer's
/// period: "/a:timer(2.5ms)" for "/a:timer(2500us)". Returns all other texts unchanged.
std::string normal_id(std::string_view id);

/// Whether the client library makes `service` for each node: a service of parameters or of type
/// descriptions. `service`: the fully qualified name. Real-time safe.
bool is_introspection(std::string_view node, std::string_view service) noexcept;
/// Whether the client library made the callback with this id for itself: a service as above, or the
/// subscription to /parameter_events. Real-time safe.
bool is_of_client_library(std::string_view id) noexcept;

/// "/ns/node" of "/ns/node:timer(100ms)"; empty if `id` has no node.
inline std::string_view node_of(std::string_view id)
{
  const std::size_t open = id.find('(');
  const std::size_t colon = id.rfind(':', open);
  return colon == std::string_view::npos ? std::string_view() : id.substr(0, colon);
}

/// "timer" of "/ns/node:timer(100ms)"; empty if `id` has no kind.
inline std::string_view kind_word(std::string_view id)
{
  const std::size_t open = id.find('(');
  const std::size_t colon = id.rfind(':', open);
  if (open == std::string_view::npos || colon == std::string_view::npos) {
    return {};
  }
  return id.substr(colon + 1, open - colon - 1);
}

/// "100ms" of "/ns/node:timer(100ms)"; empty if `id` has no brackets.
inline std::string_view bracketed(std::string_view id)
{
  const std::size_t open = id.find('(');
  const std::size_t close = id.rfind(')');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) {
    return {};
  }
  return id.substr(open + 1, close - open - 1);
}

}  // namespace takt_core::adapter

#endif  // TAKT_CORE__ADAPTER__CALLBACK_IDS_HPP_
