#include "schedule/side_by_side.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "schedule_text.hpp"

namespace takt_schedule
{
namespace
{

using takt_core::Kind;
using test::parse;
using test::Strings;
using test::with_main;

AuditedExecutor camera()
{
  return {
    "/camera",
    {{"/camera:timer(10ms)", Kind::timer, "/camera:group(default)"},
     {"/camera:sub(/a)", Kind::subscription, "/camera:group(default)"},
     {"/camera:sub(/b)", Kind::subscription, "/camera:group(1)"},
     {"/log:sub(/c)", Kind::subscription, "/log:group(many)", true}}};
}

std::string name(const AuditedExecutor & executor, std::size_t place)
{
  return executor.callbacks[place].id;
}

/// The pairs as "first | second".
Strings pairs(
  const AuditedExecutor & executor, const std::string & body, const Schedule * earlier = nullptr)
{
  const auto audit = side_by_side(executor, parse(with_main(body)), earlier);
  Strings result = sentences(audit.faults());
  if (audit) {
    for (const SideBySide & pair : audit->pairs) {
      result.push_back(name(executor, pair.first) + " | " + name(executor, pair.second));
    }
  }
  return result;
}

const std::string kPool = "threads: {pool: {count: 2}}\ndefault: pool\n";
const Strings kAcrossGroups{
  "/camera:timer(10ms) | /camera:sub(/b)", "/camera:timer(10ms) | /log:sub(/c)",
  "/camera:sub(/a) | /camera:sub(/b)",     "/camera:sub(/a) | /log:sub(/c)",
  "/camera:sub(/b) | /log:sub(/c)",        "/log:sub(/c) | /log:sub(/c)"};

TEST(SideBySide, APoolLetsAllButTheMembersOfAnExclusiveGroupOverlap)
{
  EXPECT_EQ(pairs(camera(), kPool), kAcrossGroups);
}

TEST(SideBySide, OneThreadKeepsEverythingApart)
{
  EXPECT_EQ(pairs(camera(), "threads: {main: {}}\ndefault: main\n"), Strings{});
  const auto audit =
    side_by_side(camera(), parse(with_main("threads: {main: {}}\ndefault: main\n")));
  EXPECT_EQ(audit->kept, 6U);
  EXPECT_EQ(audit->already, 0U);
}

TEST(SideBySide, APoolOfBeforeLetThemOverlapAlready)
{
  AuditedExecutor executor = camera();
  executor.before = Before::in_groups;
  EXPECT_EQ(pairs(executor, kPool), Strings{});
  EXPECT_EQ(side_by_side(executor, parse(with_main(kPool)))->already, 5U);
}

TEST(SideBySide, AnEarlierScheduleCountsAsBefore)
{
  const Schedule earlier = parse(with_main(
    "threads: {a: {}, b: {}}\ndefault: a\ncallbacks:\n  - {match: \"/log:**\", threads: b}\n"));
  EXPECT_EQ(
    pairs(camera(), kPool, &earlier),
    (Strings{
      "/camera:timer(10ms) | /camera:sub(/b)", "/camera:sub(/a) | /camera:sub(/b)",
      "/log:sub(/c) | /log:sub(/c)"}));
}

TEST(SideBySide, ThreadsOfRulesDecide)
{
  EXPECT_EQ(
    pairs(
      camera(),
      "threads: {a: {}, b: {}}\ndefault: a\ncallbacks:\n  - {match: \"/log:**\", threads: b}\n"),
    (Strings{
      "/camera:timer(10ms) | /log:sub(/c)", "/camera:sub(/a) | /log:sub(/c)",
      "/camera:sub(/b) | /log:sub(/c)"}));
}

TEST(SideBySide, AnIsolatedGroupRunsBesideTheOthers)
{
  const std::string isolated = "threads: {main: {}}\ndefault: main\ngroups:\n";
  EXPECT_EQ(
    pairs(camera(), isolated + "  - {match: \"/camera:group(1)\", isolate: true}\n"),
    (Strings{
      "/camera:timer(10ms) | /camera:sub(/b)", "/camera:sub(/a) | /camera:sub(/b)",
      "/camera:sub(/b) | /log:sub(/c)"}));
  EXPECT_EQ(
    pairs(camera(), isolated + "  - {match: \"/log:group(*)\", isolate: true, count: 2}\n"),
    (Strings{
      "/camera:timer(10ms) | /log:sub(/c)", "/camera:sub(/a) | /log:sub(/c)",
      "/camera:sub(/b) | /log:sub(/c)", "/log:sub(/c) | /log:sub(/c)"}));
}

TEST(SideBySide, ACallbackWithoutARuleFollowsItsGroupInProgramsOfRclcpp)
{
  const std::string rule =
    "parallel: true\nthreads: {a: {}, b: {}}\ndefault: b\n"
    "callbacks:\n  - {match: \"/camera:timer(*)\", threads: a}\n";
  AuditedExecutor executor = camera();
  executor.callbacks.resize(3);
  const std::string timer = "/camera:timer(10ms) | /camera:sub(/b)";
  const std::string other = "/camera:sub(/a) | /camera:sub(/b)";
  executor.library = ClientLibrary::takt_rcl;
  EXPECT_EQ(pairs(executor, rule), Strings{timer});
  executor.library = ClientLibrary::rclcpp;
  EXPECT_EQ(pairs(executor, rule), (Strings{timer, other}));
  executor.library = ClientLibrary::unknown;
  EXPECT_EQ(pairs(executor, rule), (Strings{timer, other}));
}

TEST(SideBySide, ASingleThreadedProgramKeepsToOneAtATimeUnlessTheScheduleSaysParallel)
{
  AuditedExecutor executor = camera();
  executor.library = ClientLibrary::rclcpp;
  const std::string rule = kPool + "callbacks:\n  - {match: \"/camera:**\"}\n";
  const auto audit = side_by_side(executor, parse(with_main(rule)));
  EXPECT_TRUE(audit->pairs.empty());
  EXPECT_EQ(
    sentences(audit->notes),
    Strings{
      "the program's executor '/camera' runs one callback at a time, and `takt exec` keeps that "
      "without `parallel: true` in executor 'main' of s.yaml"});
  EXPECT_EQ(pairs(executor, "parallel: true\n" + rule), kAcrossGroups);
  executor.library = ClientLibrary::unknown;
  EXPECT_EQ(pairs(executor, rule), kAcrossGroups);
  EXPECT_EQ(side_by_side(executor, parse(with_main(rule)))->notes.size(), 1U);
}

TEST(SideBySide, ANonTriggeringCallbackRunsOnTheThreadOfItsTaker)
{
  const std::string rule =
    "threads: {a: {}, b: {}}\ndefault: a\ncallbacks:\n"
    "  - {match: \"/camera:timer(*)\", threads: b}\n"
    "  - {match: \"/camera:sub(/b)\", trigger: false, with: \"/camera:timer(10ms)\"}\n";
  AuditedExecutor executor = camera();
  executor.callbacks.resize(3);
  executor.library = ClientLibrary::takt_rcl;
  // The timer is on b, its taken input too, and only /camera:sub(/a) of the timer's own group is on a.
  EXPECT_EQ(pairs(executor, rule), Strings{"/camera:sub(/a) | /camera:sub(/b)"});
}

TEST(SideBySide, AScheduleOfOtherProgramsChangesNothing)
{
  AuditedExecutor executor = camera();
  executor.library = ClientLibrary::rclcpp;
  const auto audit =
    side_by_side(executor, parse(with_main(kPool + "callbacks:\n  - {match: \"/else:**\"}\n")));
  EXPECT_EQ(audit->executor, "");
  EXPECT_TRUE(audit->pairs.empty());
  EXPECT_EQ(audit->notes.size(), 1U);
}

TEST(SideBySide, RefusesAnUnknownExecutor)
{
  EXPECT_FALSE(side_by_side(camera(), parse(with_main(kPool)), nullptr, "mian").ok());
}

}  // namespace
}  // namespace takt_schedule
