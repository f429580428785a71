#include "system/publishing_warnings.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "takt_schedule/parse.hpp"
#include "takt_schedule/parse_system.hpp"

namespace takt_schedule::test
{
namespace
{

using Strings = std::vector<std::string>;

/// The warnings for a timer that publishes last to a subscription. The schedule has the pool `p` of
/// two threads, the thread `one`, and these lines.
Strings warnings(
  const std::string & lines, const std::string & key = ", publishes_last: true",
  const std::string & follow = "")
{
  const auto system = parse_system(
    "version: 1\noverheads: {}\nhosts: {car: {cores: 2}}\ncallbacks:\n"
    "  - {id: \"/a:timer(10ms)\", time: 1ms, period: 10ms, publishes: /x" +
      key +
      "}\n"
      "  - {id: \"/b:sub(/x)\", time: 1ms, triggers: /x}\n",
    "model.yaml");
  const auto schedule = parse_schedule(
    "version: 1\nexecutors:\n  main:\n    threads: {p: {count: 2" + follow +
      "}, one: {}}\n    default: p\n" + lines,
    "schedule.yaml");
  EXPECT_TRUE(system.ok()) << to_string(system.faults().front());
  EXPECT_TRUE(schedule.ok()) << to_string(schedule.faults().front());
  return sentences(publishing_warnings(*system, *schedule));
}

TEST(PublishingWarnings, APoolWakesAThreadForWhatThePublishersThreadCouldRun)
{
  EXPECT_EQ(
    warnings(""),
    (Strings{
      "model.yaml:5:5: '/a:timer(10ms)' publishes last, and shares the threads 'p' with "
      "'/b:sub(/x)': with publishes_last: true in a rule for it, its thread runs that callback and "
      "wakes no other thread for it"}));
}

TEST(PublishingWarnings, OthersHaveNone)
{
  const auto rule = [](const std::string & id, const std::string & key) {
    return "    callbacks: [{match: \"" + id + "\", " + key + "}]\n";
  };
  EXPECT_TRUE(warnings("", "").empty()) << "nobody knows that it publishes last";
  EXPECT_TRUE(warnings(rule("/a:timer(10ms)", "publishes_last: true")).empty());
  EXPECT_TRUE(warnings(rule("/b:sub(/x)", "threads: one")).empty()) << "another thread runs it";
  EXPECT_TRUE(warnings(rule("/**", "threads: one")).empty()) << "there is one thread";
  EXPECT_TRUE(warnings("    sequences: [[\"/a:timer(10ms)\", \"/b:sub(/x)\"]]\n").empty());
  EXPECT_TRUE(
    warnings("", ", publishes_last: true", ", policy: fifo, priority: 5, follow: true").empty())
    << "the key has no effect there";
}

}  // namespace
}  // namespace takt_schedule::test
