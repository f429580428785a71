// What callbacks get from their chains: priorities, and deadlines that travel with messages.
#include <gtest/gtest.h>

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
  EXPECT_EQ(hand.pick(0, ms(2)), "other");  // 32 before 100
  EXPECT_EQ(hand.runs[0].deadline, ms(32));
  hand.complete();
  EXPECT_EQ(hand.pick(0, ms(2)), "shared");
  EXPECT_EQ(hand.runs[0].deadline, ms(100));
  hand.complete();
  hand.scheduler.ready(*other, 1, ms(10));
  publish(fast_root, 10);
  EXPECT_EQ(hand.pick(0, ms(12)), "shared");  // 20 before 40
  EXPECT_EQ(hand.runs[0].deadline, ms(20));
}

// A deadline inherited from one chain says nothing about a message of another.
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

}  // namespace
}  // namespace takt_core::test
