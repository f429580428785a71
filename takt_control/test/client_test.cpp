// The client with daemons that are absent or silent, or are not takt's. takt_configurator tests it
// with real daemons.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "takt_control/configurator_client.hpp"
#include "takt_control/configurator_messages.hpp"
#include "takt_control/frame.hpp"
#include "takt_control/unix_address.hpp"

namespace takt_control
{
namespace
{

using namespace std::chrono_literals;
using takt_rt::MissingRight;
using takt_rt::Policy;
using takt_rt::ThreadAttributes;

const ThreadAttributes kFifo{.policy = Policy::fifo, .priority = 5};

class Client : public ::testing::Test
{
protected:
  void SetUp() override
  {
    folder_ = ::testing::TempDir() + "takt_client_XXXXXX";
    ASSERT_NE(::mkdtemp(folder_.data()), nullptr);
    path_ = folder_ + "/sock";
  }
  ~Client() override
  {
    ::close(socket_);
    std::filesystem::remove_all(folder_);
  }
  void listen()
  {
    socket_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const auto address = unix_address(path_);
    ASSERT_EQ(::bind(socket_, reinterpret_cast<const sockaddr *>(&*address), sizeof *address), 0);
    ASSERT_EQ(::listen(socket_, 1), 0);
  }
  /// The right and the detail of the only refusal.
  static std::string told(const takt_rt::Faults & faults)
  {
    if (faults.size() != 1 || !faults[0].refusal) {
      return "not one refusal";
    }
    const auto & refusal = *faults[0].refusal;
    return (refusal.right == MissingRight::no_configurator ? "nobody: " : "refused: ") +
           refusal.detail;
  }

  std::string folder_;
  std::string path_;
  int socket_ = -1;
};

TEST_F(Client, SaysWhereNobodyListens)
{
  EXPECT_EQ(
    told(ConfiguratorClient(path_).would_grant(kFifo)),
    "nobody: " + path_ + ": No such file or directory");
  listen();
  ::close(socket_);
  EXPECT_EQ(
    told(ConfiguratorClient(path_).would_grant(kFifo)),
    "nobody: " + path_ + ": Connection refused");
  EXPECT_NE(
    told(ConfiguratorClient("/" + std::string(200, 'x')).would_grant(kFifo)).find("1 to 107 bytes"),
    std::string::npos);
}

TEST_F(Client, WaitsNoLongerThanItsTimeout)
{
  listen();  // but accept no connection
  ConfiguratorClient client(path_, 20ms);
  EXPECT_EQ(
    told(client.would_grant(kFifo)), "nobody: " + path_ + ": the daemon does not answer in time");
  // After some rounds the daemon's queue of one is full: then connecting must end, too.
  std::string last;
  for (int i = 0; i < 5; ++i) {
    last = told(ConfiguratorClient(path_, 20ms).would_grant(kFifo));
    EXPECT_EQ(last.rfind("nobody: " + path_, 0), 0U) << last;
  }
}

TEST_F(Client, DoesNotBelieveOtherServers)
{
  listen();
  std::thread server([this] {
    for (const std::string & reply :
         {std::string("HTTP/1.1 400 Bad Request\r\n"), encode(MessageType::answer, "{}"),
          encode(MessageType::answer, to_payload(Answer{77, {}, {}}))}) {
      const int peer = ::accept(socket_, nullptr, nullptr);
      (void)!::send(peer, reply.data(), reply.size(), MSG_NOSIGNAL);
      char buffer[1024];
      while (::recv(peer, buffer, sizeof buffer, 0) > 0) {
      }
      ::close(peer);
    }
  });
  ConfiguratorClient client(path_, 1min);
  EXPECT_NE(told(client.would_grant(kFifo)).find("no configurator"), std::string::npos);
  EXPECT_NE(
    told(client.would_grant(kFifo)).find("does not fit the request: 'id' is missing"),
    std::string::npos);
  EXPECT_NE(told(client.would_grant(kFifo)).find("does not fit the request"), std::string::npos);
  server.join();
}

TEST_F(Client, ManyThreadsShareOneConnection)
{
  listen();
  std::thread server([this] {
    const int peer = ::accept(socket_, nullptr, nullptr);
    FrameDecoder decoder;
    char buffer[1024];
    for (ssize_t count = 0; (count = ::recv(peer, buffer, sizeof buffer, 0)) > 0;) {
      for (std::string_view rest(buffer, static_cast<std::size_t>(count)); !rest.empty();) {
        rest.remove_prefix(decoder.feed(rest));
        while (const auto frame = decoder.next()) {
          Answer answer;
          answer.id = read_attribute_request(frame->payload)->id;
          const std::string bytes = encode(MessageType::answer, to_payload(answer));
          (void)!::send(peer, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        }
      }
    }
    ::close(peer);
  });
  {
    ConfiguratorClient client(path_, 1min);
    std::vector<std::thread> threads;
    std::atomic<int> granted = 0;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&] {
        for (int k = 0; k < 50; ++k) {
          granted += client.would_grant(kFifo).empty() ? 1 : 0;
        }
      });
    }
    for (std::thread & thread : threads) {
      thread.join();
    }
    EXPECT_EQ(granted, 400);
  }
  server.join();
}

TEST_F(Client, TakesTheSocketFromTheEnvironment)
{
  ::unsetenv("TAKT_CONFIGURATOR");
  EXPECT_EQ(ConfiguratorClient().socket(), "/run/takt/configurator.sock");
  ::setenv("TAKT_CONFIGURATOR", "/elsewhere/sock", 1);
  EXPECT_EQ(ConfiguratorClient().socket(), "/elsewhere/sock");
  EXPECT_EQ(ConfiguratorClient("/given/sock").socket(), "/given/sock");
  ::unsetenv("TAKT_CONFIGURATOR");
}

}  // namespace
}  // namespace takt_control
