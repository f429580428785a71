// Alarm actions: the reading of each, the fault for each mistake, and which rule's actions apply.
#include "watch/alarm_actions.hpp"

#include <gtest/gtest.h>

#include "docs_example.hpp"
#include "watch_text.hpp"

namespace takt_schedule
{
namespace
{

using test::faults;
using test::parse;
using test::Strings;
using test::warnings;
using test::with_chain;
using test::with_main;
using test::with_rule;
using test::with_watch;
using Kind = AlarmAction::Kind;

std::vector<AlarmAction> actions(const std::string & list)
{
  return test::rule("on_alarm: " + list).watch.on_alarm;
}

TEST(AlarmActions, ReadsEveryActionOfTheDocumentation)
{
  std::string list = "[";
  std::istringstream lines(test::docs_example("actions"));
  for (std::string line; std::getline(lines, line);) {
    const std::string action = line.substr(2, line.find("  #") - 2);
    list += (list.size() > 1 ? ", " : "") +
            (action.find(": ") == std::string::npos ? action : "{" + action + "}");
  }
  const std::vector<AlarmAction> read = actions(list + "]");
  const std::vector<AlarmAction> expected{
    {Kind::log},
    {Kind::publish},
    {Kind::snapshot},
    {Kind::ask},
    {Kind::run, "", {"/opt/robot/stop", "--gently"}},
    {Kind::set_parameter, "/lidar", {"rate"}, "5"},
    {Kind::priority, "", {}, "", 200},
    {Kind::threads, "", {"hot"}},
    {Kind::thread_priority, "hot", {}, "", 85},
    {Kind::thread_nice, "rest", {}, "", -5}};
  EXPECT_EQ(read, expected);
}

TEST(AlarmActions, OneActionNeedsNoList)
{
  EXPECT_EQ(actions("ask"), std::vector<AlarmAction>{{Kind::ask}});
  EXPECT_EQ(actions("{run: stop}"), (std::vector<AlarmAction>{{Kind::run, "", {"stop"}}}));
}

TEST(AlarmActions, AParametersValueKeepsItsType)
{
  const auto value = [](const std::string & written) {
    return actions("{set_parameter: {node: /n, name: p, value: " + written + "}}").at(0).value;
  };
  EXPECT_EQ(value("5"), "5");
  EXPECT_EQ(value("-0.5"), "-0.5");
  EXPECT_EQ(value("true"), "true");
  EXPECT_EQ(value(".inf"), ".inf");
  EXPECT_EQ(value("slow"), "slow");
  EXPECT_EQ(value("\"5\""), "\"5\"") << "a text";
  EXPECT_EQ(value("'true'"), "\"true\"") << "a text";
  EXPECT_EQ(value("very slow"), "\"very slow\"");
  EXPECT_EQ(value("[1, \"2\", a b]"), "[1, \"2\", \"a b\"]");
}

TEST(AlarmActions, FaultsOfActionsSayWhatToWrite)
{
  EXPECT_EQ(
    faults(with_rule("on_alarm: [lgo, run, {log: true}, {rn: x}, {run: x, ask: y}, {}, [log], ~]")),
    (Strings{
      "s.yaml:8:31: each action of on_alarm is a word or a map with one key, such as log or "
      "{priority: 200}",
      "s.yaml:8:42: unknown action 'lgo' in on_alarm; did you mean 'log'?",
      "s.yaml:8:47: action 'run' needs more than the word; write {run: [program, argument]}",
      "s.yaml:8:53: action 'log' is a word; write log instead of a map",
      "s.yaml:8:66: unknown action 'rn' in on_alarm; did you mean 'run'?",
      "s.yaml:8:83: an action has one key, and 'ask' comes after 'run'; make an entry of on_alarm "
      "for each",
      "s.yaml:8:92: each action of on_alarm is a word or a map with one key, such as log or "
      "{priority: 200}",
      "s.yaml:8:96: each action of on_alarm is a word or a map with one key, such as log or "
      "{priority: 200}"}));
  EXPECT_EQ(
    faults(with_rule("on_alarm: []")),
    Strings{"s.yaml:8:41: on_alarm is an empty list; omit it, or list actions such as log"});
  EXPECT_EQ(
    faults(with_rule("on_alarm: ")),
    Strings{"s.yaml:8:31: each action of on_alarm is a word or a map with one key, such as log or "
            "{priority: 200}"});
  EXPECT_EQ(
    faults(with_rule("on_alarm: [log, {priority: 1}, log]")),
    Strings{"s.yaml:8:62: 'log' is listed twice in on_alarm; omit one"});
  std::string many = "on_alarm: [log";
  for (int i = 0; i < 18; ++i) {
    many += ", {run: x}";
  }
  const Strings found = faults(with_rule(many + "]"));
  ASSERT_EQ(found.size(), 1U) << "said once";
  EXPECT_NE(found.front().find("on_alarm has more than 16 actions"), std::string::npos);
}

TEST(AlarmActions, FaultsOfWhatActionsAreGiven)
{
  const auto with_action = [](const std::string & action) {
    return faults(with_rule("on_alarm: [{" + action + "}]"));
  };
  EXPECT_EQ(
    with_action("run: []"),
    Strings{"s.yaml:8:48: run must be a program and its arguments, not an empty list"});
  EXPECT_EQ(
    with_action("run: [x, \"a\\0b\"]"),
    Strings{"s.yaml:8:52: run: 'a\\x00b' has a zero byte in it"});
  EXPECT_EQ(
    with_action("set_parameter: {node: n, nme: p, value: {}}"),
    (Strings{
      "s.yaml:8:58: set_parameter has no 'name'; add name: rate",
      "s.yaml:8:65: node must be the full name of a node, such as /lidar, not 'n'",
      "s.yaml:8:68: unknown key 'nme' in set_parameter; did you mean 'name'?",
      "s.yaml:8:83: value must be a number, a word, or a list of numbers or words"}));
  EXPECT_EQ(
    with_action("set_parameter: {}"),
    (Strings{
      "s.yaml:8:58: set_parameter has no 'node'; add node: /lidar",
      "s.yaml:8:58: set_parameter has no 'name'; add name: rate",
      "s.yaml:8:58: set_parameter has no 'value'; add value: 5"}));
  EXPECT_EQ(
    with_action("priority: 256"),
    Strings{"s.yaml:8:53: priority must be a whole number from 0 to 255, not '256'"});
  EXPECT_EQ(
    with_action("threads: [hto]"),
    Strings{"s.yaml:8:53: unknown thread 'hto'; did you mean 'hot'?"});
  EXPECT_EQ(
    with_action("thread: {name: hot.2, priority: 100}"),
    (Strings{
      "s.yaml:8:58: unknown thread 'hot.2'; did you mean 'hot.0'?",
      "s.yaml:8:75: priority must be a whole number from 1 to 99, not '100'"}));
  EXPECT_EQ(
    with_action("thread: {name: hot}"),
    Strings{"s.yaml:8:51: thread has no 'priority'; add priority: 80"});
  EXPECT_EQ(
    with_action("thread: {name: rest, nice: 1, priority: 3}"),
    Strings{
      "s.yaml:8:64: an action gives a thread a priority or a nice level; omit one of the two"});
}

TEST(AlarmActions, AThreadTakesWhatItsPolicyHas)
{
  EXPECT_EQ(
    faults(with_rule(
      "on_alarm: [{thread: {name: rest, priority: 3}}, {thread: {name: hot.1, nice: 3}}]")),
    (Strings{
      "s.yaml:8:58: thread 'rest' has a policy without priorities; set its nice level, or give it "
      "policy fifo or rr",
      "s.yaml:8:95: thread 'hot.1' has a policy without nice levels; set its priority, or omit the "
      "action"}));
}

TEST(AlarmActions, ActionsBelongToThingsThatHaveWhatTheyChange)
{
  EXPECT_EQ(
    faults(with_chain("on_alarm: [{priority: 7}], fail_safe: [{threads: hot}]")),
    Strings{
      "s.yaml:8:85: threads are those of a callback; move it to on_alarm of a callback rule"});
  EXPECT_EQ(
    faults(
      with_watch("on_alarm: [{threads: hot}, {priority: 3}, {thread: {name: cold, nice: 1}}]")),
    (Strings{
      "s.yaml:7:21: threads are those of a callback; move it to on_alarm of a callback rule",
      "s.yaml:7:37: priority is that of a callback or a chain; move it to on_alarm of a callback "
      "rule or of a chain",
      "s.yaml:7:67: unknown thread 'cold'; threads are hot and rest"}));
}

TEST(AlarmActions, ThreadsAndPrioritiesOfActionsAreJudgedLikeThoseOfTheRule)
{
  EXPECT_EQ(
    faults(with_main(
      "order: priority\nthreads: {pool: {policy: fifo, priority: 50, follow: true}, rest: {}}\n"
      "default: rest\ncallbacks:\n"
      "  - {match: /x:w(0), threads: pool, priority: 5, on_alarm: {priority: 51}}")),
    Strings{
      "s.yaml:8:9: priority 51 of on_alarm cannot be taken by the following pool 'pool'; use 1 to "
      "50"});
  EXPECT_EQ(
    faults(with_main("order: window\nthreads: {a: {}, b: {}}\ndefault: a\ncallbacks:\n"
                     "  - {match: /x:w(0), threads: b, on_alarm: {threads: all}}")),
    Strings{
      "s.yaml:8:9: under order 'window' thread sets must not share threads, and this one shares a "
      "with the default"});
  EXPECT_EQ(
    warnings(
      with_main("threads: {a: {}}\ndefault: a\ncallbacks:\n"
                "  - {match: \"/x:sub(/p)\", on_alarm: {priority: 9}}") +
      "chains:\n  c: {path: [\"/a:w(0)\"], on_alarm: {priority: 7}}\n"),
    (Strings{
      "s.yaml:7:9: callback priorities have no effect under order 'fifo'; did you mean order: "
      "priority?",
      "s.yaml:9:3: the priority of chain 'c' has no effect under order 'fifo'; did you mean order: "
      "priority?"}));
}

// ---- which rules hold ----

TEST(AlarmActions, TheActionsOfTheRuleGoBeforeThoseOfTheChainAndTheFile)
{
  const Schedule schedule = parse(
    with_rule("on_alarm: ask") +
    "chains:\n"
    "  full: {path: [\"/a:sub(/p)\"], deadline: 9ms, on_alarm: publish, fail_safe: snapshot}\n"
    "  bare: {path: [\"/a:sub(/p)\"]}\n");
  const ChainWatchRule * const full = find_chain_watch(schedule, "full");
  const ChainWatchRule * const bare = find_chain_watch(schedule, "bare");
  ASSERT_NE(full, nullptr);
  ASSERT_NE(bare, nullptr);
  EXPECT_EQ(find_chain_watch(schedule, "none"), nullptr);
  const WatchRule & own = schedule.executors[0].callbacks[0].watch;
  const WatchRule none;
  const auto kind = [](const std::vector<AlarmAction> & list) { return list.at(0).kind; };
  EXPECT_EQ(kind(alarm_actions(schedule.watch, &own, full)), Kind::ask);
  EXPECT_EQ(kind(alarm_actions(schedule.watch, &none, full)), Kind::publish);
  EXPECT_EQ(kind(alarm_actions(schedule.watch, &none, bare)), Kind::log);
  EXPECT_EQ(kind(alarm_actions(schedule.watch, &none, nullptr)), Kind::log);
  EXPECT_EQ(kind(alarm_actions(schedule.watch, nullptr, full)), Kind::publish);
  EXPECT_EQ(kind(miss_actions(schedule.watch, *full)), Kind::snapshot);
  EXPECT_EQ(kind(miss_actions(schedule.watch, *bare)), Kind::log);
}

}  // namespace
}  // namespace takt_schedule
