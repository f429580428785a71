// Two-phase start: threads have their requested attributes when the first callback runs; following
// threads; the middleware ceiling; groups across priorities.
#include <gtest/gtest.h>

#include <sys/syscall.h>
#include <unistd.h>

#include <thread>

#include "support/executor_fixture.hpp"
#include "takt_core/middleware_ceiling.hpp"
#include "takt_rt/memory_lock.hpp"

namespace takt_core::test
{

using takt_rt::may_use_realtime;
using takt_rt::own_priority;
using takt_rt::Policy;
using takt_rt::read_attributes;
using takt_rt::set_own_priority;
using takt_rt::unlock_memory;
using takt_rt::usable_cores;

namespace
{

#define SKIP_WITHOUT_REALTIME()                                                       \
  if (!may_use_realtime(30)) {                                                        \
    GTEST_SKIP() << "needs SCHED_FIFO up to 30, which this process may not use here"; \
  }

int own_priority()
{
  return read_attributes().priority;
}

void stop(Executor & executor)
{
  executor.cancel();
  EXPECT_TRUE(executor.wait().ok());
}

TEST(TwoPhaseStart, attributes_are_in_force_at_the_first_callback_and_read_back)
{
  SKIP_WITHOUT_REALTIME();
  const int core = usable_cores().front();
  const auto executor = make_executor(2, [&](auto & o) {
    o.threads[1].attributes.policy = Policy::fifo;
    o.threads[1].attributes.priority = 21;
    o.threads[1].attributes.cores = {core};
    o.threads[1].attributes.name = "urgent";
  });
  EXPECT_TRUE(executor->attributes().empty()) << "nothing was asked yet";
  ThreadAttributes seen;
  Binding binding;
  binding.threads = 2;
  const auto c = add_function(
    *executor, "c", [&](const auto &) { seen = read_attributes(); }, nullptr, binding);
  executor->ready(*c);
  ASSERT_TRUE(executor->start().ok());
  EXPECT_TRUE(eventually([&] { return c->runs.load() == 1; }));
  const auto reports = executor->attributes();
  EXPECT_EQ(executor->thread_ids().size(), 2U);
  EXPECT_NE(executor->thread_ids()[1], 0);
  stop(*executor);
  EXPECT_EQ(seen.policy, Policy::fifo);
  EXPECT_EQ(seen.priority, 21);
  EXPECT_EQ(seen.cores, std::vector<int>{core});
  EXPECT_EQ(seen.name, "urgent");
  ASSERT_EQ(reports.size(), 2U);
  EXPECT_EQ(reports[1].granted.priority, 21);
  EXPECT_TRUE(reports[1].granted_all());
  EXPECT_EQ(executor->thread_ids()[1], 0);
}

// An executor names its threads after itself or a node. Linux cuts such a name, which is not a
// right that the thread lacks: reports have the whole name.
TEST(TwoPhaseStart, threads_with_long_names_have_all_that_they_asked_for)
{
  const auto executor = make_executor(2, [](auto & o) {
    o.missing_rights = takt_core::MissingRights::fail;
    o.threads[0].attributes = {};
    o.threads[1].attributes = {};
    o.threads[0].attributes.name = "perception_of_the_front";
  });
  const Status started = executor->start();
  ASSERT_TRUE(started.ok()) << started.faults().front();
  const auto reports = executor->attributes();
  stop(*executor);
  ASSERT_EQ(reports.size(), 2U);
  EXPECT_TRUE(reports[0].granted_all());
  EXPECT_EQ(reports[0].asked.name, "perception_of_the_front");
  EXPECT_EQ(reports[0].granted.name, "perception_of_t");
}

TEST(TwoPhaseStart, leaves_policy_and_nice_as_inherited_unless_asked)
{
  std::thread([] {
    ASSERT_TRUE(takt_rt::apply({.policy = Policy::batch, .nice = 13}).granted_all());
    const auto executor = make_executor(2, [](auto & o) {
      o.threads[0].attributes = {};
      o.threads[1].attributes = {.nice = 14};
    });
    ASSERT_TRUE(executor->start().ok());
    const auto reports = executor->attributes();
    stop(*executor);
    ASSERT_EQ(reports.size(), 2U);
    for (const AttributeReport & report : reports) {
      EXPECT_EQ(report.granted.policy, Policy::batch);
    }
    EXPECT_EQ(reports[0].granted.nice, 13);
    EXPECT_EQ(reports[1].granted.nice, 14);
  }).join();
}

TEST(TwoPhaseStart, locks_memory_also_under_small_stacks)
{
  if (!takt_rt::lock_memory().ok()) {
    GTEST_SKIP() << "needs the right to lock memory";
  }
  unlock_memory();
  for (const std::size_t kibibytes : {64U, 256U, 272U, 300U}) {
    const auto executor = make_executor(1, [&](auto & o) {
      o.lock_memory = true;
      o.threads[0].attributes.stack_size = kibibytes << 10U;
    });
    const Status started = executor->start();
    EXPECT_TRUE(started.ok()) << kibibytes << " KiB: " << started.faults().front();
    stop(*executor);
  }
  unlock_memory();
}

TEST(FollowingThreads, take_the_priority_of_each_callback_and_give_it_back)
{
  SKIP_WITHOUT_REALTIME();
  const auto executor = make_executor(2, [](auto & o) {
    o.order = Order::priority;
    for (auto & thread : o.threads) {
      thread.follow = true;
      thread.attributes.policy = Policy::fifo;
      thread.attributes.priority = 25;
    }
  });
  std::atomic<int> seen{0};
  Binding five, nineteen, beyond;
  five.priority = 5;
  nineteen.priority = 19;
  beyond.priority = 26;
  const auto body = [&](const takt_core::Run & run) {
    const int expected = run.callback->id() == "five" ? 5 : 19;
    seen.fetch_add(own_priority() == expected ? 1 : 100);
  };
  const auto a = add_function(*executor, "five", body, nullptr, five);
  const auto b = add_function(*executor, "nineteen", body, nullptr, nineteen);
  EXPECT_THROW(add_function(*executor, "beyond", {}, nullptr, beyond), std::runtime_error);
  ASSERT_TRUE(executor->start().ok());
  for (int i = 0; i < 20; ++i) {
    executor->ready(*a);
    executor->ready(*b);
  }
  EXPECT_TRUE(eventually([&] { return a->runs.load() == 20 && b->runs.load() == 20; }));
  for (const pid_t tid : executor->thread_ids()) {
    EXPECT_TRUE(eventually([&] { return read_attributes(tid).priority == 25; }));
  }
  stop(*executor);
  EXPECT_EQ(seen.load(), 40);
}

TEST(MiddlewareCeiling, raises_inside_its_scope_and_restores_after_it)
{
  SKIP_WITHOUT_REALTIME();
  const auto executor = make_executor(2, [](auto & o) {
    o.threads[0].attributes.policy = Policy::fifo;
    o.threads[0].attributes.priority = 3;
    o.threads[1].attributes.policy = Policy::fifo;
    o.threads[1].attributes.priority = 11;
  });
  Binding low;
  low.threads = 1;
  std::vector<int> seen;
  const auto c = add_function(
    *executor, "c",
    [&](const auto &) {
      seen.push_back(own_priority());
      {
        const MiddlewareCeilingScope outer;
        seen.push_back(own_priority());
        {
          const MiddlewareCeilingScope inner;
          seen.push_back(own_priority());
        }
        seen.push_back(own_priority());
      }
      seen.push_back(own_priority());
    },
    nullptr, low);
  executor->ready(*c);
  ASSERT_TRUE(executor->start().ok());
  EXPECT_TRUE(eventually([&] { return c->runs.load() == 1; }));
  EXPECT_EQ(executor->middleware_ceiling(), 12);
  stop(*executor);
  EXPECT_EQ(seen, (std::vector<int>{3, 12, 12, 12, 3}));
}

TEST(MiddlewareCeiling, gives_back_what_the_program_itself_has_set)
{
  SKIP_WITHOUT_REALTIME();
  const auto executor = make_executor(2, [](auto & o) {
    o.threads[0].attributes.policy = Policy::fifo;
    o.threads[0].attributes.priority = 3;
    o.threads[1].attributes.policy = Policy::fifo;
    o.threads[1].attributes.priority = 11;
  });
  Binding low;
  low.threads = 1;
  std::vector<int> seen;
  const auto c = add_function(
    *executor, "c",
    [&](const auto &) {
      set_own_priority(Policy::fifo, 5);
      {
        const MiddlewareCeilingScope scope;
        seen.push_back(own_priority());
      }
      seen.push_back(own_priority());
    },
    nullptr, low);
  executor->ready(*c);
  ASSERT_TRUE(executor->start().ok());
  EXPECT_TRUE(eventually([&] { return c->runs.load() == 1; }));
  stop(*executor);
  EXPECT_EQ(seen, (std::vector<int>{12, 5}));
  EXPECT_EQ(executor->attributes().front().granted.priority, 5);
}

TEST(MiddlewareCeiling, is_absent_where_all_threads_are_alike)
{
  const auto executor = make_executor(2);
  ASSERT_TRUE(executor->start().ok());
  EXPECT_EQ(executor->middleware_ceiling(), 0);
  stop(*executor);
}

TEST(Groups, across_os_priorities_are_refused_unless_allowed)
{
  const auto executor = make_executor(2, [](auto & o) {
    o.threads[1].attributes.policy = Policy::fifo;
    o.threads[1].attributes.priority = 10;
  });
  const auto group = std::make_shared<Group>(GroupKind::mutually_exclusive, "shared");
  Binding low, high;
  low.threads = 1;
  high.threads = 2;
  const auto a = add_function(*executor, "a", {}, group, low);
  EXPECT_THROW(add_function(*executor, "b", {}, group, high), std::runtime_error);
  const auto b = add_function(*executor, "b", {}, group, low);
  EXPECT_FALSE(executor->reconfigure({.callbacks = {{b, high}}}).ok());
  EXPECT_EQ(executor->scheduler().threads(*b), 1U);
  group->allow_across_priorities();
  EXPECT_TRUE(executor->reconfigure({.callbacks = {{b, high}}}).ok());
}

// An executor whose threads take their callbacks' priorities. It is only created, so it needs no
// rights.
std::unique_ptr<Executor> following()
{
  return make_executor(2, [](auto & o) {
    o.order = Order::priority;
    for (auto & thread : o.threads) {
      thread.follow = true;
      thread.attributes.policy = Policy::fifo;
      thread.attributes.priority = 50;
    }
  });
}

TEST(Chains, that_give_a_priority_no_following_thread_can_take_change_nothing)
{
  const auto executor = following();
  EXPECT_TRUE(executor->reconfigure({.more_chains = {{"chain", {"a", "b"}, 20}}}).ok());
  const auto a = add_function(*executor, "a");
  const auto b = add_function(*executor, "b");
  struct Watch : Observer
  {
    void on_chain(const ChainOptions &) override { ++told; }
    int told = 0;
  };
  const auto watch = std::make_shared<Watch>();
  ASSERT_TRUE(executor->add_observer(watch).ok());
  const auto status = executor->reconfigure({.more_chains = {{"chain", {"a", "b"}, 51}}});
  ASSERT_EQ(status.faults().size(), 2U) << "one for each callback";
  EXPECT_NE(to_string(status.faults()[0]).find("following"), std::string::npos)
    << status.faults()[0];
  EXPECT_FALSE(executor->reconfigure({.more_chains = {{"chain", {"a"}, 20}}}).ok())
    << "b would fall to 0";
  EXPECT_EQ(executor->scheduler().priority(*a), 20);
  EXPECT_EQ(executor->scheduler().priority(*b), 20);
  EXPECT_EQ(executor->scheduler().chains().front().path.size(), 2U);
  EXPECT_EQ(watch->told, 1);
  EXPECT_TRUE(executor->reconfigure({.more_chains = {{"chain", {"a", "b"}, 30}}}).ok());
  EXPECT_EQ(executor->scheduler().priority(*b), 30);
}

TEST(Chains, that_split_a_group_across_os_priorities_change_nothing)
{
  const auto executor = following();
  EXPECT_TRUE(executor->reconfigure({.more_chains = {{"both", {"a", "b"}, 20}}}).ok());
  const auto group = std::make_shared<Group>(GroupKind::mutually_exclusive, "shared");
  const auto a = add_function(*executor, "a", {}, group);
  const auto b = add_function(*executor, "b", {}, group);
  const auto status = executor->reconfigure({.more_chains = {{"one", {"b"}, 30}}});
  ASSERT_EQ(status.faults().size(), 1U);
  EXPECT_NE(to_string(status.faults()[0]).find("across_priorities"), std::string::npos)
    << status.faults()[0];
  EXPECT_EQ(executor->scheduler().chains().size(), 1U);
  EXPECT_EQ(executor->scheduler().priority(*b), 20);
  EXPECT_TRUE(executor->reconfigure({.more_chains = {{"both", {"a", "b"}, 25}}}).ok())
    << "both move together";
  group->allow_across_priorities();
  EXPECT_TRUE(executor->reconfigure({.more_chains = {{"one", {"b"}, 30}}}).ok());
  EXPECT_EQ(executor->scheduler().priority(*b), 30);
}

TEST(Callbacks, of_nobody_are_refused_by_every_set_up_function)
{
  const auto executor = following();
  CallbackOptions options;
  options.id = "stranger";
  FunctionCallback stranger(options, {});
  const std::shared_ptr<Callback> shared(std::shared_ptr<void>(), &stranger);
  EXPECT_FALSE(executor->reconfigure({.callbacks = {{shared, {}}}}).ok());
  EXPECT_FALSE(executor->reconfigure({.callbacks = {{nullptr, {}}}}).ok());
  EXPECT_FALSE(executor->scheduler().bind(stranger, 1).ok());
  EXPECT_FALSE(executor->scheduler().set_priority(stranger, 5).ok());
  EXPECT_EQ(executor->scheduler().threads(stranger), 0U);
  executor->remove(stranger);
}

}  // namespace
}  // namespace takt_core::test
