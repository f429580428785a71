// The handler answers each message of any bytes, and never exceeds the policy.
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "request_handler.hpp"
#include "support/fake_machine.hpp"
#include "support/rounds.hpp"
#include "support/talk.hpp"

namespace takt_configurator
{
namespace
{

using takt_control::MessageType;
using takt_rt::Policy;

constexpr pid_t kPid = 100;

std::string valid_frame(std::mt19937 & random)
{
  const auto number = [&](int least, int most) {
    return least + static_cast<int>(random() % static_cast<unsigned>(most - least + 1));
  };
  takt_rt::ThreadAttributes asked;
  asked.policy = static_cast<Policy>(number(0, 6));
  if (takt_rt::has_rt_priority(asked.policy)) {
    asked.priority = number(-1, 101);
  }
  if (number(0, 2) == 0) {
    asked.nice = number(-25, 25);
  }
  if (asked.policy == Policy::deadline) {
    asked.runtime = takt_rt::Duration{number(0, 2'000'000)};
    asked.deadline = asked.period = takt_rt::Duration{number(0, 10'000'000)};
  }
  if (number(0, 3) == 0) {
    asked.cores = {number(-1, 2)};
  }
  if (number(0, 5) == 0) {
    return encode(
      MessageType::rtprio_limit, to_payload(takt_control::LimitRequest{random(), number(-1, 101)}));
  }
  return encode(
    number(0, 3) == 0 ? MessageType::would_grant : MessageType::apply,
    to_payload(takt_control::AttributeRequest{random(), kPid + number(-1, 3), asked}));
}

void spoil(std::string & bytes, std::mt19937 & random)
{
  for (auto i = random() % 4; i > 0 && !bytes.empty(); --i) {
    const std::size_t at = random() % bytes.size();
    switch (random() % 4) {
      case 0:
        bytes[at] = static_cast<char>(random());
        break;
      case 1:
        bytes.erase(at, random() % 8);
        break;
      case 2:
        bytes.insert(at, bytes.substr(random() % bytes.size(), random() % 16));
        break;
      default:
        bytes.insert(at, 1, "[{\"0-,"[random() % 6]);
        break;
    }
  }
}

TEST(Fuzz, NoBytesExceedThePolicy)
{
  const auto policy = takt_schedule::parse_configurator_policy(
    "version: 1\n"
    "rules: [{users: 1000, policies: [fifo, deadline, other], max_priority: 40, min_nice: -3, "
    "deadline_bandwidth: 0.5, max_threads: 2, rtprio_limit: 30}]",
    "p");
  ASSERT_TRUE(policy.ok());
  test::FakeTable table;
  for (const pid_t tid : {kPid, kPid + 1, kPid + 2}) {
    table.all[{kPid, tid}] = {5, 1000};
  }
  test::FakeKernel kernel;
  RequestHandler handler(*policy, table, kernel);
  Peer peer;
  peer.pid = kPid;
  peer.uid = 1000;
  peer.start_time = 5;
  std::mt19937 random(test::seed());
  std::uint64_t answered = 0;
  std::uint64_t granted = 0;
  takt_control::FrameDecoder decoder;
  for (std::uint64_t round = 0; round < test::rounds(50'000); ++round) {
    std::string bytes = valid_frame(random);
    if (round % 2 == 1) {
      spoil(bytes, random);
    }
    for (std::string_view rest = bytes; !rest.empty();) {
      rest.remove_prefix(decoder.feed(rest));
      while (const auto frame = decoder.next()) {
        takt_control::FrameDecoder answers;
        const std::string answer = handler.handle(peer, *frame);
        ASSERT_EQ(answers.feed(answer), answer.size());
        const auto read = answers.next();
        ASSERT_TRUE(read && takt_control::read_answer(read->payload));
        ++answered;
      }
    }
    ASSERT_LE(decoder.held(), 2 * (takt_control::kMostPayload + takt_control::kHeaderBytes));
    if (decoder.broken() || decoder.half_open()) {
      decoder = takt_control::FrameDecoder();  // the daemon closes the connection
    }
    for (const auto & [tid, asked] : kernel.asked) {
      ASSERT_TRUE(tid >= kPid && tid <= kPid + 2) << "TAKT_TEST_SEED=" << test::seed();
      ASSERT_NE(asked.policy, Policy::rr);
      ASSERT_LE(asked.priority, 40);
      ASSERT_GE(asked.nice.value_or(0), -3);
      ASSERT_TRUE(asked.cores.empty() || asked.cores == std::vector<int>{0});
    }
    granted += kernel.asked.size();
    kernel.asked.clear();
    double bandwidth = 0.0;
    int threads = 0;
    for (const auto & [tid, now] : kernel.threads) {
      bandwidth += bandwidth_of(now);
      threads += counts(now) ? 1 : 0;
    }
    ASSERT_LE(bandwidth, 0.5 + 1e-6);
    ASSERT_LE(threads, 2);
    for (const auto & [pid, limit] : kernel.limits) {
      ASSERT_TRUE(pid == kPid && limit <= 30);
    }
  }
  EXPECT_GT(answered, test::rounds(50'000) / 2);
  EXPECT_GT(granted, test::rounds(50'000) / 50);
}

}  // namespace
}  // namespace takt_configurator
