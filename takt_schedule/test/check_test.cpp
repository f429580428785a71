#include "takt_schedule/check.hpp"

#include <gtest/gtest.h>

#include "schedule_text.hpp"

namespace takt_schedule
{
namespace
{

using takt_core::Kind;
using test::parse;
using test::Strings;
using test::with_main;

const std::string kThreads =
  "threads: {hot: {policy: fifo, priority: 80}, rest: {count: 2}}\ndefault: rest\n";

TEST(Check, TellsWhereEveryCallbackGoes)
{
  const Schedule schedule =
    parse(with_main(kThreads + "callbacks:\n  - {match: \"/a:timer(*)\", threads: hot}"));
  const CheckReport report =
    check(schedule, {{"/a:timer(1s)", Kind::timer}, {"/b:sub(/p)", Kind::subscription}});
  EXPECT_EQ(sentences(report.faults), Strings{});
  EXPECT_EQ(report.defaulted_callbacks, Strings{"/b:sub(/p)"});
  ASSERT_EQ(report.callbacks.size(), 2U);
  EXPECT_EQ(report.callbacks[0].threads, Strings{"hot"});
  EXPECT_EQ(report.callbacks[0].line, 7);
  EXPECT_EQ(report.callbacks[1].threads, Strings{"rest"});
  EXPECT_EQ(report.callbacks[1].line, 0);
}

TEST(Check, ReportsTiesUnmatchedPatternsAndUnknownChainIdsTogether)
{
  const Schedule schedule = parse(
    "strict: true\n" +
    with_main(
      kThreads +
      "callbacks:\n  - {match: \"/a*:timer(1s)\", threads: hot}\n  - {match: \"/*b:timer(1s)\"}\n"
      "  - {match: /nobody:w(0)}") +
    "chains:\n  c: {path: [\"/ac:timer(1s)\", \"/ad:timer(1s)\"]}\n");
  const CheckReport report =
    check(schedule, {{"/ab:timer(1s)", Kind::timer}, {"/ac:timer(1s)", Kind::timer}});
  EXPECT_EQ(
    sentences(report.faults),
    (Strings{
      "s.yaml:9:9: '/ab:timer(1s)' is matched equally well by '/a*:timer(1s)' (line 8) and "
      "'/*b:timer(1s)' (line 9); make one of them more specific",
      "s.yaml:10:9: '/nobody:w(0)' matches no callback",
      "s.yaml:12:31: chain 'c' names the unknown callback '/ad:timer(1s)'; did you mean "
      "'/ab:timer(1s)'?"}));
}

TEST(Check, FindsGroupsAcrossOsPriorities)
{
  const std::string body = kThreads + "callbacks:\n  - {match: \"/a:timer(*)\", threads: hot}";
  std::vector<ListedCallback> callbacks{
    {"/a:sub(/p)", Kind::subscription, "/a:group(0)"},
    {"/a:timer(1s)", Kind::timer, "/a:group(0)"}};
  EXPECT_EQ(
    sentences(check(parse(with_main(body)), callbacks).faults),
    Strings{
      "s.yaml:7:9: group '/a:group(0)' holds '/a:timer(1s)' and '/a:sub(/p)', which are bound to "
      "threads of different OS priority; bind them alike, put them into different groups, or add "
      "to groups: {match: \"/a:group(0)\", across_priorities: allow}"});
  EXPECT_EQ(
    sentences(check(
                parse(with_main(
                  body + "\ngroups:\n  - {match: \"/a:group(0)\", across_priorities: allow}")),
                callbacks)
                .faults),
    Strings{});
  for (ListedCallback & callback : callbacks) {
    callback.reentrant = true;
  }
  EXPECT_EQ(sentences(check(parse(with_main(body)), callbacks).faults), Strings{})
    << "nobody waits";
}

TEST(Check, WarnsOnceOfAnExclusiveGroupOnSeveralThreads)
{
  const std::string body =
    "threads: {one: {count: 2}, two: , rest: }\ndefault: rest\ncallbacks:\n"
    "  - {match: \"/a:timer(1s)\", threads: one.0}\n  - {match: \"/a:timer(2s)\", threads: two}\n"
    "  - {match: \"/a:timer(3s)\", threads: two}\n  - {match: \"/a:timer(4s)\", threads: one}";
  std::vector<ListedCallback> callbacks{
    {"/a:sub(/p)", Kind::subscription, "/a:group(default)"},
    {"/a:timer(1s)", Kind::timer, "/a:group(default)"},
    {"/a:timer(2s)", Kind::timer, "/a:group(default)"},
    {"/a:timer(3s)", Kind::timer, "/a:group(default)"},
    {"/a:timer(4s)", Kind::timer, "/a:group(default)"}};
  const Schedule schedule = parse(with_main(body));
  const CheckReport report = check(schedule, callbacks);
  EXPECT_EQ(sentences(report.faults), Strings{});
  EXPECT_EQ(
    sentences(report.warnings),
    Strings{"s.yaml:8:9: group '/a:group(default)' holds '/a:timer(2s)' and '/a:timer(1s)', which "
            "are bound to different threads, and runs one of its callbacks at a time; bind them to "
            "one thread, or give one of them a callback group of its own in the code"});
  for (const std::size_t own : {2, 3}) {
    callbacks[own].group = "/a:group(own)";
  }
  EXPECT_EQ(sentences(check(schedule, callbacks).warnings), Strings{})
    << "no rule names the subscription, and the threads of the others are partly the same";
  for (ListedCallback & callback : callbacks) {
    callback.group = "/a:group(default)";
    callback.reentrant = true;
  }
  EXPECT_EQ(sentences(check(schedule, callbacks).warnings), Strings{});
}

TEST(Check, RefusesAListWithAnIdTwice)
{
  const Schedule schedule = parse(with_main("threads: {t: }\ndefault: t"));
  EXPECT_EQ(
    sentences(check(schedule, {{"/a:w(0)", Kind::waitable}, {"/a:w(0)", Kind::waitable}}).faults),
    Strings{"s.yaml: the list of callbacks holds '/a:w(0)' twice"});
}

const char * const kTwo =
  "version: 1\nexecutors:\n  one: {threads: {t: }, default: t, callbacks: [{match: \"/a/**\"}]}\n"
  "  two: {threads: {t: }, default: t, callbacks: [{match: \"/b/**\"}]}\n"
  "chains: {c: {path: [/a/x:w(0), /b/x:w(0)]}}\n";

TEST(Check, WithSeveralExecutorsCallbacksBelongToThoseThatHaveARule)
{
  const CheckReport report = check(
    parse(kTwo),
    {{"/a/x:w(0)", Kind::waitable}, {"/b/x:w(0)", Kind::waitable}, {"/c:w(0)", Kind::waitable}});
  EXPECT_EQ(sentences(report.faults), Strings{});
  EXPECT_EQ(sentences(report.warnings), Strings{});
  ASSERT_EQ(report.callbacks.size(), 2U);
  EXPECT_EQ(report.callbacks[0].executor, "one");
  EXPECT_EQ(report.callbacks[1].executor, "two");
  EXPECT_EQ(report.defaulted_callbacks, Strings{"/c:w(0)"});
}

TEST(Check, WithSeveralExecutorsCallbacksMaySayWhereTheyAre)
{
  const CheckReport report = check(
    parse(kTwo), {{"/a/x:w(0)", Kind::waitable, "", false, "two"},
                  {"/b/x:w(0)", Kind::waitable, "", false, "twoo"}});
  EXPECT_EQ(
    sentences(report.faults), Strings{"s.yaml:3:3: no executor 'twoo'; did you mean 'two'?"});
  ASSERT_EQ(report.callbacks.size(), 1U);
  EXPECT_EQ(report.callbacks[0].executor, "two");
}

TEST(Check, OfOneExecutorJudgesIdsOfChainsThatMustBeInIt)
{
  const CheckReport report =
    check(parse(kTwo), {{"/a/x:timer(1s)", Kind::timer}, {"/c:w(0)", Kind::waitable}}, "one");
  EXPECT_EQ(sentences(report.faults), Strings{});
  EXPECT_EQ(
    sentences(report.warnings),
    Strings{"s.yaml:5:21: chain 'c': '/a/x:w(0)' matches no callback; did you mean "
            "'/c:w(0)'?"});
  ASSERT_EQ(report.warnings.size(), 1U);
  EXPECT_EQ(report.warnings[0].kind, takt_rt::FaultKind::unmatched);
  EXPECT_EQ(report.warnings[0].file, "s.yaml");
  EXPECT_EQ(report.warnings[0].line, 5);
  EXPECT_EQ(report.warnings[0].column, 21);
}

// As at a start: a user who names an executor may run only a part of the chains' callbacks.
TEST(Check, OfTheOnlyExecutorIdsOfChainsThatAreMissingAreFaultsIfStrict)
{
  const std::string text =
    with_main(kThreads) + "chains:\n  c: {path: [\"/a:timer(1s)\", \"/b:sub(/p)\"]}\n";
  const std::vector<ListedCallback> callbacks{{"/a:timer(1s)", Kind::timer}};
  const CheckReport lenient = check(parse(text), callbacks, "main");
  EXPECT_EQ(sentences(lenient.faults), Strings{});
  ASSERT_EQ(lenient.warnings.size(), 1U);
  EXPECT_NE(
    to_string(lenient.warnings[0]).find("'/b:sub(/p)' matches no callback"), std::string::npos);
  EXPECT_EQ(check(parse("strict: true\n" + text), callbacks, "main").faults.size(), 1U);
  EXPECT_EQ(check(parse(text), callbacks).faults.size(), 1U) << "the list is of all there are";
}

TEST(Check, OfOneExecutorLeavesTheOthersAndTheirChainsAlone)
{
  const CheckReport report = check(parse(kTwo), {{"/a/x:w(0)", Kind::waitable}}, "one");
  EXPECT_EQ(sentences(report.faults), Strings{});
  EXPECT_EQ(sentences(report.warnings), Strings{});
  EXPECT_EQ(check(parse(kTwo), {}, "three").faults.size(), 1U);
}

}  // namespace
}  // namespace takt_schedule
