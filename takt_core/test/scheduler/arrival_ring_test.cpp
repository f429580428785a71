// The ring of arrivals: the arrivals that it keeps, those that it counts as lost, and whole stamps
// under concurrent producers.
#include <gtest/gtest.h>

#include <thread>

#include "support/arrival.hpp"
#include "support/rounds.hpp"
#include "takt_core/detail/arrival_ring.hpp"

namespace takt_core::test
{

using takt_rt::from_ns;
using takt_rt::to_ns;

namespace
{

TEST(ArrivalRing, keeps_the_newest_and_counts_the_overwritten)
{
  for (const std::uint32_t depth : {1U, 2U, 3U, 10U}) {
    ArrivalRing ring(depth);
    Arrival arrival;
    EXPECT_FALSE(arrival.pop_from(ring));
    for (std::uint64_t i = 1; i <= 25; ++i) {
      ring.push(from_ns(static_cast<std::int64_t>(i)), i, nullptr);
    }
    EXPECT_EQ(ring.size(), depth);
    for (std::uint64_t i = 26 - depth; i <= 25; ++i) {
      Time ready;
      std::uint64_t sequence = 0;
      EXPECT_TRUE(ring.peek_stamp(ready, sequence));
      EXPECT_EQ(sequence, i);
      ASSERT_TRUE(arrival.pop_from(ring));
      EXPECT_EQ(arrival.sequence, i);
      EXPECT_EQ(to_ns(arrival.ready), static_cast<std::int64_t>(i));
    }
    EXPECT_TRUE(ring.empty());
    EXPECT_EQ(ring.overwritten(), 25U - depth);
  }
}

TEST(ArrivalRing, carries_activations)
{
  ArrivalRing ring(2);
  ActivationSet set;
  set.add({7, 3, from_ns(11)});
  set.add({8, 4, from_ns(12)});
  ring.push(from_ns(20), 1, &set);
  ring.push(from_ns(21), 2, nullptr);
  Arrival arrival;
  ASSERT_TRUE(arrival.pop_from(ring));
  EXPECT_TRUE(
    std::equal(set.begin(), set.end(), arrival.activations.begin(), arrival.activations.end()));
  ASSERT_TRUE(arrival.pop_from(ring));
  EXPECT_TRUE(arrival.activations.empty());
}

TEST(ArrivalRing, an_arrival_beside_it_is_the_oldest_and_counts)
{
  for (const std::uint32_t depth : {1U, 2U, 3U}) {
    ArrivalRing ring(depth);
    ActivationSet set;
    set.add({7, 3, from_ns(11)});
    ring.put_aside(from_ns(20), 5, &set, 9);
    EXPECT_FALSE(ring.empty());
    EXPECT_EQ(ring.size(), 1U);
    EXPECT_EQ(ring.arrived(), 1U);
    EXPECT_EQ(ring.oldest_stamp(), from_ns(20));
    EXPECT_EQ(ring.newest_stamp(), from_ns(20));
    EXPECT_EQ(ring.announced_by(from_ns(19)), 0U);
    EXPECT_EQ(ring.announced_by(from_ns(20)), 1U);
    for (std::uint64_t i = 1; i < depth; ++i) {
      ring.push(from_ns(20 + static_cast<std::int64_t>(i)), 5 + i, nullptr);
    }
    EXPECT_EQ(ring.size(), depth);
    EXPECT_EQ(ring.oldest_stamp(), from_ns(20));
    Time ready;
    std::uint64_t sequence = 0;
    EXPECT_TRUE(ring.peek_stamp(ready, sequence));
    EXPECT_EQ(sequence, 5U);
    Arrival arrival;
    ASSERT_TRUE(arrival.pop_from(ring));
    EXPECT_EQ(arrival.sequence, 5U);
    EXPECT_EQ(arrival.ready, from_ns(20));
    EXPECT_EQ(arrival.message, 9U);
    EXPECT_TRUE(
      std::equal(set.begin(), set.end(), arrival.activations.begin(), arrival.activations.end()));
    for (std::uint64_t i = 1; i < depth; ++i) {
      ASSERT_TRUE(arrival.pop_from(ring));
      EXPECT_EQ(arrival.sequence, 5 + i);
    }
    EXPECT_FALSE(arrival.pop_from(ring));
    EXPECT_TRUE(ring.empty());
    EXPECT_EQ(ring.arrived(), depth);
    EXPECT_EQ(ring.overwritten(), 0U);
  }
}

TEST(ArrivalRing, a_full_history_overwrites_the_arrival_beside_it_first)
{
  for (const std::uint32_t depth : {1U, 2U, 3U}) {
    ArrivalRing ring(depth);
    ring.put_aside(from_ns(1), 1, nullptr, 0);
    for (std::uint64_t i = 2; i <= depth + 3; ++i) {
      ring.push(from_ns(static_cast<std::int64_t>(i)), i, nullptr);
    }
    EXPECT_EQ(ring.size(), depth);
    EXPECT_EQ(ring.oldest_stamp(), from_ns(4));
    Arrival arrival;
    for (std::uint64_t i = 4; i <= depth + 3; ++i) {
      ASSERT_TRUE(arrival.pop_from(ring));
      EXPECT_EQ(arrival.sequence, i);
    }
    EXPECT_TRUE(ring.empty());
    EXPECT_EQ(ring.overwritten(), 3U);
    EXPECT_EQ(ring.arrived(), depth + 3U);
  }
}

// The message of the arrival beside the ring was replaced before its take.
TEST(ArrivalRing, a_run_of_the_arrival_beside_it_catches_up)
{
  ArrivalRing ring(1);
  ring.put_aside(from_ns(1), 1, nullptr, 101);
  Arrival arrival;
  ASSERT_TRUE(arrival.pop_from(ring));
  ring.push(from_ns(2), 2, nullptr, 102);
  ring.push(from_ns(3), 3, nullptr, 103);
  Time ready;
  ActivationSet carried;
  ASSERT_TRUE(ring.catch_up(arrival.index, 103, ready, carried));
  EXPECT_EQ(ready, from_ns(3));
  EXPECT_TRUE(ring.empty());
}

// Nobody named the message that replaced it. (The search for the name once went on below the first
// index, for ever.)
TEST(ArrivalRing, a_run_of_the_arrival_beside_it_finds_no_message_without_a_name)
{
  for (const std::uint32_t depth : {1U, 3U}) {
    ArrivalRing ring(depth);
    ring.put_aside(from_ns(1), 1, nullptr, 101);
    Arrival arrival;
    ASSERT_TRUE(arrival.pop_from(ring));
    for (std::uint32_t later = 0; later < depth + 1; ++later) {
      ring.push(from_ns(2 + later), 2 + later, nullptr, 0);
      Time ready;
      ActivationSet carried;
      EXPECT_FALSE(ring.catch_up(arrival.index, 109, ready, carried));
      EXPECT_EQ(ring.size(), std::min(later + 1, depth));
    }
    EXPECT_EQ(ring.overwritten(), 0U) << "an unsuccessful search counts nothing";
  }
}

TEST(ArrivalRing, the_arrival_beside_it_can_move_into_it)
{
  ArrivalRing ring(2);
  ring.put_aside(from_ns(1), 1, nullptr, 101);
  ring.push_aside();
  EXPECT_EQ(ring.arrived(), 1U);
  EXPECT_EQ(ring.pushed(), 1U);
  Arrival arrival;
  ASSERT_TRUE(arrival.pop_from(ring));
  EXPECT_EQ(arrival.message, 101U);
  EXPECT_EQ(arrival.index, 0U);
}

// Every word of an arrival is computed from one number, so a stamp mixed from two arrivals is
// noticed.
TEST(ArrivalRing, has_whole_stamps_and_exact_counts_under_concurrent_producers)
{
  for (const std::uint32_t depth : {1U, 4U}) {
    ArrivalRing ring(depth);
    constexpr std::uint32_t kProducers = 3;
    const std::uint64_t each = rounds(50'000);
    std::atomic<std::uint32_t> over{0};
    std::vector<std::thread> producers;
    for (std::uint32_t p = 0; p < kProducers; ++p) {
      producers.emplace_back([&, p] {
        for (std::uint64_t i = 1; i <= each; ++i) {
          const std::uint64_t n = i * kProducers + p;
          ActivationSet set;
          for (std::uint32_t k = 0; k < n % 4; ++k) {
            set.add({k + 1, static_cast<std::uint32_t>(n), from_ns(static_cast<std::int64_t>(n))});
          }
          ring.push(from_ns(static_cast<std::int64_t>(n)), n, &set);
        }
        over.fetch_add(1);
      });
    }
    std::uint64_t popped = 0, torn = 0;
    Arrival arrival;
    for (bool last = false; !last;) {
      last = over.load() == kProducers;
      while (arrival.pop_from(ring)) {
        ++popped;
        bool whole = arrival.sequence == 0 ||  // not readable: the caller stamps it
                     (to_ns(arrival.ready) == static_cast<std::int64_t>(arrival.sequence) &&
                      arrival.activations.size() == arrival.sequence % 4);
        for (const Activation & a : arrival.activations) {
          whole = whole && a.instance == static_cast<std::uint32_t>(arrival.sequence) &&
                  a.release == arrival.ready;
        }
        torn += whole ? 0 : 1;
      }
    }
    for (std::thread & producer : producers) {
      producer.join();
    }
    EXPECT_EQ(torn, 0U);
    EXPECT_EQ(popped + ring.overwritten(), kProducers * each);
    // A producer that is alone writes all slots, also those that were left without a stamp.
    for (std::uint64_t i = 1; i <= 10; ++i) {
      ring.push(from_ns(static_cast<std::int64_t>(i)), i, nullptr);
      ASSERT_TRUE(arrival.pop_from(ring));
      EXPECT_EQ(arrival.sequence, i);
    }
  }
}

}  // namespace
}  // namespace takt_core::test
