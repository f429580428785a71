// The time limits of clients of the control socket, in virtual time on a socket pair.
#include "served_client.hpp"

#include <gtest/gtest.h>

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace takt_control
{
namespace
{

using namespace std::chrono_literals;

class Served : public testing::Test
{
protected:
  Served()
  {
    std::array<int, 2> ends{};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
    peer_ = ends[1];
    client_ = std::make_unique<ServedClient>(ends[0], now_);
  }
  ~Served() override { ::close(peer_); }

  void ask(const std::string & bytes)
  {
    ASSERT_EQ(::send(peer_, bytes.data(), bytes.size(), 0), static_cast<ssize_t>(bytes.size()));
    EXPECT_TRUE(client_->read([](std::uint16_t, const std::string &) { return Reply(); }, now_));
  }
  std::uint64_t put(std::size_t size = 1'000)
  {
    const std::string text = R"({"sequence": )" + std::to_string(place_) + R"(, "text": ")" +
                             std::string(size, 'x') + "\"}";
    client_->put({place_, text, place_}, now_);
    EXPECT_TRUE(client_->write(now_));
    return place_++;
  }
  /// Queues more alarms than the kernel and the process can hold.
  void fill()
  {
    for (int i = 0; i < 2'000; ++i) {
      put();
    }
    ASSERT_TRUE(client_->sends());
  }
  void take(std::size_t bytes)
  {
    std::string buffer(bytes, '\0');
    ASSERT_GT(::recv(peer_, buffer.data(), bytes, MSG_DONTWAIT), 0);
  }

  ServedClient::Time now_{1h};
  std::unique_ptr<ServedClient> client_;
  int peer_ = -1;
  std::uint64_t place_ = 0;
};

TEST_F(Served, an_idle_client_may_stay)
{
  now_ += 100h;
  EXPECT_FALSE(client_->late(now_));
  client_->subscribe(0, 0);
  now_ += 100h;
  EXPECT_FALSE(client_->late(now_));
  put();
  EXPECT_FALSE(client_->late(now_)) << "nobody has waited for it yet";
}

TEST_F(Served, half_a_message_is_waited_for_for_five_seconds)
{
  ask(encode(MessageType::status, "{}").substr(0, 13));
  now_ += 5s;
  EXPECT_FALSE(client_->late(now_));
  now_ += 1ms;
  EXPECT_TRUE(client_->late(now_));
  client_->subscribe(0, 0);
  EXPECT_TRUE(client_->late(now_)) << "a subscriber owes the rest of its message, too";
}

TEST_F(Served, a_subscriber_that_reads_slowly_may_stay)
{
  client_->subscribe(0, 0);
  fill();
  EXPECT_FALSE(client_->late(now_));
  for (int i = 0; i < 50; ++i) {
    now_ += 59s;
    take(2'000);
    put();
    EXPECT_FALSE(client_->late(now_)) << i;
  }
}

TEST_F(Served, a_subscriber_that_reads_nothing_has_a_minute)
{
  client_->subscribe(0, 0);
  fill();
  for (int i = 0; i < 60; ++i) {
    now_ += 1s;
    put();
    EXPECT_FALSE(client_->late(now_)) << i;
  }
  now_ += 1ms;
  EXPECT_TRUE(client_->late(now_));
}

TEST_F(Served, another_client_has_five_seconds_to_read)
{
  client_->say({MessageType::result, std::string(1U << 20U, ' ')});
  EXPECT_TRUE(client_->write(now_));
  now_ += 5s;
  EXPECT_FALSE(client_->late(now_));
  now_ += 1ms;
  EXPECT_TRUE(client_->late(now_));
}

TEST_F(Served, an_answer_goes_before_alarms_that_wait)
{
  client_->subscribe(0, 0);
  fill();
  ask(encode(MessageType::status, "{}"));
  std::vector<std::uint16_t> types;
  FrameDecoder decoder;
  std::string buffer(1U << 20U, '\0');
  for (ssize_t count = 0;
       (count = ::recv(peer_, buffer.data(), buffer.size(), MSG_DONTWAIT)) > 0;) {
    for (std::string_view rest(buffer.data(), static_cast<std::size_t>(count)); !rest.empty();) {
      rest.remove_prefix(decoder.feed(rest));
      while (const auto frame = decoder.next()) {
        types.push_back(frame->type);
      }
    }
    EXPECT_TRUE(client_->write(now_));
  }
  EXPECT_FALSE(client_->sends());
  const auto answer =
    std::find(types.begin(), types.end(), static_cast<std::uint16_t>(MessageType::result));
  // The alarms have 256 KiB together.
  EXPECT_GT(types.end() - answer, 200);
  EXPECT_EQ(
    std::count(answer + 1, types.end(), static_cast<std::uint16_t>(MessageType::alarm)),
    types.end() - answer - 1);
}

TEST_F(Served, alarms_that_an_answer_tells_of_are_not_sent)
{
  client_->subscribe(2, 5);
  for (int i = 0; i < 5; ++i) {
    put();
  }
  EXPECT_EQ(::recv(peer_, nullptr, 0, MSG_DONTWAIT | MSG_TRUNC), -1);
  put();
  take(100);
}

}  // namespace
}  // namespace takt_control
