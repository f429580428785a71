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
    "callbacks:\n  - {match: /a:w(0), threads: hot}\n  - {match: /b:w(0), threads: hot.1}\n"
    "  - {match: /c:w(0), threads: [hot.0, rest]}\n  - {match: /d:w(0), threads: all}\n  - {match: "
    "/e:w(0)}"));
  const auto mask = [&](std::string_view id) {
    return r.resolve(id, Kind::timer).value().binding.threads;
  };
  EXPECT_EQ(mask("/a:w(0)"), 0b011U);
  EXPECT_EQ(mask("/b:w(0)"), 0b010U);
  EXPECT_EQ(mask("/c:w(0)"), 0b101U);
  EXPECT_EQ(mask("/d:w(0)"), 0b111U);
  EXPECT_EQ(mask("/e:w(0)"), 0b100U) << "a rule without threads means the default ones";
  EXPECT_EQ(mask("/unknown:w(0)"), 0b100U);
}

TEST(Resolver, CarriesWhatTheRuleSaysAndLeavesTheRestToChains)
{
  auto r = resolver(with_main(
    kThreads +
    "callbacks:\n  - {match: \"/a**\", priority: 9, deadline: 5ms, offset: 0ms, missed_periods: "
    "restart, backlog: 4, budget: 7ms, publishes_last: true}\n  - {match: /b:w(0)}"));
  const auto a = r.resolve("/a:timer(1s)", Kind::timer).value();
  EXPECT_EQ(a.binding.priority, 9);
  EXPECT_EQ(a.binding.deadline, 5ms);
  EXPECT_EQ(a.offset, 0ms);
  EXPECT_EQ(a.missed_periods, takt_core::MissedPeriods::restart);
  EXPECT_FALSE(a.watch.backlog) << "a timer has no messages";
  EXPECT_EQ(a.watch.budget, 7ms);
  EXPECT_TRUE(a.binding.publishes_last);
  EXPECT_EQ(a.binding.phased, takt_core::Phased::settles);
  EXPECT_EQ(a.line, 7);
  const auto b = r.resolve("/b:w(0)", Kind::subscription).value();
  EXPECT_FALSE(b.binding.priority);
  EXPECT_FALSE(b.binding.deadline);
  EXPECT_FALSE(b.binding.publishes_last);
  EXPECT_FALSE(b.offset);
}

TEST(Resolver, FindsATimerWhateverTheSpellingOfItsPeriod)
{
  auto r =
    resolver(with_main(
      kThreads + "callbacks:\n  - {match: \"/a:timer(2500us)\", priority: 9}\n"
                 "  - {match: \"/*:timer(1500ms)\", priority: 8}\n"
                 "  - {match: \"/c:timer(0.01s)#2\", priority: 7}\n"));
  EXPECT_EQ(r.resolve("/a:timer(2.5ms)", Kind::timer).value().binding.priority, 9);
  EXPECT_EQ(r.resolve("/b:timer(1.5s)", Kind::timer).value().binding.priority, 8);
  EXPECT_EQ(r.resolve("/c:timer(10ms)#2", Kind::timer).value().binding.priority, 7);
  EXPECT_TRUE(r.unmatched_rules().empty());
}

TEST(Resolver, DoesNotMissCallbacksThatMayYetCome)
{
  auto r = resolver(
    with_main(
      kThreads + "callbacks:\n  - {match: \"/a:timer(1s)\"}\n  - {match: \"/b:timer(1s)\"}\n") +
    "strict: true\nchains:\n  c: {path: [\"/a:sub(/x)\"], priority: 5}\n");
  const auto of_a = [](std::string_view text) { return text.starts_with("/a:"); };
  const ResolverReport report = r.report(true, of_a);
  EXPECT_EQ(report.awaited, 2U);
  ASSERT_EQ(report.faults.size(), 1U);
  EXPECT_NE(to_string(report.faults.front()).find("/b:timer(1s)"), std::string::npos);
  EXPECT_EQ(r.report().faults.size(), 3U);
}

TEST(Resolver, TwoSpellingsOfOneIdAreOneRuleTooMany)
{
  const auto faults =
    parse_schedule(
      with_main(
        kThreads +
        "callbacks:\n  - {match: \"/a:timer(2500us)\"}\n  - {match: \"/a:timer(2.5ms)\"}"),
      "s.yaml")
      .faults();
  ASSERT_EQ(faults.size(), 1U);
  EXPECT_NE(to_string(faults.front()).find("duplicate id '/a:timer(2.5ms)'"), std::string::npos)
    << to_string(faults.front());
}

TEST(Resolver, ChainsNameATimerWhateverTheSpellingOfItsPeriod)
{
  auto r =
    resolver(with_main(kThreads) + "chains:\n  c: {path: [\"/a:timer(2500us)\"], priority: 5}\n");
  static_cast<void>(r.resolve("/a:timer(2.5ms)", Kind::timer));
  EXPECT_TRUE(r.unmatched_chain_ids().empty());
}

TEST(Resolver, GivesTimerFieldsOnlyToTimers)
{
  auto r = resolver(with_main(kThreads + "callbacks:\n  - {match: \"**\", offset: 3ms}"));
  EXPECT_EQ(r.resolve("/a:timer(1s)", Kind::timer).value().offset, 3ms);
  EXPECT_FALSE(r.resolve("/a:sub(/p)", Kind::subscription).value().offset);
}

TEST(Resolver, GivesWhatConcernsMessagesOnlyToCallbacksThatHaveSome)
{
  auto r = resolver(with_main(
    "order: priority\n" + kThreads +
    "callbacks:\n  - {match: \"**\", backlog: 4, boost: {per: 0.5}, budget: 1ms}"));
  const auto timer = r.resolve("/a:timer(1s)", Kind::timer).value();
  EXPECT_FALSE(timer.binding.boost);
  EXPECT_FALSE(timer.watch.backlog);
  EXPECT_EQ(timer.watch.budget, 1ms);
  const auto subscription = r.resolve("/a:sub(/p)", Kind::subscription).value();
  ASSERT_TRUE(subscription.binding.boost);
  EXPECT_EQ(subscription.binding.boost->depth, 0.5);
  ASSERT_TRUE(subscription.watch.backlog);
  EXPECT_EQ(subscription.watch.backlog->messages, 4U);
}

TEST(Resolver, ATimerUnderARuleWithABacklogOnlyIsWatched)
{
  auto r = resolver(with_main(
    kThreads +
    "callbacks:\n  - {match: \"**\", backlog: 4}\n  - {match: \"/b:timer(1s)\", priority: 3}"));
  const auto watched = r.resolve("/a:timer(1s)", Kind::timer).value().watch;
  EXPECT_FALSE(watched.backlog);
  EXPECT_FALSE(watched.empty());
  EXPECT_EQ(watched.stall, takt_rt::kForever) << "no run lasts for so long";
  EXPECT_TRUE(r.resolve("/b:timer(1s)", Kind::timer).value().watch.empty());
  EXPECT_FALSE(r.resolve("/a:sub(/p)", Kind::subscription).value().watch.stall);
}

TEST(Resolver, TheMostSpecificRuleDecidesAloneWhateverTheOrder)
{
  auto r =
    resolver(with_main(
      kThreads + "callbacks:\n  - {match: \"**\", threads: hot, stall: 1s}\n"
                 "  - {match: \"/a:timer(1s)\", threads: hot.0}\n"
                 "  - {match: \"/a:timer(*)\", threads: hot.1, deadline: 1ms}\n"));
  EXPECT_EQ(r.resolve("/a:timer(1s)", Kind::timer).value().line, 8) << "exact";
  EXPECT_EQ(r.resolve("/a:timer(2s)", Kind::timer).value().line, 9) << "more literals";
  EXPECT_EQ(r.resolve("/b:timer(2s)", Kind::timer).value().line, 7);
  EXPECT_FALSE(r.resolve("/a:timer(1s)", Kind::timer).value().watch.stall)
    << "rules are not merged";
}

TEST(Resolver, ATieIsAFaultThatNamesBothLines)
{
  auto r = resolver(with_main(
    kThreads + "callbacks:\n  - {match: \"/a*:timer(1s)\"}\n  - {match: \"/*b:timer(1s)\"}"));
  EXPECT_EQ(
    sentences(r.resolve("/ab:timer(1s)", Kind::timer).faults()),
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
  auto r = resolver(with_main(kThreads + "callbacks:\n  - {match: /a:w(0)}"));
  for (const char * id : {"/z:w(0)", "/a:w(0)", "/b:w(0)", "/z:w(0)"}) {
    EXPECT_TRUE(r.resolve(id, Kind::waitable).ok());
  }
  EXPECT_EQ(r.defaulted_callbacks(), (Strings{"/z:w(0)", "/b:w(0)"}));
  EXPECT_EQ(r.resolve("/z:w(0)", Kind::waitable).value().line, 0);
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
    sentences(r.unmatched_rules()),
    (Strings{
      "s.yaml:7:9: pattern '/lidar:sub(*)' matches no callback; did you mean '/lidar:sub(**)'? '*' "
      "stays within one segment",
      "s.yaml:8:9: '/lidra:timer(100ms)' matches no callback; did you mean '/lidar:timer(100ms)'?",
      "s.yaml:9:9: pattern '/nobody/**' matches no callback",
      "s.yaml:11:9: '/lidar:group(x)' matches no callback group"}));
}

TEST(Resolver, UnmatchedRulesAreWarningsAndUnderStrictFaults)
{
  const std::string body = with_main(kThreads + "callbacks:\n  - {match: /a:w(0)}");
  EXPECT_EQ(resolver(body).report().warnings.size(), 1U);
  EXPECT_EQ(resolver(body).report().faults.size(), 0U);
  EXPECT_EQ(resolver("strict: true\n" + body).report().warnings.size(), 0U);
  EXPECT_EQ(
    sentences(resolver("strict: true\n" + body).report().faults),
    Strings{"s.yaml:8:9: '/a:w(0)' matches no callback"});
}

const char * const kChain = "chains:\n  c: {path: [\"/a:timer(1s)\", \"/b:sub(/x)\"]}\n";

TEST(Resolver, IdsOfChainsThatMatchedNothingAreToldLikePatterns)
{
  auto r = resolver(with_main(kThreads) + kChain);
  EXPECT_TRUE(r.resolve("/a:timer(2s)", Kind::timer).ok());
  EXPECT_TRUE(r.resolve("/b:sub(/x)", Kind::subscription).ok());
  EXPECT_EQ(
    sentences(r.report().warnings),
    Strings{"s.yaml:7:14: chain 'c': '/a:timer(1s)' matches no callback; did you mean "
            "'/a:timer(2s)'?"});
  EXPECT_EQ(sentences(r.report(false).warnings), Strings{});
  auto strict = resolver("strict: true\n" + with_main(kThreads) + kChain);
  EXPECT_EQ(sentences(strict.report().warnings), Strings{});
  EXPECT_EQ(strict.report().faults.size(), 2U);
}

TEST(Resolver, IdsOfChainsThatMayBeElsewhereAreNotJudged)
{
  const std::string two =
    "version: 1\nexecutors:\n"
    "  main: {threads: {t: }, default: t, callbacks: [{match: \"/**:timer(*)\"}, {match: "
    "\"/m:**\"}]}\n"
    "  away: {threads: {t: }, default: t, callbacks: [{match: \"/n:**\"}]}\n";
  const auto told = [&](const std::string & id) {
    auto r = resolver(two + "chains:\n  c: {path: [\"" + id + "\"]}\n");
    EXPECT_TRUE(r.resolve("/here:timer(2s)", Kind::timer).ok());
    EXPECT_TRUE(r.resolve("/m:timer(1s)", Kind::timer).ok());
    return r.unmatched_chain_ids().size();
  };
  EXPECT_EQ(told("/elsewhere:timer(1s)"), 0U) << "on the default threads of the other";
  EXPECT_EQ(told("/n:timer(1s)"), 0U) << "the other has a rule for this node";
  EXPECT_EQ(told("/here:timer(1s)"), 1U) << "the node is here, the callback is not";
  EXPECT_EQ(told("/m:sub(/x)"), 1U) << "only this executor names the node";
  EXPECT_EQ(told("/m:timer(1s)"), 0U);
}

TEST(Resolver, ReportsRulesThatMoreSpecificOnesAlwaysBeat)
{
  auto r = resolver(
    with_main(kThreads + "callbacks:\n  - {match: \"/a*:w(0)\"}\n  - {match: \"/ab*:w(0)\"}"));
  EXPECT_TRUE(r.resolve("/abc:w(0)", Kind::waitable).ok());
  EXPECT_EQ(
    sentences(r.report().warnings),
    Strings{"s.yaml:7:9: pattern '/a*:w(0)' only matches callbacks for which "
            "a more specific rule decides"});
  EXPECT_TRUE(r.resolve("/axc:w(0)", Kind::waitable).ok());
  EXPECT_EQ(sentences(r.report().warnings), Strings{});
}

TEST(Resolver, FollowingPoolsNeedAPriorityFromTheRuleOrAChain)
{
  const std::string text =
    with_main(
      "order: priority\nthreads: {pool: {policy: fifo, priority: 50, follow: true}}\n"
      "default: pool\ncallbacks:\n  - {match: /own:w(0), priority: 7}") +
    "chains:\n  c: {path: [/chained:w(0)], priority: 50}\n  d: {path: [/high:w(0)], priority: "
    "51}\n";
  auto r = resolver(text);
  EXPECT_TRUE(r.resolve("/own:w(0)", Kind::waitable).ok());
  EXPECT_TRUE(r.resolve("/chained:w(0)", Kind::waitable).ok());
  EXPECT_EQ(
    sentences(r.resolve("/high:w(0)", Kind::waitable).faults()),
    Strings{"s.yaml:3:3: '/high:w(0)' has priority 51, which the following pool 'pool' cannot "
            "take; give it 1 "
            "to 50 by a rule or a chain"});
  EXPECT_FALSE(r.resolve("/none:w(0)", Kind::waitable).ok());
}

TEST(Resolver, GroupsMayBeAllowedAcrossPriorities)
{
  auto r =
    resolver(with_main(
      kThreads + "groups:\n  - {match: \"/a:group(*)\", across_priorities: allow}\n"
                 "  - {match: \"/a:group(x)\"}\n  - {match: \"/*:group(y)\"}"));
  EXPECT_TRUE(r.resolve_group("/a:group(z)")->across_priorities);
  EXPECT_FALSE(r.resolve_group("/a:group(x)")->across_priorities) << "forbid is the default";
  EXPECT_FALSE(r.resolve_group("/b:group(z)")->across_priorities);
  EXPECT_FALSE(r.resolve_group("/a:group(y)").ok()) << "a tie";
}

TEST(Resolver, IsolatedGroupsHaveThreadsNamedByTheirNode)
{
  auto r = resolver(with_main(
    kThreads +
    "groups:\n  - {match: \"/**:group(*)\", isolate: true, policy: fifo, priority: 7}\n"
    "  - {match: \"/a:group(*)\", isolate: true, count: 4}\n"
    "  - {match: \"/b:group(shared)\", isolate: false}"));
  const auto lidar = r.resolve_group("/front/lidar:group(points)")->isolation;
  ASSERT_TRUE(lidar);
  EXPECT_EQ(lidar->attributes.name, "lidar");
  EXPECT_EQ(lidar->attributes.priority, 7);
  EXPECT_EQ(lidar->threads, 1U);
  EXPECT_EQ(r.resolve_group("/a:group(x)")->isolation->threads, 4U);
  EXPECT_FALSE(r.resolve_group("/b:group(shared)")->isolation);
}

TEST(Resolver, OfAnUnknownExecutorIsAFault)
{
  EXPECT_EQ(
    sentences(Resolver::create(test::parse(with_main(kThreads)), "mian").faults()),
    Strings{"s.yaml:3:3: no executor 'mian'; did you mean 'main'?"});
}

}  // namespace
}  // namespace takt_schedule
