// The statistics observer: its figures, their callbacks, and their lifetime.
#include "takt_core/statistics_observer.hpp"

#include <gtest/gtest.h>

#include "support/executor_fixture.hpp"

namespace takt_core::test
{

using takt_rt::from_ns;

namespace
{

class Statistics : public testing::Test
{
protected:
  void SetUp() override { ASSERT_TRUE(executor->add_observer(statistics).ok()); }

  void run(Callback & callback)
  {
    executor->ready(callback);
    executor->spin_some();
  }

  std::unique_ptr<Executor> executor =
    make_executor(1, [](auto & o) { o.on_exception = ExceptionPolicy::report; });
  std::shared_ptr<StatisticsObserver> statistics = std::make_shared<StatisticsObserver>();
};

TEST_F(Statistics, tell_a_throwing_take_from_an_empty_one)
{
  const auto c = add_function(*executor, "c");
  c->on_take = [](const auto &) -> bool { throw 1; };
  run(*c);
  c->on_take = [](const auto &) { return false; };
  run(*c);
  c->on_take = nullptr;
  run(*c);
  const auto all = statistics->callbacks();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0]->exceptions, 1U);
  EXPECT_EQ(all[0]->empty_takes, 1U);
  EXPECT_EQ(all[0]->execution.moments.count(), 1U);
}

// The take found a message that came after the pick, so its release is later than the start.
TEST_F(Statistics, have_no_negative_delay_of_a_message_that_replaced_another_one)
{
  const auto c = add_function(*executor, "c");
  takt_core::Run run;
  run.callback = c.get();
  run.start = from_ns(1'000'000);
  run.release = from_ns(1'400'000);
  statistics->on_end(run, from_ns(2'000'000));
  const auto all = statistics->callbacks();
  ASSERT_EQ(all.size(), 1U);
  ASSERT_EQ(all[0]->start_delay.moments.count(), 1U);
  EXPECT_EQ(all[0]->start_delay.moments.min(), 0);
}

TEST_F(Statistics, go_on_for_a_callback_that_is_added_again)
{
  for (int i = 0; i < 1000; ++i) {
    const auto c = add_function(*executor, "c");
    run(*c);
    executor->remove(*c);
  }
  const auto all = statistics->callbacks();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0]->execution.moments.count(), 1000U);
}

// A callback announced before its adding may run before `add` returns.
TEST_F(Statistics, miss_no_run_of_a_callback_that_is_added_while_spinning)
{
  ASSERT_TRUE(executor->start().ok());
  constexpr int kTimes = 2000;
  for (int i = 0; i < kTimes; ++i) {
    CallbackOptions options;
    options.id = "c";
    options.kind = Kind::subscription;
    const auto c = std::make_shared<FunctionCallback>(options, nullptr);
    executor->ready(*c);
    ASSERT_TRUE(executor->add(c).ok());
    while (c->runs == 0) {
      std::this_thread::yield();
    }
    executor->remove(*c);
  }
  executor->cancel();
  ASSERT_TRUE(executor->wait().ok());
  EXPECT_EQ(statistics->callbacks().at(0)->execution.moments.count(), std::uint64_t{kTimes});
}

TEST_F(Statistics, forget_on_request_what_is_removed)
{
  const auto stays = add_function(*executor, "stays");
  run(*stays);
  for (int i = 0; i < 3; ++i) {
    const auto passing = add_function(*executor, "passing" + std::to_string(i));
    EXPECT_TRUE(executor->reconfigure({.more_chains = {{"chain", {passing->id()}}}}).ok());
    run(*passing);
    if (i == 0) {
      executor->remove(*passing);
      ASSERT_EQ(statistics->callbacks().size(), 2U);
      EXPECT_EQ(statistics->callbacks()[1]->execution.moments.count(), 1U);
    } else {
      statistics->forget_removed();
      const auto all = statistics->callbacks();
      ASSERT_EQ(all.size(), 2U) << "the one of the round before is gone";
      EXPECT_EQ(all[1]->id, passing->id());
      EXPECT_EQ(all[1]->execution.moments.count(), 1U) << "and left nothing in the new record";
      EXPECT_EQ(all[1]->response.histogram.count(), 1U);
      executor->remove(*passing);
    }
  }
  EXPECT_EQ(statistics->chains().size(), 1U);
  EXPECT_TRUE(executor->reconfigure({.chains = std::vector<ChainOptions>{}}).ok());
  EXPECT_EQ(statistics->chains().size(), 1U);
  statistics->forget_removed();
  EXPECT_TRUE(statistics->chains().empty());
  run(*stays);
  EXPECT_EQ(statistics->callbacks()[0]->execution.moments.count(), 2U);
}

TEST_F(Statistics, of_a_run_that_was_forgotten_before_its_end_are_dropped)
{
  const auto c = add_function(*executor, "c", [&](const takt_core::Run & run) {
    executor->remove(*run.callback);
    statistics->forget_removed();
    add_function(*executor, "next");
  });
  run(*c);
  const auto all = statistics->callbacks();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0]->id, "next");
  EXPECT_EQ(all[0]->execution.moments.count(), 0U);
}

TEST_F(Statistics, count_chains_whose_root_is_in_another_executor)
{
  const auto first = make_executor(1);
  const ChainOptions chain{"chain", {"root", "last"}, 0, std::chrono::hours(1), {}};
  EXPECT_TRUE(executor->reconfigure({.more_chains = {chain}}).ok());
  const auto last = add_function(*executor, "last");
  const auto root = add_function(*first, "root", [&](const auto &) { executor->ready(*last); });
  const auto other = add_function(*first, "other", [&](const auto &) { executor->ready(*last); });
  for (const auto & source : {root, other, root}) {
    first->ready(*source);
    first->spin_some();
    executor->spin_some();
  }
  const auto chains = statistics->chains();
  ASSERT_EQ(chains.size(), 1U);
  EXPECT_EQ(chains[0]->response.moments.count(), 2U);
  EXPECT_EQ(chains[0]->deadline_misses, 0U);
}

TEST_F(Statistics, count_chains_by_the_ids_that_chains_have_for_callbacks)
{
  const ChainOptions chain{"chain", {"root", "last"}, 0, std::chrono::hours(1), {}};
  EXPECT_TRUE(executor->reconfigure({.more_chains = {chain}}).ok());
  CallbackOptions options;
  options.chain_id = "last";
  std::vector<std::shared_ptr<FunctionCallback>> lasts;
  for (const char * id : {"last", "last another way"}) {
    options.id = id;
    lasts.push_back(std::make_shared<FunctionCallback>(options, nullptr));
    EXPECT_TRUE(executor->add(lasts.back(), {}).ok());
  }
  const auto root = add_function(*executor, "root", [&](const auto &) {
    executor->ready(*lasts[statistics->chains()[0]->response.moments.count() % 2]);
  });
  for (int i = 0; i < 4; ++i) {
    executor->ready(*root);
    executor->spin_some();
    executor->spin_some();
  }
  EXPECT_EQ(statistics->chains()[0]->response.moments.count(), 4U);
}

// ---- activations that end out of order ----

class Ends : public testing::Test
{
protected:
  Ends()
  {
    CallbackOptions options;
    options.group = std::make_shared<Group>(GroupKind::reentrant);
    options.id = "root";
    root = std::make_shared<FunctionCallback>(options, nullptr);
    options.id = "last";
    last = std::make_shared<FunctionCallback>(options, nullptr);
    statistics.on_added(*last);
    statistics.on_chain({"chain", {"root", "last"}, 0, std::chrono::milliseconds(10), {}});
  }

  // Ends activation `number`, which was released at `number` ms, after `response` ms.
  void end(std::uint32_t number, std::int64_t response, const Callback * of = nullptr)
  {
    takt_core::Run run;
    run.callback = last.get();
    const Time release = from_ns(number * std::int64_t{1'000'000});
    run.activations.add({(of != nullptr ? of : root.get())->number(), number, release});
    statistics.on_end(run, release + std::chrono::milliseconds(response));
  }
  std::uint64_t count() const { return statistics.chains().at(0)->response.moments.count(); }
  std::uint64_t misses() const { return statistics.chains().at(0)->deadline_misses; }

  std::shared_ptr<FunctionCallback> root, last;
  StatisticsObserver statistics;
};

TEST_F(Ends, out_of_order_are_recorded_with_their_missed_deadlines)
{
  end(0, 1);
  end(2, 1);
  end(3, 1);
  end(1, 20);
  EXPECT_EQ(count(), 4U);
  EXPECT_EQ(misses(), 1U);
}

TEST_F(Ends, are_recorded_once_when_a_cached_message_brings_them_again)
{
  for (std::uint32_t i = 0; i < 3000; ++i) {
    end(i, 1);
    end(i, 2);
    end(i >= 700 ? i - 700 : 0, 900);
  }
  end(0, 5000);
  EXPECT_EQ(count(), 3000U);
  EXPECT_EQ(misses(), 0U);
}

TEST_F(Ends, after_a_long_pause_and_of_a_new_root_are_recorded)
{
  end(0, 1);
  end(1'000'000, 1);
  end(1'000'000, 1);
  end(999'999, 1);
  EXPECT_EQ(count(), 3U);
  CallbackOptions options;
  options.id = "root";
  const FunctionCallback again(options, nullptr);
  end(0, 1, &again);
  EXPECT_EQ(count(), 4U);
}

}  // namespace
}  // namespace takt_core::test
