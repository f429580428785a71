// Non-triggering callbacks: their messages wait until a taker starts; the order in which it takes
// them; the messages that it leaves out.
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

using Ids = std::vector<std::string>;

class NonTriggeringTest : public ::testing::Test
{
protected:
  static Binding waits(NonTriggering rule = {})
  {
    Binding binding;
    binding.non_triggering = std::move(rule);
    return binding;
  }
  static NonTriggering taken_by(std::string taker)
  {
    NonTriggering rule;
    rule.taken_by = [taker = std::move(taker)](std::string_view id) { return id == taker; };
    return rule;
  }

  void announce(const std::shared_ptr<SilentCallback> & callback, std::int64_t at)
  {
    hand.scheduler.ready(*callback, 1, ms(at));
  }
  // Runs the inputs of the open run to their ends. Returns their callbacks; those of left-out
  // messages in brackets.
  Ids take_inputs(std::int64_t now)
  {
    Ids ids;
    takt_core::Run run;
    hand.scheduler.begin_inputs(hand.runs.back());
    while (hand.scheduler.next_input(hand.runs.back(), ms(now), run)) {
      const std::string & id = run.callback->id();
      ids.push_back(run.leaves_out ? "(" + id + ")" : id);
      if (run.leaves_out) {
        hand.scheduler.left_out(run);
      }
      last = run;
      hand.scheduler.complete_input(hand.runs.back(), run);
    }
    return ids;
  }

  ByHand hand{2};
  const std::shared_ptr<Group> group = ByHand::exclusive();
  takt_core::Run last;
};

TEST_F(NonTriggeringTest, AMessageNeitherQueuesItsCallbackNorWakesAThread)
{
  const auto waiting = hand.add("waiting", group, waits());
  Time wake_at = kNever;
  ASSERT_TRUE(hand.scheduler.begin_idle(0, ms(0), wake_at));
  announce(waiting, 1);
  EXPECT_TRUE(hand.woken.empty());
  hand.scheduler.end_idle(0);
  EXPECT_EQ(hand.pick(0, ms(2)), "-");
  EXPECT_EQ(waiting->backlog(), 1U);
  EXPECT_TRUE(waiting->non_triggering());
}

TEST_F(NonTriggeringTest, ATakerRunsItsInputsFirstTheOldestMessageFirst)
{
  const auto a = hand.add("a", group, waits());
  const auto b = hand.add("b", group, waits());
  const auto taker = hand.add("taker", group);
  announce(b, 1);
  announce(a, 2);
  announce(b, 3);
  announce(taker, 4);
  ASSERT_EQ(hand.pick(0, ms(5)), "taker");
  EXPECT_TRUE(taker->takes_inputs());
  EXPECT_EQ(take_inputs(5), (Ids{"b", "a", "b"}));
  hand.complete();
  EXPECT_EQ(hand.pick(0, ms(6)), "-");
  EXPECT_EQ(a->backlog() + b->backlog(), 0U);
}

TEST_F(NonTriggeringTest, AMessageThatComesAfterTheTakersStartWaitsForItsNextStart)
{
  const auto input = hand.add("input", group, waits());
  const auto taker = hand.add("taker", group);
  announce(input, 1);
  announce(taker, 2);
  ASSERT_EQ(hand.pick(0, ms(3)), "taker");
  hand.scheduler.begin_inputs(hand.runs.back());
  announce(input, 3);
  takt_core::Run run;
  ASSERT_TRUE(hand.scheduler.next_input(hand.runs.back(), ms(3), run));
  EXPECT_EQ(run.release, ms(1));
  hand.scheduler.complete_input(hand.runs.back(), run);
  EXPECT_FALSE(hand.scheduler.next_input(hand.runs.back(), ms(3), run));
  hand.complete();
  EXPECT_EQ(hand.pick(0, ms(4)), "-");
  announce(taker, 5);
  ASSERT_EQ(hand.pick(0, ms(6)), "taker");
  EXPECT_EQ(take_inputs(6), Ids{"input"});
}

TEST_F(NonTriggeringTest, ARunIsOneOfTheInputsOwn)
{
  Binding binding = waits();
  binding.deadline = millis(10);
  const auto input = hand.add("input", group, binding);
  const auto taker = hand.add("taker", group);
  announce(input, 1);
  announce(taker, 2);
  ASSERT_EQ(hand.pick(1, ms(3)), "taker");
  ASSERT_EQ(take_inputs(4), Ids{"input"});
  EXPECT_EQ(last.release, ms(1));
  EXPECT_EQ(last.start, ms(4));
  EXPECT_EQ(last.deadline, ms(11));
  EXPECT_EQ(last.thread, 1U);
  ASSERT_EQ(last.activations.size(), 1U);
  EXPECT_EQ(last.activations.begin()->root, input->number());
  EXPECT_FALSE(hand.scheduler.running(*input));
  EXPECT_TRUE(hand.scheduler.running(*taker));
}

TEST_F(NonTriggeringTest, KeepLeavesOutAllButTheNewest)
{
  NonTriggering rule;
  rule.keep = 2;
  const auto input = hand.add("input", group, waits(rule));
  const auto taker = hand.add("taker", group);
  for (int at = 1; at <= 4; ++at) {
    announce(input, at);
  }
  announce(taker, 5);
  ASSERT_EQ(hand.pick(0, ms(5)), "taker");
  EXPECT_EQ(take_inputs(5), (Ids{"(input)", "(input)", "input", "input"}));
  EXPECT_EQ(input->left_out(), 2U);
  EXPECT_EQ(input->overwritten(), 0U);
}

// Messages that come after the taker's start belong to its next start: they do not make an earlier
// message an old one.
TEST_F(NonTriggeringTest, KeepCountsOnlyMessagesOfThisStart)
{
  NonTriggering latest;
  latest.keep = 1;
  const auto slow = hand.add("slow", group, waits());
  const auto fast = hand.add("fast", group, waits(latest));
  const auto taker = hand.add("taker", group);
  announce(slow, 1);
  announce(fast, 2);
  announce(taker, 3);
  ASSERT_EQ(hand.pick(0, ms(3)), "taker");
  hand.scheduler.begin_inputs(hand.runs.back());
  takt_core::Run run;
  ASSERT_TRUE(hand.scheduler.next_input(hand.runs.back(), ms(3), run));
  ASSERT_EQ(run.callback, slow.get());
  announce(fast, 4);
  announce(fast, 5);
  hand.scheduler.complete_input(hand.runs.back(), run);
  ASSERT_TRUE(hand.scheduler.next_input(hand.runs.back(), ms(6), run));
  EXPECT_EQ(run.release, ms(2));
  EXPECT_FALSE(run.leaves_out);
  hand.scheduler.complete_input(hand.runs.back(), run);
  EXPECT_FALSE(hand.scheduler.next_input(hand.runs.back(), ms(6), run));
}

// Two takers run at once, and each takes some of the messages: the newest message is not left out.
TEST_F(NonTriggeringTest, KeepOfTwoTakersKeepsTheNewest)
{
  NonTriggering latest;
  latest.keep = 1;
  latest.taken_by = [](std::string_view id) { return id != "input"; };
  const auto input = hand.add("input", ByHand::exclusive(), waits(latest));
  const auto one = hand.add("one", ByHand::exclusive());
  const auto two = hand.add("two", ByHand::exclusive());
  for (int at = 1; at <= 5; ++at) {
    announce(input, at);
  }
  announce(one, 6);
  announce(two, 6);
  ASSERT_EQ(hand.pick(0, ms(6)), "one");
  ASSERT_EQ(hand.pick(1, ms(6)), "two");
  hand.scheduler.begin_inputs(hand.runs[0]);
  hand.scheduler.begin_inputs(hand.runs[1]);
  std::vector<bool> left_out;
  for (const std::size_t taker : {0, 1, 0, 0, 0}) {
    takt_core::Run run;
    ASSERT_TRUE(hand.scheduler.next_input(hand.runs[taker], ms(6), run));
    left_out.push_back(run.leaves_out);
    hand.scheduler.complete_input(hand.runs[taker], run);
  }
  EXPECT_EQ(left_out, (std::vector<bool>{true, true, true, true, false}));
}

// A message that replaces a waiting one is taken in its place.
TEST_F(NonTriggeringTest, AReplacedMessageDoesNotStarveTheInput)
{
  NonTriggering latest;
  latest.keep = 1;
  const auto input = hand.add("input", group, waits(latest), 1);
  const auto taker = hand.add("taker", group);
  announce(input, 1);
  announce(taker, 2);
  ASSERT_EQ(hand.pick(0, ms(2)), "taker");
  hand.scheduler.begin_inputs(hand.runs.back());
  announce(input, 3);
  takt_core::Run run;
  ASSERT_TRUE(hand.scheduler.next_input(hand.runs.back(), ms(4), run));
  EXPECT_EQ(run.release, ms(3));
  EXPECT_FALSE(run.leaves_out);
  hand.scheduler.complete_input(hand.runs.back(), run);
}

TEST_F(NonTriggeringTest, MaxAgeLeavesOutWhatArrivedEarlier)
{
  NonTriggering rule;
  rule.max_age = millis(10);
  const auto input = hand.add("input", group, waits(rule));
  const auto taker = hand.add("taker", group);
  announce(input, 1);
  announce(input, 10);
  announce(taker, 20);
  ASSERT_EQ(hand.pick(0, ms(20)), "taker");
  EXPECT_EQ(take_inputs(20), (Ids{"(input)", "input"}));
  EXPECT_EQ(input->left_out(), 1U);
}

TEST_F(NonTriggeringTest, OnlyTheNamedCallbackTakesAlsoFromAnotherGroup)
{
  const auto input = hand.add("input", ByHand::exclusive(), waits(taken_by("taker")));
  const auto other = hand.add("other", group);
  const auto taker = hand.add("taker", group);
  announce(input, 1);
  announce(other, 2);
  announce(taker, 3);
  ASSERT_EQ(hand.pick(0, ms(4)), "other");
  EXPECT_FALSE(other->takes_inputs());
  hand.complete();
  ASSERT_EQ(hand.pick(0, ms(4)), "taker");
  EXPECT_EQ(take_inputs(4), Ids{"input"});
}

// The input's group has a triggering callback, which runs on another thread meanwhile.
TEST_F(NonTriggeringTest, WhileItsGroupIsBusyItsMessagesWait)
{
  const auto inputs_group = ByHand::exclusive();
  const auto input = hand.add("input", inputs_group, waits(taken_by("taker")));
  const auto busy = hand.add("busy", inputs_group);
  const auto free = hand.add("free", nullptr, waits(taken_by("taker")));
  const auto taker = hand.add("taker", group);
  announce(input, 1);
  announce(free, 2);
  announce(busy, 3);
  announce(taker, 4);
  ASSERT_EQ(hand.pick(1, ms(4)), "busy");
  ASSERT_EQ(hand.pick(0, ms(4)), "taker");
  EXPECT_EQ(take_inputs(4), Ids{"free"});
  hand.complete();  // the taker
  hand.complete();  // busy
  announce(taker, 5);
  ASSERT_EQ(hand.pick(0, ms(5)), "taker");
  EXPECT_EQ(take_inputs(5), Ids{"input"});
}

// A member that comes during the input's run is parked, and runs after the input.
TEST_F(NonTriggeringTest, AnInputHoldsItsGroup)
{
  const auto inputs_group = ByHand::exclusive();
  const auto input = hand.add("input", inputs_group, waits(taken_by("taker")));
  const auto member = hand.add("member", inputs_group);
  const auto taker = hand.add("taker", group);
  announce(input, 1);
  announce(taker, 2);
  ASSERT_EQ(hand.pick(0, ms(3)), "taker");
  hand.scheduler.begin_inputs(hand.runs.back());
  takt_core::Run run;
  ASSERT_TRUE(hand.scheduler.next_input(hand.runs.back(), ms(3), run));
  announce(member, 3);
  EXPECT_EQ(hand.pick(1, ms(3)), "-");
  hand.scheduler.complete_input(hand.runs.back(), run);
  EXPECT_EQ(hand.pick(1, ms(4)), "member");
}

TEST_F(NonTriggeringTest, ALaterTakerAndALaterInputFindEachOther)
{
  const auto taker = hand.add("taker", group);
  EXPECT_FALSE(taker->takes_inputs());
  const auto input = hand.add("input", group, waits());
  EXPECT_TRUE(taker->takes_inputs());
  const auto later = hand.add("later", group);
  EXPECT_TRUE(later->takes_inputs());
  EXPECT_EQ(hand.scheduler.remove(*input), input);
  EXPECT_FALSE(taker->takes_inputs());
  EXPECT_FALSE(later->takes_inputs());
}

// The input's run goes on, and the input is kept until the run has ended.
TEST_F(NonTriggeringTest, AnInputIsRemovedWhileItRuns)
{
  const auto input = hand.add("input", group, waits());
  const auto taker = hand.add("taker", group);
  announce(input, 1);
  announce(input, 2);
  announce(taker, 3);
  ASSERT_EQ(hand.pick(0, ms(3)), "taker");
  hand.scheduler.begin_inputs(hand.runs.back());
  takt_core::Run run;
  ASSERT_TRUE(hand.scheduler.next_input(hand.runs.back(), ms(3), run));
  hand.scheduler.remove(*input);
  EXPECT_TRUE(hand.scheduler.reap());  // the input is not freed yet
  hand.scheduler.complete_input(hand.runs.back(), run);
  EXPECT_FALSE(hand.scheduler.next_input(hand.runs.back(), ms(3), run));
  EXPECT_FALSE(hand.scheduler.reap());
}

TEST_F(NonTriggeringTest, ATakerIsRemovedWhileItTakes)
{
  const auto input = hand.add("input", group, waits());
  const auto taker = hand.add("taker", group);
  announce(input, 1);
  announce(taker, 3);
  ASSERT_EQ(hand.pick(0, ms(3)), "taker");
  hand.scheduler.begin_inputs(hand.runs.back());
  hand.scheduler.remove(*taker);
  hand.scheduler.remove(*input);
  takt_core::Run run;
  EXPECT_FALSE(hand.scheduler.next_input(hand.runs.back(), ms(3), run));
  hand.complete();
  EXPECT_FALSE(hand.scheduler.reap());
}

TEST_F(NonTriggeringTest, OnlySubscriptionsCanBeWithoutATrigger)
{
  hand.add_timer("timer", TimerOptions{millis(10)}, nullptr, waits());
  ASSERT_EQ(hand.faults.size(), 1U);
  EXPECT_EQ(
    to_string(hand.faults[0]),
    "timer: only a subscription can be without a trigger, and this is a timer");
}

TEST_F(NonTriggeringTest, OrderStockKnowsNone)
{
  ByHand stock(1, Order::stock);
  stock.add("input", nullptr, waits());
  ASSERT_EQ(stock.faults.size(), 1U);
  EXPECT_NE(to_string(stock.faults[0]).find("order stock"), std::string::npos);
}

// Two takers on two threads share inputs: one in their own group, one in a group with a triggering
// member, and one in a group that both takers name. Every message runs once, and no rule of a group
// breaks. For ThreadSanitizer.
TEST(NonTriggeringStress, EveryMessageRunsOnceAndNeverBesideAMemberOfItsGroup)
{
  constexpr std::uint64_t kMessages = 3000;
  Driver driver(2, Order::fifo);
  std::vector<std::atomic<int>> inside(3);
  std::vector<std::shared_ptr<Counter>> callbacks;
  std::vector<std::shared_ptr<Group>> groups;
  for (int g = 0; g < 3; ++g) {
    groups.push_back(ByHand::exclusive());
  }
  const auto add = [&](const std::string & id, std::size_t g, Binding binding = {}) {
    CallbackOptions options;
    options.id = id;
    options.kind = Kind::subscription;
    options.group = groups[g];
    options.depth = static_cast<std::uint32_t>(kMessages);
    auto callback = std::make_shared<Counter>(options);
    callback->inside = &inside[g];
    EXPECT_TRUE(driver.scheduler.add(callback, binding).ok());
    callbacks.push_back(callback);
    return callback;
  };
  Binding waits;
  waits.non_triggering.emplace();
  Binding waits_for_both = waits;
  waits_for_both.non_triggering->taken_by = [](std::string_view id) {
    return id.starts_with("taker");
  };
  const auto first = add("taker 1", 0);
  const auto second = add("taker 2", 1);
  const auto member = add("member", 2);
  const std::vector<std::shared_ptr<Counter>> inputs{
    add("own 1", 0, waits), add("own 2", 1, waits), add("shared", 2, waits_for_both)};
  driver.start();
  for (std::uint64_t i = 0; i < kMessages; ++i) {
    for (const auto & input : inputs) {
      driver.scheduler.ready(*input, 1, now());
    }
    driver.scheduler.ready(*(i % 2 == 0 ? first : second), 1, now());
    driver.scheduler.ready(*member, 1, now());
  }
  // Messages that came while the group was busy wait for the next start.
  const bool all = Driver::wait_for([&] {
    driver.scheduler.ready(*first, 1, now());
    driver.scheduler.ready(*second, 1, now());
    return inputs[0]->runs + inputs[1]->runs + inputs[2]->runs == 3 * kMessages;
  });
  driver.stop();
  EXPECT_TRUE(all);
  for (const auto & callback : callbacks) {
    EXPECT_EQ(callback->overlaps, 0U) << callback->id();
  }
  for (const auto & input : inputs) {
    EXPECT_EQ(input->runs, kMessages) << input->id();
  }
}

}  // namespace
}  // namespace takt_core::test
