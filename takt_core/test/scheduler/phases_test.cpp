// Phases: their disturbances, and the time from which bounds that rest on phases hold.
#include <gtest/gtest.h>

#include "support/by_hand.hpp"

namespace takt_core::test
{

using takt_rt::now;

namespace
{

TimerOptions every(std::int64_t period, std::int64_t offset = 0)
{
  TimerOptions timer;
  timer.period = millis(period);
  timer.offset = millis(offset);
  return timer;
}

Binding phased(Phased how = Phased::settles)
{
  Binding binding;
  binding.phased = how;
  return binding;
}

/// A scheduler with phases, whose gate the test opens.
struct Side
{
  explicit Side(Epoch epoch, std::optional<Duration> settles = millis(600))
  : phases(PhaseOptions{settles}, epoch),
    hand(1, Order::fifo, epoch, nullptr, &phases)
  {
  }
  void open(std::int64_t at)
  {
    phases.begin(ms(at), Phases::Begins::again);
    hand.scheduler.open(ms(at));
  }
  PhaseState state() const
  {
    PhasedTimers timers;
    hand.scheduler.add_to(timers);
    return phases.state(timers);
  }

  Phases phases;
  ByHand hand;
};

TEST(Phases, nothing_is_noted_while_timers_run_in_their_periods)
{
  Side side(Epoch::start);
  side.hand.add_timer("t", every(10), nullptr, phased());
  side.open(100);
  for (const std::int64_t at : {100, 119, 129}) {
    EXPECT_EQ(side.hand.run_one(0, ms(at)), "t");
  }
  const PhaseState state = side.state();
  EXPECT_EQ(state.disturbances, 0U);
  EXPECT_FALSE(state.last);
  EXPECT_EQ(state.holds_from, ms(100));
}

TEST(Phases, a_skipped_period_is_one_disturbance_however_many_periods_it_was)
{
  Side side(Epoch::start);
  side.hand.add_timer("t", every(10), nullptr, phased());
  side.open(0);
  EXPECT_EQ(side.hand.run_one(0, ms(0)), "t");
  EXPECT_EQ(side.hand.run_one(0, ms(45)), "t");  // for 10 ms
  const PhaseState state = side.state();
  EXPECT_EQ(state.disturbances, 1U);
  ASSERT_TRUE(state.last);
  EXPECT_EQ(state.last->cause, Disturbance::skipped_period);
  EXPECT_EQ(state.last->callback, "t");
  EXPECT_EQ(state.last->time, ms(45));
  EXPECT_EQ(state.holds_from, ms(645));
  EXPECT_FALSE(state.holds(ms(644)));
  EXPECT_TRUE(state.holds(ms(645)));
}

TEST(Phases, bounds_hold_again_so_long_after_the_last_disturbance)
{
  Side side(Epoch::start);
  side.hand.add_timer("t", every(10), nullptr, phased());
  side.open(0);
  for (const std::int64_t at : {0, 45, 300}) {
    EXPECT_EQ(side.hand.run_one(0, ms(at)), "t");
  }
  EXPECT_EQ(side.state().disturbances, 2U);
  EXPECT_EQ(side.state().holds_from, ms(900));
}

TEST(Phases, some_disturbances_last_until_the_next_start)
{
  Side side(Epoch::start);
  side.hand.add_timer("t", every(10), nullptr, phased(Phased::for_good));
  side.open(0);
  for (const std::int64_t at : {0, 45}) {
    EXPECT_EQ(side.hand.run_one(0, ms(at)), "t");
  }
  EXPECT_EQ(side.state().holds_from, kNever);
  side.phases.begin(ms(60), Phases::Begins::once);  // the timers have begun
  EXPECT_EQ(side.state().holds_from, kNever);
  side.phases.begin(ms(70), Phases::Begins::again);
  EXPECT_EQ(side.state().holds_from, ms(70));
  EXPECT_EQ(side.state().disturbances, 1U);
}

TEST(Phases, callbacks_without_a_phase_disturb_nothing)
{
  Side side(Epoch::start);
  side.hand.add_timer("t", every(10));
  const auto reader = side.hand.add("reader", nullptr, {}, 1);
  side.open(0);
  EXPECT_EQ(side.hand.run_one(0, ms(45)), "t");
  side.hand.scheduler.ready(*reader, 3, ms(46));
  EXPECT_EQ(side.hand.run_one(0, ms(47)), "reader");
  EXPECT_EQ(reader->overwritten(), 2U);
  EXPECT_EQ(side.state().disturbances, 0U);
}

TEST(Phases, an_overwritten_message_is_a_disturbance)
{
  Side side(Epoch::start);
  const auto reader = side.hand.add("reader", nullptr, phased(), 2);
  side.open(0);
  side.hand.scheduler.ready(*reader, 2, ms(1));
  EXPECT_EQ(side.hand.run_one(0, ms(2)), "reader");
  EXPECT_EQ(side.hand.run_one(0, ms(2)), "reader");
  EXPECT_EQ(side.state().disturbances, 0U);
  side.hand.scheduler.ready(*reader, 4, ms(3));
  EXPECT_EQ(side.hand.run_one(0, ms(4)), "reader");
  EXPECT_EQ(side.hand.run_one(0, ms(5)), "reader");
  const PhaseState state = side.state();
  EXPECT_EQ(state.disturbances, 1U);
  ASSERT_TRUE(state.last);
  EXPECT_EQ(state.last->cause, Disturbance::lost_message);
  EXPECT_EQ(state.last->callback, "reader");
  EXPECT_EQ(state.last->time, ms(4));
}

/// A callback that sees the sequence numbers of its messages.
class Counting : public SilentCallback
{
public:
  using SilentCallback::SilentCallback;
  std::optional<std::uint64_t> lost() const noexcept override { return 0; }
};

TEST(Phases, announcements_say_nothing_where_sequence_numbers_do)
{
  Side side(Epoch::start);
  CallbackOptions options;
  options.id = "reader";
  options.kind = Kind::subscription;
  const auto reader = std::make_shared<Counting>(options);
  ASSERT_TRUE(side.hand.scheduler.add(reader, phased()).ok());
  side.open(0);
  side.hand.scheduler.ready(*reader, 3, ms(1));
  EXPECT_EQ(side.hand.run_one(0, ms(2)), "reader");
  EXPECT_EQ(reader->overwritten(), 2U);
  EXPECT_EQ(side.state().disturbances, 0U);
  side.hand.scheduler.disturbed(*reader, Disturbance::lost_message, ms(3));
  EXPECT_EQ(side.state().disturbances, 1U);
}

TEST(Phases, under_an_epoch_of_a_clock_sets_settle_after_each_start_and_first_message)
{
  Side side(Epoch::host);
  const auto reader = side.hand.add("reader", nullptr, phased());
  side.open(1'000);
  EXPECT_EQ(side.state().holds_from, ms(1'600));
  side.hand.scheduler.publisher_began(*reader, false, ms(1'200));
  EXPECT_EQ(side.state().disturbances, 0U);
  EXPECT_EQ(side.state().holds_from, ms(1'800));
  side.hand.scheduler.publisher_began(*reader, true, ms(5'000));
  EXPECT_EQ(side.state().disturbances, 1U);
  EXPECT_EQ(side.state().last->cause, Disturbance::restarted_process);
  EXPECT_EQ(side.state().holds_from, ms(5'600));
}

TEST(Phases, a_new_process_does_not_last_even_where_a_lost_message_would)
{
  Side side(Epoch::host);
  const auto reader = side.hand.add("reader", nullptr, phased(Phased::for_good));
  side.open(0);
  side.hand.scheduler.publisher_began(*reader, true, ms(1'000));
  EXPECT_EQ(side.state().holds_from, ms(1'600));
}

TEST(Phases, of_other_processes_only_an_epoch_of_a_clock_knows)
{
  Side side(Epoch::start);
  const auto reader = side.hand.add("reader", nullptr, phased());
  side.open(0);
  side.hand.scheduler.publisher_began(*reader, true, ms(5'000));
  EXPECT_EQ(side.state().disturbances, 0U);
  EXPECT_EQ(side.state().holds_from, ms(0));
}

TEST(Phases, without_a_time_to_settle_the_hyperperiods_of_the_own_timers_count_after_a_start)
{
  Side side(Epoch::host, std::nullopt);
  side.hand.add_timer("a", every(40), nullptr, phased());
  side.hand.add_timer("b", every(100, 430), nullptr, phased());
  TimerOptions other = every(7);
  other.autostart = false;
  side.hand.add_timer("c", other);  // no bound rests on it
  side.open(1'000);
  EXPECT_EQ(side.state().holds_from, ms(1'600));  // 200 ms, and 400 by which b begins later
  EXPECT_EQ(side.hand.run_one(0, ms(1'000)), "a");
  EXPECT_EQ(side.hand.run_one(0, ms(1'095)), "a");
  ASSERT_EQ(side.state().disturbances, 1U);
  EXPECT_FALSE(side.state().holds_from);  // a set may be out of step for good
}

TEST(Phases, no_hyperperiod_is_of_use_that_no_program_runs_through)
{
  PhasedTimers timers;
  for (const std::int64_t ns : {99'999'989, 99'999'971, 99'999'959}) {
    TimerOptions timer;
    timer.period = Duration(ns);
    timers.add(timer);
  }
  EXPECT_EQ(timers.hyperperiod, kForever);
  EXPECT_FALSE(timers.settle());
  EXPECT_FALSE(PhasedTimers().settle());
}

TEST(Phases, before_the_start_no_bound_holds)
{
  const Side side(Epoch::start);
  EXPECT_FALSE(side.state().started);
  EXPECT_FALSE(side.state().holds(ms(1'000'000)));
}

TEST(Phases, an_executor_tells_them_only_if_its_options_have_any)
{
  EXPECT_FALSE((*Executor::create())->phases());
  ExecutorOptions options;
  options.phases.emplace();
  options.phases->settles = millis(50);
  const auto executor = std::move(*Executor::create(options));
  ASSERT_TRUE(executor->phases());
  EXPECT_FALSE(executor->phases()->started);
  const Time before = now();
  executor->spin_some();
  ASSERT_TRUE(executor->phases()->started);
  EXPECT_GE(*executor->phases()->holds_from, before);
  executor->spin_some();
  ASSERT_TRUE(executor->start().ok());
  EXPECT_EQ(executor->phases()->disturbances, 0U);
}

}  // namespace
}  // namespace takt_core::test
