#include "client.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>
#include <utility>

#include "takt_control/configurator_messages.hpp"

namespace takt_configurator
{

Client::Client(FileDescriptor socket, Peer peer, const ServerLimits & limits)
: socket_(std::move(socket)),
  peer_(std::move(peer)),
  limits_(limits),
  tokens_(limits.burst),
  refilled_(Clock::now()),
  progress_(refilled_)
{
}

bool Client::read()
{
  std::array<char, 4096> buffer;  // NOLINT: recv fills it
  const auto count = ::recv(socket_.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
  if (count == 0) {
    return false;
  }
  if (count < 0) {
    return errno == EAGAIN || errno == EINTR;
  }
  if (!decoder_.half_open()) {
    note_progress();  // the time for a message counts from its first byte, not from each byte
  }
  input_.append(buffer.data(), static_cast<std::size_t>(count));
  decode();
  return true;
}

void Client::decode()
{
  while (!request_ && !input_.empty() && !decoder_.broken()) {
    input_.erase(0, decoder_.feed(input_));
    request_ = decoder_.next();
  }
}

bool Client::is_due()
{
  if ((!request_ && !decoder_.broken()) || !output_.empty() || closing_) {
    return false;
  }
  const auto now = Clock::now();
  const std::chrono::duration<double> span = now - refilled_;
  tokens_ = std::min(limits_.burst, tokens_ + span.count() * limits_.requests_per_second);
  refilled_ = now;
  return tokens_ >= 1.0;
}

bool Client::answer(RequestHandler & handler)
{
  if (request_) {
    tokens_ -= 1.0;
    output_ = handler.handle(peer_, *request_);
    request_.reset();
    note_progress();
    decode();
  } else {
    // After these bytes the daemon cannot find the beginning of the next message.
    takt_control::Answer answer;
    answer.error = decoder_.fault();
    output_ = encode(takt_control::MessageType::error, to_payload(answer));
    closing_ = true;
  }
  return write();
}

bool Client::write()
{
  while (!output_.empty()) {
    const auto sent =
      ::send(socket_.get(), output_.data(), output_.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent < 0 && errno == EAGAIN) {
      return true;
    }
    if (sent < 0 && errno != EINTR) {
      return false;
    }
    if (sent > 0) {
      output_.erase(0, static_cast<std::size_t>(sent));
      note_progress();
    }
  }
  return !closing_;
}

bool Client::is_in_time() const
{
  const bool owes = decoder_.half_open() || !output_.empty();
  return !owes || Clock::now() - progress_ < limits_.patience;
}

}  // namespace takt_configurator
