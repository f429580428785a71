// Callbacks inherit priorities from their chains, and deadlines travel with messages.
#include <gtest/gtest.h>

#include <malloc.h>

#include "support/by_hand.hpp"

namespace takt_core::test
{
namespace
{

TEST(Edf, takes_the_earliest_deadline_that_a_message_carries)
{
  ByHand hand(1, Order::edf);
  const auto slow_root = hand.add("slow root"), fast_root = hand.add("fast root");
  const auto shared = hand.add("shared"), other = hand.add("other");
  ASSERT_TRUE(hand.scheduler.set_chain({"slow", {"slow root", "shared"}, 9, millis(100), {}}));
  ASSERT_TRUE(hand.scheduler.set_chain({"fast", {"fast root", "shared"}, 1, millis(10), {}}));
  ASSERT_TRUE(hand.scheduler.set_deadline(*other, millis(30)));
  const auto publish = [&](const auto & root, std::int64_t at) {
    hand.scheduler.ready(*root, 1, ms(at));
    ASSERT_EQ(hand.pick(0, ms(at)), root->id());
    const ActivationScope scope(hand.runs[0].activations);
    hand.scheduler.ready(*shared, 1, ms(at + 1));
    hand.complete();
  };
  publish(slow_root, 0);
  hand.scheduler.ready(*other, 1, ms(2));
  EXPECT_EQ(hand.pick(0, ms(2)), "other");  // the deadline 32 precedes 100
  EXPECT_EQ(hand.runs[0].deadline, ms(32));
  hand.complete();
  EXPECT_EQ(hand.pick(0, ms(2)), "shared");
  EXPECT_EQ(hand.runs[0].deadline, ms(100));
  hand.complete();
  hand.scheduler.ready(*other, 1, ms(10));
  publish(fast_root, 10);
  EXPECT_EQ(hand.pick(0, ms(12)), "shared");  // the deadline 20 precedes 40
  EXPECT_EQ(hand.runs[0].deadline, ms(20));
}

// A deadline inherited from one chain does not apply to a message of another.
TEST(Edf, gives_a_message_the_deadline_of_its_own_chain_only)
{
  ByHand hand(1, Order::edf);
  const auto slow_root = hand.add("slow root"), shared = hand.add("shared");
  hand.add("fast root");
  ASSERT_TRUE(hand.scheduler.set_chain({"slow", {"slow root", "shared"}, 1, millis(100), {}}));
  ASSERT_TRUE(hand.scheduler.set_chain({"fast", {"fast root", "shared"}, 9, millis(10), {}}));
  hand.scheduler.ready(*slow_root, 1, ms(0));
  ASSERT_EQ(hand.pick(0, ms(0)), "slow root");
  {
    const ActivationScope scope(hand.runs[0].activations);
    hand.scheduler.ready(*shared, 1, ms(1));
  }
  hand.complete();
  ASSERT_EQ(hand.pick(0, ms(2)), "shared");
  EXPECT_EQ(hand.runs[0].deadline, ms(100));
}

// A subscription whose messages come in two ways is two callbacks.
TEST(Chains, name_all_callbacks_of_a_chain_id)
{
  ByHand hand(1, Order::edf);
  const auto with_alias = [&](const std::string & id) {
    CallbackOptions options;
    options.id = id;
    options.chain_id = "sub";
    options.depth = 10;
    auto callback = std::make_shared<SilentCallback>(options);
    EXPECT_TRUE(hand.scheduler.add(callback, {}, ms(0)).ok());
    return callback;
  };
  const auto here = with_alias("here");
  ASSERT_TRUE(hand.scheduler.set_chain({"chain", {"sub", "last"}, 7, millis(10), {}}));
  const auto there = with_alias("there");
  const auto last = hand.add("last");
  for (const auto & root : {here, there}) {
    EXPECT_EQ(hand.scheduler.priority(*root), 7) << root->id();
    hand.scheduler.ready(*root, 1, ms(0));
    ASSERT_EQ(hand.pick(0, ms(0)), root->id());
    {
      const ActivationScope scope(hand.runs[0].activations);
      hand.scheduler.ready(*last, 1, ms(1));
    }
    hand.complete();
    ASSERT_EQ(hand.pick(0, ms(2)), "last");
    EXPECT_EQ(hand.runs[0].deadline, ms(10));
    hand.complete();
  }
  hand.scheduler.remove(*there);
  ASSERT_TRUE(hand.scheduler.set_chain({"chain", {"sub", "last"}, 3, millis(10), {}}));
  EXPECT_EQ(hand.scheduler.priority(*here), 3);
}

TEST(Edf, follows_a_new_deadline_also_in_a_group)
{
  ByHand hand(2, Order::edf);
  const auto group = ByHand::exclusive();
  const auto busy = hand.add("busy", group), a = hand.add("a", group), b = hand.add("b", group);
  ASSERT_TRUE(hand.scheduler.set_deadline(*a, millis(10)));
  ASSERT_TRUE(hand.scheduler.set_deadline(*b, millis(20)));
  hand.scheduler.ready(*busy, 1, ms(0));
  ASSERT_EQ(hand.pick(0, ms(0)), "busy");
  hand.scheduler.ready(*a, 1, ms(1));
  hand.scheduler.ready(*b, 1, ms(1));
  EXPECT_EQ(hand.pick(1, ms(1)), "-");
  ASSERT_TRUE(hand.scheduler.set_deadline(*b, millis(5)));
  hand.complete();
  EXPECT_EQ(hand.run_one(0, ms(2)), "b");
  EXPECT_EQ(hand.run_one(0, ms(2)), "a");
}

TEST(Chains, give_a_callback_the_priority_of_the_most_important_chain)
{
  ByHand hand(1, Order::priority);
  const auto a = hand.add("a"), b = hand.add("b");
  ASSERT_TRUE(hand.scheduler.set_chain({"one", {"x", "a"}, 3, kForever, {}}));
  ASSERT_TRUE(hand.scheduler.set_chain({"two", {"a", "b"}, 7, kForever, {}}));
  EXPECT_EQ(hand.scheduler.priority(*a), 7);
  EXPECT_EQ(hand.scheduler.priority(*b), 7);
  ASSERT_TRUE(hand.scheduler.set_chain({"two", {"b"}, 8, kForever, {}}));
  EXPECT_EQ(hand.scheduler.priority(*a), 3);
  ASSERT_TRUE(hand.scheduler.set_priority(*a, 200));
  ASSERT_TRUE(hand.scheduler.set_chain({"three", {"a"}, 250, kForever, {}}));
  EXPECT_EQ(hand.scheduler.priority(*a), 200);
  ASSERT_TRUE(hand.scheduler.set_priority(*a, std::nullopt));
  EXPECT_EQ(hand.scheduler.priority(*a), 250);
  EXPECT_FALSE(hand.scheduler.set_priority(*a, 256).ok());
}

// Both executors are in one process, so each knows the other's activations.
TEST(Edf, inherits_deadlines_from_a_root_in_another_executor)
{
  ByHand first(1, Order::edf), second(1, Order::edf);
  const auto last = second.add("last"), own = second.add("own");
  const ChainOptions chain{"chain", {"root", "middle", "last"}, 1, millis(100), {}};
  ASSERT_TRUE(second.scheduler.set_chain(chain));
  ASSERT_TRUE(second.scheduler.set_deadline(*own, millis(45)));
  const auto run = [&](const std::string & id) {
    const auto root = first.add(id);
    first.scheduler.ready(*root, 1, ms(0));
    EXPECT_EQ(first.pick(0, ms(0)), id);
    {
      const ActivationScope scope(first.runs[0].activations);
      second.scheduler.ready(*last, 1, ms(60));
    }
    first.complete();
    first.scheduler.remove(*root);
    second.scheduler.ready(*own, 1, ms(60));
  };
  run("root");
  EXPECT_EQ(second.pick(0, ms(60)), "last");  // the deadline 100 precedes 105
  EXPECT_EQ(second.runs[0].deadline, ms(100));
  second.complete();
  EXPECT_EQ(second.run_one(0, ms(60)), "own");
  run("stranger");
  EXPECT_EQ(second.run_one(0, ms(60)), "own");  // the deadline 105 precedes 160
  EXPECT_EQ(second.pick(0, ms(60)), "last");
  EXPECT_EQ(second.runs[0].deadline, ms(160));
  second.complete();
  run("root");  // another callback of that name
  EXPECT_EQ(second.pick(0, ms(60)), "last");
  EXPECT_EQ(second.runs[0].deadline, ms(100));
}

TEST(Chains, that_are_removed_leave_their_members_to_the_others)
{
  ByHand hand(1, Order::edf);
  const auto a = hand.add("a");
  ASSERT_TRUE(hand.scheduler.set_chain({"one", {"a"}, 3, millis(10), {}}));
  ASSERT_TRUE(hand.scheduler.set_chain({"two", {"a"}, 7, millis(5), {}}));
  EXPECT_FALSE(hand.scheduler.remove_chain("three").ok());
  EXPECT_TRUE(hand.scheduler.remove_chain("two").ok());
  EXPECT_EQ(hand.scheduler.chains().size(), 1U);
  EXPECT_EQ(hand.scheduler.priority(*a), 3);
  hand.scheduler.ready(*a, 1, ms(1));
  EXPECT_EQ(hand.pick(0, ms(1)), "a");
  EXPECT_EQ(hand.runs[0].deadline, ms(11));
  EXPECT_TRUE(hand.scheduler.remove_chain("one").ok());
  EXPECT_EQ(hand.scheduler.priority(*a), 0);
}

TEST(Chains, can_be_changed_without_end_in_constant_memory)
{
  ByHand hand(1, Order::edf);
  const auto a = hand.add("a");
  const auto change = [&](std::int64_t rounds) {
    for (std::int64_t i = 0; i < rounds; ++i) {
      ASSERT_TRUE(hand.scheduler.set_chain({"chain", {"a"}, 1, millis(i + 1), {}}));
      ASSERT_TRUE(hand.scheduler.set_priority(*a, static_cast<int>(i % 200)));
    }
  };
  change(10);
  const auto before = ::mallinfo2().uordblks;  // 0 under sanitizers
  change(10'000);
  EXPECT_LT(::mallinfo2().uordblks, before + 10'000);
}

}  // namespace
}  // namespace takt_core::test
