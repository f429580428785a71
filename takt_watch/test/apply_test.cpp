// Watch rules that change while the executor spins.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "alarms/alarm_rules.hpp"
#include "support/client.hpp"
#include "support/made.hpp"
#include "support/served.hpp"
#include "takt_rt/futex.hpp"
#include "takt_schedule/parse.hpp"
#include "takt_watch/watched_schedule.hpp"

namespace takt_watch
{
namespace
{

using nlohmann::json;
using std::chrono::milliseconds;
using takt_control::MessageType;
using takt_schedule::Schedule;
using test::callback_in;
using test::Client;
using test::subscription;
using Strings = std::vector<std::string>;

// ---- the alarms of a rule that is gone ----

class GoneRules : public testing::Test
{
protected:
  GoneRules()
  {
    executor_.name = "main";
    executor_.callbacks.resize(1);
    callback().id = "/a:sub(/x)";
    callback().depth = 10;
    callback().threads = {0};
  }
  CallbackSample & callback() { return executor_.callbacks[0]; }
  std::vector<Alarm> look(int ms)
  {
    Sample sample;
    sample.time = takt_rt::from_ns(1'000'000'000) + milliseconds(ms);
    sample.executors.push_back(executor_);
    return rules_.look(sample);
  }
  static Strings kinds(const std::vector<Alarm> & alarms, bool raised)
  {
    Strings all;
    for (const Alarm & alarm : alarms) {
      EXPECT_EQ(alarm.raised, raised) << alarm.text;
      all.emplace_back(to_string(alarm.kind));
    }
    std::sort(all.begin(), all.end());
    return all;
  }

  ExecutorSample executor_;
  AlarmRules rules_;
};

TEST_F(GoneRules, clear_the_alarms_that_they_raised)
{
  takt_schedule::WatchRule & rule = callback().rule;
  rule.backlog.emplace().messages = 2;
  rule.backlog->age = milliseconds(50);
  rule.budget = milliseconds(1);
  rule.misses = takt_schedule::MissRule{0, 5};
  callback().responses = 1;
  EXPECT_TRUE(look(0).empty());
  callback().waiting = 5;
  callback().oldest_age = milliseconds(100);
  callback().overwritten = 3;
  callback().overruns = 1;
  callback().misses = 1;
  callback().window = {1, 5};
  EXPECT_EQ(kinds(look(100), true), (Strings{"age", "backlog", "deadline", "lost", "overrun"}));
  rule.backlog->age.reset();
  const auto first = look(200);
  EXPECT_EQ(kinds(first, false), Strings{"age"}) << "the rest has its rule";
  EXPECT_EQ(first[0].text, "/a:sub(/x): the schedule has another limit for it now, or none");
  rule = {};
  EXPECT_EQ(kinds(look(300), false), (Strings{"backlog", "deadline", "lost", "overrun"}));
  EXPECT_TRUE(look(400).empty());
  EXPECT_TRUE(rules_.active().empty());
}

TEST_F(GoneRules, clear_a_stall_that_is_none_any_more)
{
  executor_.threads.resize(1);
  executor_.threads[0].name = "hot";
  executor_.threads[0].running =
    RunningCallback{callback().id, takt_rt::from_ns(1'000'000'000), milliseconds(100)};
  EXPECT_EQ(kinds(look(150), true), Strings{"stall"});
  executor_.threads[0].running->stall = milliseconds(200);
  EXPECT_EQ(kinds(look(160), false), Strings{"stall"});
  EXPECT_EQ(rules_.next(), takt_rt::from_ns(1'200'000'000));
  EXPECT_EQ(kinds(look(200), true), Strings{"stall"});
  executor_.threads[0].running->stall.reset();
  EXPECT_EQ(kinds(look(210), false), Strings{"stall"});
  EXPECT_TRUE(look(300).empty());
}

TEST_F(GoneRules, of_other_thresholds_the_value_decides)
{
  callback().rule.backlog.emplace().messages = 2;
  callback().waiting = 3;
  EXPECT_EQ(kinds(look(0), true), Strings{"backlog"});
  callback().rule.backlog->messages = 8;
  EXPECT_EQ(kinds(look(100), false), Strings{"backlog"}) << "three are fewer than half of eight";
}

TEST_F(GoneRules, actions_of_the_settings_are_those_of_the_look)
{
  executor_.on_alarm = {{takt_schedule::AlarmAction::Kind::ask, "", {}, "", 0}};
  callback().rule.backlog.emplace().messages = 2;
  callback().waiting = 3;
  const auto alarms = look(0);
  ASSERT_EQ(alarms.size(), 1U);
  EXPECT_EQ(alarms[0].actions, executor_.on_alarm);
}

// ---- a process that gets another schedule ----

Schedule parse(const std::string & callbacks, const std::string & rest = "")
{
  auto schedule = takt_schedule::parse_schedule(
    "version: 1\nexecutors:\n  main:\n    threads: {main: {}}\n    default: main\n" +
      (callbacks.empty() ? "" : "    callbacks:\n" + callbacks) + rest,
    "s.yaml");
  EXPECT_TRUE(schedule.ok()) << takt_rt::to_string(schedule.faults().front());
  return std::move(schedule).value();
}

class Applied : public test::ServedTest
{
protected:
  ~Applied() override
  {
    told_.store(1);
    takt_rt::futex_wake(told_, 1);
  }
  /// Starts the executor with two callbacks under a schedule.
  void watch(const Schedule & schedule)
  {
    served_.facts = watched(schedule, "main", *served_.executor);
    served_.watch();
    for (const auto & one : {x_, y_}) {
      ASSERT_TRUE(served_.executor->add(one).ok());
    }
    for (const auto & chain : schedule.chains) {
      ASSERT_TRUE(served_.executor->reconfigure({.more_chains = {chain.options}}).ok());
    }
    served_.start();
  }
  Strings apply(const Schedule & schedule, bool check_only = false)
  {
    Strings all;
    for (const auto & part : served_.watching->apply(schedule, check_only)) {
      all.push_back(part.what + ": " + std::string(to_string(part.outcome)));
    }
    return all;
  }

  std::atomic<bool> blocks_{false};
  std::atomic<std::uint32_t> told_{0};
  test::Served served_{"main"};
  const std::shared_ptr<test::Work> x_ = subscription("/a:sub(/x)");
  const std::shared_ptr<test::Work> y_ = subscription("/b:sub(/y)");
};

const char * const kSlow = "watch: {period: 10s}\n";
const char * const kFast = "watch: {period: 20ms}\n";

TEST_F(Applied, rules_begin_to_count_at_once)
{
  watch(parse("", kSlow));
  Client client;
  client.ask(MessageType::subscribe);
  x_->empty.store(true);
  const auto blocks = subscription("/c:sub(/z)", [&] {
    blocks_.store(true);
    while (told_.load() == 0) {
      takt_rt::futex_wait(told_, 0);
    }
  });
  ASSERT_TRUE(served_.executor->add(blocks).ok());
  served_.executor->ready(*blocks, 1);
  test::wait_for([&] { return blocks_.load(); });
  served_.executor->ready(*x_, 3);
  const Schedule with = parse("      - {match: \"/a:sub(/x)\", backlog: {age: 20ms}}\n", kSlow);
  EXPECT_EQ(apply(with, true), (Strings{"watching of /a:sub(/x): applied", "watch: unchanged"}));
  EXPECT_EQ(client.statistics()["alarms"]["raised"], 0);
  apply(with);
  const json raised = client.alarm();
  EXPECT_EQ(raised["kind"], "age");
  EXPECT_EQ(raised["limit"], 20'000'000);
  EXPECT_EQ(apply(with), (Strings{"watching of /a:sub(/x): unchanged", "watch: unchanged"}));

  EXPECT_EQ(
    apply(parse("", kFast)), (Strings{"watching of /a:sub(/x): applied", "watch: applied"}));
  const json cleared = client.alarm();
  EXPECT_EQ(cleared["kind"], "age");
  EXPECT_EQ(cleared["state"], "cleared");

  EXPECT_TRUE(served_.watching->reset());
  EXPECT_FALSE(served_.watching->reset());
}

TEST_F(Applied, a_file_without_keys_for_watching_changes_nothing)
{
  watch(parse("      - {match: \"/a:sub(/x)\", budget: 3s}\n", kSlow));
  Client client;
  const json before = callback_in(client.statistics(), "/a:sub(/x)")["budget_ns"];
  EXPECT_EQ(apply(parse("")), Strings{"watching: unchanged"});
  EXPECT_EQ(callback_in(client.statistics(), "/a:sub(/x)")["budget_ns"], before);
  EXPECT_FALSE(served_.watching->reset());
}

TEST_F(Applied, counts_go_on)
{
  watch(parse("      - {match: \"/a:sub(/x)\", budget: 60min}\n", kSlow));
  Client client;
  served_.executor->ready(*x_, 5);
  test::wait_for([&] { return callback_in(client.statistics(), "/a:sub(/x)")["starts"] == 5; });
  apply(parse("      - {match: \"/a:sub(/x)\", budget: 120min}\n", kSlow));
  const json seen = callback_in(client.statistics(), "/a:sub(/x)");
  EXPECT_EQ(seen["starts"], 5);
  EXPECT_EQ(seen["budget_ns"], 7'200'000'000'000);
}

TEST_F(Applied, chains_and_their_windows_change)
{
  const std::string chain =
    "chains:\n  hot: {path: [\"/a:sub(/x)\", \"/b:sub(/y)\"], deadline: 1s, misses: ";
  watch(parse("", chain + "{most: 2, of: 50}}\n"));
  Client client;
  const auto window = [&] {
    return client.statistics()["executors"][0]["chains"][0]["misses_in_window"];
  };
  EXPECT_EQ(window(), json({0, 50}));
  EXPECT_EQ(
    apply(parse("", chain + "{most: 1, of: 7}}\n")), Strings{"watching of chain hot: applied"});
  EXPECT_EQ(window(), json({0, 7}));
  EXPECT_TRUE(served_.watching->reset());
  EXPECT_EQ(window(), json({0, 50}));
}

TEST_F(Applied, a_callback_that_comes_later_has_the_rules_of_now)
{
  watch(parse("", kSlow));
  Client client;
  apply(parse("      - {match: \"/c:sub(**)\", budget: 3s}\n", kSlow));
  ASSERT_TRUE(served_.executor->add(subscription("/c:sub(/z)")).ok());
  EXPECT_EQ(callback_in(client.statistics(), "/c:sub(/z)")["budget_ns"], 3'000'000'000);
}

}  // namespace
}  // namespace takt_watch
