// A client of the control socket, and a callback of an executor, for tests.
#ifndef TAKT_CONTROL__TEST__CONNECTED_HPP_
#define TAKT_CONTROL__TEST__CONNECTED_HPP_

#include <gtest/gtest.h>

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "takt_control/frame.hpp"
#include "takt_control/unix_address.hpp"
#include "takt_core/callback.hpp"

namespace takt_control
{

class Nothing : public takt_core::Callback
{
public:
  using Callback::Callback;
  void run(const takt_core::Run &) override {}
};

class Connected
{
public:
  Connected() : socket_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {}
  explicit Connected(const std::string & path) : Connected() { connect(path); }
  void connect(const std::string & path) const
  {
    const auto address = unix_address(path);
    EXPECT_EQ(::connect(socket_, reinterpret_cast<const sockaddr *>(&*address), sizeof *address), 0)
      << path;
  }
  ~Connected() { ::close(socket_); }
  Connected(const Connected &) = delete;
  Connected & operator=(const Connected &) = delete;

  void send(std::string_view bytes) const
  {
    while (!bytes.empty()) {
      const auto sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) {
        return;  // the other end has closed
      }
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
  }

  /// The next whole message; nothing if the connection ends first. A minute guards against hanging.
  std::optional<std::pair<MessageType, nlohmann::json>> receive()
  {
    std::string payload;
    std::array<char, 4096> buffer{};
    for (;;) {
      while (const auto frame = decoder_.next()) {
        payload += frame->payload;
        if (frame->type != static_cast<std::uint16_t>(MessageType::part)) {
          return std::pair{static_cast<MessageType>(frame->type), nlohmann::json::parse(payload)};
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

  nlohmann::json ask(MessageType type, const nlohmann::json & request = nlohmann::json::object())
  {
    send(encode(type, request.dump()));
    auto answer = receive();
    EXPECT_TRUE(answer);
    return answer ? answer->second : nlohmann::json();
  }

private:
  const int socket_;
  FrameDecoder decoder_;
  std::string rest_;
};

}  // namespace takt_control

#endif  // TAKT_CONTROL__TEST__CONNECTED_HPP_
