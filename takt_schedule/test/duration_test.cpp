#include "takt_schedule/duration.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <random>

namespace takt_schedule
{
namespace
{

using namespace std::chrono_literals;
using takt_rt::Duration;

Duration good(std::string_view text)
{
  const auto result = parse_duration(text);
  EXPECT_TRUE(result.ok()) << text << ": "
                           << (result.ok() ? "" : to_string(result.faults().front()));
  return result.ok() ? result.value() : Duration{-1};
}

std::string fault(std::string_view text)
{
  const auto faults = parse_duration(text).faults();
  EXPECT_EQ(faults.size(), 1U) << text;
  return faults.empty() ? "" : to_string(faults.front());
}

TEST(Duration, IsReadInEveryUnit)
{
  EXPECT_EQ(good("7ns"), 7ns);
  EXPECT_EQ(good("250us"), 250us);
  EXPECT_EQ(good("250\xc2\xb5s"), 250us);
  EXPECT_EQ(good("100ms"), 100ms);
  EXPECT_EQ(good("3s"), 3s);
  EXPECT_EQ(good("2min"), 2min);
  EXPECT_EQ(good("0s"), 0ns);
}

TEST(Duration, TakesFractions)
{
  EXPECT_EQ(good("2.5us"), 2500ns);
  EXPECT_EQ(good("33.333333ms"), 33333333ns);
  EXPECT_EQ(good("0.5min"), 30s);
  EXPECT_EQ(good("0.100000000000000000000ms"), 100us);
}

TEST(Duration, WithoutAUnitIsAFaultThatSaysWhatToWrite)
{
  EXPECT_EQ(fault("50"), "'50' has no unit; write 50ms (units are ns, us, ms, s and min)");
}

TEST(Duration, WithoutAUnitIsAFaultOnCommandLinesToo)
{
  EXPECT_EQ(
    to_string(parse_duration("0.5", "s").faults().front()),
    "'0.5' has no unit; write 0.5s (units are ns, us, ms, s and min)");
  EXPECT_EQ(*parse_duration("50ms", "s"), 50ms);
  for (const std::string text : {"", ".", "1.2.3", "-1", "fast", "999999999999", "0"}) {
    ASSERT_FALSE(parse_duration(text, "s").ok()) << text;
    const std::string words = to_string(parse_duration(text, "s").faults().front());
    EXPECT_EQ(words.find("'" + text + "' "), 0U) << words;
  }
}

TEST(Duration, OfAnUnknownUnitIsAFaultWithTheOneThatWasMeant)
{
  EXPECT_EQ(fault("50msec"), "'50msec' has the unknown unit 'msec'; did you mean 'ms'?");
  EXPECT_EQ(fault("1h"), "'1h' has the unknown unit 'h'; units are ns, us, ms, s and min");
}

TEST(Duration, ThatIsNoNumberIsAFault)
{
  EXPECT_EQ(fault("fast"), "'fast' is not a number with a unit; write for example 100ms");
  EXPECT_EQ(fault(""), "'' is not a number with a unit; write for example 100ms");
  EXPECT_EQ(fault("ms"), "'ms' is not a number with a unit; write for example 100ms");
  EXPECT_EQ(
    fault("\u0661\u0660s"), "'\u0661\u0660s' is not a number with a unit; write for example 100ms");
  EXPECT_EQ(fault("1.ms"), "'1.ms' has no digit after the point");
  EXPECT_EQ(fault("-5ms"), "'-5ms' is negative");
  EXPECT_EQ(fault("1e3ms"), "'1e3ms' has the unknown unit 'e3ms'; units are ns, us, ms, s and min");
}

TEST(Duration, WithASpaceIsAFaultThatSaysWhatToWrite)
{
  EXPECT_EQ(fault("10 s"), "'10 s' has a space in it; write '10s'");
  EXPECT_EQ(fault(" 100ms"), "' 100ms' has a space in it; write '100ms'");
}

TEST(Duration, ThatDoesNotFitIsAFault)
{
  EXPECT_EQ(fault("0.5ns"), "'0.5ns' is finer than 1ns");
  EXPECT_EQ(fault("1.0000000001s"), "'1.0000000001s' is finer than 1ns");
  EXPECT_EQ(
    fault("0.0000000000000000000000001min"), "'0.0000000000000000000000001min' is finer than 1ns");
  EXPECT_EQ(fault("9223372036854775808ns"), "'9223372036854775808ns' is too large");
  EXPECT_EQ(fault("9223372036855s"), "'9223372036855s' is too large");
  EXPECT_EQ(good("9223372036854775807ns"), Duration::max());
}

TEST(Duration, IsPrintedInTheLargestUnitThatGivesOneOrMore)
{
  EXPECT_EQ(print_duration(0ns), "0s");
  EXPECT_EQ(print_duration(1ns), "1ns");
  EXPECT_EQ(print_duration(2500ns), "2.5us");
  EXPECT_EQ(print_duration(100ms), "100ms");
  EXPECT_EQ(print_duration(33333333ns), "33.333333ms");
  EXPECT_EQ(print_duration(1500ms), "1.5s");
  EXPECT_EQ(print_duration(90s), "90s");
}

TEST(Duration, PrintedIsReadBackToTheSameValue)
{
  std::mt19937_64 random(1);
  for (int i = 0; i < 20000; ++i) {
    const Duration duration{static_cast<std::int64_t>(random() >> (1 + random() % 63))};
    ASSERT_EQ(good(print_duration(duration)), duration) << print_duration(duration);
  }
  EXPECT_EQ(good(print_duration(Duration::max())), Duration::max());
}

}  // namespace
}  // namespace takt_schedule
