// The stamp in the header of a message: for types whose first field is a std_msgs/msg/Header.
//
// A header begins with its stamp, so the stamp lies at the beginning of the C++ object and, behind
// the four bytes that say how the message is encoded, of the serialised message. So no other field
// is read.
#ifndef TAKT_HOST__HEADER_STAMP_HPP_
#define TAKT_HOST__HEADER_STAMP_HPP_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "takt_rt/time.hpp"

namespace takt_host
{

/// Whether the first field of messages of this type is a std_msgs/msg/Header. `TypeSupport` is
/// rosidl_message_type_support_t; false where that does not describe the type (before ROS 2 Iron).
/// Any thread; set-up only.
template <typename TypeSupport>
bool begins_with_header(const TypeSupport & type)
{
  if constexpr (requires { type.get_type_description_func; }) {
    constexpr std::uint8_t kNested = 1;  // FIELD_TYPE_NESTED_TYPE
    const auto * const described =
      type.get_type_description_func == nullptr ? nullptr : type.get_type_description_func(&type);
    if (described == nullptr || described->type_description.fields.size == 0) {
      return false;
    }
    const auto & first = described->type_description.fields.data[0].type;
    return first.type_id == kNested &&
           std::string_view(first.nested_type_name.data, first.nested_type_name.size) ==
             "std_msgs/msg/Header";
  } else {
    return false;
  }
}

namespace detail
{

inline takt_rt::Time stamp_of(std::int32_t seconds, std::uint32_t nanoseconds) noexcept
{
  return takt_rt::from_ns(std::int64_t{seconds} * 1'000'000'000 + nanoseconds);
}

}  // namespace detail

/// The stamp of a C++ message whose type begins with a header. Any thread; real-time safe.
inline takt_rt::Time stamp_of_message(const void * message) noexcept
{
  std::int32_t seconds = 0;
  std::uint32_t nanoseconds = 0;
  std::memcpy(&seconds, message, sizeof seconds);
  std::memcpy(
    &nanoseconds, static_cast<const std::byte *>(message) + sizeof seconds, sizeof nanoseconds);
  return detail::stamp_of(seconds, nanoseconds);
}

/// The stamp of a serialised message (CDR) of such a type; kNever: the bytes are too few, or
/// encoded in a way in which takt does not find it. Any thread; real-time safe.
inline takt_rt::Time stamp_of_bytes(std::span<const std::uint8_t> bytes) noexcept
{
  constexpr std::size_t kEncoding = 4;
  // Plain CDR, version 1 or 2, big or little endian.
  if (bytes.size() < kEncoding + 8 || bytes[0] != 0 || (bytes[1] > 1 && (bytes[1] | 1U) != 7)) {
    return takt_rt::kNever;
  }
  const bool little = (bytes[1] & 1U) != 0;
  const auto word = [&](std::size_t at) {
    std::uint32_t result = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      result |= std::uint32_t{bytes[at + i]} << 8 * (little ? i : 3 - i);
    }
    return result;
  };
  return detail::stamp_of(static_cast<std::int32_t>(word(kEncoding)), word(kEncoding + 4));
}

}  // namespace takt_host

#endif  // TAKT_HOST__HEADER_STAMP_HPP_
