// Subscriptions that do not trigger, and conditions of groups, with a real middleware.
#include <sys/resource.h>

#include <atomic>
#include <std_msgs/msg/u_int64.hpp>
#include <string>
#include <vector>

#include "ros_test.hpp"
#include "takt_schedule/parse.hpp"

namespace takt_rcl::test
{

using Number = std_msgs::msg::UInt64;

class Triggers : public RosTest
{
protected:
  Executor executor_with(const std::string & rules)
  {
    auto schedule = takt_schedule::parse_schedule(
      "version: 1\nexecutors:\n  main:\n    threads: {t: {}}\n    default: t\n" + rules,
      "schedule.yaml");
    for (const std::string & fault : sentences(schedule.faults())) {
      ADD_FAILURE() << fault;
    }
    return Executor::from_schedule(context, schedule.value(), "main");
  }
  static void publish(Publisher<Number> & publisher, std::uint64_t value)
  {
    Number number;
    number.data = value;
    EXPECT_NE(publisher.publish(number), 0U);
  }
};

TEST_F(Triggers, MessagesOfANonTriggeringSubscriptionWaitInTheMiddlewareForTheirTaker)
{
  auto e = executor_with("    callbacks:\n      - {match: \"/n:sub(/stored)\", trigger: false}\n");
  auto n = node("n");
  auto peer = node("peer");
  std::vector<std::string> seen;
  auto stored = n->create_subscription<Number>(
    "/stored", 10, [&](const Number & m) { seen.push_back("stored " + std::to_string(m.data)); });
  auto trigger = n->create_subscription<Number>(
    "/trigger", 10, [&](const Number & m) { seen.push_back("trigger " + std::to_string(m.data)); });
  e.add_node(n);
  auto to_stored = peer->create_publisher<Number>("/stored", 10);
  auto to_trigger = peer->create_publisher<Number>("/trigger", 10);
  ASSERT_TRUE(to_stored->wait_for_matched(1, kPatience));
  ASSERT_TRUE(to_trigger->wait_for_matched(1, kPatience));
  publish(*to_stored, 1);
  publish(*to_stored, 2);
  ASSERT_TRUE(wait_until([&] { return stored->callback()->backlog() == 2; }));
  e.spin_some();
  EXPECT_TRUE(seen.empty());
  EXPECT_EQ(stored->taken_messages(), 0U);
  publish(*to_trigger, 3);
  ASSERT_TRUE(spin_until(e, [&] { return seen.size() == 3; }));
  EXPECT_EQ(seen, (std::vector<std::string>{"stored 1", "stored 2", "trigger 3"}));
}

TEST_F(Triggers, KeepLatestLeavesOutOlderMessagesAndLosesNone)
{
  auto e = executor_with(
    "    callbacks:\n      - {match: \"/n:sub(/stored)\", trigger: false, keep: latest}\n");
  auto n = node("n");
  auto peer = node("peer");
  std::vector<std::uint64_t> stored_values;
  bool triggered = false;
  auto stored = n->create_subscription<Number>(
    "/stored", 10, [&](const Number & m) { stored_values.push_back(m.data); });
  auto trigger =
    n->create_subscription<Number>("/trigger", 10, [&](const Number &) { triggered = true; });
  e.add_node(n);
  auto to_stored = peer->create_publisher<Number>("/stored", 10);
  auto to_trigger = peer->create_publisher<Number>("/trigger", 10);
  ASSERT_TRUE(to_stored->wait_for_matched(1, kPatience));
  ASSERT_TRUE(to_trigger->wait_for_matched(1, kPatience));
  for (std::uint64_t i = 1; i <= 5; ++i) {
    publish(*to_stored, i);
  }
  ASSERT_TRUE(wait_until([&] { return stored->callback()->backlog() == 5; }));
  publish(*to_trigger, 0);
  ASSERT_TRUE(spin_until(e, [&] { return triggered; }));
  EXPECT_EQ(stored_values, std::vector<std::uint64_t>{5});
  EXPECT_EQ(stored->callback()->left_out(), 4U);
  EXPECT_EQ(stored->taken_messages(), 5U);
  EXPECT_EQ(stored->lost_messages(), 0U);
  EXPECT_EQ(stored->allocated_messages(), 0U);
}

TEST_F(Triggers, MessagesByPointerWaitForTheirTakerToo)
{
  auto e = executor_with(
    "    callbacks:\n      - {match: \"/n:sub(/stored)\", trigger: false, keep: latest}\n");
  NodeOptions within = options();
  within.use_intra_process_comms(true);
  auto n = std::make_shared<Node>("n", within);
  std::vector<std::uint64_t> stored_values;
  bool triggered = false;
  auto stored = n->create_subscription<Number>(
    "/stored", 10, [&](const Number & m) { stored_values.push_back(m.data); });
  auto trigger =
    n->create_subscription<Number>("/trigger", 10, [&](const Number &) { triggered = true; });
  auto to_stored = n->create_publisher<Number>("/stored", 10);
  auto to_trigger = n->create_publisher<Number>("/trigger", 10);
  e.add_node(n);
  ASSERT_TRUE(to_stored->wait_for_matched(1, kPatience));
  ASSERT_TRUE(to_trigger->wait_for_matched(1, kPatience));
  for (std::uint64_t i = 1; i <= 5; ++i) {
    publish(*to_stored, i);
  }
  ASSERT_TRUE(wait_until([&] { return stored->callback()->backlog() == 5; }));
  publish(*to_trigger, 0);
  ASSERT_TRUE(spin_until(e, [&] { return triggered; }));
  EXPECT_EQ(stored_values, std::vector<std::uint64_t>{5});
  EXPECT_EQ(stored->callback()->left_out(), 4U);
  EXPECT_EQ(stored->lost_messages(), 0U);
}

// A thread that sleeps is not woken by them.
TEST_F(Triggers, AThousandMessagesWakeNoThread)
{
  auto e = executor_with("    callbacks:\n      - {match: \"/n:sub(/stored)\", trigger: false}\n");
  auto n = node("n");
  auto peer = node("peer");
  auto stored = n->create_subscription<Number>("/stored", 1000, [](const Number &) {});
  std::atomic<bool> asked{false};
  std::atomic<long> switches{-1};
  auto trigger = n->create_subscription<Number>("/trigger", 10, [&](const Number &) {
    rusage usage{};
    ::getrusage(RUSAGE_THREAD, &usage);
    switches = usage.ru_nvcsw;
    asked = true;
  });
  e.add_node(n);
  auto to_stored = peer->create_publisher<Number>("/stored", 1000);
  auto to_trigger = peer->create_publisher<Number>("/trigger", 10);
  ASSERT_TRUE(to_stored->wait_for_matched(1, kPatience));
  ASSERT_TRUE(to_trigger->wait_for_matched(1, kPatience));
  Spinning spinning(e);
  publish(*to_trigger, 0);
  ASSERT_TRUE(wait_until([&] { return asked.exchange(false); }));
  const long before = switches;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    publish(*to_stored, i);
  }
  ASSERT_TRUE(wait_until([&] { return stored->callback()->arrivals() >= 1000; }));
  publish(*to_trigger, 1);
  ASSERT_TRUE(wait_until([&] { return asked.load(); }));
  // The thread went to sleep once, and the middleware's locks may make it wait in the takes of the
  // trigger.
  EXPECT_LT(switches - before, 50);
  ASSERT_TRUE(wait_until([&] { return stored->taken_messages() == 1000; }));
  EXPECT_EQ(stored->lost_messages(), 0U);
}

TEST_F(Triggers, AHistoryThatKeepsAllIsRefused)
{
  auto e = executor_with("    callbacks:\n      - {match: \"/n:sub(/stored)\", trigger: false}\n");
  auto n = node("n");
  auto stored = n->create_subscription<Number>("/stored", QoS(KeepAll{}), [](const Number &) {});
  try {
    e.add_node(n);
    FAIL() << "nothing was thrown";
  } catch (const Error & error) {
    EXPECT_NE(std::string(error.what()).find("KEEP_ALL"), std::string::npos) << error.what();
  }
}

TEST_F(Triggers, AGroupWaitsForAllItsInputs)
{
  auto e = executor_with("    groups:\n      - {match: \"/n:group(**)\", when: all}\n");
  auto n = node("n");
  auto peer = node("peer");
  std::vector<std::string> seen;
  auto a = n->create_subscription<Number>(
    "/a", 10, [&](const Number & m) { seen.push_back("a " + std::to_string(m.data)); });
  auto b = n->create_subscription<Number>(
    "/b", 10, [&](const Number & m) { seen.push_back("b " + std::to_string(m.data)); });
  e.add_node(n);
  auto to_a = peer->create_publisher<Number>("/a", 10);
  auto to_b = peer->create_publisher<Number>("/b", 10);
  ASSERT_TRUE(to_a->wait_for_matched(1, kPatience));
  ASSERT_TRUE(to_b->wait_for_matched(1, kPatience));
  publish(*to_a, 1);
  ASSERT_TRUE(wait_until([&] { return a->callback()->backlog() == 1; }));
  e.spin_some();
  EXPECT_TRUE(seen.empty());
  publish(*to_b, 2);
  ASSERT_TRUE(spin_until(e, [&] { return seen.size() == 2; }));
  EXPECT_EQ(seen, (std::vector<std::string>{"a 1", "b 2"}));
}

// The node joins with messages that wait: its first subscription alone is not all inputs.
TEST_F(Triggers, AConditionSeesMessagesThatCameBeforeTheNodeJoined)
{
  auto n = node("n");
  auto peer = node("peer");
  std::vector<std::string> seen;
  auto a = n->create_subscription<Number>(
    "/a", 10, [&](const Number & m) { seen.push_back("a " + std::to_string(m.data)); });
  auto b = n->create_subscription<Number>(
    "/b", 10, [&](const Number & m) { seen.push_back("b " + std::to_string(m.data)); });
  auto to_a = peer->create_publisher<Number>("/a", 10);
  auto to_b = peer->create_publisher<Number>("/b", 10);
  ASSERT_TRUE(to_a->wait_for_matched(1, kPatience));
  ASSERT_TRUE(to_b->wait_for_matched(1, kPatience));
  publish(*to_a, 1);
  {
    auto e = executor_with("    groups:\n      - {match: \"/n:group(**)\", when: all}\n");
    e.add_node(n);
    ASSERT_TRUE(wait_until([&] { return a->callback()->backlog() == 1; }));
    e.spin_some();
    EXPECT_TRUE(seen.empty());
    e.remove_node(n);
  }
  publish(*to_b, 2);
  auto e = executor_with("    groups:\n      - {match: \"/n:group(**)\", when: all}\n");
  e.add_node(n);
  ASSERT_TRUE(spin_until(e, [&] { return seen.size() == 2; }));
  EXPECT_EQ(seen, (std::vector<std::string>{"a 1", "b 2"}));
}

}  // namespace takt_rcl::test
