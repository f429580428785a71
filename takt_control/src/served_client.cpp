#include "served_client.hpp"

#include <linux/sockios.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>
#include <utility>

namespace takt_control
{
namespace
{

// `alarm` with the value `dropped_before` put in front.
std::string with_dropped(const std::string & alarm, std::uint64_t dropped)
{
  const bool empty = alarm.find_first_not_of(" \t\r\n", 1) == alarm.size() - 1;
  return "{\"dropped_before\":" + std::to_string(dropped) + (empty ? "" : ",") + alarm.substr(1);
}

}  // namespace

ServedClient::~ServedClient()
{
  ::close(socket_);
}

short ServedClient::events() const noexcept  // NOLINT: poll's type
{
  // Read no further requests of a client with unread answers.
  const bool answers = !answers_.empty() || (answering_ && !output_.empty());
  return static_cast<short>((answers ? 0 : POLLIN) | (sends() ? POLLOUT : 0));  // NOLINT
}

bool ServedClient::late(Time now)
{
  if (!owes()) {
    return false;
  }
  // The kernel reports room only when most of its buffer is free. The count of unread bytes shows a
  // slow reader earlier: it falls with each alarm that the client reads.
  int unread = 0;
  if (::ioctl(socket_, SIOCOUTQ, &unread) == 0) {
    if (unread < unread_) {
      progress_ = now;
    }
    unread_ = unread;
  }
  const bool subscriber = subscribed_ && !half_a_message();
  return now - progress_ > (subscriber ? kSubscriberPatience : kPatience);
}

bool ServedClient::read(const Handler & answer, Time now)
{
  std::array<char, 16384> buffer{};
  const auto count = ::recv(socket_, buffer.data(), buffer.size(), MSG_DONTWAIT);
  if (count <= 0) {
    return count < 0 && (errno == EAGAIN || errno == EINTR);
  }
  progress_ = now;
  std::string_view bytes(buffer.data(), static_cast<std::size_t>(count));
  while (!bytes.empty()) {
    bytes.remove_prefix(decoder_.feed(bytes));
    while (const auto frame = decoder_.next()) {
      if (!handle(answer, *frame)) {
        return false;
      }
    }
    if (decoder_.broken()) {
      say(error_reply({decoder_.fault()}));
      write(now);
      return false;
    }
  }
  return true;
}

bool ServedClient::handle(const Handler & answer, const Frame & frame)
{
  if (request_.size() + frame.payload.size() > kMostRequest) {
    return false;
  }
  request_ += frame.payload;
  if (frame.type == static_cast<std::uint16_t>(MessageType::part)) {
    return true;
  }
  const std::string request = std::exchange(request_, {});
  say(
    frame.version == kProtocolVersion
      ? answer(frame.type, request)
      : error_reply(
          {"this process speaks version " + std::to_string(kProtocolVersion) +
           " of the messages, not " + std::to_string(frame.version)}));
  // Drop the client if its unread answers exceed twice the largest request.
  return answers_.size() <= 2 * kMostRequest;
}

bool ServedClient::write(Time now)
{
  for (;;) {
    if (output_.empty()) {
      next_output();
    }
    if (output_.empty()) {
      return true;
    }
    const auto sent = ::send(socket_, output_.data(), output_.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0) {
      return errno == EAGAIN || errno == EINTR;
    }
    output_.erase(0, static_cast<std::size_t>(sent));
    progress_ = now;
  }
}

// Answers go before alarms. An alarm or answer that has begun is sent to its end.
void ServedClient::next_output()
{
  answering_ = !answers_.empty();
  if (answering_) {
    output_ = std::exchange(answers_, {});
  } else if (!alarms_.empty()) {
    output_ = std::move(alarms_.front().frames);
    alarms_.pop_front();
    alarms_bytes_ -= output_.size();
  }
}

void ServedClient::subscribe(std::uint64_t place, std::uint64_t sequence)
{
  if (!std::exchange(subscribed_, true)) {
    next_place_ = place;
  }
  first_sequence_ = sequence;
  first_ = true;
  dropped_ = 0;
  std::erase_if(alarms_, [&](const Waiting & waiting) {
    const bool told = waiting.sequence && *waiting.sequence < sequence;
    alarms_bytes_ -= told ? waiting.frames.size() : 0;
    return told;
  });
}

void ServedClient::put(const AlarmQueue::Alarm & told, Time now)
{
  if (!subscribed_ || told.place < next_place_) {
    return;
  }
  dropped_ += told.place - next_place_;  // alarms that the full queue dropped
  next_place_ = told.place + 1;
  if (told.sequence && *told.sequence < first_sequence_) {
    dropped_ = 0;
    return;  // the subscription answer has this alarm and all earlier ones
  }
  if (told.sequence && std::exchange(first_, false)) {
    // The subscription answer may contain some of the dropped alarms.
    dropped_ = std::min(dropped_, *told.sequence - first_sequence_);
  }
  std::string frames = frames_of(
    {MessageType::alarm, dropped_ == 0 ? told.payload : with_dropped(told.payload, dropped_)});
  if (frames.size() > kMostAlarms - alarms_bytes_) {
    ++dropped_;
    return;
  }
  if (!owes()) {
    progress_ = now;
  }
  dropped_ = 0;
  alarms_bytes_ += frames.size();
  alarms_.push_back({told.sequence, std::move(frames)});
}

}  // namespace takt_control
