// What a process says on its control socket, and its bytes. Allocates; does not block.
#ifndef TAKT_CONTROL__SRC__REPLY_HPP_
#define TAKT_CONTROL__SRC__REPLY_HPP_

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
};

/// A `result`. A name that a program chose may hold bytes that are no text: they are replaced.
Reply result_reply(const nlohmann::json & document);
Reply error_reply(const std::vector<std::string> & faults);

/// The bytes of its frames, however long it is.
std::string frames_of(const Reply & reply);

}  // namespace takt_control

#endif  // TAKT_CONTROL__SRC__REPLY_HPP_
