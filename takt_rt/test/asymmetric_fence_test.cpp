// The fence whose cost lies on one side: two threads that each write a word and read the other's.
#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <thread>

#include "takt_rt/asymmetric_fence.hpp"

namespace takt_rt
{
namespace
{

TEST(AsymmetricFence, at_least_one_of_two_threads_sees_the_other)
{
  if (!has_heavy_fence()) {
    GTEST_SKIP() << "the kernel has no membarrier(2)";
  }
  constexpr std::uint32_t kRounds = 20'000;
  std::atomic<std::uint32_t> light_word{0};
  std::atomic<std::uint32_t> heavy_word{0};
  std::atomic<std::uint32_t> round{0};
  std::atomic<std::uint32_t> answered{0};
  std::uint32_t seen_by_light = 0;
  std::thread light([&] {
    for (std::uint32_t i = 1; i <= kRounds; ++i) {
      while (round.load(std::memory_order_acquire) != i) {
        std::this_thread::yield();
      }
      light_word.store(i, std::memory_order_relaxed);
      light_fence();
      seen_by_light = heavy_word.load(std::memory_order_relaxed);
      answered.store(i, std::memory_order_release);
    }
  });
  std::uint32_t missed = 0;
  for (std::uint32_t i = 1; i <= kRounds; ++i) {
    round.store(i, std::memory_order_release);
    heavy_word.store(i, std::memory_order_relaxed);
    heavy_fence();
    const std::uint32_t seen_by_heavy = light_word.load(std::memory_order_relaxed);
    while (answered.load(std::memory_order_acquire) != i) {
      std::this_thread::yield();
    }
    missed += seen_by_heavy != i && seen_by_light != i ? 1 : 0;
  }
  light.join();
  EXPECT_EQ(missed, 0U);
}

TEST(AsymmetricFence, keeps_errno)
{
  errno = EDOM;
  if (has_heavy_fence()) {
    heavy_fence();
  }
  EXPECT_EQ(errno, EDOM);
}

}  // namespace
}  // namespace takt_rt
