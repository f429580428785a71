// Executor threads at work: reentrancy, timers on their grid, epochs, inheritance through a
// publish.
#include <gtest/gtest.h>

#include <mutex>
#include <set>

#include "support/executor_fixture.hpp"

namespace takt_core::test
{
namespace
{

void stop(Executor & executor)
{
  executor.cancel();
  EXPECT_TRUE(executor.wait().ok());
}

TEST(Reentrant, runs_meet_inside_on_different_lanes_while_takes_stay_apart)
{
  const auto executor = make_executor(3);
  std::atomic<int> inside{0}, taking{0}, overlaps{0};
  std::mutex mutex;
  std::set<std::uint32_t> lanes;
  const auto c = add_function(
    *executor, "c",
    [&](const takt_core::Run & run) {
      {
        const std::lock_guard lock(mutex);
        lanes.insert(run.thread);
      }
      inside.fetch_add(1);
      EXPECT_TRUE(eventually([&] { return inside.load() >= 3; })) << "runs do not overlap";
    },
    std::make_shared<Group>(GroupKind::reentrant));
  c->on_take = [&](const takt_core::Run &) {
    overlaps.fetch_add(taking.fetch_add(1));
    std::this_thread::yield();
    taking.fetch_sub(1);
    return true;
  };
  executor->ready(*c, 3);
  ASSERT_TRUE(executor->start().ok());
  EXPECT_TRUE(eventually([&] { return c->runs.load() == 3; }));
  stop(*executor);
  EXPECT_EQ(lanes.size(), 3U);
  EXPECT_EQ(overlaps.load(), 0);
}

TEST(Timers, are_released_on_the_grid_of_the_epoch_whatever_the_load)
{
  for (const auto missed : {MissedPeriods::skip, MissedPeriods::catch_up}) {
    const auto executor = make_executor(2);
    TimerOptions options;
    options.period = std::chrono::microseconds(700);
    options.offset = std::chrono::microseconds(100);
    options.missed_periods = missed;
    const Time epoch = now();
    std::vector<Time> releases;
    std::vector<bool> early;
    const auto timer = add_function(
      *executor, "t",
      [&](const takt_core::Run & run) {
        releases.push_back(run.release);
        early.push_back(run.start < run.release);
        if (releases.size() % 10 == 0) {
          std::this_thread::sleep_for(std::chrono::milliseconds(3));
        }
      },
      nullptr, {}, options);
    ASSERT_TRUE(executor->start(epoch).ok());
    EXPECT_TRUE(eventually([&] { return timer->runs.load() >= 40; }));
    stop(*executor);
    for (std::size_t i = 0; i < releases.size(); ++i) {
      EXPECT_EQ((releases[i] - epoch - *options.offset) % options.period, Duration::zero());
      EXPECT_FALSE(early[i]);
      if (i > 0 && missed == MissedPeriods::catch_up) {
        EXPECT_EQ(releases[i] - releases[i - 1], options.period);
      }
    }
    if (missed == MissedPeriods::catch_up) {
      EXPECT_EQ(timer->skipped_periods(), 0U);
    } else {
      const auto elapsed = (releases.back() - releases.front()) / options.period;
      EXPECT_LE(static_cast<std::int64_t>(releases.size()) - 1, elapsed);
    }
  }
}

TEST(Timers, of_many_threads_and_sets_all_go_on_while_others_work)
{
  const auto executor = make_executor(3);
  std::vector<std::shared_ptr<FunctionCallback>> timers;
  for (int i = 0; i < 6; ++i) {
    TimerOptions options;
    options.period = std::chrono::microseconds(300 + 100 * i);
    Binding binding;
    binding.threads = i < 3 ? ThreadMask{1} << i : i == 3 ? 0b011 : 0b111;
    timers.push_back(
      add_function(*executor, "t" + std::to_string(i), {}, nullptr, binding, options));
  }
  const auto load = add_function(*executor, "load", [&](const takt_core::Run & run) {
    std::this_thread::sleep_for(std::chrono::microseconds(500));
    executor->ready(*run.callback);
  });
  executor->ready(*load);
  ASSERT_TRUE(executor->start().ok());
  for (const auto & timer : timers) {
    EXPECT_TRUE(eventually([&] { return timer->runs.load() > 20; })) << timer->id() << " is dead";
  }
  stop(*executor);
}

TEST(Activations, go_from_a_run_to_what_it_announces_on_any_thread)
{
  const auto executor = make_executor(3);
  std::atomic<int> wrong{0};
  std::shared_ptr<FunctionCallback> root, last;
  last = add_function(*executor, "last", [&](const takt_core::Run & run) {
    const bool right = run.activations.size() == 1 &&
                       run.activations.begin()->root == root->number() &&
                       run.activations.begin()->release <= run.release;
    wrong.fetch_add(right && current_executor() == executor.get() && current_run() == &run ? 0 : 1);
  });
  const auto middle =
    add_function(*executor, "middle", [&](const takt_core::Run &) { executor->ready(*last); });
  root = add_function(*executor, "root", [&](const takt_core::Run &) { executor->ready(*middle); });
  ASSERT_TRUE(executor->start().ok());
  executor->ready(*root, 200);
  EXPECT_TRUE(eventually([&] { return last->runs.load() == 200; }));
  stop(*executor);
  EXPECT_EQ(wrong.load(), 0);
  EXPECT_EQ(current_executor(), nullptr);
  EXPECT_EQ(current_run(), nullptr);
}

}  // namespace
}  // namespace takt_core::test
