// One spelling of ids, whoever writes or reads them.
#include "takt_core/adapter/callback_ids.hpp"

#include <gtest/gtest.h>

#include <chrono>

#include "takt_rt/duration_text.hpp"

namespace takt_core::adapter::test
{

using takt_rt::print_duration;
using takt_rt::read_duration;

namespace
{

using namespace std::chrono_literals;

TEST(CallbackIds, ATimerIsNamedByItsPeriodInTheLargestUnit)
{
  EXPECT_EQ(timer_id("/front/lidar", 100ms), "/front/lidar:timer(100ms)");
  EXPECT_EQ(timer_id("/a", 2500us), "/a:timer(2.5ms)");
  EXPECT_EQ(timer_id("/a", 1500ms), "/a:timer(1.5s)");
  EXPECT_EQ(timer_id("/a", 33333333ns), "/a:timer(33.333333ms)");
  EXPECT_EQ(timer_id("/a", 0ns), "/a:timer(0s)");
}

TEST(CallbackIds, EveryDurationIsReadAsItIsPrinted)
{
  for (const Duration one :
       {1ns, 999ns, 1000ns, 2'500'000ns, 33'333'333ns, 60'000'000'000ns,
        9'223'372'036'854'775'807ns}) {
    EXPECT_EQ(read_duration(print_duration(one)), one);
  }
}

TEST(CallbackIds, OtherSpellingsOfAPeriodAreTheSameId)
{
  for (const char * text : {"2500us", "0.0025s", "2.50ms", "2500000ns", "2500\xc2\xb5s"}) {
    EXPECT_EQ(callback_id("/a", "timer", text), "/a:timer(2.5ms)") << text;
    EXPECT_EQ(normal_id("/a:timer(" + std::string(text) + ")"), "/a:timer(2.5ms)") << text;
    EXPECT_EQ(normal_id("/a:timer(" + std::string(text) + ")#2"), "/a:timer(2.5ms)#2") << text;
    EXPECT_EQ(normal_id("/ns/**:timer(" + std::string(text) + ")*"), "/ns/**:timer(2.5ms)*")
      << text;
  }
  EXPECT_EQ(normal_id("/a:timer(0.5min)"), "/a:timer(30s)");
  EXPECT_EQ(normal_id("/a:timer(1000ms)"), "/a:timer(1s)");
}

TEST(CallbackIds, NamesThatAreNoPeriodStay)
{
  for (const char * id :
       {"/a:timer(tick)", "/a:timer(*)", "/a:timer(10*)", "/a:timer(100)", "/a:timer(1.ms)",
        "/a:timer(.5s)", "/a:timer(0.0000000005s)", "/a:timer(0.00000000000000000001min)",
        "/a:timer(99999999999999999999s)", "/a:timer(200000000min)", "/a:timer(-1s)", "/a:timer()",
        "/a:timer(100ms", "/a:sub(/2500us)", "/a:group(2500us)", "**(2500us)", "", "(", ")("}) {
    EXPECT_EQ(normal_id(id), id);
  }
}

TEST(CallbackIds, EqualOnesAreNumbered)
{
  EXPECT_EQ(numbered("/a:timer(1s)", 1), "/a:timer(1s)");
  EXPECT_EQ(numbered("/a:timer(1s)", 2), "/a:timer(1s)#2");
}

}  // namespace
}  // namespace takt_core::adapter::test
