// Logs of ThreadSanitizer, as its runtime of GCC 12 writes them with takt's options.
#include "exec/audit/race_log.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace takt_exec
{
namespace
{

constexpr const char * kLog = R"log(==================
WARNING: ThreadSanitizer: data race (pid=21077)
  Read of size 4 at 0x7b04000019d0 by thread T19 (mutexes: write M1):
    #0|0x5555|Store::operator|(int)|/src/store.cpp|39
    #1|0x7f5b36b00021|<null>|<null>|0

  Previous atomic write of size 4 at 0x7b04000019d0 by main thread:
    #0|0x6666|Store::take(int const&)|/src/store.cpp|40

  Location is heap block of size 4 at 0x7b04000019d0 allocated by main thread:
    #0|0x7777|operator new(unsigned long)|../libsanitizer/tsan/tsan_new_delete.cpp|64
    #1|0x8888|make()|/src/main.cpp|12

  Thread T19 'own' (tid=3, running) created by main thread at:
    #0|0x9999|pthread_create|../libsanitizer/tsan/tsan_interceptors_posix.cpp|1001

SUMMARY: ThreadSanitizer: data race /src/store.cpp:39 in Store::put()
==================
==================
WARNING: ThreadSanitizer: lock-order-inversion (potential deadlock) (pid=21077)
  Cycle in lock order graph: M1 (0x7b) => M2 (0x7c) => M1
SUMMARY: ThreadSanitizer: lock-order-inversion
==================
WARNING: ThreadSanitizer: data race (pid=21077)
  Write of size 4 at 0x55 by thread T1:
    #0|0x1|change()|a.cpp|32

  Previous read of size 4 at 0x55 by thread T2:
    [failed to restore the stack]

  Location is global 'g_shared' of size 4 at 0x55 (program+0x4064)

SUMMARY: ThreadSanitizer: data race a.cpp:32 in change()
)log";

TEST(RaceLog, ReadsRacesAndLeavesOutOtherFindings)
{
  std::istringstream log(kLog);
  const auto races = read_races(log);
  ASSERT_EQ(races.size(), 2U);
  const Race & first = races[0];
  ASSERT_EQ(first.accesses.size(), 2U);
  EXPECT_EQ(first.accesses[0].kind, "read");
  EXPECT_EQ(first.accesses[0].thread, "thread T19");
  ASSERT_EQ(first.accesses[0].stack.size(), 2U);
  EXPECT_EQ(first.accesses[0].stack[0].function, "Store::operator|(int)");
  EXPECT_EQ(first.accesses[0].stack[0].file, "/src/store.cpp");
  EXPECT_EQ(first.accesses[0].stack[0].line, 39);
  EXPECT_EQ(first.accesses[0].stack[1].address, 0x7f5b36b00021U);
  EXPECT_EQ(first.accesses[0].stack[1].function, "");
  EXPECT_EQ(first.accesses[1].kind, "atomic write");
  EXPECT_EQ(first.accesses[1].thread, "main thread");
  EXPECT_EQ(first.location, "heap block of size 4");
  ASSERT_EQ(first.allocation.size(), 2U);
  EXPECT_EQ(first.allocation[1].function, "make()");

  const Race & second = races[1];
  EXPECT_EQ(second.location, "global 'g_shared' of size 4");
  ASSERT_EQ(second.accesses.size(), 2U);
  EXPECT_EQ(second.accesses[0].kind, "write");
  EXPECT_TRUE(second.accesses[1].stack.empty());
}

TEST(RaceLog, ALogThatEndsInTheMiddleIsRead)
{
  for (std::size_t length = 0; length < std::string_view(kLog).size(); length += 7) {
    std::istringstream log(std::string(kLog, length));
    EXPECT_LE(read_races(log).size(), 2U);
  }
}

TEST(RaceLog, OptionsComeBehindThoseOfTheUser)
{
  const std::string options = race_options("suppressions=mine.txt", "/tmp/a b");
  EXPECT_EQ(options.find("suppressions=mine.txt log_path='/tmp/a b/races' "), 0U);
  EXPECT_TRUE(is_race_log("/tmp/a b/races.12", 12));
  EXPECT_FALSE(is_race_log("/tmp/a b/races.123", 12));
}

}  // namespace
}  // namespace takt_exec
