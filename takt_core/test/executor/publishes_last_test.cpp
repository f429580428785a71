// `Binding::publishes_last` in running executors: the callback made ready last stays with its
// publisher's thread, if that is possible.
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <memory>

#include "support/executor_fixture.hpp"
#include "takt_rt/thread_attributes.hpp"

namespace takt_core::test
{

using takt_rt::may_use_realtime;
using takt_rt::Policy;

namespace
{

using std::chrono::milliseconds;

// Spins until `done` or the time is over; returns `done`.
bool within(Duration time, const std::atomic<bool> & done)
{
  const Time until = now() + time;
  while (!done.load() && now() < until) {
  }
  return done.load();
}

// Counts the threads that sleep. Observers get the event after the scheduler.
struct Sleepers : Observer
{
  ObserverInterest interest() const noexcept override
  {
    ObserverInterest interest;
    interest.idling = true;
    return interest;
  }
  void on_idle(std::uint32_t, Time) noexcept override { ++count; }
  void on_wake(std::uint32_t, Time) noexcept override { --count; }
  std::atomic<int> count{0};
};

// A callback that two threads may run makes another one ready, and then gives the second thread
// `time` to begin it. Returns the number of `rounds` in which the second thread began it. An awake
// thread would look for work by itself, so each round begins with both threads asleep.
int taken_by_another(
  bool publishes_last, int rounds, Duration time,
  const std::function<void(ExecutorOptions &)> & change = {}, bool in_sequence = false)
{
  const auto executor = make_executor(2, change);
  std::atomic<bool> began{false};
  int taken = 0;
  Binding urgent;
  urgent.priority = 30;
  Binding low;
  low.priority = 10;
  low.publishes_last = publishes_last;
  if (in_sequence) {
    low.sequence = SequencePlace{0, 0};
    urgent.sequence = SequencePlace{0, 1};
  }
  const auto next = add_function(
    *executor, "next", [&](const auto &) { began = true; }, nullptr, urgent);
  const auto publisher = add_function(
    *executor, "publisher",
    [&](const auto &) {
      executor->ready(*next);
      taken += within(time, began) ? 1 : 0;
    },
    nullptr, low);
  const auto sleepers = std::make_shared<Sleepers>();
  EXPECT_TRUE(executor->add_observer(sleepers).ok());
  std::thread spinning([&] { EXPECT_TRUE(executor->spin().ok()); });
  for (int round = 1; round <= rounds; ++round) {
    EXPECT_TRUE(eventually([&] { return sleepers->count == 2; }));
    began = false;
    executor->ready(*publisher);
    EXPECT_TRUE(
      eventually([&] { return next->runs.load() == round && publisher->runs.load() == round; }));
  }
  executor->cancel();
  spinning.join();
  return taken;
}

TEST(PublishesLast, LeavesWhatIsReadyToTheOwnThread)
{
  EXPECT_EQ(taken_by_another(true, 40, milliseconds(5)), 0);
  EXPECT_EQ(taken_by_another(false, 20, std::chrono::seconds(20)), 20);
}

// The following thread runs at its callback's priority, which is below that of the callback that it
// made ready.
TEST(PublishesLast, OfAFollowingThreadWakesTheOthersAsEver)
{
  if (!may_use_realtime(40)) {
    GTEST_SKIP() << "following threads need SCHED_FIFO, which this process may not use";
  }
  const auto following = [](ExecutorOptions & options) {
    for (ExecutorThreadOptions & thread : options.threads) {
      thread.attributes.policy = Policy::fifo;
      thread.attributes.priority = 40;
      thread.follow = true;
    }
  };
  EXPECT_EQ(taken_by_another(true, 20, std::chrono::seconds(20), following), 20);
  EXPECT_EQ(taken_by_another(false, 20, std::chrono::seconds(20), following, true), 20);
}

}  // namespace
}  // namespace takt_core::test
