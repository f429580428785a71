// Timers: phase, missed periods, cancel and reset at awkward moments.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "support/by_hand.hpp"
#include "support/rounds.hpp"

namespace takt_core::test
{

using takt_rt::to_ns;

namespace
{

TimerOptions every(std::int64_t n, MissedPeriods missed = MissedPeriods::skip)
{
  TimerOptions options;
  options.period = millis(n);
  options.missed_periods = missed;
  return options;
}

// Starts the timer at each of `at` and returns the releases of its runs, in ms; -1: no run.
std::vector<std::int64_t> releases(ByHand & hand, const std::vector<std::int64_t> & at)
{
  std::vector<std::int64_t> found;
  for (const std::int64_t when : at) {
    if (hand.pick(0, ms(when)) == "-") {
      found.push_back(-1);
    } else {
      found.push_back(to_ns(hand.runs.back().release) / 1'000'000);
      hand.complete();
    }
  }
  return found;
}

using List = std::vector<std::int64_t>;

TEST(Timer, skips_missed_periods_and_keeps_its_phase)
{
  ByHand hand(1);
  const auto timer = hand.add_timer("t", every(10));
  hand.scheduler.open(ms(0));
  EXPECT_EQ(releases(hand, {9, 10, 19, 20, 45, 46, 50}), (List{-1, 10, -1, 20, 30, -1, 50}));
  EXPECT_EQ(timer->skipped_periods(), 1U);
}

TEST(Timer, catches_up_with_one_run_for_each_missed_period)
{
  ByHand hand(1);
  const auto timer = hand.add_timer("t", every(10, MissedPeriods::catch_up));
  hand.scheduler.open(ms(0));
  EXPECT_EQ(releases(hand, {35, 35, 35, 35, 40}), (List{10, 20, 30, -1, 40}));
  EXPECT_EQ(timer->skipped_periods(), 0U);
}

TEST(Timer, restarts_its_period_at_a_late_start)
{
  ByHand hand(1);
  const auto timer = hand.add_timer("t", every(10, MissedPeriods::restart));
  hand.scheduler.open(ms(0));
  EXPECT_EQ(releases(hand, {10, 34, 40, 44, 54}), (List{10, 20, -1, 44, 54}));
  EXPECT_EQ(timer->skipped_periods(), 1U);
}

TEST(Timer, begins_at_the_epoch_plus_its_offset)
{
  ByHand hand(1);
  TimerOptions options = every(10);
  options.offset = millis(0);
  hand.add_timer("t", options);
  EXPECT_EQ(releases(hand, {100}), (List{-1}));  // the gate is closed
  hand.scheduler.open(ms(200));
  EXPECT_EQ(releases(hand, {199, 200, 210}), (List{-1, 200, 210}));
  hand.scheduler.open(ms(205));  // opening again changes nothing
  EXPECT_EQ(releases(hand, {219, 220}), (List{-1, 220}));
}

// Releases are at k * 10 ms + 3 ms on the clock, whenever the gate opens.
TEST(Timer, begins_on_the_grid_of_its_host)
{
  for (const std::int64_t start : {200, 201, 203, 204, 209}) {
    ByHand hand(1, Order::fifo, Epoch::host);
    TimerOptions options = every(10);
    options.offset = millis(3);
    hand.add_timer("t", options);
    hand.scheduler.open(ms(start));
    const std::int64_t first = start <= 203 ? 203 : 213;
    EXPECT_EQ(releases(hand, {first - 1, first, first + 10}), (List{-1, first, first + 10}));
  }
}

// Whole periods of an offset delay the first release, so the default offset of one period gives no
// early release.
TEST(Timer, waits_for_the_whole_periods_of_its_offset_on_the_grid_of_its_host)
{
  const auto first = [](std::optional<Duration> offset, std::int64_t from) {
    TimerOptions options = every(10);
    options.offset = offset;
    return to_ns(first_release(options, Epoch::host, ms(from))) / 1'000'000;
  };
  EXPECT_EQ(first(millis(23), 200), 223);
  EXPECT_EQ(first(millis(23), 204), 233);
  EXPECT_EQ(first(std::nullopt, 200), 210);
  EXPECT_EQ(first(std::nullopt, 201), 220);
  EXPECT_EQ(first(millis(0), 200), 200);
  EXPECT_EQ(first(millis(0), 201), 210);
}

TEST(Timer, added_later_joins_the_grid_of_its_host_at_its_next_point)
{
  ByHand hand(1, Order::fifo, Epoch::host);
  hand.scheduler.open(ms(101));
  TimerOptions options = every(10);
  options.offset = millis(3);
  hand.add_timer("t", options, nullptr, {}, ms(158));
  EXPECT_EQ(releases(hand, {162, 163, 173}), (List{-1, 163, 173}));
}

TEST(Timer, stays_on_the_grid_of_its_host_when_periods_are_missed)
{
  ByHand hand(1, Order::fifo, Epoch::host);
  TimerOptions options = every(10);
  options.offset = millis(3);
  hand.add_timer("t", options);
  hand.scheduler.open(ms(101));
  EXPECT_EQ(releases(hand, {103, 113, 158, 159, 163}), (List{103, 113, 123, -1, 163}));
}

// As in rclcpp: after a reset the next release is a full period from now; another period counts
// from the next release on.
TEST(Timer, leaves_the_grid_of_its_host_when_it_is_reset_or_gets_another_period)
{
  ByHand hand(1, Order::fifo, Epoch::host);
  TimerOptions options = every(10);
  options.offset = millis(3);
  const auto timer = hand.add_timer("t", options);
  hand.scheduler.open(ms(101));
  EXPECT_EQ(releases(hand, {103}), (List{103}));
  hand.scheduler.cancel_timer(*timer);
  hand.scheduler.reset_timer(*timer, ms(118));
  EXPECT_EQ(releases(hand, {127, 128, 138}), (List{-1, 128, 138}));
  hand.scheduler.set_period(*timer, millis(4));
  EXPECT_EQ(releases(hand, {148, 152, 156}), (List{148, 152, 156}));
}

// All processes of a host have one schedule: each process may start and restart at any time.
TEST(Timer, keeps_its_phase_to_timers_of_other_schedulers_that_start_at_other_times)
{
  std::vector<std::int64_t> first;
  for (const std::int64_t start : {1'003, 7'777, 31'415}) {
    ByHand hand(1, Order::fifo, Epoch::host);
    TimerOptions options = every(100);
    options.offset = millis(40);
    const auto timer = hand.add_timer("t", options);
    hand.scheduler.open(ms(start));
    first.push_back(to_ns(hand.scheduler.next_release(*timer)) / 1'000'000 % 100);
  }
  EXPECT_EQ(first, (List{40, 40, 40}));
}

// The time by which the clock of all hosts is ahead of this host's own clock.
Duration g_ahead{};
Duration ahead() noexcept
{
  return g_ahead;
}

TEST(Timer, keeps_its_phase_to_timers_of_hosts_that_were_booted_at_other_times)
{
  for (const std::int64_t booted : {0, 7, 1'234'561}) {
    g_ahead = millis(booted);
    ByHand hand(1, Order::fifo, Epoch::tai, ahead);
    TimerOptions options = every(10);
    options.offset = millis(3);
    const auto timer = hand.add_timer("t", options);
    hand.scheduler.open(ms(101));
    EXPECT_EQ(
      (hand.scheduler.next_release(*timer) + g_ahead - Time{}) % options.period, options.offset);
    EXPECT_GE(hand.scheduler.next_release(*timer), ms(101));
    EXPECT_LT(hand.scheduler.next_release(*timer), ms(111));
  }
}

TEST(Timer, follows_the_clock_of_all_hosts_when_it_is_set)
{
  g_ahead = millis(1'000);
  ByHand hand(1, Order::fifo, Epoch::tai, ahead);
  TimerOptions options = every(10);
  options.offset = millis(3);
  const auto timer = hand.add_timer("t", options);
  hand.scheduler.open(ms(101));
  EXPECT_EQ(releases(hand, {103, 113}), (List{103, 113}));
  g_ahead = millis(1'002);  // the next release is 2 ms closer
  EXPECT_EQ(releases(hand, {123, 131, 141}), (List{123, 131, 141}));
  g_ahead = millis(998);
  EXPECT_EQ(releases(hand, {151, 165}), (List{151, 165}));
  hand.scheduler.reset_timer(*timer, ms(166));  // the timer leaves the grid
  g_ahead = millis(1'000);
  EXPECT_EQ(releases(hand, {176, 186}), (List{176, 186}));
}

TEST(Timer, added_later_counts_from_then)
{
  ByHand hand(1);
  hand.scheduler.open(ms(0));
  hand.add_timer("t", every(10), nullptr, {}, ms(57));
  EXPECT_EQ(releases(hand, {66, 67}), (List{-1, 67}));
}

TEST(Timer, cancelled_does_not_run_even_if_it_is_queued)
{
  ByHand hand(1);
  const auto timer = hand.add_timer("t", every(10));
  const auto other = hand.add("other");
  hand.scheduler.open(ms(0));
  hand.scheduler.ready(*other, 1, ms(1));
  EXPECT_EQ(hand.run_one(0, ms(10)), "other");  // the timer is queued behind it
  hand.scheduler.cancel_timer(*timer);
  EXPECT_TRUE(hand.scheduler.timer_cancelled(*timer));
  EXPECT_EQ(hand.scheduler.next_release(*timer), kNever);
  EXPECT_EQ(releases(hand, {11, 100}), (List{-1, -1}));
  EXPECT_FALSE(timer->group().busy());
  hand.scheduler.reset_timer(*timer, ms(103));
  EXPECT_EQ(releases(hand, {112, 113, 123}), (List{-1, 113, 123}));
}

TEST(Timer, cancelled_inside_its_own_callback_ends_and_reset_there_starts_again)
{
  ByHand hand(1);
  const auto timer = hand.add_timer("t", every(10));
  hand.scheduler.open(ms(0));
  EXPECT_EQ(hand.pick(0, ms(10)), "t");
  hand.scheduler.cancel_timer(*timer);
  hand.complete();
  EXPECT_EQ(releases(hand, {20, 30}), (List{-1, -1}));
  hand.scheduler.reset_timer(*timer, ms(30));
  EXPECT_EQ(hand.pick(0, ms(40)), "t");
  hand.scheduler.reset_timer(*timer, ms(44));
  hand.complete();
  EXPECT_EQ(releases(hand, {50, 53, 54, 64}), (List{-1, -1, 54, 64}));
}

TEST(Timer, reset_while_queued_withdraws_that_release)
{
  ByHand hand(1);
  const auto timer = hand.add_timer("t", every(10));
  const auto other = hand.add("other");
  hand.scheduler.open(ms(0));
  hand.scheduler.ready(*other, 1, ms(1));
  EXPECT_EQ(hand.run_one(0, ms(10)), "other");
  hand.scheduler.reset_timer(*timer, ms(12));
  EXPECT_EQ(hand.scheduler.next_release(*timer), ms(22));
  EXPECT_EQ(releases(hand, {13, 21, 22, 32}), (List{-1, -1, 22, 32}));
}

// ---- periods that were due and did not start ----

TEST(UnstartedPeriods, of_a_timer_that_never_starts_are_all_that_were_due)
{
  ByHand hand(1);
  const auto timer = hand.add_timer("t", every(10));
  const auto other = hand.add("other");
  const auto unstarted = [&](std::int64_t at) {
    return hand.scheduler.unstarted_periods(*timer, ms(at));
  };
  EXPECT_EQ(unstarted(1000), 0U) << "the gate is closed";
  hand.scheduler.open(ms(0));
  EXPECT_EQ(unstarted(9), 0U);
  EXPECT_EQ(unstarted(10), 1U);
  EXPECT_EQ(unstarted(39), 3U);
  hand.scheduler.ready(*other, 1, ms(1));
  EXPECT_EQ(hand.pick(0, ms(35)), "other");  // releases the timer, which waits behind it
  EXPECT_EQ(unstarted(9), 0U);
  EXPECT_EQ(unstarted(39), 3U);
  EXPECT_EQ(timer->skipped_periods(), 0U);
  hand.scheduler.cancel_timer(*timer);
  EXPECT_EQ(unstarted(1000), 0U) << "it is cancelled";
  hand.scheduler.reset_timer(*timer, ms(42));
  EXPECT_EQ(unstarted(51), 0U);
  EXPECT_EQ(unstarted(62), 2U);
  EXPECT_EQ(hand.scheduler.unstarted_periods(*other, ms(1000)), 0U) << "not a timer";
  hand.scheduler.remove(*timer);
  EXPECT_EQ(unstarted(1000), 0U) << "it is not here";
}

TEST(UnstartedPeriods, add_up_with_starts_and_skipped_ones_to_all_that_were_due)
{
  for (const MissedPeriods missed : {MissedPeriods::skip, MissedPeriods::catch_up}) {
    ByHand hand(1);
    const auto timer = hand.add_timer("t", every(10, missed));
    hand.scheduler.open(ms(0));
    std::uint64_t started = 0;
    for (std::int64_t now = 1; now < 300; ++now) {
      if (now % 7 == 0 && now % 5 < 2) {  // long and short pauses
        started += hand.run_one(0, ms(now)) == "t" ? 1 : 0;
      }
      ASSERT_EQ(
        started + timer->skipped_periods() + hand.scheduler.unstarted_periods(*timer, ms(now)),
        static_cast<std::uint64_t>(now / 10))
        << now;
    }
    EXPECT_GT(started, 5U);
    EXPECT_EQ(timer->skipped_periods() > 0, missed == MissedPeriods::skip);
  }
}

TEST(Timer, resumed_goes_on_where_it_was_cancelled)
{
  ByHand hand(1);
  const auto timer = hand.add_timer("t", every(10));
  const auto other = hand.add("other");
  hand.scheduler.open(ms(0));
  EXPECT_EQ(releases(hand, {10}), (List{10}));
  EXPECT_EQ(hand.scheduler.cancel_timer(*timer), ms(20));
  EXPECT_EQ(hand.scheduler.cancel_timer(*timer), kNever);
  EXPECT_EQ(releases(hand, {23}), (List{-1}));
  hand.scheduler.resume_timer(*timer, ms(20), ms(24));
  EXPECT_EQ(releases(hand, {24, 29, 30}), (List{20, -1, 30}));
  hand.scheduler.resume_timer(*timer, ms(31), ms(31));  // the timer is active already
  EXPECT_EQ(releases(hand, {31, 40}), (List{-1, 40}));
  // The queued release has not run, so it is the next one.
  hand.scheduler.ready(*other, 1, ms(49));
  EXPECT_EQ(hand.run_one(0, ms(50)), "other");
  EXPECT_EQ(hand.scheduler.cancel_timer(*timer), ms(50));
  hand.scheduler.resume_timer(*timer, ms(50), ms(51));
  // The old queue entry goes first.
  EXPECT_EQ(releases(hand, {51, 51, 52, 60}), (List{-1, 50, -1, 60}));
}

TEST(Timer, resumed_for_the_first_time_begins_as_if_it_were_added_then)
{
  ByHand hand(1);
  TimerOptions options = every(10);
  options.offset = millis(3);
  options.autostart = false;
  const auto early = hand.add_timer("early", options);
  hand.scheduler.resume_timer(*early, kNever, ms(1));
  EXPECT_EQ(hand.scheduler.cancel_timer(*early), kNever) << "it has not begun";
  hand.scheduler.resume_timer(*early, kNever, ms(2));
  EXPECT_EQ(releases(hand, {90}), (List{-1}));
  hand.scheduler.open(ms(100));
  EXPECT_EQ(releases(hand, {102, 103, 113}), (List{-1, 103, 113}));
  hand.scheduler.cancel_timer(*early);
  const auto late = hand.add_timer("late", options);
  EXPECT_EQ(releases(hand, {150}), (List{-1}));
  hand.scheduler.resume_timer(*late, kNever, ms(150));
  EXPECT_EQ(releases(hand, {152, 153, 163}), (List{-1, 153, 163}));
}

TEST(Timer, new_period_counts_from_the_next_release_on)
{
  ByHand hand(1);
  const auto timer = hand.add_timer("t", every(10));
  hand.scheduler.open(ms(0));
  hand.scheduler.set_period(*timer, millis(3));
  EXPECT_EQ(releases(hand, {3, 10, 12, 13, 16}), (List{-1, 10, -1, 13, 16}));
}

TEST(Timer, that_is_not_above_zero_is_not_taken_as_a_new_period)
{
  ByHand hand(1);
  const auto timer = hand.add_timer("t", every(10));
  hand.scheduler.open(ms(0));
  hand.scheduler.set_period(*timer, Duration::zero());
  hand.scheduler.set_period(*timer, millis(-5));
  EXPECT_EQ(releases(hand, {10, 35, 40}), (List{10, 20, 40}));
}

TEST(Timer, with_an_endless_period_never_overflows)
{
  ByHand hand(1);
  TimerOptions options;
  options.period = Duration::max();
  options.offset = millis(5);
  const auto timer = hand.add_timer("t", options);
  hand.scheduler.open(ms(1));
  EXPECT_EQ(releases(hand, {6, 1000000}), (List{6, -1}));
  hand.scheduler.reset_timer(*timer, ms(1000000));
  EXPECT_EQ(hand.scheduler.next_release(*timer), kNever);
  EXPECT_EQ(releases(hand, {2000000}), (List{-1}));
}

TEST(Timer, removed_inside_its_own_callback_may_be_reset_there_without_effect)
{
  ByHand hand(1);
  const auto timer = hand.add_timer("t", every(10));
  hand.scheduler.open(ms(0));
  EXPECT_EQ(hand.pick(0, ms(10)), "t");
  hand.scheduler.remove(*timer);
  hand.scheduler.reset_timer(*timer, ms(11));
  hand.complete();
  EXPECT_EQ(hand.scheduler.next_timer(0), kNever);
  EXPECT_EQ(releases(hand, {100}), (List{-1}));
}

TEST(Timer, removed_and_added_again_goes_on)
{
  ByHand hand(1);
  const auto timer = hand.add_timer("t", every(10));
  hand.scheduler.open(ms(0));
  EXPECT_EQ(releases(hand, {10}), (List{10}));
  hand.scheduler.remove(*timer);
  EXPECT_EQ(releases(hand, {20}), (List{-1}));
  ASSERT_TRUE(hand.scheduler.add(timer, {}, ms(25)));
  EXPECT_EQ(releases(hand, {34, 35}), (List{-1, 35}));
}

TEST(Timer, of_a_reentrant_group_overlaps_with_itself_but_its_takes_do_not)
{
  ByHand hand(2);
  const auto timer = hand.add_timer("t", every(10), ByHand::reentrant());
  hand.scheduler.open(ms(0));
  EXPECT_EQ(hand.pick(0, ms(10)), "t");
  EXPECT_EQ(hand.pick(1, ms(20)), "-") << "the first take is not over";
  hand.scheduler.taken(hand.runs[0]);
  EXPECT_EQ(hand.pick(1, ms(20)), "t");
  hand.complete();
  hand.complete();
  EXPECT_EQ(releases(hand, {30}), (List{30}));
}

TEST(Timer, reset_and_cancelled_between_start_and_take_is_neither_lost_nor_doubled)
{
  ByHand hand(2);
  const auto timer = hand.add_timer("t", every(10), ByHand::reentrant());
  hand.scheduler.open(ms(0));
  EXPECT_EQ(hand.pick(0, ms(10)), "t");
  hand.scheduler.reset_timer(*timer, ms(13));
  EXPECT_EQ(hand.pick(1, ms(23)), "-");
  hand.complete();
  EXPECT_EQ(hand.pick(0, ms(22)), "-");
  EXPECT_EQ(hand.pick(0, ms(23)), "t");
  hand.scheduler.cancel_timer(*timer);
  hand.complete();
  EXPECT_EQ(releases(hand, {33, 43}), (List{-1, -1}));
}

TEST(Timer, due_while_all_threads_are_busy_is_released_at_its_nominal_time)
{
  ByHand hand(1);
  const auto timer = hand.add_timer("t", every(10));
  const auto a = hand.add("a"), b = hand.add("b");
  hand.scheduler.open(ms(0));
  hand.scheduler.ready(*a, 1, ms(1));
  EXPECT_EQ(hand.pick(0, ms(1)), "a");
  hand.scheduler.ready(*b, 1, ms(15));
  hand.complete();
  EXPECT_EQ(hand.run_one(0, ms(16)), "t");
  EXPECT_EQ(hand.run_one(0, ms(16)), "b");
}

TEST(Timer, that_begins_while_the_gate_opens_is_released)
{
  const std::uint64_t each = rounds(20'000);
  std::atomic<std::uint64_t> go{0}, done{0};
  std::atomic<Scheduler *> scheduler{nullptr};
  std::thread opener([&] {
    for (std::uint64_t i = 1; i <= each; ++i) {
      while (go.load() != i) {
      }
      for (std::uint64_t delay = i % 97; delay > 0; --delay) {
        std::atomic_signal_fence(std::memory_order_seq_cst);
      }
      scheduler.load()->open(ms(1));
      done.store(i);
    }
  });
  std::uint64_t lost = 0;
  for (std::uint64_t i = 1; i <= each; ++i) {
    ByHand hand(1);
    TimerOptions options = every(1);
    options.autostart = false;
    const auto timer = hand.add_timer("t", options);
    scheduler.store(&hand.scheduler);
    go.store(i);
    for (std::uint64_t delay = i % 61; delay > 0; --delay) {
      std::atomic_signal_fence(std::memory_order_seq_cst);
    }
    hand.scheduler.resume_timer(*timer, kNever, ms(1));
    while (done.load() != i) {
    }
    lost += hand.scheduler.next_release(*timer) == kNever ? 1 : 0;
  }
  opener.join();
  EXPECT_EQ(lost, 0U) << "of " << each;
}

TEST(Timer, that_is_added_again_has_not_begun)
{
  ByHand open(1);
  const auto timer = open.add_timer("t", every(10));
  open.scheduler.open(ms(0));
  EXPECT_EQ(releases(open, {10, 20}), (List{10, 20}));
  open.scheduler.remove(*timer);
  ByHand closed(1);
  ASSERT_TRUE(closed.scheduler.add(timer, {}, ms(25)));
  EXPECT_EQ(closed.scheduler.cancel_timer(*timer), kNever);
}

}  // namespace
}  // namespace takt_core::test
