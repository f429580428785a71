// Counts of the observer, with hooks called by hand under virtual time.
#include "executor_watch.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>
#include <string>

#include "support/made.hpp"

namespace
{
thread_local std::uint64_t t_allocations = 0;
}

// NOLINTBEGIN: they replace the library's
[[gnu::noinline]] void * operator new(std::size_t size)
{
  ++t_allocations;
  if (void * const memory = std::malloc(size)) {
    return memory;
  }
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void * memory) noexcept
{
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void * memory, std::size_t) noexcept
{
  std::free(memory);
}
// NOLINTEND

namespace takt_watch
{
namespace
{

using std::chrono::milliseconds;
using takt_rt::Duration;
using Started = takt_core::Run;
using takt_rt::Time;
using test::Work;

constexpr Time kBegin = takt_rt::from_ns(1'000'000'000);

Time at(int ms)
{
  return kBegin + milliseconds(ms);
}

class Watched : public testing::Test
{
protected:
  explicit Watched(const std::string & name = "main") : executor_(test::executor(name, 2))
  {
    facts_.name = name;
    facts_.executor = executor_.get();
  }

  ExecutorWatch & watch()
  {
    if (watch_ == nullptr) {
      watch_ = std::make_shared<ExecutorWatch>(facts_, switch_, [this] { ++needed_; });
      EXPECT_TRUE(executor_->add_observer(watch_).ok());
    }
    return *watch_;
  }
  void switch_on()
  {
    watch().begin();
    switch_.on.store(true);
  }
  std::shared_ptr<Work> add(std::shared_ptr<Work> work)
  {
    watch();
    EXPECT_TRUE(executor_->add(work).ok());
    return work;
  }
  std::shared_ptr<Work> add(const std::string & id) { return add(test::subscription(id)); }

  Started picked(
    takt_core::Callback & callback, Time release, Time start, std::uint32_t thread = 0,
    Time deadline = takt_rt::kNever)
  {
    Started run;
    run.callback = &callback;
    run.thread = thread;
    run.release = release;
    run.start = start;
    run.deadline = deadline;
    watch().on_picked(run);
    return run;
  }
  Started started(
    takt_core::Callback & callback, Time release, Time start, std::uint32_t thread = 0,
    Time deadline = takt_rt::kNever)
  {
    const Started run = picked(callback, release, start, thread, deadline);
    watch().on_start(run, start);
    return run;
  }
  void ran(
    takt_core::Callback & callback, Time release, Time start, Time end,
    Time deadline = takt_rt::kNever)
  {
    watch().on_end(started(callback, release, start, 0, deadline), end);
  }
  void ended_chain(takt_core::Callback & end, takt_core::Activation activation, Time time)
  {
    Started run = started(end, time, time);
    run.activations.add(activation);
    watch().on_end(run, time);
  }

  CallbackSample sample(const std::string & id, Time now = at(1000))
  {
    for (const CallbackSample & one : watch().sample(now, false).callbacks) {
      if (one.id == id) {
        return one;
      }
    }
    ADD_FAILURE() << id;
    return {};
  }
  CallbackFigures figures(const std::string & id)
  {
    for (const CallbackFigures & one : watch().callbacks(at(1000))) {
      if (one.sample.id == id) {
        return one;
      }
    }
    ADD_FAILURE() << id;
    return {};
  }

  Switch switch_;
  std::unique_ptr<takt_core::Executor> executor_;
  WatchedExecutor facts_;
  std::shared_ptr<ExecutorWatch> watch_;
  int needed_ = 0;
};

TEST_F(Watched, nothing_is_counted_before_it_is_switched_on)
{
  const auto work = add("/a:sub(/x)");
  ran(*work, at(0), at(1), at(2));
  EXPECT_EQ(watch().statistics(), nullptr);
  EXPECT_EQ(sample("/a:sub(/x)").starts, 0U);
}

TEST_F(Watched, counts_starts_empty_takes_exceptions_and_the_time_of_its_runs)
{
  const auto work = add("/a:sub(/x)");
  switch_on();
  ran(*work, at(0), at(1), at(4));
  ran(*work, at(10), at(11), at(12));
  watch().on_empty_take(picked(*work, at(20), at(20)));
  const Started threw = started(*work, at(30), at(30));
  watch().on_exception(threw, nullptr);
  watch().on_end(threw, at(31));
  watch().on_exception(picked(*work, at(40), at(40)), nullptr);  // the take threw
  const CallbackSample seen = sample("/a:sub(/x)");
  EXPECT_EQ(seen.starts, 3U);
  EXPECT_EQ(seen.empty_takes, 1U);
  EXPECT_EQ(seen.busy, milliseconds(5));
  EXPECT_EQ(figures("/a:sub(/x)").exceptions, 2U);
  EXPECT_FALSE(watch().running(0));
  const auto statistics = watch().statistics()->callbacks();
  ASSERT_EQ(statistics.size(), 1U);
  EXPECT_EQ(statistics[0]->execution.moments.count(), 3U);
  EXPECT_EQ(statistics[0]->response.histogram.max(), 4'000'000);
}

TEST_F(Watched, a_run_under_way_when_it_is_switched_on_is_not_counted)
{
  const auto work = add("/a:sub(/x)");
  const Started before = started(*work, at(0), at(0));
  switch_on();
  watch().on_end(before, at(5));
  const Started between = picked(*work, at(6), at(6));
  watch().on_start(between, at(6));
  watch().on_end(between, at(7));
  EXPECT_EQ(sample("/a:sub(/x)").starts, 1U);
  EXPECT_EQ(watch().statistics()->callbacks()[0]->response.moments.count(), 1U);
}

TEST_F(Watched, messages_that_wait_when_it_is_switched_on_count_as_arrivals)
{
  const auto work = add("/a:sub(/x)");
  executor_->ready(*work, 3);
  switch_on();
  executor_->ready(*work, 2);
  const CallbackSample seen = sample("/a:sub(/x)");
  EXPECT_EQ(seen.arrivals, 5U);
  EXPECT_EQ(seen.waiting, 5U);
  EXPECT_EQ(figures("/a:sub(/x)").most_waiting, 5U);
  ran(*work, at(0), at(0), at(1));  // the test calls the hooks without a take
  EXPECT_EQ(figures("/a:sub(/x)").most_waiting, 6U) << "five and the one that it was started for";
}

TEST_F(Watched, the_age_of_the_oldest_message_is_never_below_zero)
{
  const auto work = add("/a:sub(/x)");
  switch_on();
  EXPECT_FALSE(sample("/a:sub(/x)").oldest_age);
  executor_->ready(*work, 1);
  const Time stamp = work->oldest_arrival();
  EXPECT_EQ(sample("/a:sub(/x)", stamp + milliseconds(7)).oldest_age, milliseconds(7));
  EXPECT_EQ(sample("/a:sub(/x)", stamp - milliseconds(7)).oldest_age, Duration::zero());
}

TEST_F(Watched, deadlines_are_counted_by_the_window_of_the_rule)
{
  facts_.rule = [](const auto &) {
    takt_schedule::WatchRule rule;
    rule.misses = takt_schedule::MissRule{1, 4};
    return rule;
  };
  const auto work = add("/a:sub(/x)");
  EXPECT_EQ(needed_, 1);
  switch_on();
  for (const int response : {5, 20, 20, 5, 20}) {
    ran(*work, at(0), at(0), at(response), at(10));
  }
  ran(*work, at(0), at(0), at(500));  // has no deadline
  const CallbackSample seen = sample("/a:sub(/x)");
  EXPECT_EQ(seen.responses, 5U);
  EXPECT_EQ(seen.misses, 3U);
  EXPECT_EQ(seen.window.missed, 3U);
  EXPECT_EQ(seen.window.of, 4U);
  EXPECT_EQ(figures("/a:sub(/x)").most_consecutive_misses, 2U);
  EXPECT_EQ(figures("/a:sub(/x)").consecutive_misses, 1U);
}

TEST_F(Watched, overruns_are_told_with_the_longest_since_the_last_look)
{
  facts_.rule = [](const auto &) {
    takt_schedule::WatchRule rule;
    rule.budget = milliseconds(5);
    return rule;
  };
  const auto work = add("/a:sub(/x)");
  switch_on();
  for (const int execution : {5, 9, 7}) {
    ran(*work, at(0), at(0), at(execution));
  }
  CallbackSample seen = sample("/a:sub(/x)");
  EXPECT_EQ(seen.overruns, 2U);
  EXPECT_EQ(seen.longest_overrun, milliseconds(9));
  seen = sample("/a:sub(/x)");
  EXPECT_EQ(seen.overruns, 2U);
  EXPECT_EQ(seen.longest_overrun, Duration::zero());
}

TEST_F(Watched, a_chain_counts_the_first_end_of_each_activation)
{
  const auto root = add("/a:sub(/x)");
  const auto end = add("/b:sub(/y)");
  takt_core::ChainOptions chain;
  chain.name = "hot";
  chain.path = {"/a:sub(/x)", "/b:sub(/y)"};
  chain.deadline = milliseconds(10);
  ASSERT_TRUE(executor_->reconfigure({.more_chains = {chain}}).ok());
  switch_on();
  ended_chain(*end, {root->number(), 0, at(0)}, at(5));
  ended_chain(*end, {root->number(), 1, at(10)}, at(25));
  ended_chain(*end, {root->number(), 1, at(10)}, at(40));  // a second time
  ended_chain(*end, {end->number(), 0, at(40)}, at(90));   // for an activation of another root
  const auto seen = watch().sample(at(100), false).chains;
  ASSERT_EQ(seen.size(), 1U);
  EXPECT_EQ(seen[0].activations, 2U);
  EXPECT_EQ(seen[0].misses, 1U);
  EXPECT_EQ(seen[0].longest, milliseconds(15));
  EXPECT_EQ(seen[0].deadline, milliseconds(10));
  EXPECT_EQ(watch().chains().at(0).responses->moments.count(), 2U);
  EXPECT_EQ(figures("/a:sub(/x)").chains, std::vector<std::string>{"hot"});

  ASSERT_TRUE(executor_->reconfigure({.chains = std::vector<takt_core::ChainOptions>{}}).ok());
  ended_chain(*end, {root->number(), 2, at(100)}, at(105));
  EXPECT_TRUE(watch().sample(at(110), false).chains.empty());
  ASSERT_TRUE(executor_->reconfigure({.more_chains = {chain}}).ok());
  EXPECT_EQ(watch().chains().at(0).sample.activations, 2U) << "it goes on";
}

TEST_F(Watched, responses_of_chains_are_not_measured_while_it_is_off)
{
  const auto end = add("/b:sub(/y)");
  takt_core::ChainOptions chain;
  chain.name = "hot";
  chain.path = {"/b:sub(/y)"};
  ASSERT_TRUE(executor_->reconfigure({.more_chains = {chain}}).ok());
  EXPECT_FALSE(watch().watches());
  ended_chain(*end, {end->number(), 0, at(0)}, at(5));
  ASSERT_EQ(watch().chain_responses().size(), 1U);
  EXPECT_EQ(watch().chain_responses()[0].responses->moments.count(), 0U);
}

TEST_F(Watched, responses_of_chains_are_measured_while_it_is_off_if_they_are_wanted)
{
  facts_.measures_chains = true;
  const auto root = add("/a:sub(/x)");
  const auto end = add("/b:sub(/y)");
  EXPECT_FALSE(watch().watches()) << "no chain ends here yet";
  std::vector<takt_core::ChainOptions> chains(3);
  for (auto & one : chains) {
    one.path = {"/a:sub(/x)", "/b:sub(/y)"};
  }
  chains[0].name = "hot";
  chains[0].deadline = milliseconds(10);
  chains[1].name = "cool";
  chains[2].name = "there";
  chains[2].path.push_back("/c:sub(/z)");
  ASSERT_TRUE(executor_->reconfigure({.more_chains = chains}).ok());
  EXPECT_TRUE(watch().watches());
  const std::uint64_t allocated = t_allocations;
  ended_chain(*end, {root->number(), 0, at(0)}, at(15));
  ended_chain(*end, {root->number(), 0, at(0)}, at(16));  // a second time
  ended_chain(*end, {end->number(), 0, at(40)}, at(90));  // for an activation of another root
  EXPECT_EQ(t_allocations, allocated);
  Started began_off = started(*end, at(20), at(20));
  began_off.activations.add({root->number(), 1, at(20)});
  switch_on();
  watch().on_end(began_off, at(21));
  EXPECT_EQ(watch().chains().at(0).sample.activations, 0U);
  EXPECT_EQ(watch().chains().at(0).responses->moments.count(), 0U) << "counting began later";
  ended_chain(*end, {root->number(), 2, at(30)}, at(42));

  const auto all = watch().chain_responses();
  ASSERT_EQ(all.size(), 2U) << "one ends in another executor";
  EXPECT_EQ(all[0].chain.name, "hot") << "the first that was set";
  EXPECT_EQ(all[1].chain.name, "cool");
  EXPECT_EQ(all[0].late, 2U);
  EXPECT_EQ(all[1].late, 0U);
  for (const auto & one : all) {
    EXPECT_EQ(one.responses->moments.count(), 3U);
    EXPECT_EQ(one.responses->histogram.max(), 15'000'000);
  }
  for (const ChainFigures & one : watch().chains()) {
    if (one.sample.name == "hot") {
      EXPECT_EQ(one.sample.activations, 1U);
      EXPECT_EQ(one.responses->moments.count(), 1U);
      EXPECT_EQ(one.responses->histogram.max(), 12'000'000);
    }
  }
}

TEST_F(Watched, a_chain_may_begin_in_another_executor)
{
  switch_on();
  const auto other = test::executor("other");
  WatchedExecutor facts;
  facts.executor = other.get();
  const auto observer = std::make_shared<ExecutorWatch>(facts, switch_, [] {});
  ASSERT_TRUE(other->add_observer(observer).ok());
  const auto root = test::subscription("/a:sub(/x)");
  ASSERT_TRUE(other->add(root).ok());
  takt_core::ChainOptions chain;
  chain.name = "hot";
  chain.path = {"/a:sub(/x)", "/b:sub(/y)"};
  ASSERT_TRUE(executor_->reconfigure({.more_chains = {chain}}).ok());
  const auto end = add("/b:sub(/y)");
  ended_chain(*end, {root->number(), 0, at(0)}, at(5));
  EXPECT_EQ(watch().chains().at(0).sample.activations, 1U);
  EXPECT_FALSE(watch().chains().at(0).sample.deadline);

  other->remove(*root);
  const auto again = test::subscription("/a:sub(/x)");
  ASSERT_TRUE(other->add(again).ok());
  ended_chain(*end, {again->number(), 0, at(10)}, at(15));
  EXPECT_EQ(watch().chains().at(0).sample.activations, 2U);
}

TEST_F(Watched, a_callback_that_comes_again_goes_on_counting)
{
  const auto first = add("/a:sub(/x)");
  executor_->ready(*first, 30);
  switch_on();
  ran(*first, at(0), at(0), at(1));
  executor_->ready(*first, 2);
  first->lost_messages.store(4);
  executor_->remove(*first);
  EXPECT_TRUE(watch().sample(at(2), false).callbacks.empty());

  const auto second = add("/a:sub(/x)");
  executor_->ready(*second, 3);
  second->lost_messages.store(1);
  ran(*second, at(3), at(3), at(4));
  const CallbackSample seen = sample("/a:sub(/x)");
  EXPECT_EQ(seen.starts, 2U);
  EXPECT_EQ(seen.arrivals, 10U + 2U + 3U);
  EXPECT_EQ(seen.lost, 5U);
}

TEST_F(Watched, callbacks_of_ever_new_ids_take_no_more_memory)
{
  switch_on();
  takt_core::ChainOptions chain;
  chain.name = "hot";
  chain.path = {"/a:sub(/root)", "/a:sub(/last)"};
  ASSERT_TRUE(executor_->reconfigure({.more_chains = {chain}}).ok());
  std::uint64_t before = 0;
  for (int round = 0; round < 4; ++round) {
    for (int i = 0; i < 200; ++i) {
      const auto work = add("/a:sub(/" + std::to_string(round * 1000 + i) + ")");
      ran(*work, at(0), at(0), at(1));
      executor_->remove(*work);
    }
    const auto kept = watch().statistics()->callbacks().size();
    EXPECT_LE(kept, 70U);
    before = kept;
  }
  EXPECT_GT(before, 0U);
  const auto last = add("/a:sub(/last)");
  ran(*last, at(0), at(0), at(1));
  EXPECT_EQ(sample("/a:sub(/last)").starts, 1U) << "a record that another had begins at zero";
}

TEST_F(Watched, a_timer_has_its_periods_as_arrivals)
{
  const auto timer = add(test::timer("/a:timer(1s)", std::chrono::seconds(1)));
  switch_on();
  ran(*timer, at(0), at(0), at(1));
  const CallbackSample seen = sample("/a:timer(1s)");
  EXPECT_EQ(seen.arrivals, 1U);
  EXPECT_EQ(seen.waiting, 0U);
  EXPECT_EQ(figures("/a:timer(1s)").most_waiting, 0U);
}

TEST_F(Watched, rates_are_those_of_the_last_window)
{
  const auto work = add("/a:sub(/x)");
  switch_on();
  watch().sample(at(0), true);
  EXPECT_FALSE(figures("/a:sub(/x)").arrival_rate);
  executor_->ready(*work, 8);
  ran(*work, at(0), at(0), at(1));
  ran(*work, at(0), at(0), at(1));
  watch().sample(at(100), false);
  EXPECT_FALSE(figures("/a:sub(/x)").arrival_rate) << "the window is not over";
  watch().sample(at(2000), true);
  EXPECT_DOUBLE_EQ(figures("/a:sub(/x)").arrival_rate.value_or(0), 4.0);
  EXPECT_DOUBLE_EQ(figures("/a:sub(/x)").service_rate.value_or(0), 1.0);
}

TEST_F(Watched, an_adapters_own_callbacks_are_left_out)
{
  const auto own = add("/takt:wake");
  switch_on();
  ran(*own, at(0), at(0), at(1));
  EXPECT_TRUE(watch().sample(at(1), false).callbacks.empty());
  EXPECT_TRUE(watch().callbacks(at(1)).empty());
}

TEST_F(Watched, says_what_a_thread_runs_and_where_a_callback_may_run)
{
  const auto work = add("/a:sub(/x)");
  ASSERT_TRUE(executor_->reconfigure({.callbacks = {{work, {.threads = 2}}}}).ok());
  switch_on();
  watch().on_thread(1, {});
  EXPECT_EQ(sample("/a:sub(/x)").threads, std::vector<std::uint32_t>{1});
  const Started run = started(*work, at(0), at(3), 1);
  const auto running = watch().running(1);
  ASSERT_TRUE(running);
  EXPECT_EQ(running->id, "/a:sub(/x)");
  EXPECT_EQ(running->since, at(3));
  EXPECT_FALSE(running->stall);
  EXPECT_FALSE(watch().running(0));
  watch().on_end(run, at(4));
  EXPECT_FALSE(watch().running(1));
}

class WithLimits : public Watched
{
protected:
  WithLimits()
  {
    facts_.rule = [](const takt_core::Callback &) {
      takt_schedule::WatchRule rule;
      rule.backlog.emplace();
      rule.backlog->age = milliseconds(50);
      rule.stall = milliseconds(200);
      return rule;
    };
    work_ = add("/a:sub(/x)");
    switch_on();
    switch_.wake_up.begin();
  }

  std::shared_ptr<Work> work_;
};

TEST_F(WithLimits, an_arrival_plans_a_look_for_when_its_age_is_reached)
{
  EXPECT_TRUE(watch().interest().arrivals);
  watch().on_arrival(*work_, 1, at(0));
  EXPECT_EQ(switch_.wake_up.planned(), at(50));
  watch().on_arrival(*work_, 1, at(10));
  EXPECT_EQ(switch_.wake_up.planned(), at(50));
}

TEST_F(WithLimits, a_start_plans_a_look_for_when_it_counts_as_a_stall)
{
  const Started run = picked(*work_, at(0), at(0));
  EXPECT_EQ(switch_.wake_up.planned(), at(200));
  EXPECT_EQ(watch().running(0)->stall, milliseconds(200));
  watch().on_end(run, at(1));
}

TEST_F(WithLimits, an_age_is_due_once_until_it_is_below_the_limit_again)
{
  EXPECT_FALSE(watch().due(at(0)).now);
  EXPECT_EQ(watch().due(at(0)).next, takt_rt::kNever);
  executor_->ready(*work_, 1);
  const Time arrival = work_->oldest_arrival();
  EXPECT_FALSE(watch().due(arrival + milliseconds(49)).now);
  EXPECT_EQ(watch().due(arrival).next, arrival + milliseconds(50));
  EXPECT_TRUE(watch().due(arrival + milliseconds(50)).now);
  EXPECT_FALSE(watch().due(arrival + milliseconds(51)).now);
  EXPECT_FALSE(watch().due(arrival + milliseconds(1)).now);
  EXPECT_TRUE(watch().due(arrival + milliseconds(52)).now);
}

TEST_F(WithLimits, each_run_that_lasts_too_long_is_due_once)
{
  const Started first = started(*work_, at(0), at(0));
  EXPECT_EQ(watch().due(at(0)).next, at(200));
  EXPECT_TRUE(watch().due(at(200)).now);
  EXPECT_FALSE(watch().due(at(201)).now);
  watch().on_end(first, at(300));
  EXPECT_FALSE(watch().due(at(400)).now);
  const Started second = started(*work_, at(400), at(400));
  EXPECT_TRUE(watch().due(at(601)).now);
  watch().on_end(second, at(700));
}

TEST_F(WithLimits, hooks_allocate_nothing)
{
  takt_core::ChainOptions chain;
  chain.name = "hot";
  chain.path = {"/a:sub(/x)"};
  chain.deadline = milliseconds(1);
  ASSERT_TRUE(executor_->reconfigure({.more_chains = {chain}}).ok());
  const std::uint64_t before = t_allocations;
  for (int i = 0; i < 100; ++i) {
    watch().on_arrival(*work_, 1, at(i));
    Started run = started(*work_, at(i), at(i), 0, at(i));
    run.activations.add({work_->number(), static_cast<std::uint32_t>(i), at(i)});
    watch().on_exception(run, nullptr);
    watch().on_end(run, at(i + 1));
    watch().on_empty_take(picked(*work_, at(i), at(i)));
  }
  EXPECT_EQ(t_allocations, before);
  EXPECT_EQ(watch().chains().at(0).sample.activations, 100U);
  EXPECT_EQ(watch().chains().at(0).sample.misses, 0U);
}

TEST_F(Watched, without_a_rule_it_needs_not_be_on)
{
  add("/a:sub(/x)");
  EXPECT_EQ(needed_, 0);
}

TEST_F(Watched, in_a_child_of_fork_set_up_is_left_alone)
{
  const auto work = add("/a:sub(/x)");
  switch_.abandoned.store(true);
  executor_->remove(*work);
  EXPECT_TRUE(executor_->add(test::subscription("/b:sub(/y)")).ok());
  switch_.abandoned.store(false);
  EXPECT_EQ(needed_, 0);
}

}  // namespace
}  // namespace takt_watch
