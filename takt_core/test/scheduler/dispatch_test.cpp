// Announcing, picking and taking: order, depth, activations, deadlines, visits, removal.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "support/by_hand.hpp"

namespace takt_core::test
{

using takt_rt::now;

namespace
{

Binding on(ThreadMask threads)
{
  Binding binding;
  binding.threads = threads;
  return binding;
}

TEST(Dispatch, counts_what_does_not_fit_into_the_depth_as_overwritten)
{
  ByHand hand(1);
  const auto a = hand.add("a", nullptr, {}, 3);
  hand.scheduler.ready(*a, 10, ms(1));
  EXPECT_EQ(a->backlog(), 3U);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(hand.run_one(0, ms(2)), "a");
  }
  EXPECT_EQ(hand.run_one(0, ms(2)), "-");
  EXPECT_EQ(a->overwritten(), 7U);
  hand.scheduler.ready(*a, 2, ms(3));
  hand.scheduler.ready(*a, 2, ms(4));
  EXPECT_EQ(hand.run_one(0, ms(5)), "a");
  EXPECT_EQ(a->overwritten(), 8U);
}

TEST(Dispatch, does_not_start_a_reentrant_callback_again_before_its_take_is_over)
{
  ByHand hand(2);
  const auto a = hand.add("a", ByHand::reentrant());
  hand.scheduler.ready(*a, 1, ms(1));
  EXPECT_EQ(hand.pick(0, ms(1)), "a");
  hand.scheduler.ready(*a, 1, ms(2));  // between the start and the end of the take
  EXPECT_EQ(hand.pick(1, ms(2)), "-");
  hand.scheduler.taken(hand.runs[0]);
  EXPECT_EQ(hand.pick(1, ms(3)), "a");
  // The first run ends before the second has taken. Its end must not let a third run start.
  hand.scheduler.ready(*a, 1, ms(3));
  hand.scheduler.complete(hand.runs[0]);
  EXPECT_EQ(hand.pick(0, ms(3)), "-");
  hand.runs.erase(hand.runs.begin());
  hand.complete();
  EXPECT_EQ(hand.run_one(0, ms(4)), "a");
  EXPECT_EQ(hand.run_one(0, ms(4)), "-");
}

TEST(Dispatch, releases_at_the_origin_of_time_are_what_they_say)
{
  ByHand hand(1);
  const auto a = hand.add("a");
  hand.scheduler.ready(*a, 1, Time{});
  EXPECT_EQ(hand.pick(0, ms(5)), "a");
  EXPECT_EQ(hand.runs[0].release, Time{});
}

TEST(Dispatch, runs_what_was_announced_before_it_was_added)
{
  ByHand hand(1);
  CallbackOptions options;
  options.id = "a";
  const auto a = std::make_shared<SilentCallback>(options);
  hand.scheduler.ready(*a, 1, ms(1));
  ASSERT_TRUE(hand.scheduler.add(a));
  EXPECT_EQ(hand.run_one(0, ms(2)), "a");
}

TEST(Dispatch, inherits_activations_from_the_running_callback)
{
  ByHand hand(1);
  const auto root = hand.add("root"), middle = hand.add("middle"), last = hand.add("last");
  hand.scheduler.ready(*root, 1, ms(1));
  ASSERT_EQ(hand.pick(0, ms(2)), "root");
  const Activation expected{root->number(), 0, ms(1)};
  ASSERT_EQ(hand.runs[0].activations.size(), 1U);
  EXPECT_EQ(*hand.runs[0].activations.begin(), expected);
  for (const auto & next : {middle, last}) {
    {
      const ActivationScope scope(hand.runs[0].activations);
      hand.scheduler.ready(*next, 1, ms(5));
    }
    hand.complete();
    ASSERT_EQ(hand.pick(0, ms(6)), next->id());
    ASSERT_EQ(hand.runs[0].activations.size(), 1U);
    EXPECT_EQ(*hand.runs[0].activations.begin(), expected);
    EXPECT_EQ(hand.runs[0].release, ms(5));
  }
  hand.complete();
  hand.scheduler.ready(*root, 1, ms(9));
  ASSERT_EQ(hand.pick(0, ms(9)), "root");
  EXPECT_EQ(*hand.runs[0].activations.begin(), (Activation{root->number(), 1, ms(9)}));
}

TEST(Dispatch, visit_runs_each_callback_once_and_holds_back_no_group)
{
  ByHand hand(1);
  const auto group = ByHand::exclusive();
  const auto a = hand.add("a", group), b = hand.add("b", group);
  hand.scheduler.ready(*a, 2, ms(1));
  hand.scheduler.ready(*b, 1, ms(2));
  const std::uint32_t visitor = hand.scheduler.visitor();
  const std::uint64_t before = hand.scheduler.begin_visit(ms(3));
  EXPECT_EQ(hand.run_one(visitor, ms(3), before), "a");
  EXPECT_EQ(hand.run_one(visitor, ms(3), before), "b");
  EXPECT_EQ(hand.run_one(visitor, ms(3), before), "-");
  hand.scheduler.release_held();
  EXPECT_EQ(hand.run_one(0, ms(4)), "a");
  EXPECT_EQ(hand.run_one(0, ms(4)), "-");
  EXPECT_FALSE(group->busy());
}

TEST(Dispatch, visits_of_another_scheduler_do_not_count)
{
  ByHand first(1), second(1);
  const auto a = first.add("a");
  const auto visit = [&](ByHand & hand) {
    hand.scheduler.ready(*a, 1, ms(1));
    const std::uint64_t before = hand.scheduler.begin_visit(ms(2));
    return hand.run_one(hand.scheduler.visitor(), ms(2), before);
  };
  EXPECT_EQ(visit(first), "a");
  first.scheduler.remove(*a);
  ASSERT_TRUE(second.scheduler.add(a).ok());
  EXPECT_EQ(visit(second), "a");
}

TEST(Dispatch, removes_what_lies_in_another_sets_intake_although_nobody_dispatches)
{
  ByHand hand(2);
  const auto a = hand.add("a", nullptr, on(0b01));
  hand.add("b", nullptr, on(0b10));
  hand.scheduler.ready(*a, 1, ms(1));
  ASSERT_TRUE(hand.scheduler.bind(*a, 0b10));
  hand.scheduler.remove(*a);  // would wait for ever
  EXPECT_EQ(hand.run_one(0, ms(2)), "-");
  EXPECT_EQ(hand.run_one(1, ms(2)), "-");
}

TEST(Dispatch, removal_while_parked_granted_or_running_leaves_the_group_usable)
{
  for (const std::string victim : {"parked", "granted", "running"}) {
    ByHand hand(2);
    const auto group = ByHand::exclusive();
    const auto a = hand.add("a", group), b = hand.add("b", group), c = hand.add("c", group);
    hand.scheduler.ready(*a, 1, ms(1));
    hand.scheduler.ready(*b, 1, ms(2));
    hand.scheduler.ready(*c, 1, ms(3));
    ASSERT_EQ(hand.pick(0, ms(4)), "a");
    ASSERT_EQ(hand.pick(1, ms(4)), "-");
    if (victim == "granted") {
      hand.complete();
      hand.scheduler.remove(*b);
    } else {
      hand.scheduler.remove(victim == "parked" ? *b : *a);
      hand.complete();
    }
    if (victim == "running") {
      EXPECT_EQ(hand.run_one(1, ms(5)), "b");
    }
    EXPECT_EQ(hand.run_one(1, ms(5)), "c");
    EXPECT_EQ(hand.run_one(1, ms(5)), "-");
    EXPECT_FALSE(group->busy());
  }
}

// Producers that meet in the ring of arrivals leave some messages without a stamp. These messages
// must not count as the oldest.
TEST(Dispatch, what_has_no_stamp_does_not_go_to_the_front)
{
  for (const Order order : {Order::fifo, Order::priority, Order::edf}) {
    ByHand hand(1, order);
    Binding binding;
    binding.deadline = millis(10);
    const auto a = hand.add("a", ByHand::reentrant(), binding, 1);
    std::atomic<bool> stop{false};
    std::vector<std::thread> producers;
    for (int p = 0; p < 2; ++p) {
      producers.emplace_back([&] {
        while (!stop.load(std::memory_order_relaxed)) {
          hand.scheduler.ready(*a, 1, ms(1000));
        }
      });
    }
    // A release that equals the start shows a message without a stamp.
    std::uint64_t unstamped = 0, first = 0;
    const Time guard = now() + std::chrono::minutes(1);
    while (unstamped < 3 && now() < guard) {
      takt_core::Run run;
      if (hand.scheduler.next(0, ms(2000), run)) {
        unstamped += run.release == ms(2000) ? 1 : 0;
        first += run.sequence == 0 ? 1 : 0;
        hand.scheduler.taken(run);
        hand.scheduler.complete(run);
      }
    }
    stop.store(true);
    for (std::thread & producer : producers) {
      producer.join();
    }
    EXPECT_EQ(first, 0U) << "under order " << to_string(order);
    if (unstamped < 3) {
      GTEST_SKIP() << "the producers never met on this machine";
    }
  }
}

TEST(Dispatch, removed_and_added_again_runs_again)
{
  ByHand hand(1);
  const auto a = hand.add("a");
  hand.scheduler.remove(*a);
  hand.scheduler.ready(*a, 1, ms(1));
  EXPECT_EQ(hand.run_one(0, ms(1)), "-");
  ASSERT_TRUE(hand.scheduler.add(a));
  EXPECT_EQ(hand.run_one(0, ms(2)), "a");
}

TEST(Dispatch, a_callback_that_is_refused_leaves_no_thread_set_behind)
{
  ByHand other(2), hand(2, Order::window);
  const auto group = ByHand::exclusive();
  other.add("member", group);
  hand.add("stranger", group, on(0b01));
  EXPECT_EQ(hand.faults.size(), 1U) << "its group is another executor's";
  hand.add("a", nullptr, on(0b11));  // windows must not overlap
  EXPECT_TRUE(hand.faults.empty()) << hand.faults.front();
}

TEST(Dispatch, what_was_removed_while_it_ran_is_kept_until_it_is_reaped)
{
  ByHand hand(1);
  auto a = hand.add("a");
  const std::weak_ptr<Callback> weak = a;
  EXPECT_FALSE(hand.scheduler.reap());
  hand.scheduler.ready(*a, 1, ms(1));
  ASSERT_EQ(hand.pick(0, ms(1)), "a");
  EXPECT_EQ(hand.scheduler.remove(*a), a);
  EXPECT_EQ(hand.scheduler.remove(*a), a) << "a second one learns that it still runs";
  a.reset();
  EXPECT_TRUE(hand.scheduler.reap());
  EXPECT_FALSE(weak.expired());
  hand.complete();
  EXPECT_FALSE(weak.expired());
  EXPECT_FALSE(hand.scheduler.reap());
  EXPECT_TRUE(weak.expired());
}

TEST(Dispatch, empty_takes_of_the_queue_use_up_no_instance_number)
{
  ByHand hand(1);
  const auto a = hand.add("a");
  for (std::uint32_t i = 0; i < 3; ++i) {
    hand.scheduler.ready(*a, 1, ms(i));
    ASSERT_EQ(hand.pick(0, ms(i)), "a");
    EXPECT_EQ(hand.runs[0].activations.begin()->instance, i);
    hand.complete();
    EXPECT_EQ(hand.pick(0, ms(i)), "-");
  }
}

TEST(Dispatch, a_timer_releases_itself_and_cannot_be_announced)
{
  ByHand hand(1);
  TimerOptions every;
  every.period = millis(10);
  const auto a = hand.add_timer("a", every);
  const auto b = hand.add_timer("b", every);
  hand.scheduler.open(ms(0));
  hand.scheduler.ready(*a, 3, ms(1));
  EXPECT_EQ(hand.run_one(0, ms(1)), "-");
  for (int period = 1; period <= 3; ++period) {
    EXPECT_EQ(hand.run_one(0, ms(10 * period)), "a");
    EXPECT_EQ(hand.run_one(0, ms(10 * period)), "b");
    EXPECT_EQ(hand.run_one(0, ms(10 * period)), "-");
  }
}

TEST(Dispatch, compares_the_heads_of_all_sets_again_after_one_was_parked)
{
  ByHand hand(2, Order::priority);
  const auto group = ByHand::exclusive();
  const auto bound = [](ThreadMask threads, int priority) {
    Binding binding = on(threads);
    binding.priority = priority;
    return binding;
  };
  const auto holder = hand.add("holder", group, bound(2, 5));
  const auto parked = hand.add("parked", group, bound(1, 200));
  const auto low = hand.add("low", nullptr, bound(1, 10));
  const auto middle = hand.add("middle", nullptr, bound(3, 100));
  hand.scheduler.ready(*holder, 1, ms(1));
  EXPECT_EQ(hand.pick(1, ms(1)), "holder");
  for (const auto & callback : {parked, low, middle}) {
    hand.scheduler.ready(*callback, 1, ms(1));
  }
  EXPECT_EQ(hand.run_one(0, ms(1)), "middle");
  EXPECT_EQ(hand.run_one(0, ms(1)), "low");
  hand.complete();
  EXPECT_EQ(hand.run_one(0, ms(2)), "parked");
}

TEST(Dispatch, stock_wakes_the_members_of_a_group_in_all_sets)
{
  ByHand hand(2, Order::stock);
  const auto group = ByHand::exclusive();
  const auto a = hand.add("a", group, on(1));
  const auto b = hand.add("b", group, on(2));
  hand.scheduler.ready(*b, 1, ms(1));
  EXPECT_EQ(hand.pick(1, ms(1)), "b");
  hand.scheduler.ready(*a, 1, ms(2));
  EXPECT_EQ(hand.pick(0, ms(2)), "-");
  Time wake_at{};
  ASSERT_TRUE(hand.scheduler.begin_idle(0, ms(2), wake_at));
  hand.woken.clear();
  hand.complete();
  EXPECT_EQ(hand.woken, std::vector<std::uint32_t>{0});
  hand.scheduler.end_idle(0);
  EXPECT_EQ(hand.run_one(0, ms(3)), "a");
}

}  // namespace
}  // namespace takt_core::test
