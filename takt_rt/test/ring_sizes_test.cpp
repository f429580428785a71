// The memory that the guard takes for the page faults of one thread.
#include "../guard/ring_sizes.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace takt_guard::test
{
namespace
{

// The kernel puts a page before each ring.
std::uint64_t kb_of(const RingSizes & sizes)
{
  const std::uint64_t stacks = sizes.stacks == 0 ? 0 : kPage + sizes.stacks;
  return (kPage + sizes.faults + stacks) / 1024;
}

TEST(RingSizes, leave_room_for_forty_threads)
{
  constexpr std::uint64_t kOfTwoCores = 1032;  // perf_event_mlock_kb is 516 by default
  constexpr std::uint64_t kOfOneCore = 516;
  EXPECT_LE(40 * kb_of(ring_sizes(kOfTwoCores)), kOfTwoCores);
  EXPECT_LE(40 * kb_of(ring_sizes(kOfOneCore)), kOfOneCore);
  EXPECT_GT(ring_sizes(kOfTwoCores).stacks, 0U);
}

TEST(RingSizes, grow_with_the_memory_that_the_kernel_allows)
{
  RingSizes before = ring_sizes(0);
  EXPECT_EQ(before.stacks, 0U);
  for (std::uint64_t kb = 64; kb < (1U << 20U); kb *= 2) {
    const RingSizes now = ring_sizes(kb);
    EXPECT_GE(now.faults, before.faults) << kb;
    EXPECT_GE(now.stacks, before.stacks) << kb;
    EXPECT_EQ(now.faults & (now.faults - 1), 0U) << "not a power of two at " << kb;
    EXPECT_EQ(now.stacks & (now.stacks - 1), 0U) << "not a power of two at " << kb;
    before = now;
  }
  EXPECT_EQ(before.stacks, 16 * kPage);
}

TEST(RingSizes, ask_the_kernel_for_its_limit)
{
  EXPECT_GT(allowed_kb(), 0U);
}

}  // namespace
}  // namespace takt_guard::test
