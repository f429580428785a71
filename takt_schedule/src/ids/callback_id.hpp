// What can be read off a callback id, or off a pattern over ids: whether it is one, its node, the
// kind word behind the node.
#ifndef TAKT_SCHEDULE__SRC__CALLBACK_ID_HPP_
#define TAKT_SCHEDULE__SRC__CALLBACK_ID_HPP_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace takt_schedule::detail
{

/// Names of ROS 2 nodes and topics have 255 characters each. To compare patterns with far longer ids
/// would take hours.
inline constexpr std::size_t kLongestId = 1000;

/// What is wrong with the characters of an id or a pattern, as a fault: too many, control characters,
/// spaces outside of brackets in what is an id without them. Nothing if all are good.
std::optional<std::string> bad_characters(std::string_view pattern);

/// Whether an id of the form "/namespace/node:kind(what)", with or without "#2", can match. What
/// stands in brackets is free. Without stars: whether it is such an id.
bool may_be_id(std::string_view pattern);

/// What may be meant by a pattern for which that is not so: the same with an end; or nothing.
std::string meant_id(std::string_view pattern);

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

}  // namespace takt_schedule::detail

#endif  // TAKT_SCHEDULE__SRC__CALLBACK_ID_HPP_
