// Very many entries and faults: read, or refused with a sentence, within seconds.
//
// A cost that grows with the square of the entries exceeds the runner's time-out; the tests
// themselves read no clock.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "repeated.hpp"
#include "schedule_text.hpp"
#include "takt_schedule/check.hpp"
#include "takt_schedule/parse.hpp"
#include "takt_schedule/parse_system.hpp"
#include "takt_schedule/resolver.hpp"

namespace takt_schedule
{
namespace
{

using takt_rt::Faults;
using test::kMany;
using test::repeated;
using test::Strings;
using test::with_main;

const std::string kHead = "version: 1\nhosts: {h: {cores: 4, overheads: {}}}\n";

Strings system_faults(const std::string & text)
{
  return sentences(parse_system(text, "s.yaml").faults());
}

/// Starts with `begin`, ends with the number of omitted findings.
void expect_many(const Strings & found, const std::string & begin, int all)
{
  ASSERT_EQ(found.size(), 501U) << found.front();
  EXPECT_TRUE(found.front().starts_with(begin)) << found.front();
  EXPECT_EQ(found.back(), "s.yaml: " + std::to_string(all - 500) + " more faults; fix these first");
}

TEST(Many, FaultsBeyondTheFirstAreCounted)
{
  const auto keys = [](int count) {
    return "version: 1\nexecutors: {main: {threads: {t: {}}, default: t}}\n" +
           repeated(count, [](const std::string & n) { return "k" + n + ":\n"; });
  };
  EXPECT_EQ(test::faults(keys(500)).size(), 500U);
  const Strings one_more = test::faults(keys(501));
  ASSERT_EQ(one_more.size(), 501U);
  EXPECT_EQ(one_more.back(), "s.yaml: 1 more fault; fix these first");
  expect_many(test::faults(keys(40'000)), "s.yaml:3:1: unknown key 'k0'", 40'000);
}

TEST(Many, DuplicateKeysAreCountedToo)
{
  const Strings found = test::faults(
    "version: 1\nexecutors: {main: {threads: {t: {}}, default: t}}\n" +
    repeated(40'000, [](const std::string &) { return "strict: true\n"; }));
  expect_many(found, "s.yaml:4:1: duplicate key 'strict'", 39'999);
}

TEST(Many, AScheduleOfTwentyThousandCallbacksIsRead)
{
  constexpr int kCallbacks = 20'000;
  const std::string id = "\"/a_node_of_a_large_system/its_part_";
  const auto schedule = parse_schedule(
    "version: 1\nexecutors:\n  main:\n    order: priority\n    threads: {t: {policy: fifo, "
    "priority: "
    "50, cores: [0]}}\n    default: t\n    callbacks:\n" +
      repeated(
        kCallbacks,
        [&](const std::string & n) {
          return "      - match: " + id + n + ":timer(100ms)\"\n        threads: t\n        " +
                 "priority: 7\n";
        }) +
      "chains:\n  c:\n    path: [\n" +
      repeated(
        kCallbacks,
        [&](const std::string & n) { return "      " + id + n + ":timer(100ms)\",\n"; }) +
      "    ]\n",
    "s.yaml");
  ASSERT_TRUE(schedule.ok()) << schedule.faults().front();
  EXPECT_EQ(schedule->executors.front().callbacks.size(), static_cast<std::size_t>(kCallbacks));
}

TEST(Many, WarningsAreCountedLikewise)
{
  const auto system = parse_system(
    kHead + "groups:\n" +
      repeated(kMany, [](const std::string & n) { return "  g" + n + ": reentrant\n"; }) +
      "callbacks: [{id: \"/a:timer(1s)\", time: 1ms, period: 1s}]\n",
    "s.yaml");
  ASSERT_TRUE(system.ok());
  ASSERT_EQ(system->warnings.size(), 501U);
  EXPECT_EQ(to_string(system->warnings.back()), "s.yaml: 99500 more warnings; fix these first");
}

TEST(Many, FaultsAboutUnknownTopicsAreNotCompared)
{
  const Strings found =
    system_faults(kHead + "callbacks:\n" + repeated(kMany, [](const std::string & n) {
                    return "- {id: \"/n" + n +
                           ":sub(/x)\", time: 1ms, triggers: /some/topic/of/nobody/" + n +
                           ", publishes: /another/topic/" + n + "}\n";
                  }));
  expect_many(
    found, "s.yaml:4:3: nothing publishes '/some/topic/of/nobody/0', which '/n0:sub(/x)'", kMany);
}

TEST(Many, UnknownCallbacksOfChainsAreNotComparedEither)
{
  const Strings found = system_faults(
    kHead + "callbacks:\n" +
    repeated(
      1000,
      [](const std::string & n) {
        return "- {id: \"/n" + n + ":timer(1s)\", time: 1ms, period: 1s}\n";
      }) +
    "chains: {c: {path: [" +
    repeated(
      kMany, [](const std::string & n) { return "\"/some_node_" + n + ":sub(/topic)\", "; }) +
    "]}}\n");
  expect_many(found, "s.yaml:1004:21: no callback '/some_node_0:sub(/topic)'", kMany);
}

TEST(Many, FaultsAtOnePlaceAreToldApart)
{
  const Strings found = system_faults(
    kHead + "callbacks:\n- &b {id: \"/a:sub(/x)\", time: 1ms, period: 1s, triggers: /x}\n" +
    "- {id: \"/p:timer(1s)\", time: 1ms, period: 1s, publishes: /x}\n" +
    repeated(
      kMany, [](const std::string & n) { return "- {id: \"/n" + n + ":sub(/x)\", <<: *b}\n"; }));
  expect_many(
    found, "s.yaml:4:36: callback '/a:sub(/x)' is started by topics, so its rate is theirs",
    kMany + 1);
}

TEST(Many, AliasesOfOneFaultAreOneFault)
{
  const Strings found = test::faults(with_main(
    "threads: {a: {}}\ndefault: a\ncallbacks:\n- &r {match: 5x}\n" +
    repeated(10'000, [](const std::string &) { return "- *r\n"; })));
  EXPECT_EQ(found.size(), 1U) << found.front();
}

std::string wide(int topics, const std::string & more)
{
  const auto list = [&](const std::string & before, const std::string & after) {
    return "[" + repeated(topics, [&](const std::string & n) { return before + n + after; }) + "]";
  };
  return kHead + "callbacks:\n- {id: \"/p:timer(1s)\", time: 1ms, period: 1s, publishes: " +
         list("/t", ", ") + "}\n- {id: " + list("\"/s:sub(/t", ")\", ") +
         ", time: 1ms, trigger: newest, triggers: " + list("/t", ", ") + "}\n" + more;
}

TEST(Many, ChainsThroughWideCallbacksAreRead)
{
  const auto system = parse_system(
    wide(
      10'000, "chains:\n" + repeated(
                              kMany,
                              [](const std::string & n) {
                                return "  c" + n +
                                       ": {path: [\"/p:timer(1s)\", \"/s:sub(/t9999)\"]}\n";
                              })),
    "s.yaml");
  ASSERT_TRUE(system.ok()) << system.faults().front();
  EXPECT_EQ(system->chains.size(), static_cast<std::size_t>(kMany));
}

TEST(Many, TopicsOfOneCallbackHaveALimit)
{
  const Strings found = system_faults(wide(10'001, ""));
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(
    found.front(),
    "s.yaml:4:47: publishes names 10001 topics, and a callback has at most 10000; describe it as "
    "several");
}

TEST(Many, CoresAndThreadsOfAllHostsHaveALimit)
{
  const auto faults_of = [](const std::string & hosts) {
    return system_faults(
      "version: 1\nhosts:\n" + hosts +
      "callbacks: [{id: \"/a:timer(1s)\", host: h0, time: 1ms, period: 1s}]\n");
  };
  const auto hosts = [](const std::string & what) {
    return [what](const std::string & n) { return "  h" + n + ": {" + what + "}\n"; };
  };
  EXPECT_TRUE(faults_of(repeated(25, hosts("cores: 4000"))).empty());
  EXPECT_EQ(
    faults_of(repeated(1000, hosts("cores: 4000"))),
    Strings{
      "s.yaml:28:3: with 'h25' the hosts have more than 100000 cores together; describe fewer "
      "hosts, or fewer cores of them"});
  EXPECT_EQ(
    faults_of(
      "  h0: {cores: 1, other_threads: {" +
      repeated(
        10'001, [](const std::string & n) { return "o" + n + ": {time: 1us, period: 1s}, "; }) +
      "}}\n"),
    Strings{"s.yaml:3:3: with 'h0' the hosts have 10001 other threads together, and at most 10000; "
            "put some of them together into one"});
}

TEST(Many, RulesForManyCallbacksAreLookedUp)
{
  constexpr int kRules = 15'000;
  const Schedule schedule = test::parse(with_main(
    "threads: {a: {}}\ndefault: a\ncallbacks:\n" + repeated(kRules, [](const std::string & n) {
      return "- {match: '/n" + n + ":timer(1s)', priority: 7}\n";
    })));
  std::vector<ListedCallback> callbacks;
  for (int i = 0; i < kMany; ++i) {
    callbacks.push_back({"/n" + std::to_string(i) + ":timer(1s)", takt_core::Kind::timer});
  }
  const CheckReport report = check(schedule, callbacks);
  EXPECT_EQ(report.faults, Faults{});
  ASSERT_EQ(report.callbacks.size(), static_cast<std::size_t>(kMany));
  EXPECT_EQ(report.callbacks[kRules - 1].line, kRules + 6);
  EXPECT_EQ(report.callbacks[kRules].line, 0);
  EXPECT_EQ(report.defaulted_callbacks.size(), static_cast<std::size_t>(kMany - kRules));
}

TEST(Many, RulesThatMatchNothingAreNotCompared)
{
  constexpr int kRules = 15'000;
  const Schedule schedule = test::parse(with_main(
    "threads: {a: {}}\ndefault: a\ncallbacks:\n" + repeated(kRules, [](const std::string & n) {
      return "- {match: '/some/node_" + n + ":timer(1s)'}\n";
    })));
  std::vector<ListedCallback> callbacks;
  for (int i = 0; i < kMany; ++i) {
    callbacks.push_back({"/other/node_" + std::to_string(i) + ":sub(/x)"});
  }
  EXPECT_EQ(check(schedule, callbacks).warnings.size(), static_cast<std::size_t>(kRules));
}

TEST(Many, PatternsForTooManyCallbacksAreRefused)
{
  const Schedule schedule = test::parse(with_main(
    "threads: {a: {}}\ndefault: a\ncallbacks:\n" +
    repeated(1000, [](const std::string & n) { return "- {match: '**/n" + n + ":timer(*)'}\n"; })));
  std::vector<ListedCallback> callbacks;
  for (int i = 0; i < kMany; ++i) {
    callbacks.push_back({"/n" + std::to_string(i) + ":timer(1s)", takt_core::Kind::timer});
  }
  EXPECT_EQ(
    sentences(check(schedule, callbacks).faults),
    Strings{
      "s.yaml:3:3: executor 'main' has 1000 patterns with stars, too many to compare each with "
      "so many callbacks; name callbacks in full, or use fewer patterns"});
  callbacks.resize(10'000);
  EXPECT_EQ(check(schedule, callbacks).faults, Faults{});
}

TEST(Many, ThreadsByTheThousandAreOneFault)
{
  const Strings found = test::faults(with_main(
    "threads: {" +
    repeated(
      10'000,
      [](const std::string & n) {
        return "t" + n + ": {policy: fifo, priority: 9, follow: true}, ";
      }) +
    "}\ndefault: all\ncallbacks:\n" + repeated(1'000, [](const std::string & n) {
      return "- {match: '/n" + n + ":timer(1s)', threads: t1, priority: 10}\n";
    })));
  ASSERT_EQ(found.size(), 1U) << found[1];
  EXPECT_NE(found[0].find("more than 63 executor threads with 't63'"), std::string::npos);
}

TEST(Many, CharactersOfAnIdHaveALimit)
{
  const std::string long_name(1'000'000, 'a');
  const Strings found = system_faults(
    kHead + "callbacks: [{id: \"/" + long_name + ":timer(1s)\", time: 1ms, period: 1s}]\n");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_NE(
    found[0].find("aaa...' has 1000011 characters, and ids and patterns have at most 1000"),
    std::string::npos)
    << found[0];

  std::string stars;
  for (int i = 0; i < 200'000; ++i) {
    stars += "a*";
  }
  const Strings of_pattern = test::faults(
    with_main("threads: {a: {}}\ndefault: a\ncallbacks:\n- match: '/" + stars + ":timer(*)'") +
    "\nchains: {c: {priority: 1, path: ['/" + std::string(400'000, 'a') + ":timer(1s)']}}\n");
  EXPECT_EQ(of_pattern.size(), 2U);
}

TEST(Many, ExecutorsEachHaveTheirOwnCallbacks)
{
  constexpr int kExecutors = 5000;
  const Schedule schedule =
    test::parse("version: 1\nexecutors:\n" + repeated(kExecutors, [](const std::string & n) {
                  return "  e" + n + ": {threads: {t: {}}, default: t}\n";
                }));
  std::vector<ListedCallback> callbacks;
  for (int i = 0; i < kMany; ++i) {
    ListedCallback callback{"/n" + std::to_string(i) + ":timer(1s)", takt_core::Kind::timer};
    callback.executor = "e" + std::to_string(i % kExecutors);
    callbacks.push_back(callback);
  }
  const CheckReport report = check(schedule, callbacks);
  EXPECT_EQ(report.faults, Faults{});
  ASSERT_EQ(report.callbacks.size(), static_cast<std::size_t>(kMany));
  EXPECT_EQ(report.callbacks[1].id, "/n5000:timer(1s)");
  EXPECT_EQ(report.callbacks[1].executor, "e0");
}

}  // namespace
}  // namespace takt_schedule
