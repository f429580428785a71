// `when` of a group: what a file may say, what the core gets, and what each mistake is told.
#include <gtest/gtest.h>

#include "schedule_text.hpp"
#include "takt_schedule/check.hpp"
#include "takt_schedule/parse.hpp"
#include "takt_schedule/resolver.hpp"
#include "takt_schedule/to_yaml.hpp"

namespace takt_schedule
{
namespace
{

using test::faults;
using test::parse;
using test::with_main;
using namespace std::chrono_literals;

std::string group_with(const std::string & when)
{
  return with_main(
    "threads: {t: {}}\ndefault: t\ngroups:\n  - {match: \"/n:group(g)\", when: " + when + "}\n");
}

std::optional<takt_core::Condition> condition(const std::string & when)
{
  auto resolver = std::move(Resolver::create(parse(group_with(when)), "main").value());
  return resolver.resolve_group("/n:group(g)").value().condition;
}

TEST(Condition, GivesTheCoreWhatTheWordsSay)
{
  EXPECT_FALSE(condition("any")) << "as without the key";
  EXPECT_EQ(condition("all")->count, 0U);
  EXPECT_EQ(condition("{count: 2}")->count, 2U);
  const auto fresh = condition("{fresh: 100ms}");
  EXPECT_EQ(fresh->count, 1U);
  EXPECT_EQ(fresh->fresh, 100ms);
  const auto both = condition("{count: all, fresh: 5ms}");
  EXPECT_EQ(both->count, 0U);
  EXPECT_EQ(both->fresh, 5ms);
  const auto spread = condition("{spread: 20ms}");
  EXPECT_EQ(spread->count, 0U);
  EXPECT_EQ(spread->spread, 20ms);
  EXPECT_EQ(condition("{count: all, spread: 20ms}")->spread, 20ms);
  EXPECT_EQ(condition("{spread: 0ns}")->spread, 0ms);
}

TEST(Condition, IsWrittenAsItIsRead)
{
  for (const char * when :
       {"any", "all", "{count: 2}", "{fresh: 100ms}", "{count: all, fresh: 5ms}",
        "{spread: 20ms}"}) {
    const std::string text = to_yaml(parse(group_with(when)));
    EXPECT_NE(text.find(std::string("when: ") + when + "\n"), std::string::npos) << text;
  }
}

TEST(Condition, EveryMistakeHasItsSentence)
{
  const auto fault = [](const std::string & when) {
    const auto all = faults(group_with(when));
    return all.size() == 1 ? all.front() : std::to_string(all.size());
  };
  EXPECT_NE(fault("each").find("when"), std::string::npos);
  EXPECT_NE(
    fault("{}").find(
      "when is empty; write any, all, {count: 2}, {fresh: 100ms}, or {spread: 20ms}"),
    std::string::npos);
  EXPECT_NE(fault("{count: 0}").find("count"), std::string::npos);
  EXPECT_NE(fault("{fresh: 0s}").find("fresh"), std::string::npos);
  EXPECT_NE(fault("{spread: -1ms}").find("spread"), std::string::npos);
  for (const char * both : {"{spread: 20ms, count: 2}", "{spread: 20ms, fresh: 100ms}"}) {
    EXPECT_NE(
      fault(both).find("spread takes one message of each subscription, so it goes neither"),
      std::string::npos);
  }
}

TEST(Condition, SpreadNeedsTheSameThreads)
{
  using takt_core::Kind;
  const auto found = [](const std::string & when, const std::string & threads_of_b) {
    const Schedule schedule = parse(with_main(
      "threads: {t: , u: }\ndefault: t\ncallbacks:\n  - {match: \"/n:sub(/b)\", threads: " +
      threads_of_b + "}\n  - {match: \"/n:timer(1s)\", threads: u}\ngroups:\n" +
      "  - {match: \"/n:group(g)\", when: " + when + "}\n"));
    return sentences(check(
                       schedule, {{"/n:sub(/a)", Kind::subscription, "/n:group(g)"},
                                  {"/n:sub(/b)", Kind::subscription, "/n:group(g)"},
                                  {"/n:timer(1s)", Kind::timer, "/n:group(g)"}})
                       .faults);
  };
  using test::Strings;
  EXPECT_EQ(
    found("{spread: 20ms}", "u"),
    Strings{"s.yaml:7:9: group '/n:group(g)' holds '/n:sub(/b)' and '/n:sub(/a)', which are bound "
            "to different threads, and the thread that completes a set of messages (spread) runs "
            "the callbacks of the whole set; bind them to the same threads, or omit spread"});
  EXPECT_EQ(found("{spread: 20ms}", "t"), Strings{}) << "the timer is no input";
  EXPECT_EQ(found("all", "u"), Strings{}) << "each callback runs on its own thread";
}

}  // namespace
}  // namespace takt_schedule
