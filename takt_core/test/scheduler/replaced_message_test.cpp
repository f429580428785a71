// A history that keeps the last messages replaces a message between the pick of its run and the
// take.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "support/by_hand.hpp"

namespace takt_core::test
{
namespace
{

class ReplacedMessage : public ::testing::TestWithParam<bool>
{
protected:
  // Announces a message as a publish inside a callback that works for `activation` does.
  void publish(Callback & reader, std::uint64_t name, std::int64_t at, bool in_callback = true)
  {
    ActivationSet carried;
    carried.add({kRoot, static_cast<std::uint32_t>(name), ms(at)});
    const MessageScope message(name);
    if (in_callback) {
      const ActivationScope scope(carried);
      hand.scheduler.ready(reader, 1, ms(at));
    } else {
      hand.scheduler.ready(reader, 1, ms(at));
    }
  }
  // Lets the take of the open run find the message of that name.
  const takt_core::Run & take(std::uint64_t name)
  {
    takt_core::Run & run = hand.runs.back();
    run.found = name;
    hand.scheduler.taken(run);
    return run;
  }
  std::shared_ptr<SilentCallback> add(std::uint32_t depth, Binding binding = {})
  {
    return hand.add(
      "reader", GetParam() ? ByHand::exclusive() : ByHand::reentrant(), binding, depth);
  }

  static constexpr std::uint32_t kRoot = 4711;
  ByHand hand{1};
};

TEST_P(ReplacedMessage, the_run_works_for_what_the_message_that_was_found_carries)
{
  Binding binding;
  binding.deadline = millis(10);
  const auto reader = add(1, binding);
  publish(*reader, 1, 1);
  ASSERT_EQ(hand.pick(0, ms(2)), "reader");
  EXPECT_EQ(hand.runs[0].activations.begin()->instance, 1U);
  publish(*reader, 2, 3);
  const takt_core::Run & run = take(2);
  ASSERT_EQ(run.activations.size(), 1U);
  EXPECT_EQ(run.activations.begin()->instance, 2U);
  EXPECT_EQ(run.release, ms(3));
  EXPECT_EQ(run.deadline, ms(13));
  hand.complete();
  EXPECT_EQ(hand.pick(0, ms(4)), "-");  // no empty take for a message that was found already
  EXPECT_EQ(reader->backlog(), 0U);
  EXPECT_EQ(reader->overwritten(), 1U);
}

TEST_P(ReplacedMessage, what_came_later_still_gets_its_run)
{
  const auto reader = add(2);
  publish(*reader, 1, 1);
  ASSERT_EQ(hand.pick(0, ms(2)), "reader");
  publish(*reader, 2, 3);
  publish(*reader, 3, 4);  // replaces the first message
  EXPECT_EQ(take(2).activations.begin()->instance, 2U);
  hand.complete();
  EXPECT_EQ(reader->overwritten(), 1U);
  ASSERT_EQ(hand.pick(0, ms(5)), "reader");
  EXPECT_EQ(take(3).activations.begin()->instance, 3U);
  hand.complete();
  EXPECT_EQ(hand.pick(0, ms(6)), "-");
  EXPECT_EQ(reader->overwritten(), 1U);
}

TEST_P(ReplacedMessage, a_message_that_came_after_the_take_changes_nothing)
{
  const auto reader = add(1);
  publish(*reader, 1, 1);
  ASSERT_EQ(hand.pick(0, ms(2)), "reader");
  publish(*reader, 2, 3);
  EXPECT_EQ(take(1).activations.begin()->instance, 1U);
  hand.complete();
  EXPECT_EQ(reader->overwritten(), 0U);
  ASSERT_EQ(hand.pick(0, ms(4)), "reader");
  EXPECT_EQ(take(2).activations.begin()->instance, 2U);
  hand.complete();
  EXPECT_EQ(hand.pick(0, ms(5)), "-");
}

TEST_P(ReplacedMessage, a_message_from_outside_starts_an_activation_of_its_reader)
{
  const auto reader = add(1);
  publish(*reader, 1, 1);
  ASSERT_EQ(hand.pick(0, ms(2)), "reader");
  publish(*reader, 2, 3, false);
  const takt_core::Run & run = take(2);
  ASSERT_EQ(run.activations.size(), 1U);
  EXPECT_EQ(*run.activations.begin(), (Activation{reader->number(), 0, ms(3)}));
  hand.complete();
  publish(*reader, 3, 4, false);
  ASSERT_EQ(hand.pick(0, ms(5)), "reader");
  EXPECT_EQ(hand.runs[0].activations.begin()->instance, 1U);
  publish(*reader, 4, 6, false);
  EXPECT_EQ(*take(4).activations.begin(), (Activation{reader->number(), 1, ms(6)}));
  hand.complete();
  EXPECT_EQ(reader->overwritten(), 2U);
}

// The callback is bound to another thread during its take, which finds a message from elsewhere:
// the other thread reads the key of that message. For ThreadSanitizer.
TEST(ReboundInATake, the_activation_that_the_take_begins_is_counted_beside_the_other_threads_look)
{
  ByHand hand{2, Order::edf};
  Binding binding;
  binding.threads = 0b01;
  binding.deadline = millis(10);
  const auto reader = hand.add("reader", ByHand::exclusive(), binding, 1);
  {
    ActivationSet carried;
    carried.add({4711, 1, ms(1)});
    const MessageScope message(1);
    const ActivationScope scope(carried);
    hand.scheduler.ready(*reader, 1, ms(1));
  }
  ASSERT_EQ(hand.pick(0, ms(2)), "reader");
  takt_core::Run & run = hand.runs.back();
  std::atomic<bool> looked{false};
  std::thread other([&] {
    EXPECT_TRUE(hand.scheduler.bind(*reader, 0b10));
    {
      const MessageScope message(2);
      hand.scheduler.ready(*reader, 1, ms(3));
    }
    takt_core::Run none;
    EXPECT_FALSE(hand.scheduler.next(1, ms(3), none)) << "its group is busy";
    looked.store(true, std::memory_order_relaxed);  // relaxed: it orders nothing
  });
  while (!looked.load(std::memory_order_relaxed)) {
    std::this_thread::yield();
  }
  run.found = 2;
  hand.scheduler.taken(run);
  other.join();
  EXPECT_EQ(*run.activations.begin(), (Activation{reader->number(), 0, ms(3)}));
  hand.complete();
}

INSTANTIATE_TEST_SUITE_P(Groups, ReplacedMessage, ::testing::Bool(), [](const auto & info) {
  return info.param ? "exclusive" : "reentrant";
});

}  // namespace
}  // namespace takt_core::test
