// Watch rules of a schedule: each key, and the fault for each mistake.
#include <gtest/gtest.h>

#include "docs_example.hpp"
#include "schedule_text.hpp"
#include "takt_schedule/parse_system.hpp"
#include "takt_schedule/to_yaml.hpp"
#include "takt_schedule/watch_parts.hpp"
#include "watch_text.hpp"

namespace takt_schedule
{
namespace
{

using test::faults;
using test::kWatchThreads;
using test::parse;
using test::rule;
using test::Strings;
using test::warnings;
using test::with_chain;
using test::with_main;
using test::with_rule;
using test::with_watch;
using namespace std::chrono_literals;
using Kind = AlarmAction::Kind;

// ---- backlog ----

TEST(WatchRules, ABacklogIsANumberOfMessagesOrAMap)
{
  const BacklogRule plain = rule("backlog: 3").watch.backlog.value();
  EXPECT_EQ(plain.messages, 3U);
  EXPECT_EQ(plain.release, 0.5);
  EXPECT_EQ(rule("backlog: {messages: 3}").watch.backlog.value(), plain);
  const BacklogRule all =
    rule("backlog: {messages: 4, depth: 0.75, age: 50ms, rate: 1.2, release: 0, hold: 300ms}")
      .watch.backlog.value();
  EXPECT_EQ(all.messages, 4U);
  EXPECT_EQ(all.depth, 0.75);
  EXPECT_EQ(all.age, 50ms);
  EXPECT_EQ(all.rate, 1.2);
  EXPECT_EQ(all.release, 0.0);
  EXPECT_EQ(all.hold, 300ms);
  EXPECT_FALSE(rule("deadline: 1ms").watch.backlog);
}

TEST(WatchRules, EachKeyOfABacklogHasItsRange)
{
  EXPECT_EQ(
    faults(
      with_rule("backlog: {messages: 0, depth: 1.5, age: 0ms, rate: 0, release: -1, hold: 3}")),
    (Strings{
      "s.yaml:8:51: messages must be a whole number from 1 to 1000000, not '0'",
      "s.yaml:8:61: depth must be a number above 0, at most 1, not '1.5'",
      "s.yaml:8:71: age must be longer than zero",
      "s.yaml:8:82: rate must be a number above 0, at most 1000, not '0'",
      "s.yaml:8:94: release must be a number from 0 to 1, not '-1'",
      "s.yaml:8:104: hold: '3' has no unit; write 3ms (units are ns, us, ms, s and min)"}));
  EXPECT_EQ(
    faults(with_rule("backlog: {depht: 1}")),
    (Strings{
      "s.yaml:8:40: backlog has no threshold; add messages, depth, age or rate, or write a number "
      "of messages",
      "s.yaml:8:41: unknown key 'depht' in backlog; did you mean 'depth'?"}));
  for (const char * const depth : {"nan", "inf", "0", "-0", "1e-400", "50%", "", "[1]"}) {
    EXPECT_EQ(faults(with_rule("backlog: {depth: " + std::string(depth) + "}")).size(), 1U)
      << depth;
  }
}

TEST(WatchRules, ABacklogNeedsAThreshold)
{
  const std::string fault =
    "backlog has no threshold; add messages, depth, age or rate, or write a number of messages";
  EXPECT_EQ(faults(with_rule("backlog: {}")), Strings{"s.yaml:8:40: " + fault});
  EXPECT_EQ(faults(with_rule("backlog: {hold: 1s}")), Strings{"s.yaml:8:40: " + fault});
  EXPECT_EQ(faults(with_rule("backlog: ")), Strings{"s.yaml:8:31: " + fault});
  EXPECT_EQ(
    faults(with_rule("backlog: [3]")),
    Strings{
      "s.yaml:8:40: backlog must be a map with messages, depth, age, rate, release or hold, not a "
      "list"});
  EXPECT_EQ(
    faults(with_rule("backlog: many")),
    Strings{"s.yaml:8:40: backlog must be a whole number from 1 to 1000000, not 'many'"});
}

TEST(WatchRules, ATimerHasNoMessages)
{
  EXPECT_EQ(
    faults(with_rule("backlog: 3, boost: {per: 1}", "[\"/a:timer(*)\", \"/a:sub(**)\"]")),
    (Strings{
      "s.yaml:8:48: backlog belongs to callbacks with messages, and '/a:timer(*)' is a timer",
      "s.yaml:8:60: boost belongs to callbacks with messages, and '/a:timer(*)' is a timer"}));
  EXPECT_EQ(faults(with_rule("backlog: 3, boost: {per: 1}", "\"**\"")), Strings{});
  EXPECT_EQ(
    faults(with_rule("budget: 1ms, stall: 1s, on_alarm: log", "\"/a:timer(*)\"")), Strings{});
}

// ---- boost ----

TEST(WatchRules, ABoostStepsByAFractionOrByAnAge)
{
  const takt_core::Boost depth = rule("boost: {per: 0.25, levels: 10, max: 200}").boost.value();
  EXPECT_EQ(depth.depth, 0.25);
  EXPECT_EQ(depth.age, 0ns);
  EXPECT_EQ(depth.levels, 10);
  EXPECT_EQ(depth.max, 200);
  const takt_core::Boost age = rule("boost: {per: 50ms}").boost.value();
  EXPECT_EQ(age.depth, 0.0);
  EXPECT_EQ(age.age, 50ms);
  EXPECT_EQ(age.levels, 1);
  EXPECT_EQ(age.max, 255);
  EXPECT_EQ(rule("boost: {per: 1}").boost->depth, 1.0);
}

TEST(WatchRules, AStepThatIsNeitherIsAFault)
{
  const auto with_step = [](const std::string & per) {
    return faults(with_rule("boost: {per: " + per + "}"));
  };
  for (const char * const per : {"0", "1.5", "-0.5", "fast", "nan", "50 ms"}) {
    const Strings found = with_step(per);
    ASSERT_EQ(found.size(), 1U) << per;
    EXPECT_EQ(found.front().substr(0, 11), "s.yaml:8:44") << per;
  }
  EXPECT_EQ(
    with_step("1.5"),
    Strings{
      "s.yaml:8:44: per must be a fraction of the history above 0, at most 1, such as 0.25, or an "
      "age such as 50ms, not '1.5'"});
  EXPECT_EQ(with_step("0ms"), Strings{"s.yaml:8:44: per must be longer than zero"});
  EXPECT_EQ(
    with_step("50msec"),
    Strings{"s.yaml:8:44: per: '50msec' has the unknown unit 'msec'; did you mean 'ms'?"});
  EXPECT_EQ(
    with_step("[1]"),
    Strings{
      "s.yaml:8:44: per must be a fraction of the history such as 0.25, or an age such as 50ms, "
      "not a list"});
}

TEST(WatchRules, ABoostNeedsAStepAndHasRanges)
{
  EXPECT_EQ(
    faults(with_rule("boost: {level: 0, levels: 256, max: 0}")),
    (Strings{
      "s.yaml:8:38: boost has no 'per'; add per: 0.25",
      "s.yaml:8:39: unknown key 'level' in boost; did you mean 'levels'?",
      "s.yaml:8:57: levels must be a whole number from 1 to 255, not '256'",
      "s.yaml:8:67: max must be a whole number from 1 to 255, not '0'"}));
  EXPECT_EQ(
    faults(with_rule("boost: 3")),
    Strings{"s.yaml:8:38: boost must be a map with per, levels or max, not '3'"});
}

TEST(WatchRules, WarnsOfABoostWithoutEffect)
{
  EXPECT_EQ(
    warnings(with_rule("priority: 90, boost: {per: 0.5, max: 90}")),
    Strings{"s.yaml:8:63: boost has no effect: max 90 is not above the rule's priority 90"});
  EXPECT_EQ(warnings(with_rule("priority: 90, boost: {per: 0.5, max: 91}")), Strings{});
  EXPECT_EQ(
    warnings(with_main("threads: {a: {}}\ndefault: a\ncallbacks:\n"
                       "  - {match: \"/a:sub(/p)\", boost: {per: 0.5}}")),
    Strings{"s.yaml:7:9: boost has no effect under order 'fifo'; did you mean order: priority?"});
}

// ---- budget, stall, misses ----

TEST(WatchRules, ReadsTheLimitsOfRuns)
{
  const WatchRule watch =
    rule("deadline: 9ms, budget: 5ms, stall: 200ms, misses: {most: 1, of: 20}").watch;
  EXPECT_EQ(watch.budget, 5ms);
  EXPECT_EQ(watch.stall, 200ms);
  EXPECT_EQ(watch.misses, (MissRule{1, 20}));
  EXPECT_EQ(rule("deadline: 9ms, misses: {of: 20}").watch.misses, (MissRule{0, 20}));
  EXPECT_TRUE(rule("deadline: 9ms").watch.empty());
  EXPECT_EQ(
    faults(with_rule("budget: 0ms, stall: 5")),
    (Strings{
      "s.yaml:8:39: budget must be longer than zero",
      "s.yaml:8:51: stall: '5' has no unit; write 5ms (units are ns, us, ms, s and min)"}));
}

TEST(WatchRules, FewerMissesThanResponses)
{
  EXPECT_EQ(
    faults(with_rule("deadline: 9ms, misses: {most: 20, of: 20}")),
    Strings{
      "s.yaml:8:61: misses: of 20 responses never more than 20 miss the deadline; lower most below "
      "of"});
  EXPECT_EQ(
    faults(with_chain("misses: {most: 2}")),
    Strings{"s.yaml:8:53: misses has no 'of'; add of: 20"});
  EXPECT_EQ(
    faults(with_chain("misses: {most: -1, of: 1001}")),
    (Strings{
      "s.yaml:8:60: most must be a whole number from 0 to 999, not '-1'",
      "s.yaml:8:68: of must be a whole number from 1 to 1000, not '1001'"}));
  EXPECT_EQ(
    faults(with_chain("misses: 3")),
    Strings{"s.yaml:8:53: misses must be a map with most or of, not '3'"});
}

TEST(WatchRules, WarnsOfMissesWithoutADeadline)
{
  EXPECT_EQ(
    warnings(with_rule("misses: {of: 20}")),
    Strings{
      "s.yaml:8:9: misses has no effect: neither this rule nor a chain of its callbacks has a "
      "deadline; add for example deadline: 50ms"});
  const std::string path = "chains:\n  c: {path: [\"/a:sub(/p)\"], ";
  EXPECT_EQ(warnings(with_rule("misses: {of: 20}") + path + "deadline: 50ms}\n"), Strings{});
  EXPECT_EQ(warnings(with_rule("misses: {of: 20}") + path + "priority: 5}\n").size(), 1U);
  EXPECT_EQ(
    warnings(with_main(kWatchThreads) + path + "misses: {of: 20}, fail_safe: [log]}\n"),
    (Strings{
      "s.yaml:8:29: misses has no effect: chain 'c' has no deadline to miss; add for example "
      "deadline: 50ms",
      "s.yaml:8:47: fail_safe has no effect: chain 'c' has no deadline to miss; add for example "
      "deadline: 50ms"}));
}

// ---- watch ----

TEST(WatchRules, ReadsTheSettings)
{
  const WatchSettings defaults = parse(with_main(kWatchThreads)).watch;
  EXPECT_EQ(defaults.period, 100ms);
  EXPECT_EQ(defaults.on_alarm, std::vector<AlarmAction>{{Kind::log}});
  const WatchSettings watch = parse(with_watch("period: 1s, on_alarm: [publish]")).watch;
  EXPECT_EQ(watch.period, 1s);
  EXPECT_EQ(watch.on_alarm, std::vector<AlarmAction>{{Kind::publish}});
  EXPECT_TRUE(parse(with_watch("on_alarm: []")).watch.on_alarm.empty()) << "none at all";
  EXPECT_EQ(
    faults(with_watch("period: 0.5ms")),
    Strings{"s.yaml:7:17: period must be from 1ms to 10s, not 500us"});
  EXPECT_EQ(
    faults(with_watch("perod: 11s")),
    Strings{"s.yaml:7:9: unknown key 'perod' in watch; did you mean 'period'?"});
}

TEST(WatchRules, SystemModelsHaveNone)
{
  std::string model = test::docs_example("valid", "system.md");
  const std::size_t deadline = model.find("    deadline: ", model.find("\nchains:"));
  ASSERT_NE(deadline, std::string::npos);
  model.insert(deadline, "    fail_safe: log\n");
  const Strings found = sentences(parse_system(model, "s.yaml").faults());
  ASSERT_EQ(found.size(), 1U);
  EXPECT_NE(found.front().find("unknown key 'fail_safe' in chain"), std::string::npos);
  EXPECT_EQ(
    faults(with_chain("on_alrm: log")),
    Strings{"s.yaml:8:45: unknown key 'on_alrm' in chain 'c'; did you mean 'on_alarm'?"});
}

// ---- writing ----

TEST(WatchRules, AreWrittenAsShortAsTheyWereRead)
{
  const std::string text = to_yaml(parse(
    with_rule("backlog: {messages: 3, hold: 0ms}, boost: {per: 50ms, max: 255}, "
              "on_alarm: [log, {thread: {name: rest, nice: -5}}, {run: [/bin/x, \"\\\"\"]}]") +
    "watch: {period: 100ms, on_alarm: []}\n"));
  for (const char * const line :
       {"        backlog: 3\n", "        boost: {per: 50ms}\n",
        "        on_alarm: [log, {thread: {name: rest, nice: -5}}, "
        "{run: [\"/bin/x\", \"\\\"\"]}]\n",
        "\nwatch:\n  on_alarm: []\n"}) {
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
  }
  EXPECT_EQ(to_yaml(parse(with_main(kWatchThreads))).find("watch"), std::string::npos);
}

// ---- a running program ----

class Nothing : public takt_core::Callback
{
public:
  using Callback::Callback;
  void run(const takt_core::Run &) override {}
};

TEST(WatchRules, EachRuleOfTwoSchedulesIsAppliedOrUnchanged)
{
  const std::string chain = "chains:\n  c: {path: [\"/a:sub(/p)\"], deadline: 9ms";
  const Schedule before = parse(with_rule("stall: 1s") + chain + "}\n");
  auto executor = std::move(make_executor(before, "main").value());
  takt_core::CallbackOptions options;
  options.kind = takt_core::Kind::subscription;
  std::vector<std::shared_ptr<Nothing>> callbacks;
  for (const char * const id : {"/a:sub(/p)", "/b:sub(/p)"}) {
    options.id = id;
    callbacks.push_back(std::make_shared<Nothing>(options));
    ASSERT_TRUE(executor->add(callbacks.back(), {}).ok());
  }
  const auto parts = [&](const std::string & text) {
    Strings what;
    for (const AppliedPart & part : watch_parts(parse(text), before, "main", *executor)) {
      what.push_back(part.what + ": " + std::string(to_string(part.outcome)));
    }
    return what;
  };
  EXPECT_EQ(
    parts(with_rule("priority: 9, stall: 1s") + chain + "}\n"),
    Strings{"watching of /a:sub(/p): unchanged"});
  EXPECT_EQ(
    parts(with_rule("stall: 2s") + chain + ", on_alarm: ask}\nwatch: {period: 1s}\n"),
    (Strings{"watching of /a:sub(/p): applied", "watching of chain c: applied", "watch: applied"}));
  EXPECT_EQ(
    parts(with_rule("stall: 1s", "\"**\"") + chain + "}\n"),
    (Strings{"watching of /a:sub(/p): unchanged", "watching of /b:sub(/p): applied"}));
  EXPECT_EQ(
    parts(with_rule("priority: 9") + "watch: {period: 1s}\n"),
    (Strings{"watching of /a:sub(/p): applied", "watch: applied"}))
    << "it is gone";
  EXPECT_EQ(parts(with_rule("priority: 9")), Strings{"watching: unchanged"})
    << "as takt template writes it";
}

}  // namespace
}  // namespace takt_schedule
