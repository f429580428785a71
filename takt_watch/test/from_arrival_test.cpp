// Chains whose root is in another process: each run of the last callback counts, from the arrival
// of its message.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "alarms/alarm_rules.hpp"
#include "executor_watch.hpp"
#include "support/made.hpp"
#include "support/side.hpp"

namespace takt_watch
{
namespace
{

using std::chrono::milliseconds;
using takt_rt::Time;
using test::Side;
using test::Work;

Time at(int ms)
{
  return takt_rt::from_ns(1'000'000'000) + milliseconds(ms);
}

class FromArrival : public testing::Test
{
protected:
  FromArrival()
  {
    switch_.spins = [](const takt_core::Executor &) { return true; };
    switch_.on.store(true);
    chain_.name = "hot";
    chain_.path = {"/a:sub(/x)", "/b:sub(/y)"};
    chain_.deadline = milliseconds(50);
    main_.rule.misses = takt_schedule::MissRule{1, 10};
    main_.rule.fail_safe.push_back({takt_schedule::AlarmAction::Kind::run, "", {"stop"}, "", 0});
    last_ = main_.add(test::subscription("/b:sub(/y)"));
    EXPECT_TRUE(main_.executor->reconfigure({.more_chains = {chain_}}).ok());
  }
  /// Runs the last callback for a message that came at `arrival` and belongs to the activation of
  /// `root` released at `of`.
  void run(int arrival, int ended, const takt_core::Callback & root, int of)
  {
    takt_core::Run run;
    run.callback = last_.get();
    run.release = at(arrival);
    run.start = at(arrival);
    run.activations.add({root.number(), ++sequence_, at(of)});
    main_.watch->on_picked(run);
    main_.watch->on_start(run, at(arrival));
    main_.watch->on_end(run, at(ended));
  }
  /// Runs the last callback for a message from another process: the activation begins with the
  /// callback itself.
  void run(int arrival, int ended) { run(arrival, ended, *last_, arrival); }
  std::vector<Alarm> look(int ms)
  {
    main_.watch->due(at(ms));
    Sample sample;
    sample.time = at(ms);
    sample.executors.push_back(main_.watch->sample(at(ms), true));
    return rules_.look(sample);
  }
  ChainFigures chain() { return std::move(main_.watch->chains().at(0)); }

  Switch switch_;
  Side main_{switch_, "main"};
  takt_core::ChainOptions chain_;
  std::shared_ptr<Work> last_;
  AlarmRules rules_;
  std::uint32_t sequence_ = 0;
};

TEST_F(FromArrival, each_run_of_the_last_callback_counts)
{
  run(0, 10);
  run(100, 160);
  const ChainFigures seen = chain();
  EXPECT_TRUE(seen.sample.from_arrival);
  EXPECT_EQ(seen.sample.activations, 2U);
  EXPECT_EQ(seen.sample.misses, 1U);
  EXPECT_EQ(seen.sample.overdue, 0U);
  ASSERT_NE(seen.responses, nullptr);
  EXPECT_EQ(seen.responses->histogram.count(), 2U);
  EXPECT_EQ(seen.responses->histogram.max(), 60'000'000);
  EXPECT_EQ(main_.watch->sample(at(200), true).chains.at(0).longest, milliseconds(60));
}

TEST_F(FromArrival, more_misses_than_the_rule_allows_raise_the_alarm_and_the_fail_safe)
{
  EXPECT_TRUE(look(0).empty());
  run(0, 60);
  EXPECT_TRUE(look(100).empty()) << "one of ten is allowed";
  run(100, 160);
  const auto alarms = look(200);
  ASSERT_EQ(alarms.size(), 1U);
  EXPECT_EQ(alarms[0].kind, AlarmKind::deadline);
  EXPECT_EQ(alarms[0].chain, "hot");
  EXPECT_EQ(alarms[0].value, 2);
  EXPECT_TRUE(alarms[0].fail_safe);
  ASSERT_EQ(alarms[0].actions.size(), 1U);
  EXPECT_EQ(
    alarms[0].text,
    "chain hot: 2 responses missed the deadline (limit 1), from the arrival in this process");
  std::vector<Alarm> cleared;
  for (int ms = 300; ms < 1500 && cleared.empty(); ms += 100) {
    run(ms, ms + 10);
    cleared = look(ms + 50);
  }
  ASSERT_EQ(cleared.size(), 1U);
  EXPECT_FALSE(cleared[0].raised);
}

TEST_F(FromArrival, nothing_is_overdue)
{
  run(0, 10);
  main_.watch->on_arrival(*last_, 1, at(100));
  EXPECT_FALSE(main_.watch->due(at(60'000)).now);
  EXPECT_EQ(chain().sample.misses, 0U);
}

TEST_F(FromArrival, a_root_that_appears_in_another_executor_takes_over)
{
  run(0, 60);
  Side other(switch_, "other");
  const auto root = other.add(test::subscription("/a:sub(/x)"));
  EXPECT_FALSE(chain().sample.from_arrival);
  run(100, 160);  // not for an activation of the chain
  EXPECT_EQ(chain().sample.activations, 1U);
  other.watch->on_arrival(*root, 1, at(200));
  run(220, 260, *root, 200);
  const ChainFigures seen = chain();
  EXPECT_EQ(seen.sample.activations, 2U);
  EXPECT_EQ(seen.sample.misses, 2U) << "60 ms after the release of the root";
  other.watch->on_arrival(*root, 1, at(300));
  main_.watch->due(at(350));
  EXPECT_EQ(chain().sample.overdue, 1U);
}

TEST_F(FromArrival, a_root_that_goes_away_counts_from_the_arrival_again)
{
  {
    Side other(switch_, "other");
    const auto root = other.add(test::subscription("/a:sub(/x)"));
    run(0, 10, *root, 0);
  }
  EXPECT_TRUE(chain().sample.from_arrival);
  run(100, 160);
  EXPECT_EQ(chain().sample.activations, 2U);
  EXPECT_EQ(chain().sample.misses, 1U);
}

TEST_F(FromArrival, a_chain_that_ends_elsewhere_is_none_of_these)
{
  takt_core::ChainOptions further = chain_;
  further.path = {"/a:sub(/x)", "/b:sub(/y)", "/c:sub(/z)"};
  ASSERT_TRUE(main_.executor->reconfigure({.more_chains = {further}}).ok());
  run(0, 60);
  EXPECT_FALSE(chain().sample.from_arrival);
  EXPECT_EQ(chain().sample.activations, 0U);
}

}  // namespace
}  // namespace takt_watch
