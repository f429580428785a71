// What can be read off a callback id, or off a pattern over ids: whether it is one; its parts are of
// takt_core/adapter/callback_ids.hpp.
#ifndef TAKT_SCHEDULE__SRC__CALLBACK_ID_HPP_
#define TAKT_SCHEDULE__SRC__CALLBACK_ID_HPP_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "takt_core/adapter/callback_ids.hpp"

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

/// What may be meant by a pattern for which that is not so: the same with an end, or of any node; or nothing.
std::string meant_id(std::string_view pattern);

using takt_core::adapter::bracketed;
using takt_core::adapter::kind_word;
using takt_core::adapter::node_of;
using takt_core::adapter::normal_id;

}  // namespace takt_schedule::detail

#endif  // TAKT_SCHEDULE__SRC__CALLBACK_ID_HPP_
