// Clients that die, hang, flood or send garbage: the daemon still serves the others, within its
// limits.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <csignal>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "support/child.hpp"
#include "support/daemon.hpp"
#include "support/rounds.hpp"
#include "support/talk.hpp"
#include "takt_control/configurator_client.hpp"

namespace takt_configurator
{
namespace
{

using takt_control::ConfiguratorClient;
using takt_control::MessageType;
using takt_rt::Policy;

constexpr const char * kPolicy =
  "version: 1\nrules: [{users: any, policies: [fifo], max_priority: 9}]";

/// True if a well-behaved client gets its answer.
bool serves(const test::Daemon & daemon)
{
  ConfiguratorClient client(daemon.socket(), std::chrono::minutes(1));
  return client.would_grant({.policy = Policy::fifo, .priority = 9}).empty() &&
         client.would_grant({.policy = Policy::fifo, .priority = 10}).size() == 1;
}

TEST(Robustness, AnswersUnknownTypesAndVersions)
{
  test::Daemon daemon(kPolicy);
  const int socket = test::connect_to(daemon.socket());
  std::string frame = encode(static_cast<MessageType>(77), "{}");
  EXPECT_EQ(test::ask(socket, frame).error, "messages of type 77 are unknown");
  frame = encode(MessageType::apply, "{}");
  frame[4] = 9;
  EXPECT_NE(test::ask(socket, frame).error.find("not 9"), std::string::npos);
  frame[4] = 1;
  EXPECT_EQ(test::ask(socket, frame).error, "'id' is missing");
  EXPECT_EQ(
    test::ask(socket, encode(MessageType::apply, "[")).error, "the payload is not a JSON object");
  ::close(socket);
}

TEST(Robustness, ClosesConnectionsThatSendGarbage)
{
  test::Daemon daemon(kPolicy);
  const int socket = test::connect_to(daemon.socket());
  EXPECT_NE(test::ask(socket, "GET / HTTP/1.1\r\n").error.find("not a frame"), std::string::npos);
  EXPECT_EQ(test::read_all(socket), "");
  ::close(socket);
  std::mt19937 random(test::seed());
  for (std::uint64_t round = 0; round < test::rounds(200); ++round) {
    const int other = test::connect_to(daemon.socket());
    std::string bytes = round % 2 == 0 ? "takt" : "";
    for (std::size_t i = random() % 200; i > 0; --i) {
      bytes += static_cast<char>(random());
    }
    test::send_bytes(other, bytes);
    ::shutdown(other, SHUT_WR);
    test::read_all(other);
    ::close(other);
  }
  EXPECT_TRUE(serves(daemon)) << "TAKT_TEST_SEED=" << test::seed();
}

TEST(Robustness, ClosesConnectionsWithHalfAMessage)
{
  test::Daemon daemon(kPolicy, {"--patience-ms", "50"});
  const int idle = test::connect_to(daemon.socket());
  const int half = test::connect_to(daemon.socket());
  test::send_bytes(half, encode(MessageType::apply, "{\"id\": 1}").substr(0, 15));
  EXPECT_EQ(test::read_all(half), "");  // returns when the daemon closes the connection
  // A client may wait for any time between two messages.
  EXPECT_EQ(
    test::ask(idle, encode(static_cast<MessageType>(77), "{}")).error.substr(0, 8), "messages");
  ::close(idle);
  ::close(half);
}

TEST(Robustness, DropsAClientThatReadsNoAnswers)
{
  test::Daemon daemon(kPolicy, {"--patience-ms", "50", "--log", "none"});
  const int flood = test::connect_to(daemon.socket());
  const std::string frame = encode(static_cast<MessageType>(77), "{}");
  std::uint64_t sent = 0;
  while (test::send_bytes(flood, frame)) {  // ends when the daemon closes the connection
    ++sent;
  }
  EXPECT_GT(sent, 0U);
  EXPECT_TRUE(serves(daemon));
  ::close(flood);
}

TEST(Robustness, TellsTheClientThatIsTooMany)
{
  if (::geteuid() != 0) {
    GTEST_SKIP() << "needs root to ask as two users";
  }
  test::Daemon daemon(kPolicy, {"--clients", "4", "--clients-of-user", "2"});
  const std::string frame = encode(static_cast<MessageType>(77), "{}");
  std::vector<int> sockets;
  for (int i = 0; i < 4; ++i) {
    sockets.push_back(test::connect_to(daemon.socket()));
    EXPECT_NE(test::ask(sockets.back(), frame).error.find("type 77"), std::string::npos);
  }
  const int more = test::connect_to(daemon.socket());
  const auto told = test::read_frame(more);
  ASSERT_TRUE(told.has_value());
  EXPECT_NE(told->payload.find("serves 4 clients already"), std::string::npos) << told->payload;
  EXPECT_EQ(test::read_all(more), "");
  ::close(more);
  for (const int socket : sockets) {
    ::close(socket);
  }
  EXPECT_TRUE(serves(daemon));
  const auto seen = test::in_child_as(test::kNobody, [&] {
    const int one = test::connect_to(daemon.socket());
    const int two = test::connect_to(daemon.socket());
    test::ask(one, frame);
    test::ask(two, frame);
    ConfiguratorClient client(daemon.socket());
    return to_string(client.would_grant({.policy = Policy::fifo, .priority = 1}).at(0));
  });
  EXPECT_NE(seen.find("serves 2 clients of user 65534 already"), std::string::npos) << seen;
}

TEST(Robustness, OutlivesClientsThatAreKilled)
{
  test::Daemon daemon(kPolicy);
  for (std::uint64_t round = 0; round < test::rounds(20); ++round) {
    int ready[2];
    ASSERT_EQ(::pipe(ready), 0);
    test::Child child([&]() -> std::string {
      const int socket = test::connect_to(daemon.socket());
      const std::string frame =
        test::apply_frame(::gettid(), {.policy = Policy::fifo, .priority = 1});
      test::send_bytes(socket, frame + frame.substr(0, frame.size() / 2));
      (void)!::write(ready[1], "x", 1);
      for (;;) {
        ::pause();
      }
    });
    char byte = 0;
    EXPECT_EQ(::read(ready[0], &byte, 1), 1);
    ::kill(child.pid(), SIGKILL);
    ::close(ready[0]);
    ::close(ready[1]);
  }
  EXPECT_TRUE(serves(daemon));
}

TEST(Robustness, ServesManyConnectionsInBoundedMemory)
{
  test::Daemon daemon(kPolicy, {"--log", "none"});
  const std::string frame = encode(static_cast<MessageType>(77), std::string(60'000, ' '));
  const auto flood = [&](std::uint64_t connections) {
    for (std::uint64_t i = 0; i < connections; ++i) {
      const int socket = test::connect_to(daemon.socket());
      ASSERT_GE(socket, 0);
      ASSERT_NE(test::ask(socket, frame).error.find("type 77"), std::string::npos);
      ::close(socket);
    }
  };
  flood(50);
  const long before = daemon.resident();
  flood(test::rounds(200));
  // Send half messages on many connections at once.
  std::vector<int> half;
  for (int i = 0; i < 100; ++i) {
    half.push_back(test::connect_to(daemon.socket()));
    test::send_bytes(half.back(), frame.substr(0, 50'000));
  }
  EXPECT_TRUE(serves(daemon));
  // Each connection has at most one message and one read: 64 KiB + 4 KiB. The allocator may double
  // a buffer.
#ifndef __SANITIZE_ADDRESS__  // the sanitizer keeps freed memory for a while, to find later uses
  EXPECT_LT(daemon.resident(), 2 * before + 100 * 136);
#else
  static_cast<void>(before);
#endif
  for (const int socket : half) {
    ::close(socket);
  }
}

TEST(Robustness, OutlivesTheReaderOfItsLog)
{
  // The shell starts the daemon with a pipe whose reader ends at once.
  test::Daemon daemon(kPolicy, {}, {"bash", "-c", "exec \"$@\" 2> >(true)", "bash"});
  for (int i = 0; i < 20; ++i) {
    EXPECT_TRUE(serves(daemon));
  }
}

TEST(Robustness, AStaleClientReachesTheNextDaemon)
{
  test::Daemon daemon(kPolicy);
  ConfiguratorClient client(daemon.socket(), std::chrono::minutes(1));
  EXPECT_TRUE(client.would_grant({.policy = Policy::fifo, .priority = 9}).empty());
  daemon.end(SIGKILL);
  const auto gone = client.would_grant({.policy = Policy::fifo, .priority = 9});
  ASSERT_EQ(gone.size(), 1U);
  EXPECT_EQ(gone[0].refusal->right, takt_rt::MissingRight::no_configurator);
  daemon.start();  // the socket of the dead daemon still exists
  EXPECT_TRUE(client.would_grant({.policy = Policy::fifo, .priority = 9}).empty());
  daemon.end(SIGTERM);
  daemon.start();
  EXPECT_TRUE(client.would_grant({.policy = Policy::fifo, .priority = 9}).empty());
}

TEST(Robustness, DoesNotListenThroughASymbolicLinkOrInPlaceOfALivingDaemon)
{
  test::Daemon daemon(kPolicy);
  const std::string link = daemon.folder() + "/run/link.sock";
  std::filesystem::create_symlink(daemon.socket(), link);
  const std::string policy = daemon.folder() + "/policy.yaml";
  auto outcome = test::run_daemon({"--socket", link, "--policy", policy});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.output.find("this is a symbolic link"), std::string::npos) << outcome.output;
  outcome = test::run_daemon({"--socket", daemon.socket(), "--policy", policy});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.output.find("another daemon listens there"), std::string::npos)
    << outcome.output;
  EXPECT_TRUE(serves(daemon));
}

TEST(Robustness, EndsCleanlyWithItsSocket)
{
  test::Daemon daemon(kPolicy);
  EXPECT_TRUE(std::filesystem::exists(daemon.socket()));
  EXPECT_EQ(daemon.end(SIGTERM), 0);
  EXPECT_FALSE(std::filesystem::exists(daemon.socket()));
}

}  // namespace
}  // namespace takt_configurator
