// The publish that each take is joined with.
#include "flow/message_flow.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "support/random_traces.hpp"
#include "support/traces.hpp"

namespace takt_trace
{

bool operator==(const MessageFlow & a, const MessageFlow & b)
{
  return a.publish == b.publish && a.take == b.take;
}

namespace
{

using test::process_of;
using test::publish;
using test::take;
using Joined = LongVector<MessageFlow>;

constexpr std::uint32_t kFilter = 1, kBrake = 2, kNamed = 3;  // callbacks
constexpr std::uint32_t kPoints = 0, kObstacles = 1;          // topics

TEST(MessageFlow, PublisherAndSequenceNumberJoinAcrossThreadsAndProcesses)
{
  const auto one = process_of(
    {{publish(1, kPoints, {7, 1}), publish(2, kPoints, {7, 2})}, {take(5, kFilter, {7, 2})}});
  const auto other = process_of({{take(9, kFilter, {7, 1})}});
  const MessageFlows flows = message_flows({one, other});
  EXPECT_EQ(flows.joined, (Joined{{{0, 0, 1}, {0, 1, 0}}, {{0, 0, 0}, {1, 0, 0}}}));
  EXPECT_EQ(flows.takes, 2U);
  EXPECT_EQ(flows.publishes, 2U);
}

TEST(MessageFlow, OnePublishMayBeTakenBySeveral)
{
  const auto trace = process_of(
    {{publish(1, kPoints, {7, 1})}, {take(5, kFilter, {7, 1}), take(6, kNamed, {7, 1})}});
  EXPECT_EQ(
    message_flows({trace}).joined, (Joined{{{0, 0, 0}, {0, 1, 0}}, {{0, 0, 0}, {0, 1, 1}}}));
}

TEST(MessageFlow, PublishesAndTakesWithoutEachOtherStayAlone)
{
  const auto trace = process_of(
    {{publish(1, kPoints, {7, 1}), publish(2, kPoints, {}), take(5, kFilter, {7, 9}),
      take(6, kFilter, {8, 1}), take(7, kFilter, {})}});
  const MessageFlows flows = message_flows({trace});
  EXPECT_EQ(flows.joined, Joined{});
  EXPECT_EQ(flows.takes, 3U);
  EXPECT_EQ(flows.publishes, 2U);
}

TEST(MessageFlow, UnknownPublishersAndNumbersAreNotTheSame)
{
  const auto trace = process_of(
    {{publish(1, kPoints, {0, 1}), publish(1, kPoints, {7, 0}), take(5, kFilter, {0, 1}),
      take(6, kFilter, {7, 0})}});
  EXPECT_EQ(message_flows({trace}).joined, Joined{});
}

TEST(MessageFlow, TopicAndSourceTimeJoinWhatHasNoNumber)
{
  const auto trace = process_of(
    {{publish(1, kPoints, {7, 1, 500}), publish(2, kObstacles, {8, 1, 500})},
     {take(5, kBrake, {0, 0, 500}), take(6, kFilter, {7, 0, 500})}});
  EXPECT_EQ(
    message_flows({trace}).joined, (Joined{{{0, 0, 1}, {0, 1, 0}}, {{0, 0, 0}, {0, 1, 1}}}));
}

TEST(MessageFlow, TheSourceTimeOfAnotherTopicDoesNotJoin)
{
  const auto trace = process_of({{publish(1, kPoints, {0, 0, 500}), take(5, kBrake, {0, 0, 500})}});
  EXPECT_EQ(message_flows({trace}).joined, Joined{});
}

TEST(MessageFlow, TopicsJoinByNameNotByTheirNumberInAProcess)
{
  auto other = process_of({{publish(1, kPoints, {0, 0, 500})}});
  other.topics = {"/obstacles", "/points"};
  const auto taker = process_of({{take(5, kBrake, {0, 0, 500}), take(6, kFilter, {0, 0, 500})}});
  EXPECT_EQ(message_flows({other, taker}).joined, (Joined{{{0, 0, 0}, {1, 0, 0}}}));
}

TEST(MessageFlow, ACallbackWithAGivenNameIsJoinedBySourceTimeIfThatIsOfOnePublishOnly)
{
  const auto alone = process_of({{publish(1, kPoints, {0, 0, 500}), take(5, kNamed, {0, 0, 500})}});
  EXPECT_EQ(message_flows({alone}).joined, (Joined{{{0, 0, 0}, {0, 0, 1}}}));
  const auto several = process_of(
    {{publish(1, kPoints, {0, 0, 500}), publish(1, kObstacles, {0, 0, 500}),
      take(5, kNamed, {0, 0, 500})}});
  EXPECT_EQ(message_flows({several}).joined, Joined{});
}

TEST(MessageFlow, ASourceTimeDoesNotJoinWhatOtherwiseDiffers)
{
  const auto trace = process_of(
    {{publish(1, kPoints, {7, 1, 500}), take(5, kFilter, {8, 1, 500}),
      take(6, kFilter, {7, 2, 500}), take(7, kFilter, {0, 2, 500})}});
  EXPECT_EQ(message_flows({trace}).joined, Joined{});
}

/// One process publishes and another one takes; both record from 1 s to 2 s. `sent`: publish times
/// in ms after the first process began to record. Each message is taken 1 ms later. The trace lacks
/// records from outside of each process's recording.
std::vector<ProcessTrace> publisher_and_taker(
  const std::vector<std::int64_t> & sent, std::int64_t publisher_ends = 2000,
  std::int64_t taker_ends = 2000)
{
  constexpr std::int64_t kMs = 1'000'000, kRealtime = 1'700'000'000'000'000'000;
  std::vector<Record> publishes, takes;
  std::int64_t sequence = 0;
  for (const std::int64_t time : sent) {
    const std::int64_t at = (1000 + time) * kMs;
    const test::Message message{7, ++sequence, at + kRealtime};
    if (time >= 0 && 1000 + time < publisher_ends) {
      publishes.push_back(publish(at, kPoints, {7, sequence}));
    }
    takes.push_back(take(at + kMs, kFilter, message));
  }
  std::vector<ProcessTrace> both{process_of({publishes}), process_of({takes})};
  for (ProcessTrace & process : both) {
    process.began = 1000 * kMs;
    process.to_realtime = kRealtime;
  }
  both[0].ended = publisher_ends * kMs;
  both[1].ended = taker_ends * kMs;
  return both;
}

TEST(MessageFlow, AMessageThatWasSentWhileAllRecordedIsJoinable)
{
  const auto processes = publisher_and_taker({100, 200, 300, 400});
  const Joinable told = joinable(processes, message_flows(processes));
  EXPECT_EQ(told.takes, 4U);
  EXPECT_EQ(told.joined, 4U);
  auto lossy = processes;
  lossy[0].threads[0].records.pop_back();
  const Joinable lost = joinable(lossy, message_flows(lossy));
  EXPECT_EQ(lost.takes, 4U);
  EXPECT_EQ(lost.joined, 3U);
}

TEST(MessageFlow, AMessageThatWasSentBeforeAllRecordedIsNotJoinable)
{
  const auto processes = publisher_and_taker({-5, 20, 100});
  const Joinable told = joinable(processes, message_flows(processes));
  EXPECT_EQ(told.takes, 1U);
  EXPECT_EQ(told.joined, 1U);
}

TEST(MessageFlow, AMessageThatWasSentAfterAProcessHadEndedItsRecordingIsNotJoinable)
{
  const auto processes = publisher_and_taker({100, 480, 600, 700, 900}, 1500);
  const Joinable told = joinable(processes, message_flows(processes));
  EXPECT_EQ(told.takes, 1U) << "the one of 480 ms may have been under way";
  EXPECT_EQ(told.joined, 1U);
  // The end of a process without an end record is unknown.
  const auto running = publisher_and_taker({100, 480, 900}, 2000, 0);
  EXPECT_EQ(joinable(running, message_flows(running)).takes, 3U);
}

TEST(MessageFlow, AMessageOfAPublisherThatNoTraceHasIsNotJoinable)
{
  auto processes = publisher_and_taker({100, 200});
  processes.erase(processes.begin());
  EXPECT_EQ(joinable(processes, message_flows(processes)).takes, 0U);
}

TEST(MessageFlow, AnyRecordsAreSafe)
{
  std::mt19937 random(test::seed());
  test::AnyTraces traces(random, true);
  std::uint64_t joined = 0;
  for (std::uint64_t round = 0; round < test::rounds(3000); ++round) {
    const auto processes = traces.next();
    const MessageFlows flows = message_flows(processes);
    const Joinable told = joinable(processes, flows);
    ASSERT_LE(told.joined, told.takes);
    for (const MessageFlow & flow : flows.joined) {
      const auto at = [&](const RecordPlace & place) {
        return processes.at(place.process).threads.at(place.thread).records.at(place.record);
      };
      ASSERT_EQ(at(flow.publish).kind, RecordKind::publish);
      ASSERT_EQ(at(flow.take).kind, RecordKind::take);
      ++joined;
    }
  }
  EXPECT_GT(joined, test::rounds(1000)) << "TAKT_TEST_SEED=" << test::seed();
}

}  // namespace
}  // namespace takt_trace
