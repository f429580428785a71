// Each message is counted once, however announcements and takes meet.
#include "listen/outstanding.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <random>

namespace takt_rclcpp
{
namespace
{

constexpr std::uint32_t kHistory = 3;

struct Counted : testing::Test
{
  Counted() { outstanding.set_history(kHistory); }
  Outstanding outstanding;
};

TEST_F(Counted, a_message_that_is_taken_before_it_is_announced)
{
  outstanding.take_begins();
  outstanding.take_ends(false);
  outstanding.announced(1);
  outstanding.take_ends_empty(outstanding.take_begins());
  const auto counts = outstanding.counts();
  EXPECT_EQ(counts.arrivals, 1U);
  EXPECT_EQ(counts.overwritten, 0U);
  EXPECT_EQ(counts.waiting, 0U);
  EXPECT_EQ(outstanding.count(), 0U);
}

TEST_F(Counted, a_message_that_comes_into_a_full_history_while_one_is_taken)
{
  outstanding.announced(kHistory);
  outstanding.take_begins();
  outstanding.announced(1);
  outstanding.take_ends(false);
  EXPECT_EQ(outstanding.counts().waiting, kHistory);
  EXPECT_EQ(outstanding.counts().overwritten, 0U);
}

TEST_F(Counted, messages_that_come_while_a_take_finds_none)
{
  // All were overwritten by messages that are not announced yet.
  outstanding.announced(2 * kHistory);
  const auto before = outstanding.take_begins();
  outstanding.announced(2);
  outstanding.take_ends_empty(before);
  EXPECT_EQ(outstanding.counts().waiting, 2U);
  EXPECT_EQ(outstanding.counts().overwritten, 2U * kHistory);
}

// A history, its writer and its reader take their steps in any order.
TEST_F(Counted, any_order_of_steps)
{
  const char * const more = std::getenv("TAKT_TEST_ROUNDS");
  const int rounds = 3000 * (more == nullptr ? 1 : std::max(1, std::atoi(more)));
  std::mt19937 random(20260127);
  for (int round = 0; round < rounds; ++round) {
    Outstanding counted;
    counted.set_history(kHistory);
    std::uint64_t held = 0;
    std::uint64_t to_announce = 0;
    std::uint64_t written = 0;
    std::uint64_t overwritten = 0;
    std::uint64_t taken = 0;
    enum
    {
      idle,
      begun,
      found,
      empty
    } reader = idle;
    Outstanding::Before before{};
    const auto step_of_reader = [&] {
      switch (reader) {
        case idle:
          before = counted.take_begins();
          reader = begun;
          break;
        case begun:
          reader = held > 0 ? found : empty;
          taken += held > 0 ? 1 : 0;
          held -= held > 0 ? 1 : 0;
          break;
        case found:
          counted.take_ends(false);
          reader = idle;
          break;
        case empty:
          counted.take_ends_empty(before);
          reader = idle;
          break;
      }
    };
    for (int step = 0; step < 60; ++step) {
      switch (random() % 4) {
        case 0:
          overwritten += held == kHistory ? 1 : 0;
          held += held < kHistory ? 1 : 0;
          ++written;
          ++to_announce;
          break;
        case 1:
          counted.announced(to_announce);
          to_announce = 0;
          break;
        default:
          step_of_reader();
      }
    }
    counted.announced(to_announce);
    while (reader != idle || held > 0) {
      step_of_reader();
    }
    do {  // until a take finds no message
      step_of_reader();
    } while (reader != idle);
    const auto counts = counted.counts();
    ASSERT_EQ(written, taken + overwritten);
    ASSERT_EQ(counts.overwritten, overwritten) << "round " << round;
    ASSERT_EQ(counts.arrivals, written) << "round " << round;
    ASSERT_EQ(counts.waiting, 0U) << "round " << round;
    ASSERT_EQ(counted.count(), 0U) << "round " << round;
  }
}

}  // namespace
}  // namespace takt_rclcpp
