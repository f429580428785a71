// The hooks that an observer requests by its interest (arrivals, idling, parking), and rebinding, which all observers
// get.
#include <gtest/gtest.h>

#include <algorithm>
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

}  // namespace
}  // namespace takt_core::test
