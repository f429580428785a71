// `topics:`: what a file may say, which rule decides, and what each mistake is told.
#include <gtest/gtest.h>

#include <string>

#include "schedule_text.hpp"
#include "takt_schedule/to_yaml.hpp"
#include "takt_schedule/topic_rules.hpp"

namespace takt_schedule
{
namespace
{

using namespace std::chrono_literals;
using test::faults;
using test::parse;
using test::Strings;

// The entries of `topics` begin on line 7.
std::string with_topics(const std::string & entries)
{
  return test::with_main("threads: {t: {}}\ndefault: t\n") + "topics:\n" + entries;
}

TEST(Topics, TheMostSpecificRuleDecides)
{
  const TopicRules rules(
    parse(with_topics("  - {match: \"/camera/**\", transport: shared_memory}\n"
                      "  - match: [\"/camera/info\", \"/map\"]\n"
                      "    transport: middleware\n"
                      "  - match: \"/camera/front/*\"\n"
                      "    transport: shared_memory\n"
                      "    copy_period: 100ms\n")));
  EXPECT_FALSE(rules.empty());
  const auto at = [&](const char * topic) { return *rules.find(topic); };
  EXPECT_EQ(at("/camera/rear/image")->transport, TopicTransport::shared_memory);
  EXPECT_EQ(at("/camera/rear/image")->copy_period, 0ms);
  EXPECT_EQ(at("/camera/front/image")->copy_period, 100ms);
  EXPECT_EQ(at("/camera/info")->transport, TopicTransport::middleware);
  EXPECT_EQ(at("/map")->transport, TopicTransport::middleware);
  EXPECT_EQ(at("/lidar"), nullptr);
  EXPECT_TRUE(TopicRules(parse(with_topics("  []\n"))).empty());
}

TEST(Topics, TwoRulesThatMatchEquallyWellAreAFault)
{
  const TopicRules rules(
    parse(with_topics("  - {match: \"/a/*\", transport: shared_memory}\n"
                      "  - {match: \"/*/b\", transport: middleware}\n")));
  EXPECT_EQ(
    sentences(rules.find("/a/b").faults()),
    Strings{"s.yaml:8:5: topic '/a/b' is matched equally well by '/a/*' (line 7) and '/*/b' (line "
            "8); make one of them more specific"});
  EXPECT_TRUE(rules.find("/a/c"));
}

TEST(Topics, AreWrittenAsTheyWereRead)
{
  const Schedule schedule =
    parse(with_topics("  - match: [\"/camera/image\", \"**/points\"]\n"
                      "    transport: shared_memory\n"
                      "    copy_period: 100ms\n"
                      "  - {match: \"/map\", transport: middleware}\n"));
  const std::string text = to_yaml(schedule);
  EXPECT_NE(text.find("copy_period: 100ms\n"), std::string::npos) << text;
  EXPECT_EQ(parse(text), schedule) << text;
  Schedule other = schedule;
  other.topics[1].transport = TopicTransport::shared_memory;
  EXPECT_FALSE(other == schedule);
}

TEST(Topics, NamesMistakes)
{
  EXPECT_EQ(
    faults(with_topics("  - {match: \"camera\", transport: shared_memory}\n"
                       "  - {match: \"/n:sub(/camera)\", transport: middleware}\n"
                       "  - {match: \"/a\", transport: shared}\n"
                       "  - {match: \"/b\"}\n"
                       "  - {transport: middleware}\n"
                       "  - {match: [\"/c\", \"/c\"], transport: middleware}\n"
                       "  - {match: \"/d\", transport: middleware, copy_period: 100ms}\n"
                       "  - {match: \"/e\", transport: shared_memory, copy_period: 0ms}\n"
                       "  - {match: \"/***\", transport: middleware}\n"
                       "  - /f\n"))
      .size(),
    10U);
  EXPECT_EQ(
    faults(with_topics("  - {match: camera, transport: shared_memory}\n")),
    Strings{"s.yaml:7:13: pattern 'camera' can match nothing, topics start with '/'; write "
            "'/camera' or '**/camera'"});
  EXPECT_EQ(
    faults(with_topics("  - {match: \"/n:sub(/camera)\", transport: middleware}\n")),
    Strings{"s.yaml:7:13: '/n:sub(/camera)' is not a topic; topics look like '/camera/image'"});
  EXPECT_EQ(
    faults(with_topics("  - {match: \"/d\", transport: middleware, copy_period: 100ms}\n")),
    Strings{
      "s.yaml:7:42: copy_period belongs to transport: shared_memory; the middleware gets each "
      "message otherwise"});
}

TEST(Topics, AProgramOfRclcppIsRefusedInOneSentence)
{
  EXPECT_TRUE(
    refuse_shared_memory(parse(with_topics("  - {match: \"/a\", transport: middleware}\n")))
      .empty());
  EXPECT_EQ(
    sentences(
      refuse_shared_memory(parse(with_topics("  - {match: \"/a\", transport: shared_memory}\n")))),
    Strings{"s.yaml:7:5: topic '/a' has transport: shared_memory, and takt does not replace the "
            "publishers of rclcpp; omit it, or write the nodes with takt_rcl"});
}

}  // namespace
}  // namespace takt_schedule
