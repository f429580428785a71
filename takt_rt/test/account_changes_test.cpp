// Differences between two readings of kernel accounts, made up by hand.
#include <gtest/gtest.h>

#include "takt_rt/kernel_accounts.hpp"

namespace takt_rt
{
namespace
{

ThreadAccount made_up(pid_t tid, std::uint64_t started, std::uint64_t switches)
{
  ThreadAccount account;
  account.tid = tid;
  account.started = started;
  account.counters.cpu_time = Duration{static_cast<std::int64_t>(10 * switches)};
  account.counters.voluntary_switches = switches;
  return account;
}

TEST(ChangesBetween, SubtractsWhatStayed)
{
  const auto changes = changes_between({made_up(1, 100, 5)}, {made_up(1, 100, 12)});
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].presence, Presence::stayed);
  EXPECT_EQ(changes[0].account.counters.voluntary_switches, 7U);
  EXPECT_EQ(changes[0].account.counters.cpu_time, Duration{70});
}

TEST(ChangesBetween, TellsThreadsThatCameAndWent)
{
  const auto changes =
    changes_between({made_up(1, 100, 5), made_up(3, 100, 5)}, {made_up(2, 200, 4)});
  ASSERT_EQ(changes.size(), 3U);
  EXPECT_EQ(changes[0].presence, Presence::went);
  EXPECT_EQ(changes[0].account.tid, 1);
  EXPECT_EQ(changes[0].account.counters, ThreadCounters{});
  EXPECT_EQ(changes[1].presence, Presence::came);
  EXPECT_EQ(changes[1].account.counters.voluntary_switches, 4U);
  EXPECT_EQ(changes[2].presence, Presence::went);
  EXPECT_EQ(changes[2].account.tid, 3);
}

TEST(ChangesBetween, TakesAReusedIdForAnotherThread)
{
  const auto changes = changes_between({made_up(1, 100, 50)}, {made_up(1, 200, 4)});
  ASSERT_EQ(changes.size(), 2U);
  EXPECT_EQ(changes[0].presence, Presence::went);
  EXPECT_EQ(changes[1].presence, Presence::came);
  EXPECT_EQ(changes[1].account.counters.voluntary_switches, 4U);
}

TEST(ChangesBetween, NeverGoesBelowZero)
{
  const auto changes = changes_between({made_up(1, 100, 5)}, {made_up(1, 100, 4)});
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].account.counters, ThreadCounters{});
}

}  // namespace
}  // namespace takt_rt
