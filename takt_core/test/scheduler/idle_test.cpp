// Wake-ups go to one idle member, the most urgent one; one member waits for timers; no thread wakes
// without work.
#include <gtest/gtest.h>

#include "support/by_hand.hpp"

namespace takt_core::test
{
namespace
{

using Woken = std::vector<std::uint32_t>;

struct Sleepers : Waker
{
  explicit Sleepers(std::vector<int> urgencies, Order order = Order::fifo)
  : scheduler(SchedulerOptions{std::move(urgencies), order, WindowTimers::snapshot}, *this)
  {
  }
  void wake(std::uint32_t thread) noexcept override { woken.push_back(thread); }

  Time sleep(std::uint32_t thread, Time now = {})
  {
    Run run;
    EXPECT_FALSE(scheduler.next(thread, now, run));
    Time wake_at;
    EXPECT_TRUE(scheduler.begin_idle(thread, now, wake_at));
    return wake_at;
  }

  std::shared_ptr<Callback> add(
    const std::string & id, ThreadMask threads = 0, std::optional<TimerOptions> timer = {})
  {
    CallbackOptions options;
    options.id = id;
    options.kind = timer ? Kind::timer : Kind::subscription;
    options.timer = timer;
    auto callback = std::make_shared<SilentCallback>(options);
    Binding binding;
    binding.threads = threads;
    EXPECT_TRUE(scheduler.add(callback, binding).ok());
    return callback;
  }

  Scheduler scheduler;
  Woken woken;
};

TimerOptions every(std::int64_t n)
{
  TimerOptions options;
  options.period = millis(n);
  return options;
}

TEST(Waking, goes_to_the_most_urgent_idle_member_and_to_nobody_else)
{
  Sleepers s({10, 30, 20});
  const auto all = s.add("all"), pair = s.add("pair", 0b101), one = s.add("one", 0b001);
  for (std::uint32_t t = 0; t < 3; ++t) {
    s.sleep(t);
  }
  s.scheduler.ready(*pair, 1, ms(1));
  EXPECT_EQ(s.woken, (Woken{2}));
  s.scheduler.ready(*all, 1, ms(1));
  EXPECT_EQ(s.woken, (Woken{2, 1}));
  s.scheduler.ready(*all, 1, ms(1));  // queued already
  EXPECT_EQ(s.woken, (Woken{2, 1}));
  s.scheduler.ready(*one, 1, ms(1));
  EXPECT_EQ(s.woken, (Woken{2, 1, 0}));
}

TEST(Waking, is_passed_on_while_there_is_more_work)
{
  Sleepers s({0, 0, 0});
  const auto a = s.add("a"), b = s.add("b"), c = s.add("c");
  takt_core::Run run;
  EXPECT_FALSE(s.scheduler.next(0, ms(0), run));
  s.sleep(1);
  s.sleep(2);
  s.scheduler.ready(*a, 1, ms(1));  // wakes thread 1, which is slow
  s.scheduler.ready(*b, 1, ms(1));
  EXPECT_EQ(s.woken, (Woken{1, 2}));
  s.scheduler.ready(*c, 1, ms(1));
  EXPECT_TRUE(s.scheduler.next(0, ms(1), run));
  EXPECT_EQ(run.callback, a.get());
}

TEST(Waking, of_a_thread_that_finds_work_before_it_sleeps_is_refused)
{
  Sleepers s({0});
  const auto a = s.add("a");
  takt_core::Run run;
  EXPECT_FALSE(s.scheduler.next(0, ms(0), run));
  s.scheduler.ready(*a, 1, ms(1));
  Time wake_at;
  EXPECT_FALSE(s.scheduler.begin_idle(0, ms(1), wake_at));
  EXPECT_TRUE(s.scheduler.next(0, ms(1), run));
  EXPECT_TRUE(s.woken.empty());
}

// ---- a callback that publishes last ----

class PublishesLast : public ::testing::Test
{
protected:
  PublishesLast()
  {
    first = hand.add("first", ByHand::exclusive());
    second = hand.add("second", ByHand::exclusive());
    third = hand.add("third", ByHand::exclusive());
    hand.scheduler.ready(*first, 1, ms(0));
    EXPECT_EQ(hand.pick(0, ms(0)), "first");
    Time wake_at = kNever;
    EXPECT_TRUE(hand.scheduler.begin_idle(1, ms(0), wake_at));
    hand.woken.clear();
  }

  ByHand hand{2};
  std::shared_ptr<SilentCallback> first, second, third;
};

TEST_F(PublishesLast, wakes_nobody_for_what_its_thread_starts_next)
{
  {
    const WakeDeferral deferral(hand.scheduler, 0);
    hand.scheduler.ready(*second, 1, ms(1));
  }
  hand.complete();
  EXPECT_EQ(hand.pick(0, ms(1)), "second");
  EXPECT_TRUE(hand.woken.empty());
}

TEST_F(PublishesLast, wakes_others_for_the_rest_once_its_thread_has_picked)
{
  {
    const WakeDeferral deferral(hand.scheduler, 0);
    hand.scheduler.ready(*second, 1, ms(1));
    hand.scheduler.ready(*third, 1, ms(1));
  }
  EXPECT_TRUE(hand.woken.empty());
  hand.complete();
  EXPECT_EQ(hand.pick(0, ms(1)), "second");
  EXPECT_EQ(hand.woken, Woken{1});
  EXPECT_EQ(hand.pick(1, ms(1)), "third");
}

TEST_F(PublishesLast, leaves_its_work_to_others_when_its_thread_ends)
{
  {
    const WakeDeferral deferral(hand.scheduler, 0);
    hand.scheduler.ready(*second, 1, ms(1));
  }
  hand.complete();
  hand.scheduler.leave(0);
  EXPECT_EQ(hand.woken, Woken{1});
  EXPECT_EQ(hand.pick(1, ms(1)), "second");
}

TEST_F(PublishesLast, wakes_as_ever_for_what_is_not_its_threads)
{
  ByHand other{1};
  const auto elsewhere = other.add("elsewhere");
  Time wake_at = kNever;
  EXPECT_TRUE(other.scheduler.begin_idle(0, ms(0), wake_at));
  Binding on_one;
  on_one.threads = 0b10;
  const auto apart = hand.add("apart", ByHand::exclusive(), on_one);
  const WakeDeferral deferral(hand.scheduler, 0);
  other.scheduler.ready(*elsewhere, 1, ms(1));
  EXPECT_EQ(other.woken, Woken{0});
  hand.scheduler.ready(*apart, 1, ms(1));
  EXPECT_EQ(hand.woken, Woken{1});
}

TEST_F(PublishesLast, wakes_as_ever_once_the_scope_is_over)
{
  {
    const WakeDeferral outer(hand.scheduler, 0);
    ByHand other{1};
    const WakeDeferral inner(other.scheduler, 0);
    EXPECT_EQ(WakeDeferral::thread_of(hand.scheduler), WakeDeferral::kNobody);
  }
  hand.scheduler.ready(*second, 1, ms(1));
  EXPECT_EQ(hand.woken, Woken{1});
}

TEST(TimerWaiting, is_one_members_job_and_handed_on_before_it_runs_anything)
{
  Sleepers s({0, 0});
  const auto a = s.add("a"), t = s.add("t", 0, every(10));
  s.scheduler.open(ms(0));
  EXPECT_EQ(s.sleep(0), ms(10));
  EXPECT_EQ(s.sleep(1), kNever) << "one waiter is enough";
  s.scheduler.ready(*a, 1, ms(1));
  EXPECT_EQ(s.woken, (Woken{0}));
  s.scheduler.end_idle(0);
  takt_core::Run run;
  EXPECT_TRUE(s.scheduler.next(0, ms(1), run));
  EXPECT_EQ(s.woken, (Woken{0, 1})) << "somebody has to wait for the timer";
  s.scheduler.end_idle(1);
  EXPECT_EQ(s.sleep(1), ms(10));
}

TEST(TimerWaiting, looks_again_when_an_earlier_timer_comes)
{
  Sleepers s({0, 0});
  const auto far = s.add("far", 0, every(100));
  s.scheduler.open(ms(0));
  EXPECT_EQ(s.sleep(0), ms(100));
  EXPECT_EQ(s.sleep(1), kNever);
  const auto near = s.add("near", 0, every(5));
  EXPECT_EQ(s.woken, (Woken{0}));
  s.scheduler.end_idle(0);
  EXPECT_EQ(s.sleep(0), ms(5));
}

TEST(TimerWaiting, is_given_up_by_a_thread_that_leaves)
{
  Sleepers s({0, 0});
  const auto t = s.add("t", 0, every(10));
  s.scheduler.open(ms(0));
  EXPECT_EQ(s.sleep(0), ms(10));
  EXPECT_EQ(s.sleep(1), kNever);
  s.scheduler.end_idle(0);
  s.scheduler.leave(0);
  EXPECT_EQ(s.woken, (Woken{1}));
  s.scheduler.end_idle(1);
  EXPECT_EQ(s.sleep(1), ms(10));
}

TEST(TimerWaiting, is_taken_over_by_a_more_urgent_member_that_idles_later)
{
  Sleepers s({10, 30, 20});
  const auto t = s.add("t", 0, every(10));
  s.scheduler.open(ms(0));
  EXPECT_EQ(s.sleep(0), ms(10));
  EXPECT_EQ(s.sleep(2), ms(10)) << "more urgent than the first";
  EXPECT_EQ(s.sleep(1), ms(10)) << "the most urgent";
  s.scheduler.end_idle(2);
  EXPECT_EQ(s.sleep(2), kNever) << "a more urgent one waits already";
  EXPECT_TRUE(s.woken.empty());
}

TEST(TimerWaiting, of_a_thread_that_was_woken_and_does_not_come_is_passed_on)
{
  Sleepers s({0, 0, 0});
  const auto a = s.add("a"), b = s.add("b"), t = s.add("t", 0, every(10));
  s.scheduler.open(ms(0));
  takt_core::Run run;
  s.scheduler.ready(*a, 1, ms(1));
  ASSERT_TRUE(s.scheduler.next(0, ms(1), run));
  EXPECT_EQ(s.sleep(1, ms(1)), ms(10));
  EXPECT_EQ(s.sleep(2, ms(1)), kNever);
  s.scheduler.ready(*b, 1, ms(2));
  EXPECT_EQ(s.woken, (Woken{1})) << "its core is held by something more urgent from here on";
  s.scheduler.complete(run);
  ASSERT_TRUE(s.scheduler.next(0, ms(3), run));
  EXPECT_EQ(run.callback, b.get());
  EXPECT_EQ(s.woken, (Woken{1, 2})) << "nobody else waits for the timer";
  s.scheduler.end_idle(2);
  EXPECT_EQ(s.sleep(2, ms(3)), ms(10));
}

TEST(Waking, goes_by_the_urgencies_that_threads_have_now)
{
  Sleepers s({10, 30, 20});
  const auto a = s.add("a");
  takt_core::Run run;
  const auto woken_of_all = [&](std::int64_t at) {
    for (const std::uint32_t thread : {0U, 1U, 2U}) {
      s.sleep(thread, ms(at));
    }
    s.woken.clear();
    s.scheduler.ready(*a, 1, ms(at));
    EXPECT_EQ(s.woken.size(), 1U);
    const std::uint32_t first = s.woken.front();
    for (const std::uint32_t thread : {0U, 1U, 2U}) {
      s.scheduler.end_idle(thread);
    }
    EXPECT_TRUE(s.scheduler.next(first, ms(at), run));
    s.scheduler.complete(run);
    return first;
  };
  EXPECT_EQ(woken_of_all(1), 1U);
  s.scheduler.set_urgency(0, 40);
  EXPECT_EQ(woken_of_all(2), 0U);
  s.scheduler.set_urgency(0, 5);
  s.scheduler.set_urgency(1, 20);
  EXPECT_EQ(woken_of_all(3), 1U) << "of equals the first";
  s.scheduler.set_urgency(2, 21);
  EXPECT_EQ(woken_of_all(4), 2U);
}

TEST(TimerWaiting, is_no_longer_the_job_of_one_whose_role_a_more_urgent_member_took)
{
  Sleepers s({10, 10});
  const auto t = s.add("t", 0, every(10));
  s.scheduler.open(ms(0));
  EXPECT_FALSE(s.scheduler.attends_timers(0));
  EXPECT_EQ(s.sleep(0), ms(10));
  EXPECT_TRUE(s.scheduler.attends_timers(0));
  EXPECT_EQ(s.sleep(1), kNever);
  s.scheduler.end_idle(1);
  EXPECT_TRUE(s.scheduler.try_set_urgency(1, 20));
  EXPECT_EQ(s.sleep(1), ms(10));
  EXPECT_FALSE(s.scheduler.attends_timers(0));
  EXPECT_TRUE(s.scheduler.attends_timers(1));
  // The member that took the timers over hands them on before it runs a callback.
  s.scheduler.end_idle(1);
  takt_core::Run run;
  EXPECT_TRUE(s.scheduler.next(1, ms(10), run));
  EXPECT_EQ(s.woken, (Woken{0}));
  s.scheduler.complete(run);
}

TEST(Waking, of_a_more_urgent_member_is_not_left_to_the_thread_that_ends)
{
  Sleepers s({10, 30});
  const auto a = s.add("a");
  takt_core::Run run, none;
  s.scheduler.ready(*a, 1, ms(1));
  ASSERT_TRUE(s.scheduler.next(0, ms(1), run));
  s.scheduler.ready(*a, 1, ms(2));
  EXPECT_FALSE(s.scheduler.next(1, ms(2), none)) << "it waits for its group";
  s.sleep(1, ms(2));
  s.woken.clear();
  s.scheduler.complete(run);
  EXPECT_EQ(s.woken, (Woken{1}));
}

TEST(Waking, of_equally_or_less_urgent_members_is_left_to_the_thread_that_ends)
{
  for (const int other : {30, 10}) {
    Sleepers s({30, other});
    const auto a = s.add("a");
    takt_core::Run run, none;
    s.scheduler.ready(*a, 1, ms(1));
    ASSERT_TRUE(s.scheduler.next(0, ms(1), run));
    s.scheduler.ready(*a, 1, ms(2));
    EXPECT_FALSE(s.scheduler.next(1, ms(2), none));
    s.sleep(1, ms(2));
    s.woken.clear();
    s.scheduler.complete(run);
    EXPECT_TRUE(s.woken.empty());
  }
}

TEST(Waking, of_a_more_urgent_member_is_not_deferred)
{
  Sleepers s({10, 30, 5});
  const auto a = s.add("a"), b = s.add("b"), c = s.add("c");
  takt_core::Run run;
  s.scheduler.ready(*a, 1, ms(1));
  ASSERT_TRUE(s.scheduler.next(0, ms(1), run));
  s.sleep(1, ms(1));
  s.sleep(2, ms(1));
  const WakeDeferral deferral(s.scheduler, 0);
  s.scheduler.ready(*b, 1, ms(2));
  EXPECT_EQ(s.woken, (Woken{1}));
  s.scheduler.ready(*c, 1, ms(2));
  EXPECT_EQ(s.woken, (Woken{1})) << "the one that is left is less urgent";
}

TEST(Waking, of_a_thread_that_does_not_come_is_passed_on_at_the_next_dispatch)
{
  for (const bool spans_priorities : {false, true}) {
    Sleepers s(spans_priorities ? std::vector<int>{30, 20, 10} : std::vector<int>{0, 0, 0});
    const auto a = s.add("a"), b = s.add("b"), c = s.add("c");
    takt_core::Run run;
    s.scheduler.ready(*a, 1, ms(1));
    ASSERT_TRUE(s.scheduler.next(0, ms(1), run));
    s.sleep(1, ms(1));
    s.sleep(2, ms(1));
    s.scheduler.ready(*b, 1, ms(2));
    EXPECT_EQ(s.woken, (Woken{1})) << "its core is held by something more urgent from here on";
    {
      const WakeDeferral deferral(s.scheduler, 0);
      s.scheduler.ready(*c, 1, ms(2));
    }
    EXPECT_EQ(s.woken, (Woken{1}));
    s.scheduler.complete(run);
    ASSERT_TRUE(s.scheduler.next(0, ms(3), run));
    EXPECT_EQ(run.callback, b.get());
    EXPECT_EQ(s.woken, (Woken{1, 2})) << "c waits, and its thread would be free";
    s.scheduler.end_idle(2);
    ASSERT_TRUE(s.scheduler.next(2, ms(3), run));
    EXPECT_EQ(run.callback, c.get());
  }
}

TEST(Rebinding, moves_waiting_work_at_once_and_wakes_its_new_threads)
{
  Sleepers s({0, 0});
  const auto a = s.add("a", 0b01), b = s.add("b", 0b10);
  takt_core::Run busy;
  s.scheduler.ready(*a, 1, ms(1));
  EXPECT_TRUE(s.scheduler.next(0, ms(1), busy));  // thread 0 is busy for long
  s.sleep(1);
  const auto c = s.add("c", 0b01);
  s.scheduler.ready(*c, 1, ms(2));
  EXPECT_TRUE(s.woken.empty());
  ASSERT_TRUE(s.scheduler.bind(*c, 0b10).ok());
  EXPECT_EQ(s.woken, (Woken{1}));
  s.scheduler.end_idle(1);
  takt_core::Run run;
  ASSERT_TRUE(s.scheduler.next(1, ms(2), run));
  EXPECT_EQ(run.callback, c.get());
}

}  // namespace
}  // namespace takt_core::test
