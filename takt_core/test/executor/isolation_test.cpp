// Isolated groups: threads begin with a group's first callback and end with its last, with their
// attributes in force before a callback of the group runs.
#include <gtest/gtest.h>

#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "support/executor_fixture.hpp"
#include "support/rounds.hpp"

namespace takt_core::test
{

using takt_rt::FaultKind;
using takt_rt::may_use_realtime;
using takt_rt::Policy;
using takt_rt::read_attributes;
using takt_rt::RefusedAttribute;
using takt_rt::usable_cores;

namespace
{

#define SKIP_WITHOUT_REALTIME()                                                       \
  if (!may_use_realtime(30)) {                                                        \
    GTEST_SKIP() << "needs SCHED_FIFO up to 30, which this process may not use here"; \
  }

std::shared_ptr<Group> isolated_group(
  Executor & executor, const std::string & id, const Isolation & isolation = {},
  GroupKind kind = GroupKind::mutually_exclusive)
{
  auto group = std::make_shared<Group>(kind, id);
  const Status status = executor.isolate(*group, isolation);
  EXPECT_TRUE(status.ok()) << status.faults().front();
  return group;
}

pid_t own_tid()
{
  return static_cast<pid_t>(::syscall(SYS_gettid));
}

// The kernel lists a thread for a moment after its join.
bool alive(pid_t tid)
{
  return ::syscall(SYS_tgkill, ::getpid(), tid, 0) == 0;
}

// Calls no set-up function, because that would join the threads.
bool all_isolated_threads_joined(const Executor & executor)
{
  return executor.attributes().size() == executor.options().threads.size();
}

void stop(Executor & executor)
{
  executor.cancel();
  EXPECT_TRUE(executor.wait().ok());
}

Isolation fifo(int priority)
{
  Isolation isolation;
  isolation.attributes.policy = Policy::fifo;
  isolation.attributes.priority = priority;
  isolation.attributes.name = "alone";
  return isolation;
}

TEST(Isolation, gives_each_group_a_thread_of_its_own)
{
  const auto executor = make_executor(2);
  std::mutex mutex;
  std::map<std::string, std::set<pid_t>> seen;
  std::vector<std::shared_ptr<FunctionCallback>> callbacks;
  const auto note = [&](const std::string & group) {
    return [&, group](const auto &) {
      const std::lock_guard lock(mutex);
      seen[group].insert(own_tid());
    };
  };
  for (const char * const name : {"a", "b"}) {
    const auto group = isolated_group(*executor, name);
    for (int i = 0; i < 3; ++i) {
      callbacks.push_back(add_function(*executor, name + std::to_string(i), note(name), group));
    }
  }
  callbacks.push_back(add_function(*executor, "shared", note("shared")));
  ASSERT_TRUE(executor->start().ok());
  for (int i = 0; i < 100; ++i) {
    for (const auto & callback : callbacks) {
      executor->ready(*callback);
    }
  }
  for (const auto & callback : callbacks) {
    EXPECT_TRUE(eventually([&] { return callback->runs == 100; })) << callback->id();
  }
  stop(*executor);
  ASSERT_EQ(seen["a"].size(), 1U);
  ASSERT_EQ(seen["b"].size(), 1U);
  EXPECT_NE(*seen["a"].begin(), *seen["b"].begin());
  EXPECT_FALSE(seen["shared"].contains(*seen["a"].begin()));
  EXPECT_FALSE(seen["shared"].contains(*seen["b"].begin()));
}

TEST(Isolation, of_a_reentrant_group_runs_on_all_its_threads_at_once)
{
  const auto executor = make_executor(1);
  Isolation isolation;
  isolation.threads = 3;
  const auto group = isolated_group(*executor, "group", isolation, GroupKind::reentrant);
  EXPECT_EQ(executor->lanes(*group), 4U);
  std::atomic<int> inside{0};
  std::atomic<bool> go{false};
  std::set<std::uint32_t> lanes;
  std::mutex mutex;
  const auto callback = add_function(
    *executor, "c",
    [&](const auto & run) {
      {
        const std::lock_guard lock(mutex);
        lanes.insert(run.lane);
      }
      ++inside;
      eventually([&] { return go.load(); });
    },
    group);
  ASSERT_TRUE(executor->start().ok());
  executor->ready(*callback, 3);
  EXPECT_TRUE(eventually([&] { return inside == 3; }));
  go = true;
  EXPECT_TRUE(eventually([&] { return callback->runs == 3; }));
  stop(*executor);
  EXPECT_EQ(lanes, (std::set<std::uint32_t>{0, 1, 2}));
}

TEST(Isolation, has_attributes_in_force_when_a_callback_that_is_added_while_spinning_runs)
{
  SKIP_WITHOUT_REALTIME();
  const int core = usable_cores().front();
  const auto executor = make_executor(1);
  ASSERT_TRUE(executor->start().ok());
  for (int i = 0; i < static_cast<int>(rounds(20)); ++i) {
    Isolation isolation = fifo(10 + i % 20);
    isolation.attributes.cores = {core};
    const auto group = isolated_group(*executor, "late", isolation);
    ThreadAttributes seen;
    CallbackOptions options;
    options.id = "late";
    options.kind = Kind::subscription;
    options.group = group;
    const auto late =
      std::make_shared<FunctionCallback>(options, [&](const auto &) { seen = read_attributes(); });
    executor->ready(*late);  // due as soon as it is added
    ASSERT_TRUE(executor->add(late).ok());
    ASSERT_TRUE(eventually([&] { return late->runs == 1; }));
    EXPECT_EQ(seen.policy, Policy::fifo);
    EXPECT_EQ(seen.priority, 10 + i % 20);
    EXPECT_EQ(seen.cores, std::vector<int>{core});
    EXPECT_EQ(seen.name, "alone");
    executor->remove(*late);
  }
  stop(*executor);
}

TEST(Isolation, does_not_inherit_from_the_callback_that_adds)
{
  SKIP_WITHOUT_REALTIME();
  const auto executor = make_executor(1, [](auto & o) {
    o.threads[0].attributes.policy = Policy::fifo;
    o.threads[0].attributes.priority = 20;
    o.threads[0].attributes.cores = {usable_cores().front()};
  });
  const auto group = isolated_group(*executor, "fair");
  ThreadAttributes seen;
  std::shared_ptr<FunctionCallback> added;
  const auto adds = add_function(*executor, "adds", [&](const auto &) {
    added = add_function(
      *executor, "fair", [&](const auto &) { seen = read_attributes(); }, group);
    executor->ready(*added);
  });
  ASSERT_TRUE(executor->start().ok());
  executor->ready(*adds);
  EXPECT_TRUE(eventually([&] { return adds->runs == 1 && added->runs == 1; }));
  stop(*executor);
  EXPECT_EQ(seen.policy, read_attributes().policy);
  EXPECT_EQ(seen.cores, read_attributes().cores);
}

// A thread that once had a higher nice level needs the right to lower it.
bool may_lower_nice_levels()
{
  bool may = false;
  std::thread([&] {
    const auto own = static_cast<id_t>(::syscall(SYS_gettid));
    const int level = ::getpriority(PRIO_PROCESS, own);
    may = ::setpriority(PRIO_PROCESS, own, level + 1) == 0 &&
          ::setpriority(PRIO_PROCESS, own, level) == 0;
  }).join();
  return may;
}

TEST(Isolation, has_the_nice_level_of_the_process_whatever_thread_adds)
{
  if (!may_lower_nice_levels()) {
    GTEST_SKIP() << "needs CAP_SYS_NICE or RLIMIT_NICE";
  }
  const auto executor = make_executor(1);
  ASSERT_TRUE(executor->start().ok());
  const int of_the_process = ::getpriority(PRIO_PROCESS, 0);
  Isolation isolation;
  isolation.attributes.policy = Policy::batch;
  const auto group = isolated_group(*executor, "group", isolation);
  std::atomic<int> found{-100};
  std::shared_ptr<FunctionCallback> callback;
  std::thread other([&] {
    ASSERT_EQ(::setpriority(PRIO_PROCESS, static_cast<id_t>(own_tid()), of_the_process + 5), 0);
    callback = add_function(
      *executor, "callback", [&](const auto &) { found = ::getpriority(PRIO_PROCESS, 0); }, group);
  });
  other.join();
  executor->ready(*callback);
  ASSERT_TRUE(eventually([&] { return callback->runs == 1; }));
  stop(*executor);
  EXPECT_EQ(found, of_the_process);
}

TEST(Isolation, ends_its_threads_with_the_last_callback)
{
  const auto executor = make_executor(1);
  ASSERT_TRUE(executor->start().ok());
  std::thread spins([&] { executor->wait(); });
  for (int round = 0; round < static_cast<int>(rounds(5)); ++round) {
    std::vector<std::shared_ptr<FunctionCallback>> callbacks;
    for (int i = 0; i < 200; ++i) {
      const std::string id = "g" + std::to_string(i);
      callbacks.push_back(add_function(*executor, id, {}, isolated_group(*executor, id)));
      executor->ready(*callbacks.back(), 2);
    }
    std::vector<pid_t> threads = executor->thread_ids();
    EXPECT_EQ(threads.size(), 201U);
    threads.erase(threads.begin());  // the executor's own
    EXPECT_TRUE(std::all_of(threads.begin(), threads.end(), alive));
    for (const auto & callback : callbacks) {
      EXPECT_TRUE(eventually([&] { return callback->runs == 2; }));
      executor->remove(*callback);
    }
    // The thread that waits for the executor's end joins the isolated threads: this test calls no
    // other function.
    EXPECT_TRUE(eventually([&] { return all_isolated_threads_joined(*executor); }));
    EXPECT_TRUE(eventually([&] { return std::none_of(threads.begin(), threads.end(), alive); }));
  }
  executor->cancel();
  spins.join();
  EXPECT_TRUE(executor->callbacks().empty());
}

TEST(Isolation, of_a_thousand_groups_in_one_process)
{
  const auto executor = make_executor(1);
  std::vector<std::shared_ptr<FunctionCallback>> callbacks;
  Isolation isolation;
  isolation.attributes.stack_size = std::size_t{64} << 10U;
  for (int i = 0; i < 1000; ++i) {
    const std::string id = "g" + std::to_string(i);
    callbacks.push_back(add_function(*executor, id, {}, isolated_group(*executor, id, isolation)));
  }
  ASSERT_TRUE(executor->start().ok());
  EXPECT_EQ(executor->threads().size(), 1001U);
  for (const auto & callback : callbacks) {
    executor->ready(*callback, 3);
  }
  for (const auto & callback : callbacks) {
    EXPECT_TRUE(eventually([&] { return callback->runs == 3; })) << callback->id();
  }
  stop(*executor);
}

TEST(Isolation, of_a_callback_that_removes_itself)
{
  const auto executor = make_executor(1);
  ASSERT_TRUE(executor->start().ok());
  for (int i = 0; i < static_cast<int>(rounds(20)); ++i) {
    std::shared_ptr<FunctionCallback> callback;
    pid_t thread = 0;
    std::atomic<bool> removed{false};
    std::atomic<bool> there{false};
    callback = add_function(
      *executor, "c",
      [&](const auto &) {
        eventually([&] { return there.load(); });
        thread = own_tid();
        executor->remove(*callback);
        removed = true;
      },
      isolated_group(*executor, "g"));
    there = true;
    executor->ready(*callback);
    ASSERT_TRUE(eventually([&] { return removed.load() && callback->runs == 1; }));
    EXPECT_TRUE(eventually([&] { return !alive(thread); }));
  }
  EXPECT_TRUE(eventually([&] {
    static_cast<void>(executor->callbacks());  // set-up joins ended threads
    return all_isolated_threads_joined(*executor);
  }));
  stop(*executor);
}

// All threads share one core: the group's thread leaves while it interrupts set-up at any
// instruction, also where set-up counts the threads that have left. `wait` looks for that thread
// before set-up continues. While `reap` cleared `leaving` early, none of 11 runs of 1000 rounds
// passed.
TEST(Isolation, joins_a_thread_that_leaves_while_set_up_counts_those_that_have_left)
{
  SKIP_WITHOUT_REALTIME();
  const int core = usable_cores().front();
  const auto executor = make_executor(1);
  ASSERT_TRUE(executor->start().ok());
  std::thread waits([&] {
    EXPECT_TRUE(
      takt_rt::apply({.policy = Policy::fifo, .priority = 10, .cores = {core}}).granted_all());
    executor->wait();
  });
  std::thread sets_up([&] {
    EXPECT_TRUE(takt_rt::apply({.cores = {core}}).granted_all());
    Isolation isolation = fifo(20);
    isolation.attributes.cores = {core};
    for (int i = 0; i < static_cast<int>(rounds(1000)); ++i) {
      std::shared_ptr<FunctionCallback> callback;
      std::atomic<bool> there{false};
      std::atomic<bool> leaves{false};
      callback = add_function(
        *executor, "c",
        [&](const auto &) {
          eventually([&] { return there.load(); });
          executor->remove(*callback);
          std::this_thread::sleep_for(std::chrono::microseconds(20 + i % 50));
          leaves = true;
        },
        isolated_group(*executor, "g", isolation));
      there = true;
      executor->ready(*callback);
      while (!leaves) {
        executor->find("c");
      }
      ASSERT_TRUE(eventually([&] { return all_isolated_threads_joined(*executor); })) << i;
    }
  });
  sets_up.join();
  executor->cancel();
  waits.join();
}

TEST(Isolation, keeps_timers_and_chains)
{
  const auto executor = make_executor(1, [](auto & o) { o.order = Order::edf; });
  ASSERT_TRUE(
    executor->reconfigure({.more_chains = {{"chain", {"timer", "end"}, 7, std::chrono::hours(1)}}})
      .ok());
  TimerOptions timer;
  timer.period = std::chrono::milliseconds(1);
  std::shared_ptr<FunctionCallback> end;
  std::atomic<Time> release{};
  std::atomic<Time> deadline{};
  const auto first = add_function(
    *executor, "timer",
    [&](const auto & run) {
      release = run.release;
      executor->ready(*end);
    },
    isolated_group(*executor, "a"), {}, timer);
  end = add_function(
    *executor, "end", [&](const auto & run) { deadline = run.deadline - std::chrono::hours(1); },
    isolated_group(*executor, "b"));
  EXPECT_EQ(executor->scheduler_of(*end).priority(*end), 7);
  ASSERT_TRUE(executor->start().ok());
  EXPECT_TRUE(eventually([&] { return end->runs >= 5; }));
  executor->remove(*first);
  EXPECT_TRUE(eventually([&] { return end->runs == first->runs; }));
  stop(*executor);
  EXPECT_EQ(deadline.load(), release.load()) << "the deadline counts from the root's release";
}

TEST(Isolation, is_visited_by_spins_on_the_callers_thread)
{
  const auto executor = make_executor(1);
  const auto shared = add_function(*executor, "shared");
  const auto one = add_function(*executor, "one", {}, isolated_group(*executor, "one"));
  const auto two = add_function(*executor, "two", {}, isolated_group(*executor, "two"));
  for (const auto & callback : {shared, one, two}) {
    executor->ready(*callback, 2);
  }
  std::size_t ran = 0;
  EXPECT_TRUE(executor->spin_some(Duration::zero(), &ran).ok());
  EXPECT_EQ(ran, 3U);
  // A crew that is always ready does not block the others.
  executor->ready(*shared, 100);
  for (int i = 0; i < 6; ++i) {
    bool did = false;
    EXPECT_TRUE(executor->spin_once(Duration::zero(), &did).ok());
    EXPECT_TRUE(did);
  }
  EXPECT_EQ(one->runs, 2);
  EXPECT_EQ(two->runs, 2);
  std::thread other([&] { executor->ready(*two); });
  executor->remove(*shared);
  bool did = false;
  EXPECT_TRUE(executor->spin_once(Duration(-1), &did).ok());
  EXPECT_TRUE(did);
  other.join();
  EXPECT_EQ(two->runs, 3);
}

TEST(Isolation, goes_on_after_a_cancel_and_another_start)
{
  const auto executor = make_executor(1);
  const auto callback = add_function(*executor, "c", {}, isolated_group(*executor, "g"));
  for (int i = 1; i <= static_cast<int>(rounds(50)); ++i) {
    ASSERT_TRUE(executor->start().ok());
    executor->ready(*callback);
    EXPECT_TRUE(eventually([&] { return callback->runs == i; }));
    stop(*executor);
  }
}

TEST(Isolation, that_the_kernel_refuses_adds_nothing_and_leaves_no_thread)
{
  std::atomic<pid_t> refused{0};
  class Refuses final : public AttributeSetter
  {
  public:
    explicit Refuses(std::atomic<pid_t> & refused) : refused_(refused) {}
    AttributeReport apply(const ThreadAttributes & attributes, pid_t tid) override
    {
      AttributeReport report = takt_rt::apply({.name = attributes.name}, tid);
      if (has_rt_priority(attributes.policy)) {
        refused_ = own_tid();
        report.faults.push_back(make_refusal(RefusedAttribute::policy, attributes, EPERM, tid));
      }
      return report;
    }
    Faults refusals(const ThreadAttributes &) override { return {}; }
    bool allow_realtime(int) override { return false; }

  private:
    std::atomic<pid_t> & refused_;
  };
  const auto executor =
    make_executor(1, [&](auto & o) { o.setter = std::make_shared<Refuses>(refused); });
  ASSERT_TRUE(executor->start().ok());
  const auto group = isolated_group(*executor, "g", fifo(20));
  CallbackOptions options;
  options.id = "c";
  options.group = group;
  const auto callback = std::make_shared<FunctionCallback>(options, nullptr);
  const Status added = executor->add(callback);
  ASSERT_FALSE(added.ok());
  EXPECT_EQ(added.faults().front().kind, FaultKind::refusal);
  EXPECT_EQ(executor->find("c"), nullptr);
  ASSERT_NE(refused, 0);
  EXPECT_TRUE(eventually([&] { return !alive(refused); }));
  stop(*executor);
}

TEST(Isolation, says_what_it_cannot_do)
{
  const auto executor = make_executor(1);
  Isolation two;
  two.threads = 2;
  Group exclusive(GroupKind::mutually_exclusive, "e");
  EXPECT_FALSE(executor->isolate(exclusive, two).ok());
  const auto used = std::make_shared<Group>(GroupKind::mutually_exclusive, "used");
  add_function(*executor, "used", {}, used);
  EXPECT_FALSE(executor->isolate(*used, {}).ok());
  const auto own = isolated_group(*executor, "own");
  const auto callback = add_function(*executor, "c", {}, own);
  EXPECT_FALSE(executor->reconfigure({.callbacks = {{callback, {.threads = 1}}}}).ok());
  CallbackOptions options;
  options.id = "d";
  options.group = own;
  Binding bound;
  bound.threads = 1;
  EXPECT_FALSE(executor->add(std::make_shared<FunctionCallback>(options, nullptr), bound).ok());
  options.id = "used";
  EXPECT_FALSE(executor->add(std::make_shared<FunctionCallback>(options, nullptr)).ok());
  options.id = "c";
  options.group = nullptr;
  EXPECT_FALSE(executor->add(std::make_shared<FunctionCallback>(options, nullptr)).ok());
  EXPECT_EQ(executor->find("c"), callback);
  EXPECT_EQ(executor->callbacks().size(), 2U);
}

}  // namespace
}  // namespace takt_core::test
