// The replies of a process on its control socket, and their bytes. Allocates; does not block.
#ifndef TAKT_CONTROL__SRC__REPLY_HPP_
#define TAKT_CONTROL__SRC__REPLY_HPP_

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "takt_control/frame.hpp"

namespace takt_control
{

struct Reply
{
  MessageType type = MessageType::result;
  std::string payload{};
  /// in the answer to `subscribe`: the sequence number of the next alarm; 0 in other replies
  std::uint64_t alarms = 0;
};

/// A `result`. Replaces bytes that are not UTF-8, which names from a program may contain.
Reply result_reply(const nlohmann::json & document);
Reply error_reply(const std::vector<std::string> & faults);

/// The frames of a reply of any length.
std::string frames_of(const Reply & reply);

}  // namespace takt_control

#endif  // TAKT_CONTROL__SRC__REPLY_HPP_
