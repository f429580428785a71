// The hooks that an observer requests by its interest (arrivals, idling, parking), and rebinding,
// which all observers get.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "support/executor_fixture.hpp"

namespace takt_core::test
{
namespace
{

class Told final : public Observer
{
public:
  explicit Told(ObserverInterest interest) : interest_(interest) {}
  ObserverInterest interest() const noexcept override { return interest_; }
  void on_arrival(const Callback & callback, std::uint32_t count, Time) noexcept override
  {
    add("arrival " + callback.id() + " " + std::to_string(count));
  }
  void on_idle(std::uint32_t thread, Time) noexcept override
  {
    add("idle " + std::to_string(thread));
  }
  void on_wake(std::uint32_t thread, Time) noexcept override
  {
    add("wake " + std::to_string(thread));
  }
  void on_parked(const Callback & callback) noexcept override { add("parked " + callback.id()); }
  void on_rebound(const Callback & callback) override { add("rebound " + callback.id()); }

  std::size_t count(const std::string & what) const
  {
    const std::lock_guard lock(mutex_);
    return static_cast<std::size_t>(std::count(all_.begin(), all_.end(), what));
  }
  std::vector<std::string> all() const
  {
    const std::lock_guard lock(mutex_);
    return all_;
  }

private:
  void add(std::string what)
  {
    const std::lock_guard lock(mutex_);
    all_.push_back(std::move(what));
  }

  const ObserverInterest interest_;
  mutable std::mutex mutex_;
  std::vector<std::string> all_;
};

std::shared_ptr<Told> observe(Executor & executor, ObserverInterest interest)
{
  auto told = std::make_shared<Told>(interest);
  EXPECT_TRUE(executor.add_observer(told).ok());
  return told;
}

void stop(Executor & executor)
{
  executor.cancel();
  EXPECT_TRUE(executor.wait().ok());
}

TEST(ObserverHooks, tell_of_a_callback_that_is_picked_while_its_group_is_busy)
{
  const auto executor = make_executor(2);
  const auto told = observe(*executor, {false, false, true});
  const auto uninterested = observe(*executor, {});
  const auto group = std::make_shared<Group>(GroupKind::mutually_exclusive);
  const auto parked = add_function(*executor, "parked", {}, group);
  const auto holder = add_function(
    *executor, "holder",
    [&](const takt_core::Run &) {
      executor->ready(*parked, 1);
      EXPECT_TRUE(eventually([&] { return told->count("parked parked") == 1; }));
    },
    group);
  executor->ready(*holder, 1);
  ASSERT_TRUE(executor->start().ok());
  EXPECT_TRUE(eventually([&] { return parked->runs.load() == 1; }));
  stop(*executor);
  EXPECT_EQ(told->all(), (std::vector<std::string>{"parked parked"}));
  EXPECT_TRUE(uninterested->all().empty());
}

TEST(ObserverHooks, tell_of_a_callback_that_leaves_its_group_to_another_one_and_has_more_work)
{
  const auto executor =
    make_executor(2, [](ExecutorOptions & options) { options.order = Order::priority; });
  const auto group = std::make_shared<Group>(GroupKind::mutually_exclusive);
  const auto urgent = add_function(*executor, "urgent", {}, group, {.priority = 10});
  const auto told = observe(*executor, {false, false, true});
  std::shared_ptr<FunctionCallback> busy;
  busy = add_function(
    *executor, "busy",
    [&](const takt_core::Run &) {
      if (busy->runs.load() == 0) {
        executor->ready(*urgent, 1);
        EXPECT_TRUE(eventually([&] { return told->count("parked urgent") == 1; }));
      }
    },
    group);
  executor->ready(*busy, 2);
  ASSERT_TRUE(executor->start().ok());
  EXPECT_TRUE(eventually([&] { return busy->runs.load() == 2 && urgent->runs.load() == 1; }));
  stop(*executor);
  EXPECT_EQ(told->all(), (std::vector<std::string>{"parked urgent", "parked busy"}));
}

TEST(ObserverHooks, tell_of_arrivals_and_sleep_only_observers_that_want_it)
{
  const auto executor = make_executor(1);
  const auto arrivals = observe(*executor, {true, false, false});
  const auto idling = observe(*executor, {false, true, false});
  const auto callback = add_function(*executor, "c");
  executor->ready(*callback, 3);
  ASSERT_TRUE(executor->start().ok());
  EXPECT_TRUE(
    eventually([&] { return callback->runs.load() == 3 && idling->count("idle 0") > 0; }));
  stop(*executor);
  EXPECT_EQ(arrivals->all(), (std::vector<std::string>{"arrival c 3"}));
  EXPECT_EQ(idling->count("idle 0"), idling->count("wake 0"));
  EXPECT_EQ(idling->count("idle 0") + idling->count("wake 0"), idling->all().size());
}

TEST(ObserverHooks, tell_all_observers_of_other_threads_and_priorities)
{
  const auto executor = make_executor(2);
  const auto told = observe(*executor, {});
  const auto callback = add_function(*executor, "c");
  ASSERT_TRUE(executor->reconfigure({.callbacks = {{callback, {.threads = 2}}}}).ok());
  ASSERT_TRUE(
    executor->reconfigure({.callbacks = {{callback, {.threads = 2, .priority = 7}}}}).ok());
  EXPECT_EQ(told->all(), (std::vector<std::string>{"rebound c", "rebound c"}));
}

// An observer that is interested in runs if `runs` is true, and watches them while `on` is true.
class RunWatcher final : public Observer
{
public:
  explicit RunWatcher(bool runs) : runs_(runs) {}
  ObserverInterest interest() const noexcept override
  {
    ObserverInterest interest;
    interest.runs = runs_;
    return interest;
  }
  bool watches() const noexcept override { return on.load(); }
  void on_picked(const takt_core::Run &) noexcept override { ++picked; }
  void on_start(const takt_core::Run &, Time start) noexcept override { starts.push_back(start); }
  void on_end(const takt_core::Run &, Time end) noexcept override { ends.push_back(end); }

  std::atomic<bool> on{true};
  int picked = 0;
  std::vector<Time> starts;
  std::vector<Time> ends;

private:
  const bool runs_;
};

struct Hop
{
  std::vector<Time> starts;    // `Run::start` of each run
  std::vector<Time> releases;  // `Run::release` of each run
};

// Runs a callback that makes another callback of its sequence ready, and notes both runs.
Hop hop(const std::shared_ptr<Observer> & observer)
{
  Hop hop;
  const auto executor = make_executor(1);
  if (observer != nullptr) {
    EXPECT_TRUE(executor->add_observer(observer).ok());
  }
  const auto note = [&](const takt_core::Run & run) {
    hop.starts.push_back(run.start);
    hop.releases.push_back(run.release);
  };
  Binding first;
  first.sequence = SequencePlace{0, 0};
  Binding second;
  second.sequence = SequencePlace{0, 1};
  const auto follower = add_function(*executor, "second", note, nullptr, second);
  const auto root = add_function(
    *executor, "first",
    [&](const takt_core::Run & run) {
      note(run);
      executor->ready(*follower, 1);
    },
    nullptr, first);
  executor->ready(*root, 1);
  EXPECT_TRUE(executor->start().ok());
  EXPECT_TRUE(eventually([&] { return follower->runs.load() == 1; }));
  stop(*executor);
  return hop;
}

TEST(ObserverHooks, a_follower_starts_for_an_observer_when_the_run_before_it_ends)
{
  const auto watcher = std::make_shared<RunWatcher>(true);
  const Hop both = hop(watcher);
  ASSERT_EQ(watcher->ends.size(), 2U);
  ASSERT_EQ(both.starts.size(), 2U);
  EXPECT_EQ(both.starts[1], watcher->ends[0]);
  EXPECT_GE(both.starts[1], both.releases[1]);
  EXPECT_GE(watcher->starts[1], both.starts[1]);
  EXPECT_EQ(watcher->picked, 2);
}

TEST(ObserverHooks, without_an_observer_that_watches_a_follower_costs_no_look_at_the_clock)
{
  const auto uninterested = std::make_shared<RunWatcher>(false);
  const auto off = std::make_shared<RunWatcher>(true);
  off->on = false;
  for (const std::shared_ptr<RunWatcher> & observer :
       {std::shared_ptr<RunWatcher>(), uninterested, off}) {
    const Hop both = hop(observer);
    ASSERT_EQ(both.starts.size(), 2U);
    EXPECT_EQ(both.starts[1], both.releases[1]);
    EXPECT_GE(both.starts[0], both.releases[0]);
  }
  EXPECT_EQ(uninterested->picked, 0);
  EXPECT_TRUE(uninterested->ends.empty());
  EXPECT_TRUE(off->starts.empty());
  EXPECT_TRUE(off->ends.empty());
}

}  // namespace
}  // namespace takt_core::test
