// Exclusive groups: parking, hand-over, stealing by strictly better keys only.
#include <gtest/gtest.h>

#include "support/by_hand.hpp"

namespace takt_core::test
{
namespace
{

Binding prio(int priority, ThreadMask threads = 0)
{
  Binding binding;
  binding.priority = priority;
  binding.threads = threads;
  return binding;
}

TEST(Group, members_never_run_together_and_leave_in_order_of_release)
{
  ByHand hand(3);
  const auto group = ByHand::exclusive();
  const auto a = hand.add("a", group), b = hand.add("b", group), c = hand.add("c", group);
  hand.scheduler.ready(*a, 1, ms(1));
  hand.scheduler.ready(*b, 1, ms(2));
  hand.scheduler.ready(*c, 1, ms(3));
  EXPECT_EQ(hand.pick(0, ms(4)), "a");
  EXPECT_EQ(hand.pick(1, ms(4)), "-");
  EXPECT_EQ(hand.pick(2, ms(4)), "-");
  hand.complete();
  EXPECT_EQ(hand.pick(2, ms(5)), "b");
  EXPECT_EQ(hand.pick(1, ms(5)), "-");
  hand.complete();
  EXPECT_EQ(hand.pick(1, ms(6)), "c");
  hand.complete();
  EXPECT_FALSE(group->busy());
}

TEST(Group, a_backlog_competes_with_the_parked_by_release)
{
  ByHand hand(2);
  const auto group = ByHand::exclusive();
  const auto a = hand.add("a", group), b = hand.add("b", group);
  hand.scheduler.ready(*a, 2, ms(1));
  hand.scheduler.ready(*b, 1, ms(2));
  hand.scheduler.ready(*a, 1, ms(3));
  std::string order;
  for (int i = 0; i < 4; ++i) {
    order += hand.pick(0, ms(4));
    EXPECT_EQ(hand.pick(1, ms(4)), "-");
    hand.complete();
  }
  EXPECT_EQ(order, "aaba");
}

TEST(Group, is_taken_from_a_callback_that_was_handed_it_only_by_a_strictly_better_key)
{
  for (const bool better : {false, true}) {
    ByHand hand(2, Order::priority);
    const auto group = ByHand::exclusive();
    const auto running = hand.add("running", group, prio(5));
    const auto parked = hand.add("parked", group, prio(5, 0b01));
    const auto rival = hand.add("rival", group, prio(better ? 6 : 5, 0b10));
    hand.scheduler.ready(*running, 1, ms(1));
    EXPECT_EQ(hand.pick(1, ms(1)), "running");
    hand.scheduler.ready(*parked, 1, ms(2));
    EXPECT_EQ(hand.pick(0, ms(2)), "-");
    hand.complete();
    hand.scheduler.ready(*rival, 1, ms(3));
    EXPECT_EQ(hand.pick(1, ms(3)), better ? "rival" : "-");
    if (better) {
      EXPECT_EQ(hand.pick(0, ms(3)), "-");
      hand.complete();
      EXPECT_EQ(hand.run_one(0, ms(4)), "parked");
    } else {
      EXPECT_EQ(hand.run_one(0, ms(4)), "parked");
      EXPECT_EQ(hand.run_one(1, ms(4)), "rival");
    }
    EXPECT_EQ(hand.pick(0, ms(5)), "-");
    EXPECT_EQ(hand.pick(1, ms(5)), "-");
    EXPECT_FALSE(group->busy());
  }
}

// The group changes hands. Otherwise a less urgent callback at the end of its ready queue would
// delay the urgent one while callbacks between them run.
TEST(Group, changes_hands_when_priorities_change_between_hand_over_and_start)
{
  for (const bool raise_the_parked : {false, true}) {
    ByHand hand(2, Order::priority);
    const auto group = ByHand::exclusive();
    const auto running = hand.add("running", group, prio(9));
    const auto granted = hand.add("granted", group, prio(6));
    const auto urgent = hand.add("urgent", group, prio(raise_the_parked ? 5 : 6));
    const auto middle = hand.add("middle", nullptr, prio(raise_the_parked ? 7 : 4));
    hand.scheduler.ready(*running, 1, ms(1));
    EXPECT_EQ(hand.pick(0, ms(1)), "running");
    hand.scheduler.ready(*granted, 1, ms(2));
    hand.scheduler.ready(*urgent, 1, ms(3));
    EXPECT_EQ(hand.pick(1, ms(3)), "-");  // parks both
    hand.complete();                      // hands over to `granted`
    hand.scheduler.ready(*middle, 1, ms(4));
    ASSERT_TRUE(
      (raise_the_parked ? hand.scheduler.set_priority(*urgent, 8)
                        : hand.scheduler.set_priority(*granted, 3)));
    EXPECT_EQ(hand.run_one(0, ms(5)), "urgent");
    EXPECT_EQ(hand.run_one(0, ms(6)), "middle");
    EXPECT_EQ(hand.run_one(0, ms(7)), "granted");
  }
}

TEST(Group, shared_between_window_sets_serves_both_alike)
{
  ByHand hand(2, Order::window);
  const auto group = ByHand::exclusive();
  const auto busy_set = hand.add("busy set", nullptr, prio(0, 0b01));
  const auto old = hand.add("old", group, prio(0, 0b01));
  const auto young = hand.add("young", group, prio(0, 0b10));
  for (int i = 0; i < 1000; ++i) {  // this set has had many polling points, the other none
    hand.scheduler.ready(*busy_set, 1, ms(i));
    EXPECT_EQ(hand.run_one(0, ms(i)), "busy set");
  }
  hand.scheduler.ready(*young, 1, ms(2000));
  EXPECT_EQ(hand.pick(1, ms(2000)), "young");
  hand.scheduler.ready(*old, 1, ms(2001));
  EXPECT_EQ(hand.pick(0, ms(2001)), "-");
  for (int i = 0; i < 3; ++i) {
    hand.scheduler.ready(*young, 1, ms(2002));
    hand.complete();
    EXPECT_EQ(hand.pick(1, ms(2003)), i == 0 ? "-" : "young");
    EXPECT_EQ(hand.pick(0, ms(2003)), i == 0 ? "old" : "-");
  }
}

TEST(Group, of_another_executor_is_refused)
{
  ByHand one(1), two(1);
  const auto group = ByHand::exclusive();
  const auto a = one.add("a", group);
  const auto b = two.add("b", group);
  ASSERT_EQ(two.faults.size(), 1U);
  EXPECT_NE(to_string(two.faults[0]).find("belongs to one executor"), std::string::npos);
}

TEST(Group, callback_of_another_executor_is_refused)
{
  ByHand one(1), two(1);
  const auto a = one.add("a");
  EXPECT_FALSE(two.scheduler.add(a).ok());
  one.scheduler.ready(*a, 1, ms(1));
  EXPECT_EQ(one.run_one(0, ms(1)), "a");
}

}  // namespace
}  // namespace takt_core::test
