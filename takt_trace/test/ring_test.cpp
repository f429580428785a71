#include "recording/ring.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace takt_trace
{
namespace
{

using detail::Ring;

// All words of a record have the same number, so that a mixed record is visible.
Record numbered(std::int64_t number)
{
  return {number, RecordKind::instant, static_cast<std::uint32_t>(number), number, number, number};
}

bool whole(const Record & record)
{
  return record == numbered(record.time);
}

TEST(Ring, GivesWhatWasPushedInOrder)
{
  Ring ring(8);
  std::vector<Record> seen;
  for (std::int64_t i = 0; i < 20; ++i) {
    ring.push(numbered(i), false);
    if (i % 3 == 0) {
      ring.take(seen);
    }
  }
  ring.take(seen);
  ASSERT_EQ(seen.size(), 20U);
  for (std::int64_t i = 0; i < 20; ++i) {
    EXPECT_EQ(seen[static_cast<std::size_t>(i)], numbered(i));
  }
  EXPECT_EQ(ring.dropped(), 0U);
}

TEST(Ring, DropsAndCountsTheNewestWhenItIsFull)
{
  Ring ring(8);
  for (std::int64_t i = 0; i < 11; ++i) {
    ring.push(numbered(i), false);
  }
  EXPECT_EQ(ring.dropped(), 3U);
  std::vector<Record> seen;
  ring.take(seen);
  ASSERT_EQ(seen.size(), 8U);
  EXPECT_EQ(seen.back(), numbered(7));
  ring.push(numbered(11), false);
  seen.clear();
  ring.take(seen);
  EXPECT_EQ(seen, std::vector<Record>{numbered(11)});
}

TEST(Ring, KeepsTheLastOnesWhereItMayOverwrite)
{
  Ring ring(8);
  std::vector<Record> seen;
  EXPECT_FALSE(ring.copy_last(seen));
  for (std::int64_t i = 0; i < 5; ++i) {
    ring.push(numbered(i), true);
  }
  EXPECT_FALSE(ring.copy_last(seen)) << "nothing is lost";
  EXPECT_EQ(seen.size(), 5U);
  for (std::int64_t i = 5; i < 100; ++i) {
    ring.push(numbered(i), true);
  }
  seen.clear();
  EXPECT_TRUE(ring.copy_last(seen));
  ASSERT_EQ(seen.size(), 8U);
  EXPECT_EQ(seen.front(), numbered(92));
  EXPECT_EQ(seen.back(), numbered(99));
  ring.forget();
  seen.clear();
  EXPECT_FALSE(ring.copy_last(seen));
  EXPECT_TRUE(seen.empty());
}

// The writer overtakes the reader repeatedly.
TEST(Ring, NoReaderSeesATornRecord)
{
  for (const bool overwrite : {false, true}) {
    Ring ring(16);
    std::atomic<bool> end{false};
    std::thread writer([&] {
      for (std::int64_t i = 0; !end.load(std::memory_order_relaxed); ++i) {
        ring.push(numbered(i), overwrite);
      }
    });
    std::int64_t last = -1;
    std::size_t all = 0;
    for (int round = 0; round < 20000 || all < 1000; ++round) {
      std::vector<Record> seen;
      if (overwrite) {
        ring.copy_last(seen);
        last = -1;
      } else {
        ring.take(seen);
      }
      for (const Record & record : seen) {
        ASSERT_TRUE(whole(record)) << record.time;
        ASSERT_GT(record.time, last);
        last = record.time;
      }
      all += seen.size();
    }
    end.store(true);
    writer.join();
    EXPECT_GT(all, 0U);
  }
}

}  // namespace
}  // namespace takt_trace
