// `let` of a group: what a file may say, what the core gets, and what each mistake is told.
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "schedule_text.hpp"
#include "takt_schedule/resolver.hpp"
#include "takt_schedule/to_yaml.hpp"

namespace takt_schedule
{
namespace
{

using takt_core::Kind;
using takt_core::LateOutputs;
using test::faults;
using test::parse;
using test::with_main;

std::string group_with(const std::string & keys)
{
  return with_main(
    "threads: {t: {}}\ndefault: t\ngroups:\n  - {match: \"/n:group(g)\", " + keys + "}\n");
}

std::optional<LateOutputs> late(const std::string & let)
{
  auto resolver = std::move(Resolver::create(parse(group_with("let: " + let)), "main").value());
  return resolver.resolve_group("/n:group(g)")->logical_time;
}

TEST(LogicalTimeRule, SaysWhatBecomesOfLateOutputs)
{
  EXPECT_EQ(late("true"), LateOutputs::publish);
  EXPECT_EQ(late("false"), std::nullopt);
  EXPECT_EQ(late("{late: publish}"), LateOutputs::publish);
  EXPECT_EQ(late("{late: drop}"), LateOutputs::drop);
  EXPECT_EQ(late("{}"), LateOutputs::publish);
}

TEST(LogicalTimeRule, MakesSubscriptionsInputsAndNothingElse)
{
  auto resolver = std::move(Resolver::create(parse(group_with("let: true")), "main").value());
  const auto group = resolver.resolve_group("/n:group(g)");
  for (const Kind kind : {Kind::subscription, Kind::timer, Kind::service}) {
    auto resolved = resolver.resolve("/n:sub(/x)", kind);
    apply_logical_time(*group, kind, *resolved);
    ASSERT_EQ(resolved->binding.non_triggering.has_value(), kind == Kind::subscription);
    if (kind == Kind::subscription) {
      EXPECT_TRUE(resolved->binding.non_triggering->by_release);
    }
  }
}

TEST(LogicalTimeRule, IsWrittenAsItWasRead)
{
  for (const char * let : {"true", "{late: drop}"}) {
    const std::string text = to_yaml(parse(group_with(std::string("let: ") + let)));
    EXPECT_NE(text.find(std::string("let: ") + let + "\n"), std::string::npos) << text;
    EXPECT_EQ(text.find("across_priorities"), std::string::npos) << text;
  }
}

TEST(LogicalTimeRule, NamesMistakes)
{
  const auto fault = [](const std::string & keys) {
    const auto all = faults(group_with(keys));
    return all.empty() ? std::string() : all.front();
  };
  EXPECT_NE(fault("let: often").find("let"), std::string::npos);
  EXPECT_NE(fault("let: {late: never}").find("late"), std::string::npos);
  EXPECT_NE(fault("let: {soon: true}").find("soon"), std::string::npos);
  EXPECT_NE(fault("let: true, when: all").find("omit let or when"), std::string::npos);
  EXPECT_EQ(fault("let: false, when: all"), "");
}

}  // namespace
}  // namespace takt_schedule
