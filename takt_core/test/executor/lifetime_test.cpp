// Callbacks and groups that outlive executors, move between them, or never join one.
#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "support/executor_fixture.hpp"

namespace takt_core::test
{
namespace
{

TimerOptions every_ms(std::int64_t n)
{
  TimerOptions options;
  options.period = std::chrono::milliseconds(n);
  return options;
}

std::shared_ptr<FunctionCallback> make_function(
  const std::string & id, std::shared_ptr<Group> group = nullptr,
  std::optional<TimerOptions> timer = {})
{
  CallbackOptions options;
  options.id = id;
  options.kind = timer ? Kind::timer : Kind::subscription;
  options.group = std::move(group);
  options.depth = 10;
  options.timer = timer;
  return std::make_shared<FunctionCallback>(options, nullptr);
}

// A capture may remove callbacks from the executor that is being freed.
TEST(Destruction, of_an_executor_frees_callbacks_whose_captures_remove_others)
{
  struct Remover
  {
    Executor & executor;
    std::shared_ptr<FunctionCallback> other;
    int & removed;
    ~Remover()
    {
      executor.remove(*other);
      ++removed;
    }
  };
  constexpr int kCallbacks = 50;
  std::vector<std::shared_ptr<FunctionCallback>> others;
  int removed = 0;
  {
    const auto executor = make_executor(2);
    const auto group = std::make_shared<Group>(GroupKind::mutually_exclusive, "shared");
    for (int i = 0; i < kCallbacks; ++i) {
      others.push_back(add_function(*executor, "other" + std::to_string(i), {}, group));
      auto remover = std::shared_ptr<Remover>(new Remover{*executor, others.back(), removed});
      add_function(*executor, "remover" + std::to_string(i), [remover](const auto &) {});
    }
  }
  EXPECT_EQ(removed, kCallbacks);
  const auto next = make_executor(1);
  for (const auto & other : others) {
    EXPECT_TRUE(next->add(other).ok()) << "it belongs to no executor";
  }
}

class Restart : public testing::TestWithParam<Order>
{
protected:
  std::unique_ptr<Executor> make()
  {
    return make_executor(2, [](auto & o) { o.order = GetParam(); });
  }
};

TEST_P(Restart, under_another_executor_goes_on_with_what_waited_in_a_group)
{
  const auto group = std::make_shared<Group>(GroupKind::mutually_exclusive, "shared");
  std::shared_ptr<FunctionCallback> holder;
  std::vector<std::shared_ptr<FunctionCallback>> waiting;
  std::atomic<bool> cancelled{false};
  {
    const auto executor = make();
    holder = add_function(
      *executor, "holder",
      [&](const auto &) {
        // Wait until the other thread has picked the callbacks and parked them. This callback ends
        // when the first executor is cancelled.
        if (!cancelled.load()) {
          for (const auto & callback : waiting) {
            executor->ready(*callback, 2);
          }
          const auto witness = executor->scheduler().find("witness");
          executor->ready(*witness);
          EXPECT_TRUE(
            eventually([&] { return static_cast<FunctionCallback &>(*witness).runs.load() == 1; }));
          executor->cancel();
          cancelled.store(true);
        }
      },
      group);
    for (const std::string id : {"b", "c"}) {
      waiting.push_back(add_function(*executor, id, {}, group));
    }
    add_function(*executor, "witness");
    executor->ready(*holder);
    EXPECT_TRUE(executor->spin().ok());
  }
  EXPECT_FALSE(group->busy());
  const auto executor = make();
  const auto fresh = add_function(*executor, "fresh", {}, group);
  for (const auto & callback : {waiting[1], holder, waiting[0]}) {
    ASSERT_TRUE(executor->add(callback).ok());
  }
  executor->ready(*fresh);
  executor->ready(*holder);
  ASSERT_TRUE(executor->start().ok());
  EXPECT_TRUE(eventually([&] {
    return fresh->runs.load() == 1 && waiting[0]->runs.load() == 2 && waiting[1]->runs.load() == 2;
  }));
  executor->cancel();
  EXPECT_TRUE(executor->wait().ok());
  EXPECT_FALSE(group->busy());
}

INSTANTIATE_TEST_SUITE_P(
  all, Restart,
  testing::Values(Order::priority, Order::fifo, Order::edf, Order::window, Order::stock),
  [](const auto & test) { return std::string(to_string(test.param)); });

// Calls every function of set-up and of timers on a callback that is not in the executor.
void refuses(Executor & executor, Callback & stranger)
{
  Scheduler & scheduler = executor.scheduler();
  const std::shared_ptr<Callback> shared(std::shared_ptr<void>(), &stranger);
  EXPECT_FALSE(executor.reconfigure({.callbacks = {{shared, {.priority = 5}}}}).ok());
  EXPECT_FALSE(scheduler.set_deadline(stranger, std::chrono::milliseconds(1)).ok());
  EXPECT_FALSE(scheduler.binding(stranger).ok());
  EXPECT_EQ(scheduler.threads(stranger), 0U);
  scheduler.cancel_timer(stranger);
  scheduler.set_period(stranger, std::chrono::milliseconds(1));
  EXPECT_EQ(scheduler.next_release(stranger), kNever);
  executor.ready(stranger);
  executor.remove(stranger);
}

TEST(Callbacks, that_are_not_in_the_executor_are_refused_and_left_alone)
{
  const auto never = make_function("never", nullptr, every_ms(10));
  const auto removed = make_function("removed", nullptr, every_ms(10));
  const auto elsewhere = make_function("elsewhere", nullptr, every_ms(10));
  const auto executor = make_executor();
  const auto other = make_executor();
  ASSERT_TRUE(other->add(elsewhere).ok());
  {
    const auto first = make_executor(2);
    ASSERT_TRUE(first->add(removed).ok());
    first->remove(*removed);
    refuses(*first, *removed);
  }
  for (const auto & stranger : {never, removed, elsewhere}) {
    refuses(*executor, *stranger);
  }
  other->scheduler().open(now());
  EXPECT_FALSE(other->scheduler().timer_cancelled(*elsewhere)) << "not by the one it is not in";
  EXPECT_NE(other->scheduler().next_release(*elsewhere), kNever);
  EXPECT_TRUE(removed.use_count() == 1) << "nobody keeps it";
}

TEST(Callbacks, of_a_destroyed_executor_are_as_if_never_added)
{
  const auto left = make_function("left", nullptr, every_ms(10));
  {
    const auto executor = make_executor();
    ASSERT_TRUE(executor->add(left).ok());
    executor->scheduler().open(now());
  }
  const auto executor = make_executor();
  refuses(*executor, *left);
  executor->scheduler().reset_timer(*left, now());
  ASSERT_TRUE(executor->add(left).ok());
  EXPECT_TRUE(executor->spin_once(Duration(-1)).ok());
  EXPECT_EQ(left->runs.load(), 1);
}

TEST(Callbacks, that_are_null_are_refused)
{
  const auto executor = make_executor();
  EXPECT_FALSE(executor->add(nullptr).ok());
  EXPECT_FALSE(executor->scheduler().add(nullptr).ok());
}

TEST(Removal, of_an_outer_run_of_the_own_thread_returns_at_once)
{
  const auto outer = make_executor();
  const auto inner = make_executor();
  std::shared_ptr<FunctionCallback> a;
  const auto b = add_function(*inner, "b", [&](const auto &) { outer->remove(*a); });
  a = add_function(*outer, "a", [&](const auto &) {
    inner->ready(*b);
    EXPECT_TRUE(inner->spin_once(Duration(-1)).ok());
  });
  outer->ready(*a);
  EXPECT_TRUE(outer->spin_once(Duration(-1)).ok());
  EXPECT_EQ(a->runs.load(), 1);
  EXPECT_EQ(outer->scheduler().find("a"), nullptr);
}

// Each callback waits inside its run until all callbacks run, then removes the next one.
void remove_each_other(int count)
{
  const auto executor = make_executor(static_cast<std::size_t>(count));
  std::vector<std::shared_ptr<FunctionCallback>> circle;
  std::atomic<int> inside{0};
  std::atomic<bool> added{false};
  for (int i = 0; i < count; ++i) {
    circle.push_back(add_function(*executor, "c" + std::to_string(i), [&, i](const auto &) {
      inside.fetch_add(1);
      EXPECT_TRUE(eventually([&] { return inside.load() == count && added.load(); }));
      executor->remove(*circle[static_cast<std::size_t>(i + 1) % circle.size()]);
    }));
    executor->ready(*circle.back());
  }
  added.store(true);
  ASSERT_TRUE(executor->start().ok());
  for (const auto & callback : circle) {
    EXPECT_TRUE(eventually([&] { return callback->runs.load() == 1; }));
  }
  executor->cancel();
  EXPECT_TRUE(executor->wait().ok());
  EXPECT_TRUE(executor->scheduler().callbacks().empty());
}

TEST(Removal, of_each_other_ends)
{
  for (int i = 0; i < 20; ++i) {
    remove_each_other(2);
    remove_each_other(3);
  }
}

TEST(Removal, waits_also_if_another_thread_removed_it_before)
{
  const auto executor = make_executor(1);
  std::atomic<bool> inside{false}, may_end{false};
  const auto c = add_function(*executor, "c", [&](const auto &) {
    inside.store(true);
    EXPECT_TRUE(eventually([&] { return may_end.load(); }));
  });
  executor->ready(*c);
  ASSERT_TRUE(executor->start().ok());
  EXPECT_TRUE(eventually([&] { return inside.load(); }));
  std::thread first([&] { executor->remove(*c); });
  EXPECT_TRUE(eventually([&] { return executor->scheduler().find("c") == nullptr; }));
  std::thread releaser([&] { may_end.store(true); });
  executor->remove(*c);
  EXPECT_EQ(c->runs.load(), 1);
  first.join();
  releaser.join();
  executor->cancel();
  EXPECT_TRUE(executor->wait().ok());
}

// Other threads use the executor meanwhile.
TEST(Retirement, waits_for_no_run_and_frees_the_id_at_once)
{
  const auto executor = make_executor(2);
  std::atomic<bool> inside{false};
  std::atomic<bool> leave{false};
  std::atomic<bool> successor_ran{false};
  const auto old = add_function(*executor, "a", [&](const auto &) {
    inside.store(true);
    while (!leave.load()) {
      std::this_thread::yield();
    }
  });
  ASSERT_TRUE(executor->start().ok());
  executor->ready(*old);
  while (!inside.load()) {
    std::this_thread::yield();
  }
  executor->retire(*old);
  EXPECT_FALSE(leave.load());
  EXPECT_EQ(executor->find("a"), nullptr);
  const auto successor =
    add_function(*executor, "a", [&](const auto &) { successor_ran.store(true); });
  executor->ready(*successor);
  while (!successor_ran.load()) {
    std::this_thread::yield();
  }
  EXPECT_EQ(executor->find("a"), successor);
  leave.store(true);
  executor->cancel();
  executor->wait();
}

TEST(Removal, gives_the_callback_up_before_it_returns)
{
  const auto executor = make_executor();
  ASSERT_TRUE(executor->start().ok());
  std::atomic<bool> over{false};
  std::thread other([&] {
    CallbackOptions options;
    options.id = "passing";
    const auto passing = std::make_shared<FunctionCallback>(options, nullptr);
    while (!over) {
      (void)executor->add(passing);
      executor->remove(*passing);
    }
  });
  int kept = 0;
  for (int i = 0; i < 2000; ++i) {
    std::atomic<bool> runs{false};
    auto c = add_function(*executor, "c", [&](const auto &) {
      runs = true;
      for (const Time until = now() + std::chrono::microseconds(150); now() < until;) {
      }
    });
    executor->ready(*c);
    while (!runs) {
      std::this_thread::yield();
    }
    const std::weak_ptr<FunctionCallback> left = c;
    FunctionCallback & removed = *c;
    c.reset();
    executor->remove(removed);
    kept += left.expired() ? 0 : 1;
    while (!left.expired()) {
      std::this_thread::yield();
    }
  }
  over = true;
  other.join();
  executor->cancel();
  ASSERT_TRUE(executor->wait().ok());
  EXPECT_EQ(kept, 0);
}

TEST(Adding, what_still_runs_is_refused_until_the_run_is_over)
{
  const auto group = std::make_shared<Group>(GroupKind::mutually_exclusive);
  const auto from = make_executor(1), to = make_executor(1);
  const auto other = make_function("other", group);
  const auto c = add_function(
    *from, "c",
    [&](const takt_core::Run & run) {
      if (current_executor() != from.get()) {
        return;
      }
      const auto self = from->scheduler().find("c");
      from->remove(*run.callback);
      EXPECT_FALSE(to->add(self).ok());
      EXPECT_FALSE(from->add(self).ok());
      EXPECT_FALSE(to->add(other).ok()) << "its group is still held by this run";
      from->cancel();
    },
    group);
  from->ready(*c);
  EXPECT_TRUE(from->spin().ok());
  ASSERT_TRUE(to->add(c).ok());
  ASSERT_TRUE(to->add(other).ok());
  to->ready(*c);
  to->ready(*other);
  ASSERT_TRUE(to->start().ok());
  EXPECT_TRUE(eventually([&] { return c->runs.load() == 2 && other->runs.load() == 1; }));
  to->cancel();
  EXPECT_TRUE(to->wait().ok());
}

TEST(Attributes, can_be_asked_for_while_the_executor_starts_again_and_again)
{
  const auto executor = make_executor(2, [](auto & o) {
    o.threads[0].attributes.name = "a name that is longer than a short string";
  });
  std::atomic<bool> over{false};
  std::thread asking([&] {
    while (!over.load()) {
      const auto reports = executor->attributes();
      EXPECT_TRUE(reports.empty() || reports.size() == 2);
      for (const AttributeReport & report : reports) {
        EXPECT_FALSE(report.asked.name.empty());
      }
      (void)executor->middleware_ceiling();
      (void)executor->thread_ids();
      (void)executor->refusals();
    }
  });
  for (int i = 0; i < 200; ++i) {
    executor->cancel();
    EXPECT_TRUE(executor->spin().ok());
  }
  over.store(true);
  asking.join();
  EXPECT_EQ(executor->attributes().size(), 2U);
}

TEST(Groups, that_are_new_are_not_allowed_what_an_old_one_was)
{
  const auto executor = make_executor(2, [](auto & o) { o.threads[0].attributes.nice = 5; });
  Binding first, second;
  first.threads = 1;
  second.threads = 2;
  // Both groups are built in this place, so that they have the same address.
  std::optional<Group> place;
  const auto here = [&] { return std::shared_ptr<Group>(std::shared_ptr<void>(), &*place); };
  place.emplace(GroupKind::mutually_exclusive, "old");
  place->allow_across_priorities();
  place.emplace(GroupKind::mutually_exclusive, "new");
  const auto a = make_function("a", here()), b = make_function("b", here());
  EXPECT_TRUE(executor->add(a, first).ok());
  EXPECT_FALSE(executor->add(b, second).ok());
  place->allow_across_priorities();
  EXPECT_TRUE(executor->add(b, second).ok());
  executor->remove(*a);
  executor->remove(*b);
}

TEST(Observers, are_refused_while_it_spins)
{
  const auto executor = make_executor(1);
  EXPECT_FALSE(executor->add_observer(nullptr).ok());
  const auto c = add_function(*executor, "c", [&](const auto &) {
    EXPECT_FALSE(executor->add_observer(std::make_shared<Observer>()).ok());
  });
  executor->ready(*c);
  EXPECT_TRUE(executor->spin_some().ok());
  ASSERT_TRUE(executor->start().ok());
  EXPECT_FALSE(executor->add_observer(std::make_shared<Observer>()).ok());
  executor->cancel();
  EXPECT_TRUE(executor->wait().ok());
  EXPECT_TRUE(executor->add_observer(std::make_shared<Observer>()).ok());
  EXPECT_TRUE(executor->spin_some().ok());
}

}  // namespace
}  // namespace takt_core::test
