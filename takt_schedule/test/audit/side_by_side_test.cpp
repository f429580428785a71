#include "schedule/side_by_side.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

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

// An events executor with a thread for its timers.
TEST(SideBySide, TimersApartRanBesideTheOthersAlready)
{
  AuditedExecutor executor = camera();
  executor.before = Before::timers_apart;
  executor.library = ClientLibrary::rclcpp;
  EXPECT_EQ(
    pairs(executor, "parallel: true\n" + kPool),
    (Strings{
      "/camera:sub(/a) | /camera:sub(/b)", "/camera:sub(/a) | /log:sub(/c)",
      "/camera:sub(/b) | /log:sub(/c)", "/log:sub(/c) | /log:sub(/c)"}));
  const auto kept = side_by_side(executor, parse(with_main(kPool)));
  EXPECT_TRUE(kept->pairs.empty()) << "`takt exec` keeps the program's two threads";
  EXPECT_EQ(kept->already, 2U);
  ASSERT_EQ(kept->notes.size(), 1U);
  EXPECT_NE(sentences(kept->notes)[0].find("and its timers beside the others"), std::string::npos);
}

TEST(SideBySide, AnEarlierScheduleCountsAsBefore)
{
  const Schedule earlier =
    parse(with_main("parallel: true\nthreads: {a: {}, b: {}}\ndefault: a\n"
                    "callbacks:\n  - {match: \"/log:**\", threads: b}\n"));
  EXPECT_EQ(
    pairs(camera(), kPool, &earlier),
    (Strings{
      "/camera:timer(10ms) | /camera:sub(/b)", "/camera:sub(/a) | /camera:sub(/b)",
      "/log:sub(/c) | /log:sub(/c)"}));
}

// What only may have overlapped before is new: of two readings of the earlier schedule the one with
// less overlap counts.
TEST(SideBySide, AnEarlierScheduleCountsWithTheLeastThatItLetOverlap)
{
  AuditedExecutor executor = camera();
  executor.callbacks.resize(3);
  const std::string timer = "/camera:timer(10ms) | /camera:sub(/b)";
  const std::string other = "/camera:sub(/a) | /camera:sub(/b)";
  const std::string isolated =
    "threads: {main: {}}\ndefault: main\ngroups:\n"
    "  - {match: \"/camera:group(1)\", isolate: true}\n";
  // A single-threaded program of rclcpp kept to one callback at a time under the earlier schedule.
  const Schedule kept = parse(with_main(isolated));
  const Schedule parallel = parse(with_main("parallel: true\n" + isolated));
  EXPECT_EQ(pairs(executor, "parallel: true\n" + isolated, &kept), (Strings{timer, other}));
  EXPECT_EQ(pairs(executor, "parallel: true\n" + isolated, &parallel), Strings{});
  const auto audit = side_by_side(executor, parallel, &kept);
  ASSERT_EQ(audit->notes.size(), 1U);
  EXPECT_NE(sentences(audit->notes).front().find("has no `parallel: true`"), std::string::npos);
  executor.library = ClientLibrary::takt_rcl;
  EXPECT_EQ(pairs(executor, "parallel: true\n" + isolated, &kept), Strings{});
  // /camera:sub(/a) follows its group to thread a in programs of rclcpp only.
  executor.library = ClientLibrary::unknown;
  const Schedule ruled =
    parse(with_main("parallel: true\nthreads: {a: {}, b: {}}\ndefault: b\n"
                    "callbacks:\n  - {match: \"/camera:timer(*)\", threads: a}\n"));
  EXPECT_EQ(pairs(executor, "parallel: true\n" + kPool, &ruled), Strings{other});
}

TEST(SideBySide, AGroupThatRulesSpreadOverlapsWhereverItMay)
{
  const std::string spread =
    "parallel: true\nthreads: {a: {}, b: {}}\ndefault: b\ncallbacks:\n"
    "  - {match: \"/camera:timer(*)\", threads: a}\n"
    "  - {match: \"/camera:sub(/a)\", threads: b}\n"
    "  - {match: \"/camera:sub(/b)\", threads: b}\n";
  AuditedExecutor executor = camera();
  executor.library = ClientLibrary::rclcpp;
  executor.callbacks.back() = {
    "/camera:sub(/c)", Kind::subscription, "/camera:group(default)"};  // on a or on b
  const std::string timer = "/camera:timer(10ms) | /camera:sub(/b)";
  const std::string last = "/camera:sub(/b) | /camera:sub(/c)";
  EXPECT_EQ(pairs(executor, spread), (Strings{timer, last}));
  const Schedule earlier = parse(with_main(spread));
  EXPECT_EQ(
    pairs(
      executor, "parallel: true\n" + kPool + "callbacks:\n  - {match: \"/camera:**\"}\n", &earlier),
    (Strings{"/camera:sub(/a) | /camera:sub(/b)", last}));
}

TEST(SideBySide, TellsOfRulesThatNoExecutorOfTheProgramMatches)
{
  const std::string rules = kPool +
                            "callbacks:\n  - {match: \"/camera:**\"}\n  - {match: \"/log:**\"}\n"
                            "  - {match: \"/own:service(**)\"}\n  - {match: \"/slip:**\"}\n"
                            "groups:\n  - {match: \"/camera:group(2)\", isolate: true}\n";
  AuditedExecutor first = camera();
  first.callbacks.resize(3);
  first.background = {{"/own:service(/get)", Kind::service, "/own:group(default)"}};
  AuditedExecutor second = camera();
  second.callbacks.erase(second.callbacks.begin(), second.callbacks.begin() + 3);
  std::vector<Audit> audits{
    side_by_side(first, parse(with_main(rules))).value(),
    side_by_side(second, parse(with_main(rules))).value()};
  ASSERT_EQ(audits[1].unmatched.size(), 1U);
  EXPECT_EQ(audits[1].unmatched[0].rules.size(), 4U);
  keep_unmatched_by_all(audits);
  const Strings left = sentences(audits[0].unmatched.at(0).rules);
  ASSERT_EQ(left.size(), 2U) << (left.empty() ? "" : left[0]);
  EXPECT_NE(left[0].find("'/slip:**' matches no callback"), std::string::npos);
  EXPECT_NE(left[1].find("'/camera:group(2)' matches no callback group"), std::string::npos);
  EXPECT_TRUE(audits[1].unmatched.at(0).rules.empty());
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
  executor.is_pool = true;  // of one thread: takt does not keep that
  EXPECT_EQ(pairs(executor, rule), kAcrossGroups);
  executor.is_pool = false;
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
  // The timer is on b, its taken input too, and only /camera:sub(/a) of the timer's own group is on
  // a.
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

// As takt_rclcpp chooses: a schedule with rules for groups only is for every program.
TEST(SideBySide, AScheduleWithoutRulesForCallbacksIsForAnyProgram)
{
  AuditedExecutor executor = camera();
  executor.callbacks.resize(3);
  executor.library = ClientLibrary::rclcpp;
  EXPECT_EQ(
    pairs(
      executor,
      "parallel: true\nthreads: {main: {}}\ndefault: main\ngroups:\n"
      "  - {match: \"/camera:group(1)\", isolate: true}\n"),
    (Strings{"/camera:timer(10ms) | /camera:sub(/b)", "/camera:sub(/a) | /camera:sub(/b)"}));
}

TEST(SideBySide, RefusesAnUnknownExecutor)
{
  EXPECT_FALSE(side_by_side(camera(), parse(with_main(kPool)), nullptr, "mian").ok());
}

}  // namespace
}  // namespace takt_schedule
