#include "takt_schedule/wait_warnings.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "takt_schedule/parse.hpp"
#include "takt_schedule/parse_system.hpp"

namespace takt_schedule::test
{
namespace
{

/// The warnings for two timers on p and q that wait for two callbacks on `one` and `two`, one each.
std::vector<std::string> warnings(
  const std::string & one, const std::string & two, const std::string & group_of_b = "g2")
{
  const auto system = parse_system(
    R"yaml(version: 1
overheads: {}
hosts: {car: {cores: 2}}
groups: {"/a:group(g1)": mutually_exclusive, "/a:group(g2)": mutually_exclusive}
callbacks:
  - {id: "/a:timer(200ms)", group: "/a:group(g1)", time: 2ms, period: 200ms,
     waits_for: ["/w:service(/one)"]}
  - {id: "/b:timer(300ms)", group: "/a:group()yaml" +
      group_of_b + R"yaml()", time: 2ms, period: 300ms, waits_for: ["/w:service(/two)"]}
  - {id: "/w:service(/one)", time: 10ms}
  - {id: "/w:service(/two)", time: 10ms}
)yaml",
    "model.yaml");
  const auto schedule = parse_schedule(
    "version: 1\nexecutors:\n  main:\n    threads: {p: {}, q: {}, r: {}}\n    default: r\n"
    "    callbacks:\n"
    "      - {match: \"/a:timer(200ms)\", threads: p}\n"
    "      - {match: \"/b:timer(300ms)\", threads: q}\n"
    "      - {match: \"/w:service(/one)\", threads: " +
      one + "}\n      - {match: \"/w:service(/two)\", threads: " + two + "}\n",
    "schedule.yaml");
  EXPECT_TRUE(system.ok()) << to_string(system.faults().front());
  EXPECT_TRUE(schedule.ok()) << to_string(schedule.faults().front());
  return sentences(wait_warnings(*system, *schedule));
}

TEST(WaitWarnings, what_waits_and_what_it_waits_for_are_on_one_thread)
{
  const auto found = warnings("p", "r");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_NE(found.front().find("both on thread 'p': that wait never ends"), std::string::npos);
}

TEST(WaitWarnings, two_hold_the_thread_that_the_other_one_waits_for)
{
  const auto found = warnings("q", "p");
  ASSERT_EQ(found.size(), 2U);
  EXPECT_NE(
    found.front().find("'/w:service(/one)' runs on thread 'q', which runs of '/b:timer(300ms)' "
                       "hold while they wait"),
    std::string::npos)
    << found.front();
}

TEST(WaitWarnings, no_circle_no_warning)
{
  EXPECT_TRUE(warnings("r", "r").empty());
  EXPECT_TRUE(warnings("q", "r").empty());
  EXPECT_TRUE(warnings("[q, r]", "p").empty()) << "another thread of the pool is left";
  EXPECT_TRUE(warnings("q", "p", "g1").empty()) << "an exclusive group runs one of them at a time";
}

}  // namespace
}  // namespace takt_schedule::test
