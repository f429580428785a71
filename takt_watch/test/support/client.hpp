// A client of this process's control socket.
#ifndef SUPPORT__CLIENT_HPP_
#define SUPPORT__CLIENT_HPP_

#include <gtest/gtest.h>

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <deque>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

#include "takt_control/control_server.hpp"
#include "takt_control/frame.hpp"
#include "takt_control/unix_address.hpp"

namespace takt_watch::test
{

class Client
{
public:
  using Message = std::pair<takt_control::MessageType, nlohmann::json>;

  Client() : socket_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0))
  {
    const std::string path =
      takt_control::runtime_folder() + "/" + std::to_string(::getpid()) + ".sock";
    const auto address = takt_control::unix_address(path);
    EXPECT_EQ(::connect(socket_, reinterpret_cast<const sockaddr *>(&*address), sizeof *address), 0)
      << path;
  }
  ~Client() { ::close(socket_); }
  Client(const Client &) = delete;
  Client & operator=(const Client &) = delete;

  /// Sends a request and returns the answer. Keeps alarms that come before the answer.
  Message ask(takt_control::MessageType type, const std::string & request = "{}")
  {
    const std::string bytes = takt_control::encode(type, request);
    EXPECT_EQ(
      ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL),
      static_cast<ssize_t>(bytes.size()));
    for (;;) {
      auto message = receive();
      if (!message) {
        ADD_FAILURE() << "no answer";
        return {};
      }
      if (message->first != takt_control::MessageType::alarm) {
        return std::move(*message);
      }
      alarms_.push_back(std::move(message->second));
    }
  }
  nlohmann::json statistics(const std::string & request = "{}")
  {
    return ask(takt_control::MessageType::statistics, request).second;
  }

  /// The next alarm. Waits for at most a minute.
  nlohmann::json alarm()
  {
    while (alarms_.empty()) {
      auto message = receive();
      if (!message) {
        ADD_FAILURE() << "no alarm";
        return {};
      }
      if (message->first == takt_control::MessageType::alarm) {
        alarms_.push_back(std::move(message->second));
      }
    }
    nlohmann::json first = std::move(alarms_.front());
    alarms_.pop_front();
    return first;
  }

private:
  std::optional<Message> receive()
  {
    std::string payload;
    std::array<char, 4096> buffer{};
    for (;;) {
      while (const auto frame = decoder_.next()) {
        payload += frame->payload;
        if (frame->type != static_cast<std::uint16_t>(takt_control::MessageType::part)) {
          return Message{
            static_cast<takt_control::MessageType>(frame->type), nlohmann::json::parse(payload)};
        }
      }
      pollfd one{socket_, POLLIN, 0};
      if (rest_.empty()) {
        if (::poll(&one, 1, 60'000) <= 0) {
          return std::nullopt;
        }
        const auto count = ::recv(socket_, buffer.data(), buffer.size(), 0);
        if (count <= 0) {
          return std::nullopt;
        }
        rest_.assign(buffer.data(), static_cast<std::size_t>(count));
      }
      rest_.erase(0, decoder_.feed(rest_));
    }
  }

  const int socket_;
  takt_control::FrameDecoder decoder_;
  std::string rest_;
  std::deque<nlohmann::json> alarms_;
};

}  // namespace takt_watch::test

#endif  // SUPPORT__CLIENT_HPP_
