// Messages survive their way through JSON; anything else is one fault.
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "takt_control/configurator_messages.hpp"
#include "takt_control/frame.hpp"

namespace takt_control
{
namespace
{

using namespace std::chrono_literals;
using takt_rt::MissingRight;
using takt_rt::Policy;
using takt_rt::Refusal;
using takt_rt::RefusedAttribute;

TEST(Messages, RequestsComeOutAsTheyWentIn)
{
  AttributeRequest request{0xffff'ffff'ffff'ffffU, 77, {}};
  request.attributes.policy = Policy::deadline;
  request.attributes.runtime = 1ms;
  request.attributes.deadline = 5ms;
  request.attributes.period = std::chrono::hours(24 * 365);
  request.attributes.cores = {3, 0, 1};
  const auto read = read_attribute_request(to_payload(request));
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->id, request.id);
  EXPECT_EQ(read->tid, 77);
  EXPECT_EQ(read->attributes, request.attributes);
  request.attributes = {.policy = Policy::batch, .nice = -7};
  EXPECT_EQ(read_attribute_request(to_payload(request))->attributes, request.attributes);
  EXPECT_EQ(read_limit_request(to_payload(LimitRequest{4, 60}))->priority, 60);
}

TEST(Messages, AnswersCarryRefusalsAsValues)
{
  Answer answer;
  answer.id = 3;
  for (int right = 0; right <= static_cast<int>(MissingRight::no_configurator); ++right) {
    Refusal refusal;
    refusal.attribute = static_cast<RefusedAttribute>(right % 4);
    refusal.error = right;
    refusal.right = static_cast<MissingRight>(right);
    refusal.asked = {.policy = Policy::fifo, .priority = 99};
    refusal.granted = {.policy = Policy::other, .nice = 1, .cores = {0}};
    refusal.limit = -1;
    refusal.online = "0-3";
    refusal.detail = "policy.yaml:3 allows priorities up to 50";
    answer.refusals.push_back(refusal);
  }
  const auto read = read_answer(to_payload(answer));
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->refusals, answer.refusals);
  answer.refusals.clear();
  answer.error = "no \xff UTF-8";
  EXPECT_FALSE(read_answer(to_payload(answer))->error.empty());
}

TEST(Messages, AnAnswerAlwaysFitsIntoAFrame)
{
  Answer answer;
  answer.id = 5;
  answer.error = std::string(kMostPayload, 'x');
  const std::string payload = to_payload(answer);
  EXPECT_LE(payload.size(), kMostPayload);
  EXPECT_EQ(read_answer(payload)->id, 5U);
}

TEST(Messages, FieldsOfLaterVersionsAreIgnored)
{
  EXPECT_TRUE(read_limit_request(R"({"id": 1, "priority": 2, "later": {"a": [1]}})").ok());
  EXPECT_EQ(
    read_answer(
      R"({"id":1,"refusals":[{"attribute":"later","right":"later","asked":{"policy":"fifo"},)"
      R"("granted":{"policy":"inherit"}}]})")
      ->refusals.at(0)
      .right,
    MissingRight::unknown);
}

TEST(Messages, EverythingElseIsOneFault)
{
  for (
    const char * text :
    {"", "null", "[]", "{", "{\"id\": 1}",
     R"({"id": -1, "tid": 2, "attributes": {"policy": "fifo"}})",
     R"({"id": 1, "tid": 4294967297, "attributes": {"policy": "fifo"}})",
     R"({"id": 1, "tid": 1.5, "attributes": {"policy": "fifo"}})",
     R"({"id": 1, "tid": "2", "attributes": {"policy": "fifo"}})",
     R"({"id": 1, "tid": 2, "attributes": {"policy": "sporadic"}})",
     R"({"id": 1, "tid": 2, "attributes": {"policy": 4}})",
     R"({"id": 1, "tid": 2, "attributes": []})", R"({"id": 1, "tid": 2, "attributes": {}})",
     R"({"id": 1, "tid": 2, "attributes": {"policy": "fifo", "cores": 1}})",
     R"({"id": 1, "tid": 2, "attributes": {"policy": "fifo", "cores": [1e99]}})",
     R"({"id": 1, "tid": 2, "attributes": {"policy": "fifo", "priority": 99999999999}})",
     R"({"id": 1, "tid": 2, "attributes": {"policy": "fifo", "runtime": 18446744073709551615}})"}) {
    const auto read = read_attribute_request(text);
    EXPECT_FALSE(read.ok()) << text;
    EXPECT_EQ(read.faults().size(), 1U) << text;
  }
  EXPECT_FALSE(read_attribute_request(std::string(60'000, '[')).ok());
  EXPECT_FALSE(read_answer(R"({"id": 1, "refusals": 3})").ok());
  EXPECT_FALSE(read_answer(R"({"id": 1, "refusals": [3]})").ok());
}

}  // namespace
}  // namespace takt_control
