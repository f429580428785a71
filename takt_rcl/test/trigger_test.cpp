// Subscriptions that do not trigger, and conditions of groups, with a real middleware.
#include <sys/mman.h>
#include <sys/resource.h>

#include <array>
#include <atomic>
#include <csignal>
#include <memory>
#include <new>
#include <std_msgs/msg/u_int64.hpp>
#include <string>
#include <thread>
#include <vector>

#include "ros_test.hpp"
#include "takt_channel/channel.hpp"
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

// Two publishers, each with a full queue, in shared memory.
class ChannelTriggers : public Triggers
{
protected:
  static constexpr std::size_t kDepth = 4;

  void SetUp() override
  {
    if (!takt_channel::available()) {
      GTEST_SKIP() << "this build of takt has no channels";
    }
    Triggers::SetUp();
  }
  std::shared_ptr<Publisher<Number>> publisher(Node & node) const
  {
    PublisherOptions options;
    options.transport = Transport::shared_memory;
    return node.create_publisher<Number>("/stored", kDepth, options);
  }
  static SubscriptionOptions subscribed()
  {
    SubscriptionOptions options;
    options.transport = Transport::shared_memory;
    return options;
  }
};

TEST_F(ChannelTriggers, ATakerGetsAllMessagesThatWaitAlsoAfterABurst)
{
  auto e = executor_with("    callbacks:\n      - {match: \"/n:sub(/stored)\", trigger: false}\n");
  auto n = node("n");
  auto peer = node("peer");
  std::size_t stored_messages = 0;
  std::vector<std::size_t> before;
  auto stored = n->create_subscription<Number>(
    "/stored", kDepth, [&](const Number &) { ++stored_messages; }, subscribed());
  auto trigger = n->create_subscription<Number>(
    "/trigger", 10, [&](const Number &) { before.push_back(stored_messages); });
  e.add_node(n);
  const std::array to_stored{publisher(*peer), publisher(*peer)};
  auto to_trigger = peer->create_publisher<Number>("/trigger", 10);
  ASSERT_TRUE(to_trigger->wait_for_matched(1, kPatience));
  const auto round = [&](std::size_t messages) {
    for (const auto & one : to_stored) {
      for (std::size_t i = 0; i < messages; ++i) {
        publish(*one, i);
      }
    }
    const std::size_t runs = before.size() + 1;
    publish(*to_trigger, 0);
    return spin_until(e, [&] { return before.size() == runs; });
  };
  ASSERT_TRUE(round(kDepth));
  EXPECT_EQ(before.back(), 2 * kDepth);
  ASSERT_TRUE(round(2 * kDepth));  // half of them are lost
  EXPECT_EQ(before.back(), 4 * kDepth);
  ASSERT_TRUE(round(3));
  EXPECT_EQ(before.back(), 4 * kDepth + 6);
  e.remove_node(n);
  publish(*to_stored[0], 1);
  publish(*to_stored[1], 2);
  e.add_node(n);
  ASSERT_TRUE(round(1));
  EXPECT_EQ(before.back(), 4 * kDepth + 10) << "messages that came meanwhile wait, too";
}

TEST_F(ChannelTriggers, TheBacklogIsThatOfTheQueuesAgainAfterABurst)
{
  auto e = executor();
  auto n = node("n");
  auto peer = node("peer");
  std::size_t seen = 0;
  auto stored = n->create_subscription<Number>(
    "/stored", kDepth, [&](const Number &) { ++seen; }, subscribed());
  e.add_node(n);
  const std::array to_stored{publisher(*peer), publisher(*peer)};
  for (const auto & one : to_stored) {
    for (std::size_t i = 0; i < 2 * kDepth; ++i) {
      publish(*one, i);
    }
  }
  ASSERT_TRUE(spin_until(e, [&] { return seen == 2 * kDepth; }));
  for (int i = 0; i < 3; ++i) {
    publish(*to_stored[0], i);
  }
  ASSERT_TRUE(spin_until(e, [&] { return seen == 2 * kDepth + 1; }));
  EXPECT_EQ(stored->callback()->backlog(), 2U);
  ASSERT_TRUE(spin_until(e, [&] { return seen == 2 * kDepth + 3; }));
  EXPECT_EQ(stored->callback()->message_counts().waiting, 0U);
}

TEST_F(ChannelTriggers, AMessageIsAsOldAsItsPublishNotAsTheLookForIt)
{
  auto e = executor_with(
    "    groups:\n      - {match: \"/n:group(**)\", when: {fresh: 10ms}}\n"
    "      - {match: \"/m:group(**)\", when: {fresh: 1000s}}\n");
  auto n = node("n");
  auto m = node("m");
  auto peer = node("peer");
  int fresh = 0;
  int patient = 0;
  auto in_n = n->create_subscription<Number>(
    "/stored", kDepth, [&](const Number &) { ++fresh; }, subscribed());
  auto in_m = m->create_subscription<Number>(
    "/stored", kDepth, [&](const Number &) { ++patient; }, subscribed());
  e.add_node(n);
  e.add_node(m);
  e.spin_some();
  auto to_stored = publisher(*peer);
  publish(*to_stored, 1);
  const auto old = takt_rt::now() + 10ms;
  ASSERT_TRUE(wait_until([&] { return takt_rt::now() > old; }));
  ASSERT_TRUE(spin_until(e, [&] { return patient == 1; }));
  EXPECT_EQ(fresh, 0);
}

// The queues have two messages and takt announces one; it announces the other after the first one's
// run.
TEST_F(ChannelTriggers, AMessageThatWaitsForARunOfAnotherBecomesNoYounger)
{
  auto e = executor_with("    groups:\n      - {match: \"/n:group(**)\", when: {fresh: 200ms}}\n");
  auto n = node("n");
  auto peer = node("peer");
  takt_rt::Time published{};
  int runs = 0;
  auto in_n = n->create_subscription<Number>(
    "/stored", 1,
    [&](const Number &) {
      ++runs;
      EXPECT_TRUE(wait_until([&] { return takt_rt::now() > published + 200ms; }));
    },
    subscribed());
  e.add_node(n);
  e.spin_some();
  const std::array to_stored{publisher(*peer), publisher(*peer)};
  // Again if this machine was too busy to look in time.
  ASSERT_TRUE(spin_until(e, [&] {
    if (runs == 0 && takt_rt::now() > published + 200ms) {
      publish(*to_stored[0], 1);
      publish(*to_stored[1], 2);
      published = takt_rt::now();
    }
    return runs > 0;
  }));
  for (int i = 0; i < 3; ++i) {
    e.spin_some();
  }
  EXPECT_EQ(runs, 1);
}

// A copy into this page stops until an executor's callback has run, or until patience ends.
std::atomic<bool> copying{false};
std::atomic<bool> ran{false};
void * page = nullptr;

void hold_copy(int)
{
  copying = true;
  const auto until = takt_rt::now() + kPatience + 10s;
  while (!ran && takt_rt::now() < until) {
  }
  ::mprotect(page, sizeof(Number), PROT_READ | PROT_WRITE);
}

TEST_F(ChannelTriggers, NoOtherCallbackWaitsForTheCopyOfAMessage)
{
  page = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(page, MAP_FAILED);
  auto * const number = new (page) Number;
  struct sigaction handler = {};
  struct sigaction former = {};
  handler.sa_handler = &hold_copy;
  ASSERT_EQ(::sigaction(SIGSEGV, &handler, &former), 0);
  auto e = executor_with("    callbacks:\n      - {match: \"/n:sub(/stored)\", trigger: false}\n");
  auto n = node("n");
  auto peer = node("peer");
  SubscriptionOptions options = subscribed();
  options.callback_group = n->create_callback_group(CallbackGroupType::MutuallyExclusive);
  auto stored = n->create_subscription<Number>(
    "/stored", kDepth, [](const Number &) {}, options);
  auto to_stored = publisher(*peer);
  std::atomic<bool> published{false};
  auto timer = n->create_wall_timer(1ms, [&] { ran = ran || published; });
  e.add_node(n);
  publish(*to_stored, 7);
  bool took = false;
  ASSERT_EQ(::mprotect(page, sizeof(Number), PROT_NONE), 0);
  {
    const Spinning spinning(e);
    std::thread taker([&] {
      MessageInfo info;
      took = stored->take(*number, info);
    });
    EXPECT_TRUE(wait_until([&] { return copying.load(); }));
    publish(*to_stored, 8);  // the executor looks at the subscription before its next callback
    published = true;
    EXPECT_TRUE(wait_until([&] { return ran.load(); })) << "it waited for the copy";
    ran = true;
    taker.join();
  }
  ::sigaction(SIGSEGV, &former, nullptr);
  EXPECT_TRUE(took);
  EXPECT_EQ(number->data, 7U);
  ::munmap(page, 4096);
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
