// Conditions of groups: when messages are released, and which.
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <vector>

#include "support/by_hand.hpp"
#include "support/driver.hpp"

namespace takt_core::test
{
namespace
{

class ConditionTest : public ::testing::Test
{
protected:
  ConditionTest() { hand.scheduler.open(ms(0)); }

  static std::shared_ptr<Group> group_when(const Condition & condition)
  {
    auto group = ByHand::exclusive();
    EXPECT_TRUE(group->set_condition(condition));
    return group;
  }
  static Condition count(std::uint32_t inputs)
  {
    Condition condition;
    condition.count = inputs;
    return condition;
  }
  void announce(const std::shared_ptr<SilentCallback> & callback, std::int64_t at)
  {
    hand.scheduler.ready(*callback, 1, ms(at));
  }
  // Runs all ready callbacks, one after the other.
  std::vector<std::string> run_all(std::int64_t now)
  {
    std::vector<std::string> ids;
    for (std::string id = hand.pick(0, ms(now)); id != "-"; id = hand.pick(0, ms(now))) {
      ids.push_back(id);
      hand.complete();
    }
    return ids;
  }
  using Ids = std::vector<std::string>;

  ByHand hand{2};
};

TEST_F(ConditionTest, AllWaitsForAMessageOfEachSubscription)
{
  const auto group = group_when(count(0));
  const auto a = hand.add("a", group);
  const auto b = hand.add("b", group);
  const auto c = hand.add("c", group);
  Time wake_at = kNever;
  ASSERT_TRUE(hand.scheduler.begin_idle(0, ms(0), wake_at));
  announce(a, 1);
  announce(b, 2);
  EXPECT_TRUE(hand.woken.empty());
  announce(c, 3);
  EXPECT_FALSE(hand.woken.empty());
  hand.scheduler.end_idle(0);
  EXPECT_EQ(run_all(3), (Ids{"a", "b", "c"}));
}

TEST_F(ConditionTest, ReleasesAllMessagesThatWaitByThen)
{
  const auto group = group_when(count(0));
  const auto a = hand.add("a", group);
  const auto b = hand.add("b", group);
  announce(a, 1);
  announce(a, 2);
  announce(b, 3);
  announce(a, 4);  // of the next round
  EXPECT_EQ(run_all(4), (Ids{"a", "a", "b"}));
  EXPECT_EQ(a->backlog(), 1U);
  announce(b, 5);
  EXPECT_EQ(run_all(5), (Ids{"a", "b"}));
}

// A message that was released and waits for its run is not an input of the next round.
TEST_F(ConditionTest, CountsEachMessageOnce)
{
  const auto group = group_when(count(0));
  const auto a = hand.add("a", group);
  const auto b = hand.add("b", group);
  announce(a, 1);
  announce(b, 1);
  announce(a, 2);
  EXPECT_EQ(run_all(2), (Ids{"a", "b"}));
  EXPECT_EQ(run_all(3), Ids{});
}

TEST_F(ConditionTest, AReleaseDuringARunIsNotLost)
{
  const auto group = group_when(count(0));
  const auto a = hand.add("a", group);
  const auto b = hand.add("b", group);
  announce(a, 1);
  announce(b, 1);
  ASSERT_EQ(hand.pick(0, ms(1)), "a");
  announce(a, 2);
  announce(b, 2);
  hand.complete();
  EXPECT_EQ(run_all(3), (Ids{"b", "a", "b"}));
}

// Otherwise the first callback of a group would be all of the condition's inputs.
TEST(ConditionOfANewGroup, LooksOnceTheGateIsOpenAndNothingHoldsIt)
{
  ByHand hand{1};
  auto group = ByHand::exclusive();
  Condition all;
  all.count = 0;
  ASSERT_TRUE(group->set_condition(all));
  const auto a = hand.add("a", group);
  hand.scheduler.ready(*a, 1, ms(1));
  EXPECT_EQ(hand.pick(0, ms(1)), "-");
  const auto b = hand.add("b", group);
  hand.scheduler.ready(*b, 1, ms(2));
  EXPECT_EQ(hand.pick(0, ms(2)), "-");
  group->hold_condition();
  hand.scheduler.open(ms(3));
  EXPECT_EQ(hand.pick(0, ms(3)), "-");
  hand.scheduler.release_condition(*group, ms(4));
  EXPECT_EQ(hand.pick(0, ms(4)), "a");
  hand.complete();
  EXPECT_EQ(hand.pick(0, ms(4)), "b");
  hand.complete();
}

TEST_F(ConditionTest, SaysThatAConditionNeedsMoreSubscriptionsThanThereAre)
{
  const auto group = group_when(count(3));
  hand.add("a", group);
  hand.add("b", group);
  ASSERT_EQ(hand.scheduler.waiting_in_vain().size(), 1U);
  EXPECT_NE(
    to_string(hand.scheduler.waiting_in_vain().front()).find("needs messages of 3 subscriptions"),
    std::string::npos);
  hand.add("c", group);
  EXPECT_TRUE(hand.scheduler.waiting_in_vain().empty());
}

TEST_F(ConditionTest, CountWaitsForSoManyOfThem)
{
  const auto group = group_when(count(2));
  const auto a = hand.add("a", group);
  const auto b = hand.add("b", group);
  const auto c = hand.add("c", group);
  announce(c, 1);
  announce(c, 2);
  EXPECT_EQ(run_all(2), Ids{});
  announce(a, 3);
  EXPECT_EQ(run_all(3), (Ids{"c", "c", "a"}));
  EXPECT_EQ(b->backlog(), 0U);
}

TEST_F(ConditionTest, FreshAsksForAYoungMessageOfEachInputAlsoOneThatWasTaken)
{
  Condition condition;
  condition.fresh = millis(10);
  const auto group = group_when(condition);
  Binding waits;
  waits.non_triggering.emplace();
  const auto slow = hand.add("slow", group, waits);
  const auto trigger = hand.add("trigger", group);
  announce(trigger, 1);  // no message of `slow` has come
  EXPECT_EQ(run_all(1), Ids{});
  announce(slow, 5);
  EXPECT_EQ(run_all(5), Ids{}) << "a message that does not trigger is no reason to look";
  announce(trigger, 6);
  EXPECT_EQ(run_all(6), (Ids{"trigger", "trigger"}));
  announce(trigger, 14);
  EXPECT_EQ(run_all(14), Ids{"trigger"});
  announce(trigger, 15);
  EXPECT_EQ(run_all(15), Ids{}) << "the newest message of slow is 10 ms old";
}

TEST_F(ConditionTest, AMessageThatAThreadNoticesLateIsAsOldAsItIs)
{
  Condition condition;
  condition.fresh = millis(100);
  const auto group = group_when(condition);
  const auto one = hand.add("one", group);
  hand.scheduler.ready(*one, 1, ms(300), ms(0));
  EXPECT_EQ(run_all(300), Ids{}) << "it came 300 ms ago";
  hand.scheduler.ready(*one, 1, ms(400), ms(301));
  EXPECT_EQ(run_all(400), (Ids{"one", "one"}));
  hand.scheduler.ready(*one, 1, ms(500), ms(600));
  EXPECT_EQ(run_all(500), Ids{"one"}) << "no message comes later than now";
}

// Of several publishers' messages, a thread may announce an older one last.
TEST_F(ConditionTest, AnInputIsAsOldAsItsNewestMessageAlsoIfAnOlderOneIsAnnouncedLast)
{
  Condition condition;
  condition.fresh = millis(100);
  const auto group = group_when(condition);
  const auto one = hand.add("one", group);
  hand.scheduler.ready(*one, 1, ms(50), ms(50));
  EXPECT_EQ(run_all(50), Ids{"one"});
  hand.scheduler.ready(*one, 1, ms(140), ms(0));
  EXPECT_EQ(run_all(140), Ids{"one"}) << "the newest message is 90 ms old";
  hand.scheduler.ready(*one, 1, ms(160), ms(50));
  EXPECT_EQ(run_all(160), Ids{}) << "the newest message is 110 ms old";
}

TEST_F(ConditionTest, AMessageFromBeforeTheCallbackJoinedIsAsOldAsItIs)
{
  Condition condition;
  condition.fresh = millis(100);
  const auto group = group_when(condition);
  CallbackOptions options;
  options.id = "old";
  options.kind = Kind::subscription;
  options.group = group;
  options.depth = 1;
  const auto old = std::make_shared<SilentCallback>(options);
  hand.scheduler.ready(*old, 1, ms(0));
  EXPECT_TRUE(hand.scheduler.add(old, {}, ms(300)));
  EXPECT_EQ(run_all(300), Ids{}) << "it came 300 ms ago";
}

TEST_F(ConditionTest, APredicateSeesTheInputs)
{
  std::string seen;
  Condition condition;
  condition.predicate = [&seen](std::span<const ConditionInput> inputs, Time) {
    seen.clear();
    for (const ConditionInput & input : inputs) {
      seen += std::string(input.id) + "=" + std::to_string(input.waiting) + " ";
    }
    return inputs[0].waiting == 2;
  };
  const auto group = group_when(condition);
  const auto a = hand.add("a", group);
  hand.add("b", group);
  announce(a, 1);
  EXPECT_EQ(seen, "a=1 b=0 ");
  EXPECT_EQ(run_all(1), Ids{});
  announce(a, 2);
  EXPECT_EQ(seen, "a=2 b=0 ");
  EXPECT_EQ(run_all(2), (Ids{"a", "a"}));
}

// rclcpp delivers messages of the process's own publishers by one callback, and messages from
// outside by another one.
TEST_F(ConditionTest, ASubscriptionWithTwoWaysIsOneInput)
{
  const auto group = group_when(count(0));
  const auto add = [&](const std::string & id, Kind kind, bool of_client_library = false) {
    CallbackOptions options;
    options.id = id;
    options.chain_id = id == "/n:waitable(/a)" ? "/n:sub(/a)" : "";
    options.kind = kind;
    options.group = group;
    options.of_client_library = of_client_library;
    auto callback = std::make_shared<SilentCallback>(options);
    EXPECT_TRUE(hand.scheduler.add(callback).ok());
    return callback;
  };
  add("/n:sub(/a)", Kind::subscription);
  const auto within = add("/n:waitable(/a)", Kind::waitable);
  const auto b = add("/n:sub(/b)", Kind::subscription);
  add("/n:sub(/parameter_events)", Kind::subscription, true);
  const auto event = add("/n:waitable(event)", Kind::waitable);
  announce(event, 1);
  EXPECT_EQ(run_all(1), Ids{"/n:waitable(event)"}) << "is no subscription and does not wait";
  announce(within, 2);
  EXPECT_EQ(run_all(2), Ids{});
  announce(b, 3);
  EXPECT_EQ(run_all(3), (Ids{"/n:waitable(/a)", "/n:sub(/b)"}));
}

TEST_F(ConditionTest, TimersDoNotWaitForIt)
{
  const auto group = group_when(count(0));
  hand.add("a", group);
  hand.add_timer("timer", TimerOptions{millis(10)}, group);
  hand.scheduler.open(ms(0));
  EXPECT_EQ(run_all(10), Ids{"timer"});
}

TEST_F(ConditionTest, ARemovedInputIsNotWaitedFor)
{
  const auto group = group_when(count(0));
  const auto a = hand.add("a", group);
  const auto b = hand.add("b", group);
  hand.scheduler.remove(*b);
  announce(a, 1);
  EXPECT_EQ(run_all(1), Ids{"a"});
}

TEST_F(ConditionTest, IsFixedOnceTheGroupHasCallbacks)
{
  const auto group = ByHand::exclusive();
  hand.add("a", group);
  EXPECT_FALSE(group->set_condition(count(0)));
}

TEST_F(ConditionTest, OrderStockKnowsNone)
{
  ByHand stock(1, Order::stock);
  stock.add("a", group_when(count(0)));
  ASSERT_EQ(stock.faults.size(), 1U);
  EXPECT_NE(to_string(stock.faults[0]).find("order stock"), std::string::npos);
}

// Two threads announce for two inputs of an `all` condition: each input runs once for each message.
// For ThreadSanitizer.
TEST(ConditionStress, EveryMessageIsReleasedOnceAllHaveCome)
{
  constexpr std::uint64_t kMessages = 5000;
  for (const auto kind : {GroupKind::mutually_exclusive, GroupKind::reentrant}) {
    Driver driver(2, Order::fifo);
    const auto group = std::make_shared<Group>(kind, "group");
    Condition all;
    all.count = 0;
    ASSERT_TRUE(group->set_condition(all));
    std::vector<std::shared_ptr<Counter>> inputs;
    for (const char * id : {"a", "b"}) {
      CallbackOptions options;
      options.id = id;
      options.kind = Kind::subscription;
      options.group = group;
      // All messages of an input, with the one announced last below, may wait at once.
      options.depth = static_cast<std::uint32_t>(kMessages) + 1;
      inputs.push_back(std::make_shared<Counter>(options));
      ASSERT_TRUE(driver.scheduler.add(inputs.back()).ok());
    }
    driver.start();
    std::vector<std::thread> sources;
    for (const auto & input : inputs) {
      sources.emplace_back([&driver, input] {
        for (std::uint64_t i = 0; i < kMessages; ++i) {
          driver.scheduler.ready(*input, 1, now());
        }
      });
    }
    for (std::thread & source : sources) {
      source.join();
    }
    // One of the inputs has no unreleased message.
    EXPECT_TRUE(Driver::wait_for(
      [&] { return inputs[0]->runs == kMessages || inputs[1]->runs == kMessages; }));
    // If messages of the second input are left, this message of the first input releases them. The
    // next message of the second input waits for another one of the first.
    driver.scheduler.ready(*inputs[0], 1, now());
    driver.scheduler.ready(*inputs[1], 1, now());
    EXPECT_TRUE(Driver::wait_for([&] {
      return inputs[0]->runs == kMessages + 1 && inputs[1]->runs >= kMessages &&
             inputs[1]->runs + inputs[1]->backlog() == kMessages + 1;
    }));
    driver.stop();
  }
}

}  // namespace
}  // namespace takt_core::test
