// Changing an executor that spins: attributes of its threads, bindings and chains; all or nothing.
#include <gtest/gtest.h>

#include "support/executor_fixture.hpp"
#include "takt_core/middleware_ceiling.hpp"

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
  if (!may_use_realtime(50)) {                                                        \
    GTEST_SKIP() << "needs SCHED_FIFO up to 50, which this process may not use here"; \
  }

ThreadAttributes fifo(int priority)
{
  ThreadAttributes attributes;
  attributes.policy = Policy::fifo;
  attributes.priority = priority;
  return attributes;
}

ThreadAttributes fair(int nice)
{
  ThreadAttributes attributes;
  attributes.policy = Policy::other;
  attributes.nice = nice;
  return attributes;
}

void stop(Executor & executor)
{
  executor.cancel();
  EXPECT_TRUE(executor.wait().ok());
}

TEST(Reconfiguration, gives_a_running_thread_other_attributes)
{
  SKIP_WITHOUT_REALTIME();
  const auto executor = make_executor(2);
  ASSERT_TRUE(executor->start().ok());
  ThreadAttributes asked = fifo(31);
  asked.cores = {usable_cores().back()};
  const auto report = executor->reconfigure({.threads = {{1, asked}}});
  ASSERT_TRUE(report.ok()) << report.faults().front();
  EXPECT_TRUE(report->front().granted_all());
  const ThreadAttributes has = read_attributes(executor->thread_ids()[1]);
  EXPECT_EQ(has.policy, Policy::fifo);
  EXPECT_EQ(has.priority, 31);
  EXPECT_EQ(has.cores, std::vector<int>{usable_cores().back()});
  EXPECT_EQ(executor->threads()[1].attributes.granted.priority, 31);
  EXPECT_EQ(executor->threads()[1].attributes.asked.priority, 31);
  EXPECT_EQ(executor->threads()[0].attributes.granted.policy, read_attributes().policy);
  stop(*executor);
  // The next start requests the same attributes.
  ASSERT_TRUE(executor->start().ok());
  EXPECT_EQ(read_attributes(executor->thread_ids()[1]).priority, 31);
  stop(*executor);
}

TEST(Reconfiguration, does_not_end_a_raise_and_is_not_undone_by_its_end)
{
  SKIP_WITHOUT_REALTIME();
  const auto executor = make_executor(1, [](auto & o) {
    o.middleware_ceiling = {MiddlewareCeiling::Mode::fixed, 45};
    o.threads[0].attributes = fifo(10);
  });
  std::atomic<bool> raised{false}, changed{false};
  ThreadAttributes inside, after;
  const auto callback = add_function(*executor, "c", [&](const auto &) {
    {
      const MiddlewareCeilingScope scope;
      raised = true;
      eventually([&] { return changed.load(); });
      inside = read_attributes();
    }
    after = read_attributes();
  });
  ASSERT_TRUE(executor->start().ok());
  executor->ready(*callback);
  EXPECT_TRUE(eventually([&] { return raised.load(); }));
  const auto report = executor->reconfigure({.threads = {{0, fair(3)}}});
  ASSERT_TRUE(report.ok()) << report.faults().front();
  changed = true;
  EXPECT_TRUE(eventually([&] { return callback->runs == 1; }));
  stop(*executor);
  EXPECT_EQ(inside.policy, Policy::fifo);
  EXPECT_EQ(inside.priority, 45) << "the scope is in force to its end";
  EXPECT_EQ(after.policy, Policy::other);
  EXPECT_EQ(after.nice, 3);
}

TEST(Reconfiguration, of_a_following_thread_leaves_the_callback_its_priority)
{
  SKIP_WITHOUT_REALTIME();
  const auto executor = make_executor(1, [](auto & o) {
    o.order = Order::priority;
    o.threads[0].attributes = fifo(30);
    o.threads[0].follow = true;
  });
  std::atomic<bool> running{false}, changed{false};
  int inside = 0;
  Binding seven;
  seven.priority = 7;
  const auto callback = add_function(
    *executor, "c",
    [&](const auto &) {
      running = true;
      eventually([&] { return changed.load(); });
      inside = read_attributes().priority;
    },
    nullptr, seven);
  ASSERT_TRUE(executor->start().ok());
  executor->ready(*callback);
  EXPECT_TRUE(eventually([&] { return running.load(); }));
  ASSERT_TRUE(executor->reconfigure({.threads = {{0, fifo(40)}}}).ok());
  changed = true;
  EXPECT_TRUE(eventually([&] { return callback->runs == 1; }));
  EXPECT_EQ(inside, 7);
  EXPECT_TRUE(
    eventually([&] { return read_attributes(executor->thread_ids()[0]).priority == 40; }));
  const auto refused = executor->reconfigure({.threads = {{0, fifo(5)}}});
  EXPECT_FALSE(refused.ok()) << "its callback has priority 7";
  EXPECT_FALSE(executor->reconfigure({.threads = {{0, fair(0)}}}).ok()) << "following needs fifo";
  stop(*executor);
}

TEST(Reconfiguration, is_judged_by_what_comes_of_all_changes_together)
{
  SKIP_WITHOUT_REALTIME();
  const auto executor = make_executor(2, [](auto & o) {
    o.threads[0].attributes = fifo(20);
    o.threads[1].attributes = fifo(10);
  });
  const auto group = std::make_shared<Group>(GroupKind::mutually_exclusive, "g");
  Binding first, second;
  first.threads = 1;
  second.threads = 2;
  const auto a = add_function(*executor, "a", {}, group, first);
  const auto b = add_function(*executor, "b", {}, group, first);
  ASSERT_TRUE(executor->start().ok());
  EXPECT_FALSE(executor->reconfigure({.callbacks = {{a, second}}}).ok())
    << "alone it would leave its group";
  Reconfiguration both;
  both.callbacks = {{a, second}, {b, second}};
  both.chains = {{{"chain", {"a", "b"}, 9, std::chrono::seconds(1)}}};
  ASSERT_TRUE(executor->reconfigure(both).ok());
  EXPECT_EQ(executor->scheduler().threads(*a), 2U);
  EXPECT_EQ(executor->scheduler().threads(*b), 2U);
  EXPECT_EQ(executor->scheduler().priority(*a), 9);

  Reconfiguration bad;
  bad.callbacks = {{a, first}};
  bad.chains = std::vector<ChainOptions>{};
  bad.threads = {{0, fifo(21)}};
  const auto refused = executor->reconfigure(bad);
  EXPECT_FALSE(refused.ok());
  EXPECT_EQ(executor->scheduler().threads(*a), 2U);
  EXPECT_EQ(executor->scheduler().priority(*a), 9);
  EXPECT_EQ(read_attributes(executor->thread_ids()[0]).priority, 20);

  // Both threads now have equal attributes, so the group may be on either.
  bad.threads = {{0, fifo(11)}, {1, fifo(11)}};
  ASSERT_TRUE(executor->reconfigure(bad).ok());
  EXPECT_EQ(executor->scheduler().threads(*a), 1U);
  EXPECT_EQ(executor->scheduler().priority(*a), 0);
  for (const auto * const callback : {&a, &b}) {
    executor->ready(**callback, 3);
    EXPECT_TRUE(eventually([&] { return (*callback)->runs == 3; }));
  }
  stop(*executor);
}

TEST(Reconfiguration, that_is_refused_brings_everything_back)
{
  SKIP_WITHOUT_REALTIME();
  class UpTo40 final : public AttributeSetter
  {
  public:
    AttributeReport apply(const ThreadAttributes & attributes, pid_t tid) override
    {
      if (attributes.priority <= 40) {
        return takt_rt::apply(attributes, tid);
      }
      AttributeReport report;
      report.granted = read_attributes(tid);
      report.faults.push_back(make_refusal(RefusedAttribute::policy, attributes, EPERM, tid));
      return report;
    }
    Faults refusals(const ThreadAttributes &) override { return {}; }
    bool allow_realtime(int) override { return true; }
  };
  const auto executor = make_executor(2, [](auto & o) {
    o.setter = std::make_shared<UpTo40>();
    o.threads[0].attributes = fifo(20);
    o.threads[1].attributes = fifo(10);
  });
  Binding first, second;
  first.threads = 1;
  second.threads = 2;
  const auto a = add_function(*executor, "a", {}, nullptr, first);
  ASSERT_TRUE(executor->start().ok());
  Reconfiguration change;
  change.callbacks = {{a, second}};
  change.threads = {{0, fifo(25)}, {1, fifo(41)}};
  const auto refused = executor->reconfigure(change);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.faults().front().kind, FaultKind::refusal);
  EXPECT_EQ(executor->scheduler().threads(*a), 1U);
  EXPECT_EQ(read_attributes(executor->thread_ids()[0]).priority, 20);
  EXPECT_EQ(read_attributes(executor->thread_ids()[1]).priority, 10);
  EXPECT_EQ(executor->threads()[0].attributes.asked.priority, 20);
  stop(*executor);
}

TEST(Reconfiguration, takes_callbacks_of_one_window_to_other_threads_together)
{
  const auto executor = make_executor(2, [](auto & o) { o.order = Order::window; });
  const auto a = add_function(*executor, "a");
  const auto b = add_function(*executor, "b");
  EXPECT_FALSE(executor->reconfigure({.callbacks = {{a, {.threads = 2}}}}).ok())
    << "thread 1 would be in two windows";
  ASSERT_TRUE(
    executor->reconfigure({.callbacks = {{a, {.threads = 2}}, {b, {.threads = 2}}}}).ok());
  EXPECT_EQ(executor->scheduler().threads(*a), 2U);
  EXPECT_EQ(executor->scheduler().threads(*b), 2U);
  // A change that fails later takes back both bindings.
  EXPECT_FALSE(
    executor
      ->reconfigure({.callbacks = {{a, {.threads = 1}}, {b, {.threads = 1, .priority = 999}}}})
      .ok());
  EXPECT_EQ(executor->scheduler().threads(*a), 2U);
  EXPECT_EQ(executor->scheduler().threads(*b), 2U);
}

TEST(Reconfiguration, adds_a_chain_or_replaces_the_one_of_its_name)
{
  const auto executor = make_executor(1, [](auto & o) { o.order = Order::priority; });
  const auto a = add_function(*executor, "a");
  ASSERT_TRUE(executor->reconfigure({.chains = {{{"one", {"a"}, 3}}}}).ok());
  ASSERT_TRUE(executor->reconfigure({.more_chains = {{"two", {"a"}, 5}}}).ok());
  EXPECT_EQ(executor->scheduler().priority(*a), 5);
  EXPECT_EQ(executor->scheduler().chains().size(), 2U);
  ASSERT_TRUE(executor->reconfigure({.more_chains = {{"two", {"a"}, 1}}}).ok());
  EXPECT_EQ(executor->scheduler().priority(*a), 3);
  EXPECT_EQ(executor->scheduler().chains().size(), 2U);
  EXPECT_FALSE(
    executor->reconfigure({.more_chains = {{"three", {"a"}, 9}, {"four", {"a"}, 999}}}).ok());
  EXPECT_EQ(executor->scheduler().priority(*a), 3) << "a fault changes nothing";
  EXPECT_EQ(executor->scheduler().chains().size(), 2U);
}

TEST(Reconfiguration, of_an_isolated_thread)
{
  SKIP_WITHOUT_REALTIME();
  const auto executor = make_executor(1);
  const auto group = std::make_shared<Group>(GroupKind::mutually_exclusive, "g");
  ASSERT_TRUE(executor->isolate(*group, {}).ok());
  add_function(*executor, "c", {}, group);
  ASSERT_TRUE(executor->start().ok());
  const auto threads = executor->threads();
  ASSERT_EQ(threads.size(), 2U);
  EXPECT_EQ(threads[1].group, "g");
  ASSERT_TRUE(executor->reconfigure({.threads = {{threads[1].number, fifo(17), "g"}}}).ok());
  EXPECT_EQ(read_attributes(threads[1].tid).priority, 17);
  EXPECT_FALSE(executor->reconfigure({.threads = {{99, fifo(17)}}}).ok());
  stop(*executor);
}

TEST(Executors, of_a_process_can_be_found)
{
  const auto names = [] {
    std::vector<std::string> found;
    for_each_executor([&](Executor & executor) { found.push_back(executor.options().name); });
    return found;
  };
  const std::vector<std::string> before = names();
  {
    const auto one = make_executor(1, [](auto & o) { o.name = "one"; });
    const auto two = make_executor(1, [](auto & o) { o.name = "two"; });
    std::vector<std::string> expected = before;
    expected.insert(expected.end(), {"one", "two"});
    EXPECT_EQ(names(), expected);
  }
  EXPECT_EQ(names(), before);
}

}  // namespace
}  // namespace takt_core::test
