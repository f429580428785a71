// Which take is joined to which publish.
#include "takt_trace/message_flow.hpp"

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
using Joined = std::vector<MessageFlow>;

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

TEST(MessageFlow, AnyRecordsAreSafe)
{
  std::mt19937 random(test::seed());
  test::AnyTraces traces(random, true);
  std::uint64_t joined = 0;
  for (std::uint64_t round = 0; round < test::rounds(3000); ++round) {
    const auto processes = traces.next();
    for (const MessageFlow & flow : message_flows(processes).joined) {
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
