// The ids of callbacks and groups: how they are written, and what their parts are. All front ends, files and programs
// write them here, so that one callback has one id everywhere (docs/schedule.md).
//
//     /ns/node:timer(100ms)   /ns/node:sub(/points)   /ns/node:sub(/points)#2   /ns/node:group(default)
//
// A timer's period has one spelling in ids, that of `print_duration`. Set-up only: allocates, does not block.
#ifndef TAKT_CORE__ADAPTER__CALLBACK_IDS_HPP_
#define TAKT_CORE__ADAPTER__CALLBACK_IDS_HPP_

#include <cstddef>
#include <string>
#include <string_view>

#include "takt_rt/time.hpp"

namespace takt_core::adapter
{

using takt_rt::Duration;

/// "`node`:`kind`(`what`)". `what`: the topic, the service, the period or the name that the user gave. A name of a
/// timer that reads as a period is spelled as a period.
std::string callback_id(std::string_view node, std::string_view kind, std::string_view what);
std::string timer_id(std::string_view node, Duration period);
/// `what`: the name or number of the group; "default" for its node's own.
std::string group_id(std::string_view node, std::string_view what);
/// The group of a callback that has none of its node: "`id`:group(own)".
std::string own_group_id(std::string_view id);

/// `base`, with "#n" behind it for the second and further ones of that id.
std::string numbered(const std::string & base, unsigned number);

/// `id` with another kind: "/a:sub(/x)#2" for "/a:waitable(/x)#2".
std::string with_kind(std::string_view id, std::string_view kind);

/// An id or a pattern over ids as files and users write it, with the period of a timer in its one spelling:
/// "/a:timer(2.5ms)" for "/a:timer(2500us)". Other texts as they are.
std::string normal_id(std::string_view id);

/// "/ns/node" of "/ns/node:timer(100ms)"; empty if there is none.
inline std::string_view node_of(std::string_view id)
{
  const std::size_t open = id.find('(');
  const std::size_t colon = id.rfind(':', open);
  return colon == std::string_view::npos ? std::string_view() : id.substr(0, colon);
}

/// "timer" of "/ns/node:timer(100ms)"; empty if there is none.
inline std::string_view kind_word(std::string_view id)
{
  const std::size_t open = id.find('(');
  const std::size_t colon = id.rfind(':', open);
  if (open == std::string_view::npos || colon == std::string_view::npos) {
    return {};
  }
  return id.substr(colon + 1, open - colon - 1);
}

/// "100ms" of "/ns/node:timer(100ms)"; empty if there is none.
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
