// Costs of runs: measured once for all observers, also of nested and throwing runs, and only on
// request.
#include "takt_core/run_costs.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/executor_fixture.hpp"
#include "takt_rt/thread_cpu_time.hpp"

namespace takt_core::test
{
namespace
{

constexpr RunCostsWanted::Costs kCpu{true, false};
constexpr RunCostsWanted::Costs kAll{true, true};
using std::chrono::milliseconds;

class Noted final : public Observer
{
public:
  explicit Noted(bool watches) : watches_(watches) {}

  void watch() noexcept { watches_ = true; }
  bool watches() const noexcept override { return watches_; }
  void on_end(const Run & run, Time) noexcept override
  {
    const std::lock_guard lock(mutex_);
    ends_[run.callback->id()].push_back(run.costs == nullptr ? RunCosts() : *run.costs);
  }
  std::vector<RunCosts> of(const std::string & id) const
  {
    const std::lock_guard lock(mutex_);
    const auto found = ends_.find(id);
    return found == ends_.end() ? std::vector<RunCosts>() : found->second;
  }

private:
  std::atomic<bool> watches_;
  mutable std::mutex mutex_;
  std::map<std::string, std::vector<RunCosts>> ends_;
};

std::int64_t own_cpu_time()
{
  return takt_rt::thread_cpu_time().count();
}

/// Works until the calling thread has used `least` of CPU time. Returns the CPU time that it used.
std::int64_t work(std::chrono::nanoseconds least)
{
  const std::int64_t began = own_cpu_time();
  while (own_cpu_time() - began < least.count()) {
  }
  return own_cpu_time() - began;
}

/// The costs of the runs of an executor's only callback, which runs once on the calling thread.
std::vector<RunCosts> ran(
  const std::function<void()> & function, const std::function<bool()> & take = {})
{
  const auto executor =
    make_executor(1, [](ExecutorOptions & o) { o.on_exception = ExceptionPolicy::report; });
  const auto noted = std::make_shared<Noted>(true);
  EXPECT_TRUE(executor->add_observer(noted).ok());
  const auto callback = add_function(*executor, "one", [&](const Run &) { function(); });
  if (take) {
    callback->on_take = [&](const Run &) { return take(); };
  }
  executor->ready(*callback);
  EXPECT_TRUE(executor->spin_some().ok());
  return noted->of("one");
}

TEST(RunCosts, are_not_measured_unless_somebody_asks)
{
  const auto costs = ran([] { work(milliseconds(1)); });
  ASSERT_EQ(costs.size(), 1U);
  EXPECT_LT(costs[0].cpu, 0);
  EXPECT_LT(costs[0].take_cpu, 0);
  EXPECT_LT(costs[0].wait, 0);
  {
    const RunCostsWanted wanted(kCpu);
    EXPECT_GT(ran([] {}).at(0).cpu, 0);
    EXPECT_LT(ran([] {}).at(0).wait, 0);
  }
  EXPECT_LT(ran([] {}).at(0).cpu, 0) << "nobody asks any longer";
}

TEST(RunCosts, tell_the_take_from_the_run)
{
  const RunCostsWanted wanted(kCpu);
  std::int64_t took = 0;
  std::int64_t before_the_run = 0;
  std::int64_t worked = 0;
  const std::int64_t began = own_cpu_time();
  const auto costs = ran(
    [&] {
      before_the_run = own_cpu_time() - began;
      worked = work(milliseconds(4));
    },
    [&] {
      took = work(milliseconds(2));
      return true;
    });
  ASSERT_EQ(costs.size(), 1U);
  EXPECT_GE(costs[0].take_cpu, took);
  EXPECT_GE(costs[0].cpu - costs[0].take_cpu, worked);
  EXPECT_LE(costs[0].take_cpu, before_the_run) << "the run is not in the take";
}

TEST(RunCosts, are_whole_for_an_observer_that_begins_to_watch_in_mid_run)
{
  const RunCostsWanted wanted(kCpu);
  const auto executor = make_executor(1);
  const auto noted = std::make_shared<Noted>(false);
  ASSERT_TRUE(executor->add_observer(noted).ok());
  const auto callback = add_function(*executor, "one", [&](const auto &) { noted->watch(); });
  executor->ready(*callback);
  ASSERT_TRUE(executor->spin_some().ok());
  const auto costs = noted->of("one");
  ASSERT_EQ(costs.size(), 1U);
  EXPECT_GT(costs[0].cpu, 0);
  EXPECT_GE(costs[0].take_cpu, 0);
}

TEST(RunCosts, leave_out_what_is_not_of_the_run)
{
  const RunCostsWanted wanted(kCpu);
  std::int64_t left_out = 0;
  std::int64_t worked = 0;
  const std::int64_t began = own_cpu_time();
  const auto costs = ran([&] {
    {
      const NotOfTheRun pause;
      left_out = work(milliseconds(4));
    }
    worked = work(milliseconds(1));
  });
  const std::int64_t all = own_cpu_time() - began;
  ASSERT_EQ(costs.size(), 1U);
  EXPECT_GE(costs[0].cpu, worked);
  EXPECT_LE(costs[0].cpu, all - left_out);
  const NotOfTheRun outside;  // outside of runs it has no effect
}

// At each depth the run of one executor contains the next executor's run. The innermost callback
// throws, in its run or its take; its executor catches the exception.
TEST(RunCosts, find_each_run_of_many_inside_of_each_other)
{
  const RunCostsWanted wanted(kAll);
  constexpr int kDepth = 9;
  for (const bool in_take : {false, true}) {
    std::vector<std::vector<RunCosts>> costs(kDepth + 1);
    std::vector<std::int64_t> used(kDepth + 1);
    const std::function<void(int)> go = [&](int depth) {
      const auto at = static_cast<std::size_t>(depth);
      const auto innermost = [&]() -> bool { throw std::runtime_error("as asked"); };
      costs[at] = ran(
        [&] {
          const std::int64_t began = own_cpu_time();
          work(milliseconds(1));
          if (depth < kDepth) {
            go(depth + 1);
          }
          work(milliseconds(1));
          used[at] = own_cpu_time() - began;
          if (depth == kDepth) {
            innermost();
          }
        },
        depth == kDepth && in_take ? innermost : std::function<bool()>());
    };
    go(0);
    EXPECT_EQ(costs[kDepth].size(), in_take ? 0U : 1U);
    for (std::size_t depth = 0; depth < kDepth; ++depth) {
      ASSERT_EQ(costs[depth].size(), 1U) << depth;
      EXPECT_GE(costs[depth][0].cpu, used[depth]) << depth;
      if (depth > 0) {
        EXPECT_LT(costs[depth][0].cpu, costs[depth - 1][0].cpu) << depth;
      }
    }
    const std::int64_t began = own_cpu_time();
    const auto after = ran([] { work(milliseconds(1)); });
    const std::int64_t all = own_cpu_time() - began;
    ASSERT_EQ(after.size(), 1U);
    EXPECT_GE(after[0].cpu, std::chrono::nanoseconds(milliseconds(1)).count());
    EXPECT_LE(after[0].cpu, all) << "of the runs before nothing is left";
  }
}

TEST(RunCosts, know_a_sleep_from_work)
{
  const RunCostsWanted wanted(kAll);
  constexpr auto kSleep = milliseconds(20);
  const auto elapsed_of = [](const std::function<void()> & function, RunCosts & costs) {
    const Time began = now();
    costs = ran(function).at(0);
    return (now() - began).count();
  };
  RunCosts costs;
  const std::int64_t elapsed = elapsed_of([&] { std::this_thread::sleep_for(kSleep); }, costs);
  if (costs.wait < 0) {
    GTEST_SKIP() << "this kernel does not count how long threads wait for a core";
  }
  EXPECT_GE(costs.voluntary, 1U);
  EXPECT_GT(costs.slept(elapsed), 0);
  EXPECT_LE(costs.slept(elapsed), elapsed - costs.cpu);
  EXPECT_EQ(costs.wait_before, -1) << "the thread had no run before that was measured";
  const std::int64_t worked = elapsed_of([] { work(milliseconds(20)); }, costs);
  EXPECT_EQ(costs.slept(worked), 0) << "it never left its core by itself";
  EXPECT_GE(costs.wait_before, 0);
  EXPECT_LT(RunCosts().slept(worked), 0) << "not measured";
}

}  // namespace
}  // namespace takt_core::test
