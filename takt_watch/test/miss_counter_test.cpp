// The counts of missed deadlines, compared with a second, simpler count.
#include "miss_counter.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <random>

namespace takt_watch
{
namespace
{

TEST(MissCounter, counts_all_of_them_and_the_longest_row)
{
  MissCounter counter;
  for (const bool missed : {true, true, false, true, true, true, false, true}) {
    counter.record(missed);
  }
  EXPECT_EQ(counter.responses(), 8U);
  EXPECT_EQ(counter.misses(), 6U);
  EXPECT_EQ(counter.consecutive(), 1U);
  EXPECT_EQ(counter.most_consecutive(), 3U);
}

TEST(MissCounter, keeps_the_worst_that_the_window_showed_for_whoever_looks_next)
{
  MissCounter counter;
  counter.set_window(5);
  for (int i = 0; i < 3; ++i) {
    counter.record(true);
  }
  for (int i = 0; i < 10; ++i) {
    counter.record(false);
  }
  EXPECT_EQ(counter.window().missed, 0U);
  EXPECT_EQ(counter.take_most(), 3U);
  EXPECT_EQ(counter.take_most(), 0U);
}

TEST(MissCounter, looks_at_the_last_responses_only)
{
  std::mt19937 random(7);
  for (const std::uint32_t of : {1U, 2U, 20U, 64U, 1000U}) {
    MissCounter counter;
    counter.set_window(of);
    std::deque<bool> last;
    for (int i = 0; i < 3000; ++i) {
      const bool missed = random() % 3 == 0;
      counter.record(missed);
      last.push_back(missed);
      if (last.size() > of) {
        last.pop_front();
      }
      ASSERT_EQ(counter.window().missed, std::count(last.begin(), last.end(), true)) << of;
      ASSERT_EQ(counter.window().of, of);
    }
  }
}

TEST(MissCounter, another_window_begins_anew_and_keeps_the_totals)
{
  MissCounter counter;
  counter.set_window(3);
  counter.record(true);
  counter.set_window(3);
  EXPECT_EQ(counter.window().missed, 1U);
  counter.set_window(4);
  EXPECT_EQ(counter.window().missed, 0U);
  EXPECT_EQ(counter.window().of, 4U);
  EXPECT_EQ(counter.misses(), 1U);
  counter.set_window(0);
  EXPECT_EQ(counter.window().of, 1U);
  counter.set_window(5000);
  EXPECT_EQ(counter.window().of, MissCounter::kMost);
}

TEST(MissCounter, clear_forgets_all_but_the_window)
{
  MissCounter counter;
  counter.set_window(5);
  counter.record(true);
  counter.clear();
  EXPECT_EQ(counter.responses() + counter.misses() + counter.most_consecutive(), 0U);
  EXPECT_EQ(counter.window().missed, 0U);
  EXPECT_EQ(counter.window().of, 5U);
}

}  // namespace
}  // namespace takt_watch
