// `trigger: false` and its keys: what a file may say, what the rule gives to the core, and what
// each mistake is told.
#include <gtest/gtest.h>

#include "schedule_text.hpp"
#include "takt_schedule/parse.hpp"
#include "takt_schedule/resolver.hpp"

namespace takt_schedule
{
namespace
{

using takt_core::Kind;
using test::faults;
using test::parse;
using test::Strings;
using test::with_main;
using namespace std::chrono_literals;

const std::string kMain = "threads: {t: {}}\ndefault: t\ncallbacks:\n";

Resolver resolver(const std::string & rules)
{
  return std::move(Resolver::create(parse(with_main(kMain + rules)), "main").value());
}

std::string fault(const std::string & rule)
{
  const Strings all = faults(with_main(kMain + "  - " + rule));
  return all.size() == 1 ? all.front().substr(all.front().find(' ') + 1)
                         : std::to_string(all.size());
}

TEST(NonTriggering, SaysNothingElseUnlessAsked)
{
  auto r = resolver(
    "  - {match: \"/n:sub(/a)\", trigger: false}\n  - {match: \"/n:sub(/b)\", trigger: true}\n");
  const auto a = r.resolve("/n:sub(/a)", Kind::subscription).value();
  ASSERT_TRUE(a.binding.non_triggering);
  EXPECT_FALSE(a.binding.non_triggering->taken_by);
  EXPECT_EQ(a.binding.non_triggering->keep, 0U);
  EXPECT_EQ(a.binding.non_triggering->max_age, takt_rt::kForever);
  EXPECT_FALSE(r.resolve("/n:sub(/b)", Kind::subscription)->binding.non_triggering);
}

TEST(NonTriggering, GivesTheTakersAndTheLimitsToTheCore)
{
  auto r = resolver(
    "  - {match: \"/n:sub(/a)\", trigger: false, with: [\"/n:sub(/points)\", \"/m:timer(*)\"], "
    "keep: 3, max_age: 20ms}\n"
    "  - {match: \"/n:sub(/b)\", trigger: false, keep: latest}\n  - {match: \"/n:sub(/c)\", "
    "trigger: false, keep: all}\n");
  const auto a = r.resolve("/n:sub(/a)", Kind::subscription)->binding.non_triggering;
  EXPECT_TRUE(a->taken_by("/n:sub(/points)"));
  EXPECT_TRUE(a->taken_by("/m:timer(10ms)"));
  EXPECT_FALSE(a->taken_by("/n:timer(10ms)"));
  EXPECT_EQ(a->keep, 3U);
  EXPECT_EQ(a->max_age, 20ms);
  EXPECT_EQ(r.resolve("/n:sub(/b)", Kind::subscription)->binding.non_triggering->keep, 1U);
  EXPECT_EQ(r.resolve("/n:sub(/c)", Kind::subscription)->binding.non_triggering->keep, 0U);
}

// rclcpp delivers messages within the process by a waitable with the subscription's id.
TEST(NonTriggering, CountsForASubscriptionWhoseMessagesComeAsAWaitables)
{
  auto r = resolver("  - {match: \"/n:sub(/a)\", trigger: false}\n");
  EXPECT_TRUE(r.resolve("/n:sub(/a)", Kind::waitable)->binding.non_triggering);
}

TEST(NonTriggering, RefusesARuleThatDecidesForSomethingElse)
{
  auto r = resolver("  - {match: \"/n:**\", trigger: false}\n");
  const auto timer = r.resolve("/n:timer(1s)", Kind::timer);
  ASSERT_FALSE(timer);
  EXPECT_NE(
    to_string(timer.faults().front())
      .find("trigger: false belongs to subscriptions, and this rule decides for '/n:timer(1s)', "
            "which is none"),
    std::string::npos);
}

TEST(NonTriggering, TellsOfTakersThatDoNotExist)
{
  auto r = resolver("  - {match: \"/n:sub(/a)\", trigger: false, with: \"/n:sub(/point)\"}\n");
  static_cast<void>(r.resolve("/n:sub(/a)", Kind::subscription));
  static_cast<void>(r.resolve("/n:sub(/points)", Kind::subscription));
  const auto unmatched = r.unmatched_rules();
  ASSERT_EQ(unmatched.size(), 1U);
  EXPECT_NE(
    to_string(unmatched.front())
      .find("'/n:sub(/point)' of with matches no callback; did you mean '/n:sub(/points)'?; "
            "nothing takes "
            "the messages of '/n:sub(/a)'"),
    std::string::npos)
    << to_string(unmatched.front());
}

TEST(NonTriggering, EveryMistakeHasItsSentence)
{
  const std::string a = "{match: \"/n:sub(/a)\", ";
  EXPECT_EQ(
    fault(a + "keep: latest}"),
    "keep belongs to a subscription that does not trigger; add trigger: false, or omit keep");
  EXPECT_EQ(
    fault(a + "trigger: false, threads: t}"),
    "threads has no meaning for a subscription that does not trigger: it runs on the thread of the "
    "callback "
    "that takes its messages; omit threads");
  EXPECT_EQ(
    fault(a + "trigger: false, keep: newest}"),
    "keep must be all, latest, or a number of messages from 1 to 1000000, not 'newest'");
  EXPECT_EQ(
    fault(a + "trigger: false, keep: 0}"),
    "keep must be all, latest, or a number of messages from 1 to 1000000, not '0'");
  EXPECT_EQ(
    fault("{match: \"/n:timer(1s)\", trigger: false}"),
    "trigger: false belongs to subscriptions, and '/n:timer(1s)' is none");
  EXPECT_NE(
    fault(a + "trigger: false, with: \"n:sub(/b)\"}").find("ids start with '/'"),
    std::string::npos);
  EXPECT_NE(fault(a + "trigger: false, max_age: 0ms}").find("max_age"), std::string::npos);
}

}  // namespace
}  // namespace takt_schedule
