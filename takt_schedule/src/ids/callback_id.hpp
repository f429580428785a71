// Judges callback ids and patterns over ids. takt_core/adapter/callback_ids.hpp splits ids into
// parts.
#ifndef TAKT_SCHEDULE__SRC__CALLBACK_ID_HPP_
#define TAKT_SCHEDULE__SRC__CALLBACK_ID_HPP_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "takt_core/adapter/callback_ids.hpp"
#include "takt_rt/result.hpp"

namespace takt_schedule::detail
{

/// Names of ROS 2 nodes and topics have at most 255 characters each. Comparing patterns with far
/// longer ids would take hours.
inline constexpr std::size_t kLongestId = 1000;

/// The fault in the characters of an id or a pattern: too many, control characters, or spaces
/// outside of brackets. Empty without a fault.
std::optional<std::string> bad_characters(std::string_view pattern);

/// Whether an id of the form "/namespace/node:kind(what)", with or without "#2", can match; any
/// characters may be in the brackets. Without stars: whether the text is such an id.
bool may_be_id(std::string_view pattern);

/// The id in its normal form. Fault: the text is a pattern, or no id can look so. `owners` for
/// faults: "chains".
takt_rt::Result<std::string> exact_id(const std::string & text, std::string_view owners);

/// A likely correction of a pattern that cannot match an id: with an end added, or for any node;
/// else empty.
std::string meant_id(std::string_view pattern);

using takt_core::adapter::bracketed;
using takt_core::adapter::kind_word;
using takt_core::adapter::node_of;
using takt_core::adapter::normal_id;

}  // namespace takt_schedule::detail

#endif  // TAKT_SCHEDULE__SRC__CALLBACK_ID_HPP_
