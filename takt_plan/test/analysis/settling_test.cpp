// The disturbances after which bounds hold again, and the time until then.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "model/build_model.hpp"
#include "support/example.hpp"
#include "takt_plan/end_to_end.hpp"
#include "takt_plan/settling.hpp"
#include "takt_schedule/parse.hpp"
#include "takt_schedule/parse_system.hpp"

namespace takt_plan
{
namespace
{

using test::kMs;

/// The effect of a disturbance under a schedule with these offsets.
struct Settled
{
  Settling settling;
  std::vector<std::string> for_good;
  std::string sentence;
  takt_schedule::Schedule schedule;
};

/// Two sources of a set, and a timer without relation to it.
Settled settled(
  const std::string & scan_period, const std::string & map_period, const std::string & scan_offset,
  const std::string & map_offset, const std::string & epoch = "start")
{
  const std::string scan = "/scan:timer(" + scan_period + ")";
  const std::string map = "/map:timer(" + map_period + ")";
  const auto system = takt_schedule::parse_system(
    "version: 1\nhosts: {car: {cores: 2}}\noverheads: {}\ncallbacks:\n"
    "  - {id: '" +
      scan + "', time: 2ms, period: " + scan_period +
      ", publishes: /scan}\n"
      "  - {id: '" +
      map + "', time: 5ms, period: " + map_period +
      ", publishes: /map}\n"
      "  - {id: ['/locate:sub(/map)', '/locate:sub(/scan)'], time: 10ms, triggers: [/map, /scan],\n"
      "     trigger: newest, publishes: /pose}\n"
      "  - {id: '/drive:sub(/pose)', time: 1ms, triggers: /pose}\n"
      "  - {id: '/log:timer(100ms)', time: 1ms, period: 100ms}\n"
      "chains:\n"
      "  map: {path: ['" +
      map +
      "', '/locate:sub(/map)', '/drive:sub(/pose)']}\n"
      "  scan: {path: ['" +
      scan + "', '/locate:sub(/scan)', '/drive:sub(/pose)']}\n",
    "system.yaml");
  auto schedule = takt_schedule::parse_schedule(
    "version: 1\nepoch: " + epoch +
      "\nexecutors:\n  main:\n    order: priority\n"
      "    threads: {t: {policy: fifo, priority: 50, cores: [0]}}\n    default: t\n    callbacks:\n"
      "      - {match: '" +
      scan + "', offset: " + scan_offset +
      "}\n"
      "      - {match: '" +
      map + "', offset: " + map_offset +
      "}\n"
      "      - {match: ['/locate:sub(/map)', '/locate:sub(/scan)']}\n"
      "      - {match: '/drive:sub(/pose)'}\n"
      "      - {match: '/log:timer(100ms)', offset: 90ms}\n",
    "schedule.yaml");
  EXPECT_TRUE(system.ok() && schedule.ok());
  const auto model = build_model(*system, *schedule);
  EXPECT_TRUE(model.ok());
  const auto found = bounds_through_reads(*model);
  EXPECT_TRUE(found.ok());
  Settled result;
  result.settling = settling(*model, *found);
  for (const Index task : result.settling.for_good) {
    result.for_good.push_back(model->tasks[task].id);
  }
  result.sentence = when_bounds_hold(result.settling, *model);
  say(result.settling, *model, *schedule);
  result.schedule = std::move(*schedule);
  return result;
}

TEST(Settling, ASetOfDifferentPeriodsSettlesAfterAHyperperiod)
{
  const Settled found = settled("50ms", "200ms", "10ms", "0ms");
  EXPECT_EQ(found.settling.after, 200 * kMs);
  EXPECT_TRUE(found.for_good.empty());
  EXPECT_EQ(found.schedule.executors[0].settles, takt_rt::Duration(200 * kMs));
  EXPECT_EQ(
    found.sentence,
    "Bounds rest on phases: they hold while no timer skips a period and no message is lost,"
    " and again 200ms later.");
}

TEST(Settling, ASlowSourceThatBeginsLaterTakesItsHyperperiodsMore)
{
  EXPECT_EQ(settled("50ms", "200ms", "10ms", "400ms", "host").settling.after, 600 * kMs);
  EXPECT_EQ(settled("50ms", "200ms", "10ms", "400ms").settling.after, 200 * kMs);
}

// After a lost scan, each map no longer waits for the scan of its own period but for the next one.
TEST(Settling, ASetOfOnePeriodMayTakeOtherMessagesForGood)
{
  const Settled found = settled("100ms", "100ms", "30ms", "0ms");
  EXPECT_EQ(found.settling.after, 100 * kMs);
  EXPECT_EQ(
    found.for_good,
    (std::vector<std::string>{"/scan:timer(100ms)", "/map:timer(100ms)", "/locate:sub(/map)"}));
  const auto & rules = found.schedule.executors[0].callbacks;
  for (std::size_t rule = 0; rule < rules.size(); ++rule) {
    EXPECT_EQ(rules[rule].never_settles, rule < 3) << rules[rule].match.front();
  }
  EXPECT_EQ(
    found.sentence,
    "Bounds rest on phases: they hold while no timer skips a period and no message is lost,"
    " and again 100ms later. After a disturbance of a callback with `settles: never` in its rule "
    "(/scan:timer(100ms) and 2 more) they hold only after a new start.");
}

// Under the epoch of a clock, the bound already allows any first messages.
TEST(Settling, UnderAnEpochOfAClockTheSameSetSettles)
{
  const Settled found = settled("100ms", "100ms", "30ms", "0ms", "host");
  EXPECT_EQ(found.settling.after, 100 * kMs);
  EXPECT_TRUE(found.for_good.empty());
  EXPECT_EQ(
    found.sentence,
    "Bounds rest on phases: they hold from 100ms after the last process has started, while no timer"
    " skips a period and no message is lost, and again 100ms later.");
}

// Timers that are released together have one order after each start, and another one after a lost
// message.
TEST(Settling, TimersThatAreReleasedTogetherDoNotSettleUnderAClockEither)
{
  EXPECT_EQ(settled("100ms", "100ms", "0ms", "0ms", "host").for_good.size(), 3U);
}

// Without the timer's message no topic has a message. Without the filter's message the other topic
// goes ahead.
TEST(Settling, ATimerBeforeAllTopicsOfASetLeavesItInStep)
{
  test::Example example(1);
  const Index thread = example.thread(0, 50);
  const Index timer = example.timer(thread, 4, 100 * kMs, 2 * kMs);
  const Index filter = example.sub(thread, 3, {timer}, 5 * kMs);
  const Index set = example.sub(thread, 2, {timer, filter}, 5 * kMs);
  example.chain({timer, set});
  example.chain({timer, filter, set});
  Model & model = example.model;
  model.tasks[timer].release->offset = 0;
  model.tasks[set].newest = true;
  const auto found = bounds_through_reads(model);
  ASSERT_TRUE(found.ok());
  const Settling settled = settling(model, *found);
  EXPECT_EQ(settled.after, 100 * kMs);
  EXPECT_EQ(settled.for_good, (std::vector<Index>{filter, set}));
}

// The chain ends behind a timer that reads, so its bound is a sum of parts.
TEST(Settling, ABoundOfAChainThatReadsRestsOnThePhasesOfItsParts)
{
  test::Example example(1);
  const Index thread = example.thread(0, 50);
  const Index source = example.timer(thread, 4, 100 * kMs, 2 * kMs);
  const Index filter = example.sub(thread, 3, {source}, 5 * kMs);
  const Index reader = example.timer(thread, 2, 100 * kMs, 1 * kMs);
  Model & model = example.model;
  model.tasks[reader].reads = {Link{filter}};
  model.tasks[source].release->offset = 0;
  model.tasks[reader].release->offset = 20 * kMs;
  example.chain({source, filter, reader});
  const auto found = bounds_through_reads(model);
  ASSERT_TRUE(found.ok());
  ASSERT_TRUE(found->chains[0].ok());
  EXPECT_TRUE(found->chains[0]->segments.empty());
  EXPECT_EQ(settling(model, *found).after, 100 * kMs);
  for (const Index timer : {source, reader}) {
    model.tasks[timer].release->offset.reset();
  }
  const auto any = bounds_through_reads(model);
  ASSERT_TRUE(any.ok());
  EXPECT_FALSE(settling(model, *any).after);
}

TEST(Settling, BoundsThatRestOnNoPhasesHaveNothingToSettle)
{
  test::Example example(1);
  example.chain({example.timer(example.thread(0, 50), 1, 10 * kMs, kMs)});
  const auto found = bounds_through_reads(example.model);
  ASSERT_TRUE(found.ok());
  EXPECT_FALSE(settling(example.model, *found).after);
  EXPECT_EQ(when_bounds_hold(settling(example.model, *found), example.model), "");
}

}  // namespace
}  // namespace takt_plan
