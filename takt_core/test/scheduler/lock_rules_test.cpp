// A function that needs a mutex ends a debug build if its caller does not hold the mutex.
#include <gtest/gtest.h>

#include <mutex>
#include <thread>

#include "support/by_hand.hpp"
#include "takt_core/detail/group_gate.hpp"
#include "takt_core/detail/sleepers.hpp"
#include "takt_core/detail/thread_set.hpp"

namespace takt_core::test
{
namespace
{

class LockRules : public ::testing::Test
{
protected:
  void SetUp() override
  {
#ifdef NDEBUG
    GTEST_SKIP() << "a release build has no assertions";
#endif
    ::testing::GTEST_FLAG(death_test_style) = "threadsafe";
  }

  ByHand hand{1};
};

class LockRulesOfQueues : public LockRules, public ::testing::WithParamInterface<Order>
{
};

TEST_P(LockRulesOfQueues, need_the_mutex_of_the_thread_set)
{
  ThreadSet set(hand.scheduler, GetParam(), WindowTimers::snapshot);
  EXPECT_DEATH(set.queue->pop(), "mutex_.held");
  EXPECT_DEATH(static_cast<void>(set.queue->may_have_work()), "mutex_.held");
  std::lock_guard lock(set.mutex);
  EXPECT_EQ(set.queue->pop(), nullptr);
}

INSTANTIATE_TEST_SUITE_P(
  EachOrder, LockRulesOfQueues,
  ::testing::Values(Order::priority, Order::fifo, Order::edf, Order::window, Order::stock),
  [](const auto & order) { return std::string(to_string(order.param)); });

TEST_F(LockRules, timers_need_the_mutex_of_the_thread_set)
{
  ThreadSet set(hand.scheduler, Order::fifo, WindowTimers::snapshot);
  EXPECT_DEATH(static_cast<void>(set.timers.next()), "mutex_.held");
  std::lock_guard lock(set.mutex);
  EXPECT_EQ(set.timers.next(), kNever);
}

TEST_F(LockRules, the_mutex_of_another_thread_is_not_enough)
{
  ThreadSet set(hand.scheduler, Order::fifo, WindowTimers::snapshot);
  std::lock_guard lock(set.mutex);
  EXPECT_DEATH(std::thread([&] { static_cast<void>(set.timers.next()); }).join(), "mutex_.held");
}

TEST_F(LockRules, the_timer_waiter_needs_the_mutex_of_the_thread_set)
{
  ThreadSet set(hand.scheduler, Order::fifo, WindowTimers::snapshot);
  detail::Sleepers<> sleepers({0, 0}, hand);
  EXPECT_DEATH(sleepers.give_up_timers(set, 0), "set.mutex.held");
  EXPECT_DEATH(sleepers.armed(set, ms(1)), "set.mutex.held");
}

TEST_F(LockRules, parking_needs_the_mutex_of_the_group)
{
  detail::GroupGate<CallbackEntry> group(true);
  group.reserve(1);
  const auto callback = hand.add("a");
  ASSERT_TRUE(group.try_enter());
  EXPECT_DEATH(
    static_cast<void>(group.park_and_leave(CallbackEntry::of(*callback))), "mutex_.held");
}

}  // namespace
}  // namespace takt_core::test
