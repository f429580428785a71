// The stack of free blocks: the real code in every interleaving. Beside its promise the test must
// reject a broken twin.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "support/promise.hpp"
#include "support/stepper.hpp"
#include "takt_rt/memory/block_pool.hpp"

namespace takt_rt::test
{
namespace
{

using Right = detail::FreeNumbers<SteppedWord>;

/// Broken: the head has no tag, so that a preempted `pop` takes a changed stack for the old one.
struct WithoutTag : Right
{
  using Right::Right;
  std::uint32_t pop() noexcept
  {
    std::uint64_t head = head_.load(std::memory_order_acquire);
    for (;;) {
      const auto top = static_cast<std::uint32_t>(head);
      if (top == kNone) {
        return kNone;
      }
      const std::uint32_t below = below_[top].load(std::memory_order_relaxed);
      if (head_.compare_exchange_weak(head, below)) {
        return top;
      }
    }
  }
  void push(std::uint32_t number) noexcept
  {
    std::uint64_t head = head_.load(std::memory_order_relaxed);
    do {
      below_[number].store(static_cast<std::uint32_t>(head), std::memory_order_relaxed);
    } while (!head_.compare_exchange_weak(head, number));
  }
};

/// Broken: reads the number below only once.
struct KeepsTheNumberBelow : Right
{
  using Right::Right;
  std::uint32_t pop() noexcept
  {
    std::uint64_t head = head_.load(std::memory_order_acquire);
    const auto first = static_cast<std::uint32_t>(head);
    const std::uint32_t below = first == kNone ? kNone : below_[first].load();
    for (;;) {
      const auto top = static_cast<std::uint32_t>(head);
      if (top == kNone) {
        return kNone;
      }
      if (head_.compare_exchange_weak(head, next_head(head, below))) {
        return top;
      }
    }
  }
};

/// One thread takes a block and gives it back; the other takes two, gives the first back and keeps
/// the second.
template <typename Numbers>
class Model
{
public:
  std::vector<std::function<void()>> threads()
  {
    return {
      [this] {
        const std::uint32_t own = take();
        give(own);
        give(take());
      },
      [this] {
        const std::uint32_t first = take();
        const std::uint32_t second = take();
        give(first);
        kept_ = second;
      }};
  }

  Promise at_end()
  {
    std::uint32_t left = 0;
    while (left < kCount + 1 && take() != Right::kNone) {
      ++left;
    }
    const std::uint32_t kept = kept_ == Right::kNone ? 0 : 1;
    if (twice_) {
      return {"two threads have one block"};
    }
    return left + kept == kCount ? Promise{} : Promise{"a block is lost"};
  }

private:
  static constexpr std::uint32_t kCount = 3;

  std::uint32_t take()
  {
    const std::uint32_t number = numbers_.pop();
    if (number < kCount) {
      twice_ = twice_ || taken_[number];
      taken_[number] = true;
    }
    return number;
  }
  void give(std::uint32_t number)
  {
    if (number < kCount) {
      taken_[number] = false;
      numbers_.push(number);
    }
  }

  Numbers numbers_{kCount};
  std::array<bool, kCount> taken_{};
  std::uint32_t kept_ = Right::kNone;
  bool twice_ = false;
};

template <typename Numbers>
Promise explored(std::size_t least_states = 0)
{
  Stepper stepper;
  Promise promise = stepper.explore<Model<Numbers>>(Weakness{});
  EXPECT_GE(stepper.states(), least_states);
  return promise;
}

TEST(PoolInterleavings, GiveEachBlockToOneThread)
{
  EXPECT_TRUE(explored<Right>(1000));
}

TEST(PoolInterleavings, RejectBrokenTwins)
{
  EXPECT_FALSE(explored<WithoutTag>());
  EXPECT_FALSE(explored<KeepsTheNumberBelow>());
}

}  // namespace
}  // namespace takt_rt::test
