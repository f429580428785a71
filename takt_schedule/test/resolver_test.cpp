#include "takt_schedule/resolver.hpp"

#include <gtest/gtest.h>

#include "schedule_text.hpp"

namespace takt_schedule
{
namespace
{

using takt_core::Kind;
using test::Strings;
using test::with_main;
using namespace std::chrono_literals;

Resolver resolver(const std::string & text, std::string_view executor = "main")
{
  auto result = Resolver::create(test::parse(text), executor);
  EXPECT_TRUE(result.ok());
  return std::move(result.value());
}

const std::string kThreads = "threads: {hot: {count: 2}, rest: {}}\ndefault: rest\n";

TEST(Resolver, BindsToTheThreadsTheRuleNames)
{
  auto r = resolver(with_main(
    kThreads +
    "callbacks:\n  - {match: /a, threads: hot}\n  - {match: /b, threads: hot.1}\n"
    "  - {match: /c, threads: [hot.0, rest]}\n  - {match: /d, threads: all}\n  - {match: /e}"));
  const auto mask = [&](std::string_view id) {
    return r.resolve(id, Kind::timer).value().binding.threads;
  };
  EXPECT_EQ(mask("/a"), 0b011U);
  EXPECT_EQ(mask("/b"), 0b010U);
  EXPECT_EQ(mask("/c"), 0b101U);
  EXPECT_EQ(mask("/d"), 0b111U);
  EXPECT_EQ(mask("/e"), 0b100U) << "a rule without threads means the default ones";
  EXPECT_EQ(mask("/unknown"), 0b100U);
}

TEST(Resolver, CarriesWhatTheRuleSaysAndLeavesTheRestToChains)
{
  auto r = resolver(with_main(
    kThreads +
    "callbacks:\n  - {match: \"/a**\", priority: 9, deadline: 5ms, offset: 0ms, missed_periods: "
    "restart, backlog: 4}\n  - {match: /b}"));
  const auto a = r.resolve("/a:timer(1s)", Kind::timer).value();
  EXPECT_EQ(a.binding.priority, 9);
  EXPECT_EQ(a.binding.deadline, 5ms);
  EXPECT_EQ(a.offset, 0ms);
  EXPECT_EQ(a.missed_periods, takt_core::MissedPeriods::restart);
  EXPECT_EQ(a.backlog, 4U);
  EXPECT_EQ(a.line, 7);
  const auto b = r.resolve("/b", Kind::subscription).value();
  EXPECT_FALSE(b.binding.priority);
  EXPECT_FALSE(b.binding.deadline);
  EXPECT_FALSE(b.offset);
}

TEST(Resolver, GivesTimerFieldsOnlyToTimers)
{
  auto r = resolver(with_main(kThreads + "callbacks:\n  - {match: \"**\", offset: 3ms}"));
  EXPECT_EQ(r.resolve("/a:timer(1s)", Kind::timer).value().offset, 3ms);
  EXPECT_FALSE(r.resolve("/a:sub(/p)", Kind::subscription).value().offset);
}

TEST(Resolver, TheMostSpecificRuleDecidesAloneWhateverTheOrder)
{
  auto r =
    resolver(with_main(
      kThreads + "callbacks:\n  - {match: \"**\", threads: hot, backlog: 1}\n"
                 "  - {match: \"/a:timer(1s)\", threads: hot.0}\n"
                 "  - {match: \"/a:timer(*)\", threads: hot.1, deadline: 1ms}\n"));
  EXPECT_EQ(r.resolve("/a:timer(1s)", Kind::timer).value().line, 8) << "exact";
  EXPECT_EQ(r.resolve("/a:timer(2s)", Kind::timer).value().line, 9) << "more literals";
  EXPECT_EQ(r.resolve("/b:timer(2s)", Kind::timer).value().line, 7);
  EXPECT_FALSE(r.resolve("/a:timer(1s)", Kind::timer).value().backlog) << "rules are not merged";
}

TEST(Resolver, ATieIsAFaultThatNamesBothLines)
{
  auto r = resolver(with_main(
    kThreads + "callbacks:\n  - {match: \"/a*:timer(1s)\"}\n  - {match: \"/*b:timer(1s)\"}"));
  EXPECT_EQ(
    r.resolve("/ab:timer(1s)", Kind::timer).faults(),
    Strings{"s.yaml:8:9: '/ab:timer(1s)' is matched equally well by '/a*:timer(1s)' (line 7) and "
            "'/*b:timer(1s)' (line 8); make one of them more specific"});
  EXPECT_TRUE(r.resolve("/ax:timer(1s)", Kind::timer).ok());
}

TEST(Resolver, PatternsOfOneRuleDoNotTieWithEachOther)
{
  auto r = resolver(
    with_main(kThreads + "callbacks:\n  - {match: [\"/a*:timer(1s)\", \"/*b:timer(1s)\"]}"));
  EXPECT_TRUE(r.resolve("/ab:timer(1s)", Kind::timer).ok());
}

TEST(Resolver, ListsWhatWentToTheDefaultThreadsOnce)
{
  auto r = resolver(with_main(kThreads + "callbacks:\n  - {match: /a}"));
  for (const char * id : {"/z", "/a", "/b", "/z"}) {
    EXPECT_TRUE(r.resolve(id, Kind::waitable).ok());
  }
  EXPECT_EQ(r.defaulted_callbacks(), (Strings{"/z", "/b"}));
  EXPECT_EQ(r.resolve("/z", Kind::waitable).value().line, 0);
}

TEST(Resolver, PatternsThatMatchedNothingAreToldWithWhatWasMeant)
{
  auto r = resolver(with_main(
    kThreads +
    "callbacks:\n  - {match: \"/lidar:sub(*)\"}\n  - {match: \"/lidra:timer(100ms)\"}\n"
    "  - {match: [\"/lidar:timer(*)\", \"/nobody/**\"]}\n"
    "groups:\n  - {match: \"/lidar:group(x)\"}"));
  EXPECT_TRUE(r.resolve("/lidar:timer(100ms)", Kind::timer).ok());
  EXPECT_TRUE(r.resolve("/lidar:sub(/points)", Kind::subscription).ok());
  EXPECT_EQ(
    r.unmatched_rules(),
    (Strings{
      "s.yaml:7:9: pattern '/lidar:sub(*)' matches no callback; did you mean '/lidar:sub(**)'? '*' "
      "stays within one segment",
      "s.yaml:8:9: '/lidra:timer(100ms)' matches no callback; did you mean '/lidar:timer(100ms)'?",
      "s.yaml:9:9: pattern '/nobody/**' matches no callback",
      "s.yaml:11:9: '/lidar:group(x)' matches no callback group"}));
}

TEST(Resolver, UnmatchedRulesAreWarningsAndUnderStrictFaults)
{
  const std::string body = with_main(kThreads + "callbacks:\n  - {match: /a}");
  EXPECT_EQ(resolver(body).report().warnings.size(), 1U);
  EXPECT_EQ(resolver(body).report().faults.size(), 0U);
  EXPECT_EQ(resolver("strict: true\n" + body).report().warnings.size(), 0U);
  EXPECT_EQ(
    resolver("strict: true\n" + body).report().faults,
    Strings{"s.yaml:8:9: '/a' matches no callback"});
}

TEST(Resolver, ReportsRulesThatMoreSpecificOnesAlwaysBeat)
{
  auto r =
    resolver(with_main(kThreads + "callbacks:\n  - {match: \"/a*\"}\n  - {match: \"/ab*\"}"));
  EXPECT_TRUE(r.resolve("/abc", Kind::waitable).ok());
  EXPECT_EQ(
    r.report().warnings,
    Strings{
      "s.yaml:7:9: pattern '/a*' only matches callbacks for which a more specific rule decides"});
  EXPECT_TRUE(r.resolve("/axc", Kind::waitable).ok());
  EXPECT_EQ(r.report().warnings, Strings{});
}

TEST(Resolver, FollowingPoolsNeedAPriorityFromTheRuleOrAChain)
{
  const std::string text =
    with_main(
      "order: priority\nthreads: {pool: {policy: fifo, priority: 50, follow: true}}\n"
      "default: pool\ncallbacks:\n  - {match: /own, priority: 7}") +
    "chains:\n  c: {path: [/chained], priority: 50}\n  d: {path: [/high], priority: 51}\n";
  auto r = resolver(text);
  EXPECT_TRUE(r.resolve("/own", Kind::waitable).ok());
  EXPECT_TRUE(r.resolve("/chained", Kind::waitable).ok());
  EXPECT_EQ(
    r.resolve("/high", Kind::waitable).faults(),
    Strings{
      "s.yaml:3:3: '/high' has priority 51, which the following pool 'pool' cannot take; give it 1 "
      "to 50 by a rule or a chain"});
  EXPECT_FALSE(r.resolve("/none", Kind::waitable).ok());
}

TEST(Resolver, GroupsMayBeAllowedAcrossPriorities)
{
  auto r =
    resolver(with_main(
      kThreads + "groups:\n  - {match: \"/a:group(*)\", across_priorities: allow}\n"
                 "  - {match: \"/a:group(x)\"}\n  - {match: \"/*:group(y)\"}"));
  EXPECT_TRUE(r.resolve_group("/a:group(z)").value());
  EXPECT_FALSE(r.resolve_group("/a:group(x)").value()) << "forbid is the default";
  EXPECT_FALSE(r.resolve_group("/b:group(z)").value());
  EXPECT_FALSE(r.resolve_group("/a:group(y)").ok()) << "a tie";
}

TEST(Resolver, OfAnUnknownExecutorIsAFault)
{
  EXPECT_EQ(
    Resolver::create(test::parse(with_main(kThreads)), "mian").faults(),
    Strings{"s.yaml: no executor 'mian'; did you mean 'main'?"});
}

}  // namespace
}  // namespace takt_schedule
