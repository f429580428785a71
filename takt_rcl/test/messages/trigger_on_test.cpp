// trigger_on(a).with(b).when(condition): the program's own triggers, with a real middleware.
#include <atomic>
#include <map>
#include <sensor_msgs/msg/temperature.hpp>
#include <std_msgs/msg/u_int64.hpp>

#include "ros_test.hpp"
#include "takt_rcl/error.hpp"
#include "takt_schedule/apply_schedule.hpp"
#include "takt_schedule/parse.hpp"

namespace takt_rcl::test
{
namespace
{

using Number = std_msgs::msg::UInt64;
using Lines = std::vector<std::string>;

class TriggerOn : public RosTest
{
protected:
  void SetUp() override
  {
    RosTest::SetUp();
    n = node("n");
    peer = node("peer");
  }
  Subscription<Number>::SharedPtr subscribe(
    const std::string & name, CallbackGroup::SharedPtr group = nullptr)
  {
    SubscriptionOptions own;
    own.callback_group = std::move(group);
    auto subscription = n->create_subscription<Number>(
      name, 10,
      [this, name](const Number & m) { seen.push_back(name + " " + std::to_string(m.data)); }, own);
    auto publisher = peer->create_publisher<Number>(name, 10);
    EXPECT_TRUE(publisher->wait_for_matched(1, kPatience));
    EXPECT_TRUE(subscription->wait_for_matched(1, kPatience));
    publishers[name] = publisher;
    return subscription;
  }
  void publish(const std::string & name, std::uint64_t value)
  {
    Number number;
    number.data = value;
    EXPECT_NE(publishers[name]->publish(number), 0u);
  }
  // The message has come, and no callback has run for it.
  void expect_waiting(Executor & e, const Entity & subscription, std::uint32_t messages)
  {
    const std::size_t before = seen.size();
    ASSERT_TRUE(wait_until([&] { return subscription.backlog() == messages; }));
    e.spin_some();
    EXPECT_EQ(seen.size(), before);
    EXPECT_EQ(subscription.backlog(), messages);
  }
  void expect(Executor & e, const Lines & lines)
  {
    EXPECT_TRUE(spin_until(e, [&] { return seen.size() >= lines.size(); }));
    e.spin_some();
    EXPECT_EQ(seen, lines);
    seen.clear();
  }

  std::shared_ptr<Node> n;
  std::shared_ptr<Node> peer;
  std::map<std::string, Publisher<Number>::SharedPtr> publishers;
  Lines seen;
};

void fail_with(const std::string & words, const std::function<void()> & call)
{
  try {
    call();
    ADD_FAILURE() << "nothing was thrown instead of: " << words;
  } catch (const Error & error) {
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
  }
}

TEST_F(TriggerOn, MessagesOfTheOthersWaitForTheTriggeringCallback)
{
  auto camera = subscribe("camera");
  auto lidar = subscribe("lidar");
  auto radar = subscribe("radar");
  trigger_on(camera).with(lidar, radar);
  auto e = executor();
  e.add_node(n);
  publish("lidar", 1);
  expect_waiting(e, *lidar, 1);
  publish("radar", 2);
  expect_waiting(e, *radar, 1);
  publish("lidar", 3);
  expect_waiting(e, *lidar, 2);
  publish("camera", 4);
  expect(e, {"lidar 1", "radar 2", "lidar 3", "camera 4"});
}

TEST_F(TriggerOn, OnlyTheNamedCallbacksTakeAlsoOfAnotherGroup)
{
  auto a = subscribe("a");
  auto b = subscribe("b");
  auto stored = subscribe("stored", n->create_callback_group(CallbackGroupType::MutuallyExclusive));
  trigger_on(b).with(stored).keep(1);
  auto e = executor();
  e.add_node(n);
  publish("stored", 1);
  publish("stored", 2);
  expect_waiting(e, *stored, 2);
  publish("a", 3);
  expect(e, {"a 3"});
  publish("b", 4);
  expect(e, {"stored 2", "b 4"});
  EXPECT_EQ(stored->taken_messages(), 2u);
}

TEST_F(TriggerOn, ATimerTakesTheMessages)
{
  auto stored = subscribe("stored");
  auto timer = n->create_wall_timer(1ms, [&] { seen.push_back("timer"); });
  timer->cancel();
  trigger_on(timer).with(stored);
  auto e = executor();
  e.add_node(n);
  publish("stored", 1);
  expect_waiting(e, *stored, 1);
  timer->reset();
  ASSERT_TRUE(spin_until(e, [&] { return seen.size() >= 2; }));
  const std::ptrdiff_t timers = std::ranges::count(seen, "timer");
  EXPECT_EQ(static_cast<std::size_t>(timers) + 1, seen.size());
  EXPECT_EQ(std::ranges::count(seen, "stored 1"), 1);
}

TEST_F(TriggerOn, AllWaitsForAMessageOfEachSubscription)
{
  auto a = subscribe("a");
  auto b = subscribe("b");
  trigger_on(a, b).when(all());
  auto e = executor();
  e.add_node(n);
  publish("a", 1);
  expect_waiting(e, *a, 1);
  publish("b", 2);
  expect(e, {"a 1", "b 2"});
  publish("b", 3);
  expect_waiting(e, *b, 1);
  publish("a", 4);
  expect(e, {"b 3", "a 4"});
}

TEST_F(TriggerOn, CountIsOfSubscriptionsAndNotOfMessages)
{
  auto a = subscribe("a");
  auto b = subscribe("b");
  auto c = subscribe("c");
  trigger_on(a, b, c).when(count(2));
  auto e = executor();
  e.add_node(n);
  publish("a", 1);
  publish("a", 2);
  expect_waiting(e, *a, 2);
  publish("c", 3);
  expect(e, {"a 1", "a 2", "c 3"});
}

TEST_F(TriggerOn, FreshNeedsAMessageOfEachInputThatIsNotTooOld)
{
  auto a = subscribe("a");
  auto b = subscribe("b");
  trigger_on(a).with(b).when(fresh(1h));
  auto e = executor();
  e.add_node(n);
  publish("a", 1);
  // no message of `b` has come yet
  expect_waiting(e, *a, 1);
  publish("b", 2);
  expect_waiting(e, *b, 1);
  publish("a", 3);
  expect(e, {"b 2", "a 1", "a 3"});
  publish("a", 4);  // b's is fresh although it was taken
  expect(e, {"a 4"});
}

TEST_F(TriggerOn, APredicateOfTheProgramDecides)
{
  auto a = subscribe("a");
  auto b = subscribe("b");
  std::atomic<bool> open{false};
  trigger_on(a).with(b).when([&](const TriggerInputs & inputs) {
    EXPECT_EQ(inputs.all().size(), 2u);
    return open && inputs.waiting(*b) >= 2 && inputs.age(*b) < 1h && inputs.age(*a) < 1h;
  });
  auto e = executor();
  e.add_node(n);
  publish("b", 1);
  publish("b", 2);
  expect_waiting(e, *b, 2);
  publish("a", 3);
  expect_waiting(e, *a, 1);
  open = true;
  publish("a", 4);
  expect(e, {"b 1", "b 2", "a 3", "a 4"});
  publish("b", 5);
  expect_waiting(e, *b, 1);
  publish("a", 6);
  expect_waiting(e, *a, 1);
  publish("b", 7);
  expect_waiting(e, *b, 2);  // b does not trigger, so nobody looks
  publish("a", 8);
  expect(e, {"b 5", "b 7", "a 6", "a 8"});  // b 7 waited when the first run of a began
}

// Temperatures begin with a header. `SerializedMessage` stands for a callback that gets bytes.
TEST_F(TriggerOn, SpreadRunsSetsWhoseHeaderStampsLieClose)
{
  using Temperature = sensor_msgs::msg::Temperature;
  const auto note = [this](const std::string & name, double value) {
    seen.push_back(name + " " + std::to_string(static_cast<int>(value)));
  };
  auto fusion = std::make_shared<Node>("fusion", "", options().use_intra_process_comms(true));
  auto a = fusion->create_subscription<Temperature>(
    "a", 10, [&](const Temperature & m) { note("a", m.temperature); });
  auto b = fusion->create_subscription<Temperature>(
    "b", 10, [&](UniqueMessage<Temperature> m) { note("b", m->temperature); });
  auto c = fusion->create_subscription<Temperature>("c", 10, [&](const SerializedMessage & bytes) {
    Temperature m;
    Serialization<Temperature>().deserialize_message(&bytes, &m);
    note("c", m.temperature);
  });
  trigger_on(a, b, c).when(spread(20ms));
  std::map<std::string, Publisher<Temperature>::SharedPtr> send;
  for (const char * topic : {"a", "b", "c"}) {
    send[topic] = fusion->create_publisher<Temperature>(topic, 10);
    ASSERT_TRUE(send[topic]->wait_for_matched(1, kPatience));
  }
  auto e = executor();
  e.add_node(fusion);
  const auto publish_at = [&](const std::string & topic, int milliseconds) {
    Temperature m;
    m.header.stamp.sec = milliseconds / 1000;
    m.header.stamp.nanosec = static_cast<std::uint32_t>(milliseconds % 1000) * 1'000'000;
    m.header.frame_id = "sensor";
    m.temperature = milliseconds;
    EXPECT_NE(send[topic]->publish(m), 0u);
    // Its take, and that of the message before it.
    EXPECT_TRUE(
      spin_until(e, [&] { return a->backlog() + (b ? b->backlog() : 0) + c->backlog() == 0; }));
    e.spin_some();
  };
  for (const int begin : {990, 2990}) {  // the first messages come by the middleware, too
    publish_at("a", begin);
    publish_at("b", begin + 30);  // a's is too old
    publish_at("c", begin + 40);
    EXPECT_TRUE(seen.empty());
    publish_at("a", begin + 50);
    EXPECT_EQ(
      seen, (Lines{
              "b " + std::to_string(begin + 30), "c " + std::to_string(begin + 40),
              "a " + std::to_string(begin + 50)}));
    seen.clear();
  }
  publish_at("b", 4000);
  b.reset();  // frees the message that waits
  publish_at("a", 4000);
  publish_at("c", 4000);
  EXPECT_EQ(seen, (Lines{"a 4000", "c 4000"}));
}

TEST_F(TriggerOn, SpreadNeedsHeaders)
{
  auto a = subscribe("a");
  trigger_on(a).when(spread(20ms));
  auto e = executor();
  fail_with(
    "/n:sub(/a): its group /n:group(default) waits for messages whose stamps lie close together "
    "(spread), and its type has no std_msgs/msg/Header as first field",
    [&] { e.add_node(n); });
}

TEST_F(TriggerOn, HoldsUnderAScheduleWhoseOwnRuleHasPrecedence)
{
  auto a = subscribe("a");
  auto b = subscribe("b");
  trigger_on(a).with(b);
  const auto run = [&](const std::string & rules) {
    auto schedule = takt_schedule::parse_schedule(
      "version: 1\nexecutors:\n  main:\n    threads: {t: {}}\n    default: t\n    callbacks:\n"
      "      - {match: \"/n:sub(/a)\", threads: t}\n" +
        rules,
      "schedule.yaml");
    EXPECT_TRUE(schedule.faults().empty());
    return Executor::from_schedule(context, schedule.value(), "main");
  };
  {
    auto e = run("");
    e.add_node(n);
    publish("b", 1);
    publish("b", 2);
    expect_waiting(e, *b, 2);
    publish("a", 3);
    expect(e, {"b 1", "b 2", "a 3"});
    e.remove_node(n);
  }
  auto e = run("      - {match: \"/n:sub(/b)\", trigger: false, keep: latest}\n");
  e.add_node(n);
  publish("b", 1);
  publish("b", 2);
  expect_waiting(e, *b, 2);
  publish("a", 3);
  expect(e, {"b 2", "a 3"});
}

TEST_F(TriggerOn, ApplyLeavesTheProgramsTriggersUnlessTheScheduleHasARuleForThem)
{
  auto a = subscribe("a");
  auto b = subscribe("b");
  trigger_on(a).with(b).when(all());
  const auto schedule = [](const std::string & rules) {
    return takt_schedule::parse_schedule(
             "version: 1\nexecutors:\n  main:\n    order: priority\n    threads: {t: {}}\n"
             "    default: t\n" +
               rules,
             "schedule.yaml")
      .value();
  };
  auto e = Executor::from_schedule(context, schedule(""), "main");
  e.add_node(n);
  const auto told = [&](const std::string & rules) {
    std::map<std::string, std::string> result;
    for (const auto & part :
         takt_schedule::apply_schedule(schedule(rules), "main", e.core()).value()) {
      result[part.what] = to_string(part.outcome);
    }
    return result;
  };
  auto same = told("    callbacks: [{match: \"/n:sub(/a)\", priority: 5}]\n");
  EXPECT_EQ(same["callback /n:sub(/a)"], "applied");
  EXPECT_EQ(same["callback /n:sub(/b)"], "unchanged");
  EXPECT_EQ(same.count("when of /n:group(default)"), 0u);
  EXPECT_EQ(same.count("trigger of /n:sub(/b)"), 0u);
  auto other = told(
    "    callbacks: [{match: \"/n:sub(/b)\", trigger: false, keep: latest}]\n"
    "    groups: [{match: \"/n:group(default)\", when: {count: 2}}]\n");
  EXPECT_EQ(other["trigger of /n:sub(/b)"], "skipped");
  EXPECT_EQ(other["when of /n:group(default)"], "skipped");
  publish("b", 1);
  expect_waiting(e, *b, 1);
  publish("a", 2);
  expect(e, {"b 1", "a 2"});
}

TEST_F(TriggerOn, ARefusedWithChangesNothing)
{
  auto a = subscribe("a");
  auto b = subscribe("b");
  const Subscription<Number>::SharedPtr none;
  Trigger trigger = trigger_on(a);
  fail_with("null pointer", [&] { trigger.with(b, none); });
  trigger.keep(1);  // applies to all inputs
  auto e = executor();
  e.add_node(n);
  publish("b", 1);
  expect(e, {"b 1"});
}

TEST_F(TriggerOn, LogicalTimeOfTheScheduleRefusesAConditionOfTheProgram)
{
  auto a = subscribe("a");
  auto b = subscribe("b");
  trigger_on(a, b).when(all());
  const auto schedule = takt_schedule::parse_schedule(
    "version: 1\nexecutors:\n  main:\n    threads: {t: {}}\n    default: t\n    groups:\n"
    "      - {match: \"/n:group(default)\", let: true}\n",
    "schedule.yaml");
  ASSERT_TRUE(schedule.faults().empty());
  auto e = Executor::from_schedule(context, schedule.value(), "main");
  fail_with("omit let in the schedule, or when in the program", [&] { e.add_node(n); });
}

TEST_F(TriggerOn, WhatCannotBeIsAnError)
{
  auto a = subscribe("a");
  auto b = subscribe("b");
  auto other = subscribe("other", n->create_callback_group(CallbackGroupType::MutuallyExclusive));
  auto timer = n->create_wall_timer(1h, [] {});
  auto keeps_all = n->create_subscription<Number>("k", QoS(KeepAll{}), [](const Number &) {});
  const Subscription<Number>::SharedPtr none;
  fail_with("null pointer", [&] { trigger_on(none); });
  fail_with("null pointer", [&] { trigger_on(a).with(none); });
  fail_with("cannot wait for itself", [&] { trigger_on(a).with(a); });
  fail_with("not of /n:group", [&] { trigger_on(a).with(other).when(all()); });
  fail_with("not of /n:group", [&] { trigger_on(a).when(all()).with(b, other); });
  fail_with("max_age of messages must be positive", [&] { trigger_on(a).with(b).max_age(0s); });
  fail_with("only subscriptions wait", [&] { trigger_on(timer).when(all()); });
  fail_with("at least one", [&] { trigger_on(a).when(count(0)); });
  fail_with("positive", [&] { trigger_on(a).when(fresh(0s)); });
  fail_with("negative", [&] { trigger_on(a).when(spread(-1ms)); });
  {
    trigger_on(a).with(keeps_all);
    auto e = executor();
    fail_with("KEEP_ALL", [&] { e.add_node(n); });
  }
  keeps_all.reset();
  auto e = executor();
  e.add_node(n);
  fail_with("in an executor already", [&] { trigger_on(a).with(b); });
  fail_with("in an executor already", [&] { trigger_on(a).when(all()); });
}

}  // namespace
}  // namespace takt_rcl::test
