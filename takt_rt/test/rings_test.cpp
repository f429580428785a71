#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <thread>
#include <vector>

#include "support/rounds.hpp"
#include "takt_rt/mpsc_ring.hpp"
#include "takt_rt/spsc_ring.hpp"

namespace takt_rt
{
namespace
{

template <typename Ring>
class Rings : public ::testing::Test
{
};
using Both = ::testing::Types<SpscRing<int>, MpscRing<int>>;
TYPED_TEST_SUITE(Rings, Both);

TYPED_TEST(Rings, GiveTheValuesInTheirOrder)
{
  TypeParam ring(4);
  int value = -1;
  EXPECT_FALSE(ring.try_pop(value));
  EXPECT_EQ(value, -1);
  for (int round = 0; round < 10; ++round) {
    for (int i = 0; i < 3; ++i) {
      EXPECT_TRUE(ring.try_push(10 * round + i));
    }
    for (int i = 0; i < 3; ++i) {
      ASSERT_TRUE(ring.try_pop(value));
      EXPECT_EQ(value, 10 * round + i);
    }
    EXPECT_FALSE(ring.try_pop(value));
  }
  EXPECT_EQ(ring.dropped(), 0U);
}

TYPED_TEST(Rings, DropWhatDoesNotFitAndCountIt)
{
  TypeParam ring(4);
  for (int i = 0; i < 4; ++i) {
    EXPECT_TRUE(ring.try_push(i));
  }
  EXPECT_FALSE(ring.try_push(4));
  EXPECT_FALSE(ring.try_push(5));
  EXPECT_EQ(ring.dropped(), 2U);
  int value = -1;
  ASSERT_TRUE(ring.try_pop(value));
  EXPECT_EQ(value, 0);
  EXPECT_TRUE(ring.try_push(6));
  for (const int expected : {1, 2, 3, 6}) {
    ASSERT_TRUE(ring.try_pop(value));
    EXPECT_EQ(value, expected);
  }
}

TEST(SpscRing, HasExactlyTheRoomThatItWasAskedFor)
{
  SpscRing<int> ring(3);
  EXPECT_EQ(ring.capacity(), 3U);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(ring.size(), static_cast<std::size_t>(i));
    EXPECT_TRUE(ring.try_push(i));
  }
  EXPECT_FALSE(ring.try_push(3));
  EXPECT_EQ(ring.size(), 3U);
  EXPECT_EQ(SpscRing<int>(0).capacity(), 1U);
  EXPECT_EQ(MpscRing<int>(3).capacity(), 4U);
  EXPECT_EQ(MpscRing<int>(1).capacity(), 2U);
}

TEST(MpscRing, HoldsValuesOfAnyAlignment)
{
  struct alignas(32) Small
  {
    char value;
  };
  struct alignas(128) Large
  {
    char value;
  };
  MpscRing<Small> small(2);
  MpscRing<Large> large(2);
  EXPECT_TRUE(small.try_push({'s'}));
  EXPECT_TRUE(large.try_push({'l'}));
  Small popped_small{};
  Large popped_large{};
  ASSERT_TRUE(small.try_pop(popped_small));
  ASSERT_TRUE(large.try_pop(popped_large));
  EXPECT_EQ(popped_small.value, 's');
  EXPECT_EQ(popped_large.value, 'l');
}

struct Wide
{
  std::array<std::uint64_t, 8> words;
};

TEST(SpscRing, LosesAndTearsNothingBetweenThreads)
{
  const std::uint64_t values = test::rounds(300000);
  SpscRing<Wide> ring(512);
  std::thread producer([&] {
    Wide wide{};
    for (std::uint64_t i = 1; i <= values;) {
      wide.words.fill(i);
      if (ring.try_push(wide)) {
        ++i;
      } else {
        std::this_thread::yield();
      }
    }
  });
  std::uint64_t faults = 0;
  Wide wide{};
  for (std::uint64_t expected = 1; expected <= values;) {
    if (!ring.try_pop(wide)) {
      std::this_thread::yield();
      continue;
    }
    for (const std::uint64_t word : wide.words) {
      faults += word != expected ? 1 : 0;
    }
    ++expected;
  }
  producer.join();
  EXPECT_EQ(faults, 0U);
  EXPECT_FALSE(ring.try_pop(wide));
}

TEST(MpscRing, KeepsTheOrderOfEachProducerAndCountsWhatItDrops)
{
  constexpr std::uint64_t kProducers = 3;
  const std::uint64_t values = test::rounds(100000);
  MpscRing<Wide> ring(512);
  std::array<std::uint64_t, kProducers> accepted{};
  std::vector<std::thread> producers;
  std::atomic<std::uint64_t> ended{0};
  for (std::uint64_t producer = 0; producer < kProducers; ++producer) {
    producers.emplace_back([&, producer] {
      std::uint64_t count = 0;
      Wide wide{};
      for (std::uint64_t i = 1; i <= values; ++i) {
        wide.words.fill(i * kProducers + producer);
        count += ring.try_push(wide) ? 1 : 0;
      }
      accepted[producer] = count;
      ++ended;
    });
  }
  std::array<std::uint64_t, kProducers> last{};
  std::array<std::uint64_t, kProducers> popped{};
  std::uint64_t faults = 0;
  Wide wide{};
  for (;;) {
    const bool complete = ended == kProducers;
    if (!ring.try_pop(wide)) {
      if (complete) {
        break;
      }
      std::this_thread::yield();
      continue;
    }
    const std::uint64_t first = wide.words[0];
    faults += static_cast<std::uint64_t>(std::count_if(
      wide.words.begin(), wide.words.end(), [&](auto word) { return word != first; }));
    faults += first <= last[first % kProducers] ? 1 : 0;
    last[first % kProducers] = first;
    ++popped[first % kProducers];
  }
  for (std::thread & producer : producers) {
    producer.join();
  }
  EXPECT_EQ(faults, 0U);
  EXPECT_EQ(popped, accepted);
  std::uint64_t all = ring.dropped();
  for (const std::uint64_t count : accepted) {
    all += count;
  }
  EXPECT_EQ(all, kProducers * values);
}

}  // namespace
}  // namespace takt_rt
