// Threads cancel and reset timers, and set their periods, while the timers' node enters or leaves
// an executor. No release is lost or doubled.
#include <atomic>
#include <functional>
#include <vector>

#include "ros_test.hpp"

namespace takt_rcl::test
{

namespace
{

/// Acts while a callback is being added to an executor, or removed from it.
class During : public takt_core::Observer
{
public:
  void on_added(const takt_core::Callback &) override
  {
    if (adding) {
      adding();
    }
  }
  void on_removed(const takt_core::Callback &) override { ++removed; }

  std::function<void()> adding;
  std::atomic<int> removed{0};
};

std::int64_t release(const TimerInfo & info)
{
  return info.expected_call_time.nanoseconds();
}

// Each release occurs once, or counts as skipped. (Periods that the last run's start skipped come
// after it.)
void expect_every_release(
  const std::vector<TimerInfo> & infos, const Timer & timer, std::int64_t period)
{
  const std::int64_t apart = release(infos.back()) - release(infos.front());
  EXPECT_EQ(apart % period, 0);
  EXPECT_EQ(
    apart / period,
    static_cast<std::int64_t>(infos.size() - 1 + timer.skipped_periods() - infos.back().skipped));
}

}  // namespace

class MovingTimers : public RosTest
{
protected:
  Executor watched(std::size_t threads = 1)
  {
    Executor e = executor(threads);
    EXPECT_TRUE(e.core().add_observer(during_).ok());
    return e;
  }

  std::shared_ptr<During> during_ = std::make_shared<During>();
};

TEST_F(MovingTimers, CancelledWhileItIsBeingAddedStaysCancelled)
{
  auto n = node("n");
  int ran = 0;
  TimerOptions at_once;
  at_once.offset = 0ms;
  auto timer = n->create_wall_timer(
    1h, [&] { ++ran; }, at_once);
  auto e = watched();
  e.spin_some();  // opens the gate
  during_->adding = [&] { timer->cancel(); };
  e.add_node(n);
  EXPECT_TRUE(timer->is_canceled());
  e.spin_some();
  EXPECT_EQ(ran, 0);
}

TEST_F(MovingTimers, ResetWhileItIsBeingAddedStarts)
{
  auto n = node("n");
  int ran = 0;
  auto timer = n->create_wall_timer(
    1ms, [&] { ++ran; }, nullptr, false);
  auto e = watched();
  e.spin_some();
  during_->adding = [&] { timer->reset(); };
  e.add_node(n);
  EXPECT_FALSE(timer->is_canceled());
  EXPECT_TRUE(spin_until(e, [&] { return ran > 0; }));
}

TEST_F(MovingTimers, PeriodSetWhileItIsBeingAddedCounts)
{
  auto n = node("n");
  std::vector<TimerInfo> infos;
  auto timer = n->create_wall_timer(5ms, [&](const TimerInfo & info) { infos.push_back(info); });
  auto e = watched();
  during_->adding = [&] { timer->set_period(2ms); };
  e.add_node(n);
  EXPECT_EQ(timer->period(), 2ms);
  ASSERT_TRUE(spin_until(e, [&] { return infos.size() >= 4; }));
  expect_every_release(infos, *timer, 2'000'000);
}

// Another thread has picked the timer and has not begun to run it. Then its node is removed.
TEST_F(MovingTimers, ReleaseThatIsPickedWhenTheNodeLeavesRuns)
{
  constexpr std::int64_t kPeriod = 5'000'000;
  auto n = node("n");
  std::vector<TimerInfo> infos;
  auto timer = n->create_wall_timer(
    std::chrono::nanoseconds(kPeriod), [&](const TimerInfo & info) { infos.push_back(info); });
  auto a = watched();
  takt_core::Scheduler & scheduler = a.core().scheduler();
  a.spin_some();
  a.add_node(n);
  const takt_rt::Time first = scheduler.next_release(*timer->callback());
  takt_core::Run run;
  ASSERT_TRUE(scheduler.next(0, first, run));
  std::thread remover([&] { a.remove_node(n); });
  ASSERT_TRUE(wait_until([&] { return during_->removed > 0; }));
  const bool took = run.callback->take(run);
  scheduler.taken(run);
  if (took) {
    run.callback->run(run);
  }
  scheduler.complete(run);
  remover.join();
  auto b = executor();
  b.spin_some();
  b.add_node(n);
  ASSERT_TRUE(spin_until(b, [&] { return infos.size() >= 3; }));
  EXPECT_EQ(release(infos.front()), takt_rt::to_ns(first));
  expect_every_release(infos, *timer, kPeriod);
}

// As above, but the node is removed inside another run of the same timer. So the removal cannot
// wait for the picked run.
TEST_F(MovingTimers, ReleaseThatIsPickedWhenItsNodeLeavesFromInsideRuns)
{
  constexpr std::int64_t kPeriod = 5'000'000;
  auto n = node("n");
  auto a = executor();
  takt_core::Scheduler & scheduler = a.core().scheduler();
  std::vector<TimerInfo> infos;
  takt_rt::Time picked{};
  Timer::SharedPtr timer;
  TimerOptions at_once;
  at_once.offset = 0ms;
  at_once.callback_group = n->create_callback_group(CallbackGroupType::Reentrant);
  timer = n->create_wall_timer(
    std::chrono::nanoseconds(kPeriod),
    [&](const TimerInfo & info) {
      infos.push_back(info);
      if (infos.size() == 1) {
        picked = scheduler.next_release(*takt_core::current_run()->callback);
        takt_core::Run second;
        ASSERT_TRUE(scheduler.next(0, picked, second));
        a.remove_node(n);
        const bool took = second.callback->take(second);
        scheduler.taken(second);
        if (took) {
          second.callback->run(second);
        }
        scheduler.complete(second);
      }
    },
    at_once);
  a.spin_some();
  a.add_node(n);
  ASSERT_TRUE(spin_until(a, [&] { return !infos.empty(); }));
  auto b = executor();
  b.spin_some();
  b.add_node(n);
  ASSERT_TRUE(spin_until(b, [&] { return infos.size() >= 4; }));
  EXPECT_EQ(release(infos[1]), takt_rt::to_ns(picked));
  expect_every_release(infos, *timer, kPeriod);
}

// Repeats both kinds of moves with both kinds of changes.
TEST_F(MovingTimers, NoChangeIsLostWhileTheNodeMoves)
{
  constexpr int kRounds = 1000;
  auto n = node("n");
  auto e = executor();
  auto timer = n->create_wall_timer(1h, [] {});
  std::atomic<int> begun{0};
  std::atomic<int> ended{0};
  std::atomic<bool> stop{false};
  std::thread mover([&] {
    for (int round = 1; !stop; ++round) {
      while (begun < round && !stop) {
        std::this_thread::yield();
      }
      e.add_node(n);
      e.remove_node(n);
      ended = round;
    }
  });
  int lost_cancels = 0;
  int lost_resets = 0;
  unsigned random = 1;
  for (int round = 1; round <= kRounds; ++round) {
    const bool cancels = round % 2 == 0;
    cancels ? timer->reset() : timer->cancel();
    begun = round;
    random = random * 1103515245 + 12345;
    for (std::atomic<unsigned> busy = (random >> 16) % 3000; busy > 0; --busy) {
    }
    cancels ? timer->cancel() : timer->reset();
    while (ended < round) {
      std::this_thread::yield();
    }
    lost_cancels += cancels && !timer->is_canceled() ? 1 : 0;
    lost_resets += !cancels && timer->is_canceled() ? 1 : 0;
  }
  stop = true;
  mover.join();
  EXPECT_EQ(lost_cancels, 0);
  EXPECT_EQ(lost_resets, 0);
}

// A cancelled timer does not keep the next release that it had in its last executor.
TEST_F(MovingTimers, CancelledTimerForgetsItsPhase)
{
  auto n = node("n");
  auto a = executor();
  auto b = executor();
  int ran = 0;
  auto timer = n->create_wall_timer(5ms, [&] { ++ran; });
  a.add_node(n);
  ASSERT_TRUE(spin_until(a, [&] { return ran > 0; }));
  a.remove_node(n);
  timer->cancel();
  const auto due = takt_rt::now() + 5ms;
  ASSERT_TRUE(wait_until([&] { return takt_rt::now() > due; }));
  timer->set_period(1h);
  b.add_node(n);
  timer->reset();
  ran = 0;
  b.spin_some();
  EXPECT_EQ(ran, 0);
}

}  // namespace takt_rcl::test
