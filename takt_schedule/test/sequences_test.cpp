// `sequences`: what a file may say, the places that callbacks get, and what each mistake is told.
#include <gtest/gtest.h>

#include "schedule_text.hpp"
#include "takt_schedule/parse.hpp"
#include "takt_schedule/resolver.hpp"
#include "takt_schedule/to_yaml.hpp"

namespace takt_schedule
{
namespace
{

using takt_core::Kind;
using takt_core::SequencePlace;
using test::faults;
using test::parse;
using test::Strings;
using test::with_main;

const std::string kMain = "threads: {t: {}, u: {}}\ndefault: t\n";

std::string text(const std::string & sequences, const std::string & rest = "")
{
  return with_main(kMain + rest + "sequences: " + sequences + "\n");
}

// The fault without its place; with several faults, their number.
std::string fault(const std::string & sequences, const std::string & rest = "")
{
  const Strings all = faults(text(sequences, rest));
  return all.size() == 1 ? all.front().substr(all.front().find(' ') + 1)
                         : std::to_string(all.size());
}

TEST(Sequences, GiveEachCallbackItsPlace)
{
  const Schedule schedule =
    parse(text("[[\"/a:timer(10.0ms)\", \"/b:sub(/x)\"], [\"/c:sub(/y)\", \"/d:sub(/z)\"]]"));
  auto resolver = std::move(Resolver::create(schedule, "main").value());
  const auto place = [&](const char * id, Kind kind) {
    return resolver.resolve(id, kind)->binding.sequence;
  };
  EXPECT_EQ(place("/a:timer(10ms)", Kind::timer), (SequencePlace{0, 0}));
  EXPECT_EQ(place("/b:sub(/x)", Kind::subscription), (SequencePlace{0, 1}));
  EXPECT_EQ(place("/d:sub(/z)", Kind::waitable), (SequencePlace{1, 1}));
  EXPECT_FALSE(place("/e:sub(/z)", Kind::subscription));
  const takt_rt::Faults unmatched = resolver.unmatched_rules();
  ASSERT_EQ(unmatched.size(), 1U);
  EXPECT_NE(
    to_string(unmatched.front()).find("'/c:sub(/y)' of a sequence matches no callback"),
    std::string::npos);
  EXPECT_EQ(parse(to_yaml(schedule)), schedule);
}

TEST(Sequences, AGraphIsAMapWithOneList)
{
  const Schedule schedule = parse(
    text("[[\"/a:sub(/x)\", \"/b:sub(/x)\"], {graph: [\"/c:timer(10ms)\", \"/d:timer(10.0ms)\", "
         "\"/e:sub(/z)\"]}]"));
  auto resolver = std::move(Resolver::create(schedule, "main").value());
  const auto place = [&](const char * id, Kind kind) {
    return resolver.resolve(id, kind)->binding.sequence;
  };
  EXPECT_EQ(place("/b:sub(/x)", Kind::subscription), (SequencePlace{0, 1, false}));
  EXPECT_EQ(place("/d:timer(10ms)", Kind::timer), (SequencePlace{1, 1, true}));
  EXPECT_EQ(place("/e:sub(/z)", Kind::subscription), (SequencePlace{1, 2, true}));
  EXPECT_NE(to_yaml(schedule).find("- {graph: ["), std::string::npos) << to_yaml(schedule);
  EXPECT_EQ(parse(to_yaml(schedule)), schedule);
  EXPECT_NE(
    parse(text("[[\"/a:sub(/x)\", \"/b:sub(/x)\"]]")),
    parse(text("[{graph: [\"/a:sub(/x)\", \"/b:sub(/x)\"]}]")));
}

TEST(Sequences, CallbacksOfAGraphHaveOnePriority)
{
  const auto warnings = [](const std::string & callbacks) {
    Strings all = test::warnings(
      text("[{graph: [\"/a:sub(/x)\", \"/b:sub(/y)\", \"/c:sub(/z)\"]}]", callbacks));
    std::erase_if(all, [](const std::string & one) { return one.find("graph") == one.npos; });
    return all;
  };
  const Strings told = warnings(
    "order: priority\ncallbacks: [{match: \"/a:**\", priority: 3}, {match: \"/c:**\", priority: "
    "4}]\n");
  ASSERT_EQ(told.size(), 1U);
  EXPECT_NE(
    told.front().find("'/c:sub(/z)' has priority 4, and an earlier callback of its graph 3; the "
                      "order of a graph counts among callbacks of one priority"),
    std::string::npos)
    << told.front();
  EXPECT_TRUE(
    warnings("order: priority\ncallbacks: [{match: [\"/a:**\", \"/c:**\"], priority: 3}]\n")
      .empty());
}

TEST(Sequences, OfAnIsolatedGroupAreRefused)
{
  const Schedule schedule = parse(text("[[\"/a:sub(/x)\", \"/b:sub(/y)\"]]"));
  auto resolver = std::move(Resolver::create(schedule, "main").value());
  const auto resolved = resolver.resolve("/a:sub(/x)", Kind::subscription, true);
  ASSERT_FALSE(resolved);
  EXPECT_NE(
    to_string(resolved.faults().front())
      .find("'/a:sub(/x)' is in a sequence, and its group is "
            "isolated"),
    std::string::npos);
}

TEST(Sequences, MistakesAreNamed)
{
  EXPECT_EQ(
    fault("[[\"/a:sub(/x)\"]]"),
    "a sequence of fewer than two callbacks has no effect; add those that follow, or omit it");
  EXPECT_EQ(
    fault("[\"/a:sub(/x)\"]"),
    "a sequence is a list of callback ids, such as [\"/a:timer(10ms)\", \"/b:sub(/x)\"], or "
    "{graph: "
    "[...]} with such a list");
  EXPECT_EQ(
    fault("[{graph: \"/a:sub(/x)\"}]"),
    "a sequence is a list of callback ids, such as [\"/a:timer(10ms)\", \"/b:sub(/x)\"], or "
    "{graph: "
    "[...]} with such a list");
  EXPECT_EQ(
    fault("[{graph: [\"/a:sub(/x)\"]}]"),
    "a graph of fewer than two callbacks has no effect; add those that follow, or omit it");
  EXPECT_EQ(
    fault("[{grpah: [\"/a:sub(/x)\", \"/b:sub(/y)\"]}]"),
    "unknown key 'grpah' in a sequence; did you mean 'graph'?");
  EXPECT_EQ(
    fault("{hot: [\"/a:sub(/x)\"]}"),
    "sequences must be a list of sequences, and each of them a list of callback ids, such as "
    "[\"/a:timer(10ms)\", \"/b:sub(/x)\"], or {graph: [...]} with such a list");
  EXPECT_EQ(
    fault("[[\"/a:sub(/x)\", \"/b:sub(*)\"]]"),
    "sequences name exact ids, and '/b:sub(*)' is a pattern");
  EXPECT_EQ(
    fault("[[\"/a:sub(/x)\", \"/b\"]]"),
    "'/b' is not a callback id; ids look like '/node:timer(100ms)'");
  EXPECT_EQ(
    fault("[[\"/a:sub(/x)\", \"/b:timer(10ms)\"]]"),
    "time releases '/b:timer(10ms)', and no callback of the sequence does; a timer can only be the "
    "first");
  EXPECT_NE(
    fault("[[\"/a:sub(/x)\", \"/b:sub(/y)\"], [\"/c:sub(/z)\", \"/b:sub(/y)\"]]")
      .find("'/b:sub(/y)' is in a sequence already, on line "),
    std::string::npos);
}

TEST(Sequences, CallbacksShareThreadsAndTrigger)
{
  const std::string both = "[[\"/a:sub(/x)\", \"/b:sub(/y)\"]]";
  EXPECT_EQ(
    fault(both, "callbacks: [{match: \"/b:**\", threads: u}]\n"),
    "'/b:sub(/y)' runs on threads u, and '/a:sub(/x)' on t; callbacks of a sequence share their "
    "threads");
  EXPECT_TRUE(
    faults(text(both, "callbacks: [{match: [\"/a:**\", \"/b:**\"], threads: u}]\n")).empty());
  EXPECT_NE(
    fault(both, "callbacks: [{match: \"/b:sub(/y)\", trigger: false}]\n")
      .find("so it has no place in a sequence"),
    std::string::npos);
  for (const char * order : {"window", "stock"}) {
    EXPECT_EQ(
      fault(both, std::string("order: ") + order + "\n"),
      std::string("order '") + order +
        "' is ROS 2's own, and a sequence would change it; use order priority, fifo or edf");
  }
}

}  // namespace
}  // namespace takt_schedule
