// Chains that stop ending: the observer's counts and alarms, with hooks called by hand under
// virtual time.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "alarms/alarm_rules.hpp"
#include "executor_watch.hpp"
#include "support/made.hpp"
#include "support/served.hpp"
#include "support/side.hpp"
#include "takt_rt/futex.hpp"

namespace takt_watch
{
namespace
{

using std::chrono::milliseconds;
using Started = takt_core::Run;
using takt_rt::Time;
using test::Side;
using test::Work;

constexpr Time kBegin = takt_rt::from_ns(1'000'000'000);

Time at(int ms)
{
  return kBegin + milliseconds(ms);
}

class Overdue : public testing::Test
{
protected:
  Overdue()
  {
    switch_.spins = [](const takt_core::Executor &) { return true; };
    switch_.on.store(true);
    chain_.name = "hot";
    chain_.path = {"/a:sub(/x)", "/b:sub(/y)"};
    chain_.deadline = milliseconds(50);
  }

  /// Sets the chain from /a:sub(/x) to /b:sub(/y), and lets its first activation end.
  void begin()
  {
    root_ = main_.add(test::subscription("/a:sub(/x)"));
    last_ = main_.add(test::subscription("/b:sub(/y)"));
    ASSERT_TRUE(main_.executor->reconfigure({.more_chains = {chain_}}).ok());
    release(-1000);
    end(-1000, -990);
    switch_.wake_up.begin();
  }
  /// A message for the root arrives.
  void release(int ms) { main_.watch->on_arrival(*root_, 1, at(ms)); }
  /// The chain's last callback ends its run for the activation released at `of`.
  void end(int of, int ms) { end_at(*main_.watch, *root_, of, ms); }
  void end_at(ExecutorWatch & watch, takt_core::Callback & root, int of, int ms)
  {
    Started run;
    run.callback = last_.get();
    run.release = at(ms);
    run.start = at(ms);
    run.activations.add({root.number(), static_cast<std::uint32_t>(of + 10'000), at(of)});
    watch.on_picked(run);
    watch.on_start(run, at(ms));
    watch.on_end(run, at(ms));
  }
  ExecutorWatch::Due due(int ms) const { return main_.watch->due(at(ms)); }
  ChainSample chain(int ms) const { return main_.watch->sample(at(ms), false).chains.at(0); }
  ChainFigures figures() const { return std::move(main_.watch->chains().at(0)); }
  /// The alarms that one look raises and clears.
  std::vector<Alarm> look(int ms)
  {
    Sample sample;
    sample.time = at(ms);
    sample.executors.push_back(main_.watch->sample(at(ms), true));
    return rules_.look(sample);
  }

  Switch switch_;
  Side main_{switch_, "main"};
  takt_core::ChainOptions chain_;
  std::shared_ptr<Work> root_;
  std::shared_ptr<Work> last_;
  AlarmRules rules_;
};

TEST_F(Overdue, a_release_plans_a_look_at_its_deadline_and_nothing_has_to_end)
{
  begin();
  EXPECT_TRUE(look(-10).empty());
  release(0);
  EXPECT_EQ(switch_.wake_up.planned(), at(50));
  EXPECT_FALSE(due(0).now);
  EXPECT_EQ(due(49).next, at(50));
  EXPECT_TRUE(due(50).now);
  const auto alarms = look(50);
  ASSERT_EQ(alarms.size(), 1U);
  EXPECT_EQ(alarms[0].kind, AlarmKind::deadline);
  EXPECT_EQ(alarms[0].chain, "hot");
  EXPECT_EQ(
    alarms[0].text,
    "chain hot: an activation has not ended after 50.0 ms, deadline 50 ms; 1 response missed the "
    "deadline");
  const ChainSample seen = chain(60);
  EXPECT_EQ(seen.misses, 1U);
  EXPECT_EQ(seen.overdue, 1U);
  EXPECT_EQ(seen.activations, 2U);
  EXPECT_EQ(seen.silent, milliseconds(60));
}

TEST_F(Overdue, an_end_in_time_is_no_miss)
{
  begin();
  release(0);
  end(0, 40);
  EXPECT_FALSE(due(60).now);
  EXPECT_EQ(due(60).next, takt_rt::kNever);
  EXPECT_EQ(chain(60).misses, 0U);
  EXPECT_FALSE(chain(60).silent);
}

TEST_F(Overdue, a_superseded_activation_is_no_miss)
{
  begin();
  for (int ms = 0; ms < 1000; ms += 20) {
    release(ms);
    release(ms + 5);
    end(ms + 5, ms + 15);
    due(ms + 15);
  }
  EXPECT_FALSE(due(2000).now);
  EXPECT_EQ(chain(2000).misses, 0U);
  EXPECT_EQ(chain(2000).activations, 51U);
}

TEST_F(Overdue, a_late_end_counts_the_response_and_not_the_miss_again)
{
  begin();
  static_cast<void>(chain(-1));
  release(0);
  EXPECT_TRUE(due(50).now);
  EXPECT_EQ(figures().consecutive_misses, 1U);
  end(0, 700);
  const ChainSample seen = chain(700);
  EXPECT_EQ(seen.misses, 1U);
  EXPECT_EQ(seen.overdue, 1U);
  EXPECT_EQ(seen.activations, 2U);
  EXPECT_EQ(seen.longest, milliseconds(700));
  EXPECT_EQ(main_.watch->chains()[0].responses->histogram.max(), 700'000'000);
  EXPECT_EQ(figures().consecutive_misses, 1U);
  EXPECT_EQ(figures().most_consecutive_misses, 1U);
}

TEST_F(Overdue, misses_in_the_window_are_those_that_ended_late_and_those_that_did_not_end)
{
  main_.rule.misses = takt_schedule::MissRule{2, 10};
  begin();
  EXPECT_TRUE(look(-10).empty());
  release(0);
  end(0, 60);
  EXPECT_FALSE(due(60).now);
  release(100);
  EXPECT_FALSE(due(150).now) << "two misses are allowed";
  release(200);
  EXPECT_TRUE(due(250).now);
  EXPECT_FALSE(due(260).now);
  const auto alarms = look(250);
  ASSERT_EQ(alarms.size(), 1U);
  EXPECT_EQ(alarms[0].value, 3);
  EXPECT_EQ(
    alarms[0].text,
    "chain hot: an activation has not ended after 150 ms, deadline 50 ms; 3 responses missed the "
    "deadline "
    "(limit 2)");
  release(300);
  EXPECT_FALSE(due(350).now) << "it is exceeded already";
  EXPECT_EQ(chain(350).window.missed, 4U);
}

TEST_F(Overdue, responses_in_time_clear_the_alarm)
{
  begin();
  EXPECT_TRUE(look(-10).empty());
  release(0);
  EXPECT_TRUE(due(50).now);
  EXPECT_EQ(look(50).size(), 1U);
  for (int ms = 100; ms < 1200; ms += 100) {
    release(ms);
    end(ms, ms + 10);
    EXPECT_FALSE(due(ms + 60).now);
    const auto alarms = look(ms + 60);
    ASSERT_EQ(alarms.size(), ms == 1000 ? 1U : 0U) << ms;
    if (!alarms.empty()) {
      EXPECT_FALSE(alarms[0].raised);
      EXPECT_EQ(alarms[0].text, "chain hot: it meets its deadline again");
    }
  }
}

TEST_F(Overdue, a_root_timer_that_gets_no_thread_misses_once_in_each_period)
{
  chain_.path.front() = "/a:timer(100ms)";
  root_ = main_.add(test::timer("/a:timer(100ms)", milliseconds(100)));
  last_ = main_.add(test::subscription("/b:sub(/y)"));
  ASSERT_TRUE(main_.executor->reconfigure({.more_chains = {chain_}}).ok());
  takt_core::Scheduler & scheduler = main_.executor->scheduler();
  scheduler.open(at(0));
  EXPECT_EQ(due(0).next, at(150));
  Started run;
  ASSERT_TRUE(scheduler.next(0, at(100), run));
  main_.watch->on_picked(run);
  scheduler.taken(run);
  main_.watch->on_start(run, at(100));
  main_.watch->on_end(run, at(101));
  scheduler.complete(run);
  end_at(*main_.watch, *root_, 100, 110);
  EXPECT_TRUE(look(110).empty());
  EXPECT_FALSE(due(150).now);
  EXPECT_EQ(due(150).next, at(250));
  // From here on no thread runs the chain's last callback.
  EXPECT_TRUE(due(250).now);
  EXPECT_EQ(due(250).next, at(350));
  const auto alarms = look(250);
  ASSERT_EQ(alarms.size(), 1U);
  EXPECT_EQ(
    alarms[0].text,
    "chain hot: an activation has not ended after 50.0 ms, deadline 50 ms; 1 response missed the "
    "deadline");
  due(560);
  EXPECT_EQ(chain(560).misses, 4U);
  // The start of the timer's run drops the later periods, and the run's end counts for the first
  // one.
  ASSERT_TRUE(scheduler.next(0, at(570), run));
  EXPECT_EQ(run.release, at(200));
  main_.watch->on_picked(run);
  scheduler.taken(run);
  main_.watch->on_start(run, at(570));
  main_.watch->on_end(run, at(571));
  scheduler.complete(run);
  end_at(*main_.watch, *root_, 200, 580);
  due(580);
  EXPECT_EQ(chain(580).misses, 4U);
  EXPECT_EQ(due(580).next, at(650));
}

TEST_F(Overdue, a_cancelled_root_timer_misses_nothing)
{
  chain_.path.front() = "/a:timer(100ms)";
  root_ = main_.add(test::timer("/a:timer(100ms)", milliseconds(100)));
  last_ = main_.add(test::subscription("/b:sub(/y)"));
  ASSERT_TRUE(main_.executor->reconfigure({.more_chains = {chain_}}).ok());
  main_.executor->scheduler().open(at(0));
  end_at(*main_.watch, *root_, 0, 10);
  main_.executor->scheduler().cancel_timer(*root_);
  EXPECT_FALSE(due(10'000).now);
  EXPECT_EQ(due(10'000).next, takt_rt::kNever);
}

TEST_F(Overdue, the_root_may_be_in_another_executor)
{
  Side other(switch_, "other");
  root_ = other.add(test::subscription("/a:sub(/x)"));
  last_ = main_.add(test::subscription("/b:sub(/y)"));
  ASSERT_TRUE(main_.executor->reconfigure({.more_chains = {chain_}}).ok());
  ASSERT_TRUE(other.executor->reconfigure({.more_chains = {chain_}}).ok());
  other.watch->on_arrival(*root_, 1, at(0));
  end(0, 10);
  other.watch->on_arrival(*root_, 1, at(100));
  EXPECT_TRUE(due(150).now);
  other.watch->due(at(150));
  EXPECT_EQ(chain(150).overdue, 1U);
  EXPECT_EQ(other.watch->sample(at(150), false).chains.at(0).overdue, 0U) << "it ends elsewhere";
}

TEST_F(Overdue, a_timer_of_an_executor_that_is_gone_is_not_asked)
{
  auto other = std::make_unique<Side>(switch_, "other");
  chain_.path.front() = "/a:timer(100ms)";
  root_ = other->add(test::timer("/a:timer(100ms)", milliseconds(100)));
  last_ = main_.add(test::subscription("/b:sub(/y)"));
  ASSERT_TRUE(main_.executor->reconfigure({.more_chains = {chain_}}).ok());
  other->executor->scheduler().open(at(0));
  end_at(*main_.watch, *root_, 0, 10);
  EXPECT_EQ(due(10).next, at(150));
  other.reset();
  root_.reset();
  EXPECT_EQ(due(10).next, takt_rt::kNever);
}

TEST_F(Overdue, without_the_last_callback_or_a_deadline_nothing_is_overdue)
{
  begin();
  release(0);
  main_.executor->remove(*last_);
  EXPECT_FALSE(due(60).now);
  main_.add(last_ = test::subscription("/b:sub(/y)"));
  chain_.deadline = takt_rt::kForever;
  ASSERT_TRUE(main_.executor->reconfigure({.more_chains = {chain_}}).ok());
  release(100);
  end(100, 110);
  release(200);
  EXPECT_FALSE(due(10'000).now);
  EXPECT_EQ(chain(10'000).misses, 0U);
}

TEST_F(Overdue, nothing_is_overdue_while_the_executor_does_not_spin)
{
  begin();
  release(0);
  switch_.spins = [](const takt_core::Executor &) { return false; };
  EXPECT_FALSE(due(60).now);
  release(100);
  switch_.spins = [](const takt_core::Executor &) { return true; };
  EXPECT_FALSE(due(200).now);
}

TEST_F(Overdue, nothing_is_overdue_while_a_cancelled_executor_ends)
{
  begin();
  switch_.spins = Switch().spins;
  std::atomic<bool> inside{false};
  std::atomic<std::uint32_t> told{0};
  const auto slow = main_.add(test::subscription("/c:sub(/z)", [&] {
    inside.store(true);
    while (told.load() == 0) {
      takt_rt::futex_wait(told, 0);
    }
  }));
  ASSERT_TRUE(main_.executor->start().ok());
  main_.executor->ready(*slow, 1);
  test::wait_for([&] { return inside.load(); });
  release(0);
  EXPECT_TRUE(due(60).now) << "it spins";
  release(100);
  main_.executor->cancel();
  EXPECT_FALSE(due(200).now) << "nothing starts any more";
  EXPECT_TRUE(main_.executor->running());
  told.store(1);
  takt_rt::futex_wake(told, 1);
  EXPECT_TRUE(main_.executor->wait().ok());
}

TEST_F(Overdue, what_waited_for_a_root_that_was_removed_is_not_overdue)
{
  begin();
  release(0);
  main_.executor->remove(*root_);
  EXPECT_FALSE(due(60).now);
  EXPECT_EQ(chain(60).misses, 0U);
}

TEST_F(Overdue, a_message_that_was_not_there_is_no_activation)
{
  begin();
  release(0);
  Started run;
  run.callback = root_.get();
  run.release = at(0);
  run.start = at(1);
  run.activations.add({root_->number(), 7, at(0)});
  main_.watch->on_picked(run);
  main_.watch->on_empty_take(run);
  EXPECT_FALSE(due(60).now);
}

TEST_F(Overdue, what_comes_from_another_chains_callback_is_none_of_this_chain)
{
  begin();
  takt_core::ActivationSet of;
  of.add({last_->number(), 3, at(-5)});
  {
    const takt_core::ActivationScope scope(of);
    release(0);
  }
  EXPECT_FALSE(due(60).now);
}

}  // namespace
}  // namespace takt_watch
