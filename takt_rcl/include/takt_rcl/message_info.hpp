// Where a message came from: publisher, sequence number, time stamps.
#ifndef TAKT_RCL__MESSAGE_INFO_HPP_
#define TAKT_RCL__MESSAGE_INFO_HPP_

#include <rmw/types.h>

#include <algorithm>
#include <cstdint>

#include "takt_core/message_key.hpp"

namespace takt_rcl
{

using takt_core::Gid;

/// The first 16 bytes of the middleware's id. Real-time safe.
inline Gid to_gid(const rmw_gid_t & gid) noexcept
{
  static_assert(RMW_GID_STORAGE_SIZE >= 16);
  Gid result;
  std::copy_n(gid.data, result.size(), result.begin());
  return result;
}

/// All functions are real-time safe. Time stamps are nanoseconds since the Unix epoch, 0 if
/// unknown.
class MessageInfo
{
public:
  /// The value of a middleware without sequence numbers.
  static constexpr std::uint64_t kUnsupported = RMW_MESSAGE_INFO_SEQUENCE_NUMBER_UNSUPPORTED;

  MessageInfo() = default;
  explicit MessageInfo(const rmw_message_info_t & info) noexcept : info_(info) {}

  /// The time at which the publisher published the message.
  std::int64_t source_timestamp() const noexcept { return info_.source_timestamp; }
  /// The time at which the middleware received the message.
  std::int64_t received_timestamp() const noexcept { return info_.received_timestamp; }
  /// Counts the publisher's messages from 1 (rmw_fastrtps).
  std::uint64_t publication_sequence_number() const noexcept
  {
    return info_.publication_sequence_number;
  }
  /// Counts messages at the reader; `kUnsupported` without a count.
  std::uint64_t reception_sequence_number() const noexcept
  {
    return info_.reception_sequence_number;
  }
  /// The publisher's id.
  Gid publisher_gid() const noexcept { return to_gid(info_.publisher_gid); }
  /// The key of a message of the middleware in takt's own records.
  takt_core::MessageKey key() const noexcept
  {
    const std::uint64_t sequence = info_.publication_sequence_number;
    return {publisher_gid(), sequence != kUnsupported ? sequence : 0, info_.source_timestamp};
  }
  /// The message came by pointer from a publisher of this process; see
  /// NodeOptions::use_intra_process_comms.
  bool from_intra_process() const noexcept { return info_.from_intra_process; }

  const rmw_message_info_t & get_rmw_message_info() const noexcept { return info_; }

private:
  rmw_message_info_t info_{};
};

}  // namespace takt_rcl

#endif  // TAKT_RCL__MESSAGE_INFO_HPP_
