// spin, spin_once, spin_some, cancel and restart (the contracts of rclcpp's functions of these
// names).
#include <gtest/gtest.h>

#include "support/executor_fixture.hpp"

namespace takt_core::test
{
namespace
{

TimerOptions every(std::int64_t n)
{
  TimerOptions options;
  options.period = std::chrono::milliseconds(n);
  return options;
}

TEST(Spin, ends_by_cancel_from_a_callback_and_can_be_repeated)
{
  const auto executor = make_executor(2);
  const auto c = add_function(*executor, "c", [&](const auto &) { executor->cancel(); });
  for (int i = 1; i <= 20; ++i) {
    executor->ready(*c);
    EXPECT_TRUE(executor->spin().ok());
    EXPECT_EQ(c->runs.load(), i);
    EXPECT_FALSE(executor->running());
  }
}

TEST(Spin, does_not_lose_a_cancel_that_came_before)
{
  const auto executor = make_executor(2);
  const auto c = add_function(*executor, "c");
  executor->cancel();
  EXPECT_TRUE(executor->spin().ok());
  executor->ready(*c);
  bool ran = true;
  executor->cancel();
  EXPECT_TRUE(executor->spin_once(Duration(-1), &ran).cancelled);
  EXPECT_FALSE(ran);
  executor->cancel();
  std::size_t count = 1;
  EXPECT_TRUE(executor->spin_some(Duration::zero(), &count).cancelled);
  EXPECT_EQ(count, 0U);
  EXPECT_TRUE(executor->spin_once(Duration(-1), &ran).ok());  // one cancel ends one spin
  EXPECT_TRUE(ran);
}

TEST(Spin, survives_a_storm_of_cancels)
{
  const auto executor = make_executor(3);
  std::atomic<bool> over{false};
  const auto c = add_function(*executor, "c");
  std::thread storm([&] {
    while (!over.load()) {
      executor->cancel();
      executor->ready(*c);
      std::this_thread::yield();
    }
  });
  for (int i = 0; i < 100; ++i) {
    EXPECT_TRUE(executor->spin().ok());
  }
  over.store(true);
  storm.join();
  executor->cancel();
  EXPECT_TRUE(executor->spin().ok());
  ASSERT_TRUE(executor->start().ok());
  EXPECT_TRUE(eventually([&] { return c->backlog() == 0; })) << "dead after the storm";
  executor->cancel();
  EXPECT_TRUE(executor->wait().ok());
}

TEST(Spin, is_refused_while_spinning)
{
  const auto executor = make_executor(1);
  ASSERT_TRUE(executor->start().ok());
  EXPECT_FALSE(executor->start().ok());
  EXPECT_FALSE(executor->spin().ok());
  EXPECT_FALSE(executor->spin_once(Duration::zero()).ok());
  EXPECT_FALSE(executor->spin_some().ok());
  executor->cancel();
  EXPECT_TRUE(executor->wait().ok());
  EXPECT_FALSE(executor->wait().ok());
}

TEST(Wait, of_several_callers_ends_for_all_of_them_with_the_same_outcome)
{
  const auto executor = make_executor(2);
  const auto fails = add_function(*executor, "c", [](const auto &) { throw 1; });
  for (int i = 0; i < 50; ++i) {
    ASSERT_TRUE(executor->start().ok());
    std::atomic<int> entered{0}, told{0};
    std::vector<std::thread> waiting;
    for (int w = 0; w < 3; ++w) {
      waiting.emplace_back([&] {
        entered.fetch_add(1);
        const SpinOutcome outcome = executor->wait();
        // A waiter that came too late for this spin gets a fault.
        told.fetch_add(outcome.exception != nullptr ? 1 : 0);
        EXPECT_TRUE((outcome.exception != nullptr) == outcome.faults.empty());
      });
    }
    EXPECT_TRUE(eventually([&] { return entered.load() == 3; }));
    executor->ready(*fails);
    for (std::thread & thread : waiting) {
      thread.join();
    }
    EXPECT_GE(told.load(), 1);
    EXPECT_FALSE(executor->running());
  }
}

TEST(Wait, ends_with_its_own_spin_although_the_next_one_goes_on)
{
  const auto executor = make_executor(2);
  for (int i = 0; i < 50; ++i) {
    ASSERT_TRUE(executor->start().ok());
    std::atomic<int> entered{0}, over{0};
    std::vector<std::thread> waiting;
    for (int w = 0; w < 2; ++w) {
      waiting.emplace_back([&] {
        entered.fetch_add(1);
        executor->wait();
        over.fetch_add(1);
      });
    }
    EXPECT_TRUE(eventually([&] { return entered.load() == 2; }));
    executor->cancel();
    EXPECT_TRUE(eventually([&] { return executor->start().ok(); }));
    EXPECT_TRUE(eventually([&] { return over.load() >= 1; }));
    executor->cancel();  // for a waiter that came only to the second spin
    executor->wait();
    for (std::thread & thread : waiting) {
      thread.join();
    }
    executor->cancel();
    executor->spin();
  }
}

TEST(Wait, is_refused_on_a_thread_it_would_wait_for)
{
  const auto executor = make_executor(1);
  std::atomic<bool> refused{false};
  const auto c = add_function(*executor, "c", [&](const auto &) {
    refused.store(!executor->wait().faults.empty());
    executor->cancel();
  });
  executor->ready(*c);
  EXPECT_TRUE(executor->spin().ok());
  EXPECT_TRUE(refused.load());
}

TEST(Spin, goes_on_with_timers_after_a_restart_and_after_a_cancelled_spin_once)
{
  const auto executor = make_executor(2);
  const auto timer = add_function(*executor, "t", {}, nullptr, {}, every(1));
  const auto far = add_function(*executor, "far", {}, nullptr, {}, every(3'600'000));
  for (int i = 0; i < 3; ++i) {
    // A cancelled visitor leaves the timers for which it waits to the threads.
    std::thread canceller([&] { executor->cancel(); });
    executor->scheduler().cancel_timer(*timer);
    EXPECT_TRUE(executor->spin_once(Duration(-1)).cancelled);
    canceller.join();
    executor->scheduler().reset_timer(*timer, now());
    const int before = timer->runs.load();
    ASSERT_TRUE(executor->start().ok());
    EXPECT_TRUE(eventually([&] { return timer->runs.load() > before + 3; })) << "timer is dead";
    executor->cancel();
    EXPECT_TRUE(executor->wait().ok());
  }
}

TEST(SpinOnce, runs_at_most_one_callback_and_needs_no_warm_up)
{
  const auto executor = make_executor(1);
  const auto c = add_function(*executor, "c");
  bool ran = true;
  EXPECT_TRUE(executor->spin_once(Duration::zero(), &ran).ok());
  EXPECT_FALSE(ran);
  executor->ready(*c, 3);
  for (int i = 1; i <= 3; ++i) {
    EXPECT_TRUE(executor->spin_once(Duration::zero(), &ran).ok());
    EXPECT_TRUE(ran);
    EXPECT_EQ(c->runs.load(), i);
  }
  EXPECT_TRUE(executor->spin_once(std::chrono::milliseconds(1), &ran).ok());
  EXPECT_FALSE(ran);
}

TEST(SpinOnce, waits_for_ever_if_the_timeout_is_negative)
{
  const auto executor = make_executor(1);
  const auto c = add_function(*executor, "c");
  std::thread late([&] { executor->ready(*c); });
  bool ran = false;
  EXPECT_TRUE(executor->spin_once(Duration(-1), &ran).ok());
  EXPECT_TRUE(ran);
  late.join();
}

TEST(SpinOnce, sees_all_thread_sets_and_their_timers)
{
  const auto executor = make_executor(2, [](auto & o) { o.order = Order::window; });
  Binding one, two;
  one.threads = 1;
  two.threads = 2;
  const auto a = add_function(*executor, "a", {}, nullptr, one);
  const auto t = add_function(*executor, "t", {}, nullptr, two, every(1));
  executor->ready(*a);
  EXPECT_TRUE(executor->spin_once(Duration(-1)).ok());
  EXPECT_TRUE(executor->spin_once(Duration(-1)).ok());
  EXPECT_EQ(a->runs.load() + t->runs.load(), 2);
  EXPECT_EQ(a->runs.load(), 1);
}

TEST(SpinOnce, in_a_loop_ends_by_cancel)
{
  const auto executor = make_executor(1);
  const auto c = add_function(*executor, "c", [&](const auto &) { executor->cancel(); });
  executor->ready(*c, 2);
  int loops = 0;
  while (executor->spin_once(Duration::zero()).ok() && loops < 10) {
    ++loops;
  }
  EXPECT_EQ(loops, 0) << "cancelled from inside";
  EXPECT_EQ(c->runs.load(), 1);
  EXPECT_FALSE(executor->spin_some().ok());
  EXPECT_EQ(c->runs.load(), 2);
  EXPECT_TRUE(executor->spin_some().ok()) << "one cancel ends one loop";

  std::thread outside([&] { executor->cancel(); });
  while (executor->spin_once(Duration(-1)).ok()) {
  }
  outside.join();
}

class SpinSome : public testing::TestWithParam<Order>
{
protected:
  std::unique_ptr<Executor> executor =
    make_executor(1, [](auto & options) { options.order = GetParam(); });
};

TEST_P(SpinSome, runs_what_is_ready_at_that_time_at_most_once)
{
  const auto group = std::make_shared<Group>(GroupKind::mutually_exclusive);
  const auto a = add_function(*executor, "a", {}, group);
  const auto b = add_function(*executor, "b", {}, group);
  const auto late = add_function(*executor, "late");
  const auto self = add_function(*executor, "self", [&](const takt_core::Run & run) {
    executor->ready(*run.callback);  // not in this collection
    executor->ready(*late);
  });
  executor->ready(*a, 2);
  executor->ready(*b);
  executor->ready(*self);
  std::size_t ran = 0;
  EXPECT_TRUE(executor->spin_some(Duration::zero(), &ran).ok());
  EXPECT_EQ(ran, 3U);
  EXPECT_EQ(a->runs.load(), 1);
  EXPECT_EQ(b->runs.load(), 1);
  EXPECT_EQ(self->runs.load(), 1);
  EXPECT_EQ(late->runs.load(), 0);
  EXPECT_TRUE(executor->spin_some(Duration::zero(), &ran).ok());
  EXPECT_EQ(ran, 3U);
  EXPECT_EQ(a->runs.load(), 2);
  EXPECT_EQ(late->runs.load(), 1);
}

TEST_P(SpinSome, checks_its_limit_between_callbacks)
{
  const auto slow = [](const takt_core::Run &) {
    const Time end = now() + std::chrono::milliseconds(2);
    while (now() < end) {
    }
  };
  const auto a = add_function(*executor, "a", slow);
  const auto b = add_function(*executor, "b", slow);
  executor->ready(*a);
  executor->ready(*b);
  std::size_t ran = 0;
  EXPECT_TRUE(executor->spin_some(std::chrono::milliseconds(1), &ran).ok());
  EXPECT_EQ(ran, 1U);
  EXPECT_TRUE(executor->spin_some(Duration::zero(), &ran).ok());
  EXPECT_EQ(ran, 1U);
}

TEST_P(SpinSome, stamps_each_start_when_it_happens)
{
  Time ended{};
  bool after = false;
  const auto a = add_function(*executor, "a", [&](const takt_core::Run &) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    ended = now();
  });
  const auto b =
    add_function(*executor, "b", [&](const takt_core::Run & run) { after = run.start >= ended; });
  executor->ready(*a);
  executor->ready(*b);
  EXPECT_TRUE(executor->spin_some().ok());
  EXPECT_TRUE(after);
}

INSTANTIATE_TEST_SUITE_P(
  orders, SpinSome,
  testing::Values(Order::priority, Order::fifo, Order::edf, Order::window, Order::stock),
  [](const auto & test) { return std::string(to_string(test.param)); });

}  // namespace
}  // namespace takt_core::test
