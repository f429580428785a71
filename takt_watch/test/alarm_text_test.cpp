// The sentences of alarms.
#include "alarms/alarm_text.hpp"

#include <gtest/gtest.h>

#include <string>

namespace takt_watch::test
{
namespace
{

TEST(AlarmText, AValueReadsAsMoreThanItsLimit)
{
  Alarm alarm;
  alarm.kind = AlarmKind::overrun;
  alarm.limit = 5e6;
  alarm.value = 5'002'000;
  EXPECT_NE(alarm_text(alarm).find("a run took 5.002 ms (budget 5 ms)"), std::string::npos)
    << alarm_text(alarm);
  alarm.value = 7'123'456;
  EXPECT_NE(alarm_text(alarm).find("a run took 7.12 ms (budget 5 ms)"), std::string::npos)
    << alarm_text(alarm);
}

}  // namespace
}  // namespace takt_watch::test
