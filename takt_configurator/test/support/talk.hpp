// Writes and reads the protocol without the client's library.
#ifndef SUPPORT__TALK_HPP_
#define SUPPORT__TALK_HPP_

#include <sys/socket.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "support/daemon.hpp"
#include "takt_control/configurator_messages.hpp"
#include "takt_control/frame.hpp"

namespace takt_configurator::test
{

/// The next frame from a socket; empty if the peer closes the connection first.
inline std::optional<takt_control::Frame> read_frame(int socket)
{
  takt_control::FrameDecoder decoder;
  char byte = 0;
  while (::recv(socket, &byte, 1, 0) == 1) {
    decoder.feed({&byte, 1});
    if (auto frame = decoder.next()) {
      return frame;
    }
  }
  return std::nullopt;
}

/// The answer to one frame. If there is none, its error says so.
inline takt_control::Answer ask(int socket, const std::string & frame)
{
  takt_control::Answer answer;
  answer.error = "no answer";
  if (send_bytes(socket, frame)) {
    if (const auto got = read_frame(socket)) {
      const auto read = takt_control::read_answer(got->payload);
      return read ? *read : answer;
    }
  }
  return answer;
}

inline std::string apply_frame(pid_t tid, const takt_rt::ThreadAttributes & attributes)
{
  return encode(
    takt_control::MessageType::apply,
    takt_control::to_payload(takt_control::AttributeRequest{1, tid, attributes}));
}

/// All reasons of an answer; empty if the daemon granted everything.
inline std::string reasons(const takt_control::Answer & answer)
{
  std::string text = answer.error;
  for (const takt_rt::Refusal & refusal : answer.refusals) {
    text += reason(refusal);
  }
  return text;
}

}  // namespace takt_configurator::test

#endif  // SUPPORT__TALK_HPP_
