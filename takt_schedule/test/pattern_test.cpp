#include "takt_schedule/pattern.hpp"

#include <gtest/gtest.h>

#include <random>
#include <regex>

namespace takt_schedule
{
namespace
{

TEST(Pattern, TellsWhetherANodeMayHaveACallbackThatItMatches)
{
  for (const char * text :
       {"/ns/a:timer(1s)", "/ns/*:timer(1s)", "/*/a:sub(/x)", "/ns/**", "/**:sub(/x)", "**", "/n**",
        "/ns/a**", "/ns/a:**", "/ns/**:timer(*)"}) {
    EXPECT_TRUE(may_match_callback_of(text, "/ns/a")) << text;
  }
  for (const char * text :
       {"/ns/b:timer(1s)", "/*:timer(1s)", "/ns/b**", "/ns/ab:**", "/ns/*/a:sub(/x)"}) {
    EXPECT_FALSE(may_match_callback_of(text, "/ns/a")) << text;
  }
}

bool matches(std::string_view pattern, std::string_view id)
{
  return Pattern::compile(pattern).value().match(id);
}

Specificity specificity(std::string_view pattern)
{
  return Pattern::compile(pattern).value().specificity();
}

TEST(Pattern, WithoutStarsMatchesOnlyItself)
{
  EXPECT_TRUE(matches("/lidar:timer(100ms)", "/lidar:timer(100ms)"));
  EXPECT_FALSE(matches("/lidar:timer(100ms)", "/lidar:timer(100ms)#2"));
  EXPECT_FALSE(matches("/lidar:timer(100ms)", "/lidar:timer(100m"));
  EXPECT_FALSE(matches("/a.b", "/axb")) << "a point is a point";
}

TEST(Pattern, OneStarStaysWithinASegment)
{
  EXPECT_TRUE(matches("/lidar/*:timer(*)", "/lidar/front:timer(2.5us)"));
  EXPECT_TRUE(matches("/li*r:timer(*)", "/lir:timer(1s)")) << "a star may stand for nothing";
  EXPECT_FALSE(matches("/lidar/*:timer(*)", "/lidar/a/b:timer(1s)"));
  EXPECT_FALSE(matches("/*", "/a:timer(1s)"));
  EXPECT_FALSE(matches("/a:sub(*)", "/a:sub(/points)")) << "the slash separates";
  EXPECT_TRUE(matches("/a:sub(/*)", "/a:sub(/points)"));
  EXPECT_FALSE(matches("/a:sub(/*)", "/a:sub(/ns/points)"));
}

TEST(Pattern, TwoStarsCrossSegments)
{
  EXPECT_TRUE(matches("**", "/a/b:sub(/c/d)#2"));
  EXPECT_TRUE(matches("**:sub(**)", "/a/b:sub(/c/d)"));
  EXPECT_FALSE(matches("**:sub(**)", "/a/b:timer(1s)"));
  EXPECT_TRUE(matches("/ns/**", "/ns/a:timer(1s)"));
}

TEST(Pattern, MustMatchTheWholeIdWithItsCollisionNumber)
{
  EXPECT_FALSE(matches("/a:timer(*)", "/a:timer(1s)#2"));
  EXPECT_TRUE(matches("/a:timer(*)*", "/a:timer(1s)#2"));
}

TEST(Pattern, OverNamesLetsOneStarCrossEverything)
{
  const auto pattern = Pattern::compile_name("dds.*").value();
  EXPECT_TRUE(pattern.match("dds.udp/7412:(x)"));
  EXPECT_FALSE(pattern.match("add.udp"));
  EXPECT_FALSE(pattern.match("dds"));
}

TEST(Pattern, ThatMakesNoSenseIsAFault)
{
  EXPECT_EQ(Pattern::compile("").faults().front(), "an empty pattern matches nothing");
  EXPECT_EQ(
    Pattern::compile("/a***b").faults().front(),
    "pattern '/a***b' has 3 stars in a row; '*' stays within one segment, '**' crosses");
  EXPECT_EQ(
    Pattern::compile_name("dds**").faults().front(),
    "pattern 'dds**' has 2 stars in a row; names have no segments, '*' stands for any characters");
  EXPECT_EQ(
    Pattern::compile("/a\nb").faults().front(), "pattern '/a\\nb' contains a control character");
}

TEST(Pattern, ExactIdsBeatPatternsAndMoreLiteralsBeatFewer)
{
  EXPECT_GT(specificity("/a"), specificity("/aaaaaaaaaaaa*"));
  EXPECT_GT(specificity("/lidar:timer(*)"), specificity("/lidar:**"));
  EXPECT_EQ(specificity("/a*"), specificity("/b**")) << "stars do not count";
  EXPECT_EQ(specificity("/a*").literals, 2U);
}

TEST(Pattern, CoversWhatItAlwaysTiesWith)
{
  const auto covers = [](std::string_view a, std::string_view b) {
    return Pattern::compile(a).value().covers(Pattern::compile(b).value());
  };
  EXPECT_TRUE(covers("/a/**", "/a/*"));
  EXPECT_FALSE(covers("/a/*", "/a/**"));
  EXPECT_TRUE(covers("/a*", "/a*"));
  EXPECT_FALSE(covers("/a*", "/a")) << "an exact id beats it";
  EXPECT_FALSE(covers("/a*", "/b*"));
}

// ---- against an independent implementation ----

std::string regex_of(const std::string & pattern)
{
  std::string result;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '*') {
      result += std::string("[") + pattern[i] + "]";
    } else if (i + 1 < pattern.size() && pattern[i + 1] == '*') {
      result += ".*";
      ++i;
    } else {
      result += "[^/:()]*";
    }
  }
  return result;
}

std::string random_text(std::mt19937 & random, std::string_view letters, std::size_t most)
{
  std::string text;
  for (std::size_t n = random() % (most + 1); n > 0; --n) {
    text += letters[random() % letters.size()];
  }
  return text;
}

TEST(Pattern, AgreesWithARegularExpressionOnRandomInput)
{
  std::mt19937 random(3);
  int matched = 0;
  int compared = 0;
  while (compared < 20000) {
    const std::string text = random_text(random, "ab/:(*.*", 7);
    const auto pattern = Pattern::compile(text);
    if (!pattern) {
      EXPECT_TRUE(text.empty() || text.find("***") != std::string::npos) << text;
      continue;
    }
    const std::regex regex(regex_of(text));
    for (int i = 0; i < 10; ++i, ++compared) {
      const std::string id = random_text(random, "ab/:(.", 7);
      const bool expected = std::regex_match(id, regex);
      matched += expected ? 1 : 0;
      ASSERT_EQ(pattern.value().match(id), expected) << text << " on " << id;
    }
  }
  EXPECT_GT(matched, 500) << "the inputs must not be all of one kind";
}

TEST(Pattern, CoveringMeansThatEveryMatchIsATie)
{
  std::mt19937 random(4);
  int covered = 0;
  for (int i = 0; i < 60000; ++i) {
    const auto one = Pattern::compile(random_text(random, "a/**", 4));
    const auto other = Pattern::compile(random_text(random, "a/**", 4));
    if (!one || !other || !one.value().covers(other.value())) {
      continue;
    }
    ++covered;
    const std::string id = random_text(random, "ab/", 5);
    if (other.value().match(id)) {
      ASSERT_TRUE(one.value().match(id)) << one.value().text() << other.value().text() << id;
      ASSERT_EQ(one.value().specificity(), other.value().specificity());
    }
  }
  EXPECT_GT(covered, 500);
}

}  // namespace
}  // namespace takt_schedule
