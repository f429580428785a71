// The rings: the real code in every interleaving. Beside each promise the test must reject broken
// twins.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "support/promise.hpp"
#include "support/stepped_value.hpp"
#include "support/stepper.hpp"
#include "takt_rt/mpsc_ring.hpp"
#include "takt_rt/spsc_ring.hpp"

namespace takt_rt::test
{
namespace
{

using RightSpsc = detail::SpscQueue<SteppedValue, SteppedWord>;
using RightMpsc = detail::MpscQueue<SteppedValue, SteppedWord>;

// ---- broken twins ----

/// The producer shows the value before it has written it.
struct SpscShowsFirst : RightSpsc
{
  using RightSpsc::RightSpsc;
  bool try_push(const SteppedValue & value) noexcept
  {
    if (written_ - head_.load(std::memory_order_acquire) == capacity_) {
      dropped_.store(++drops_, std::memory_order_relaxed);
      return false;
    }
    const std::uint64_t index = written_++;
    tail_.store(written_, std::memory_order_release);
    slots_[index & mask_] = value;
    return true;
  }
};

/// The consumer gives the slot back before it has copied the value.
struct SpscFreesFirst : RightSpsc
{
  using RightSpsc::RightSpsc;
  bool try_pop(SteppedValue & value) noexcept
  {
    if (read_ == tail_.load(std::memory_order_acquire)) {
      return false;
    }
    const std::uint64_t index = read_++;
    head_.store(read_, std::memory_order_release);
    value = slots_[index & mask_];
    return true;
  }
};

/// The producer counts no drop.
struct SpscForgetsDrops : RightSpsc
{
  using RightSpsc::RightSpsc;
  std::uint64_t dropped() const noexcept { return 0; }
};

/// A producer takes its index without compare-and-swap.
struct MpscClaimsTwice : RightMpsc
{
  using RightMpsc::RightMpsc;
  bool try_push(const SteppedValue & value) noexcept
  {
    const std::uint64_t index = tail_.load(std::memory_order_relaxed);
    if (slots_[index & mask_].turn.load(std::memory_order_acquire) != index) {
      dropped_.fetch_add(1, std::memory_order_relaxed);
      return false;
    }
    tail_.store(index + 1, std::memory_order_relaxed);
    slots_[index & mask_].value = value;
    slots_[index & mask_].turn.store(index + 1, std::memory_order_release);
    return true;
  }
};

/// A producer ends its turn before it has written the value.
struct MpscShowsFirst : RightMpsc
{
  using RightMpsc::RightMpsc;
  bool try_push(const SteppedValue & value) noexcept
  {
    std::uint64_t index = 0;
    if (!claim(index)) {
      return false;
    }
    slots_[index & mask_].turn.store(index + 1, std::memory_order_release);
    slots_[index & mask_].value = value;
    return true;
  }
};

/// The consumer ends the slot's turn before it has copied the value.
struct MpscFreesFirst : RightMpsc
{
  using RightMpsc::RightMpsc;
  bool try_pop(SteppedValue & value) noexcept
  {
    Slot & slot = slots_[read_ & mask_];
    if (slot.turn.load(std::memory_order_acquire) != read_ + 1) {
      return false;
    }
    slot.turn.store(read_ + mask_ + 1, std::memory_order_release);
    value = slot.value;
    ++read_;
    return true;
  }
};

// ---- the model ----

/// `Producers` threads push `Values` values each; one thread pops what it finds in two attempts.
template <typename Queue, std::size_t Producers, std::size_t Values>
class Model
{
public:
  static constexpr std::size_t kAll = Producers * Values;
  static constexpr std::size_t kAttempts = 2;

  explicit Model(std::size_t capacity) : queue_(capacity)
  {
    for (std::size_t i = 0; i < kAll; ++i) {
      const std::uint64_t name = i + 1;  // ascending for each producer
      pushed_[i].first.store(name);
      pushed_[i].second.store(name);
    }
  }

  std::vector<std::function<void()>> threads()
  {
    std::vector<std::function<void()>> all;
    for (std::size_t producer = 0; producer < Producers; ++producer) {
      all.emplace_back([this, producer] {
        for (std::size_t i = 0; i < Values; ++i) {
          accepted_[producer] += queue_.try_push(pushed_[producer * Values + i]) ? 1 : 0;
        }
      });
    }
    all.emplace_back([this] {
      for (std::size_t i = 0; i < kAttempts; ++i) {
        pop();
      }
    });
    return all;
  }

  Promise at_end()
  {
    while (pop()) {
    }
    std::uint64_t accepted = 0;
    for (const std::uint64_t count : accepted_) {
      accepted += count;
    }
    if (torn_) {
      return {"torn"};
    }
    if (accepted + queue_.dropped() != kAll) {
      return {"a drop is not counted"};
    }
    if (popped_count_ != accepted) {
      return {"a value is lost or came twice"};
    }
    std::array<std::uint64_t, Producers> last{};
    for (std::size_t i = 0; i < popped_count_; ++i) {
      const std::uint64_t name = popped_[i];
      if (name < 1 || name > kAll) {
        return {"a value that no thread pushed"};
      }
      std::uint64_t & before = last[(name - 1) / Values];
      if (name <= before) {
        return {"out of order, or twice"};
      }
      before = name;
    }
    return {};
  }

private:
  bool pop()
  {
    if (popped_count_ == kAll || !queue_.try_pop(value_)) {
      return false;
    }
    const std::uint64_t first = value_.first.load(std::memory_order_relaxed);
    torn_ = torn_ || first != value_.second.load(std::memory_order_relaxed);
    popped_[popped_count_++] = first;
    return true;
  }

  Queue queue_;
  std::array<SteppedValue, kAll> pushed_;
  SteppedValue value_;
  std::array<std::uint64_t, Producers> accepted_{};
  std::array<std::uint64_t, kAll> popped_{};
  std::size_t popped_count_ = 0;
  bool torn_ = false;
};

template <typename Queue, std::size_t Producers, std::size_t Values>
Promise explored(std::size_t capacity, std::size_t least_states = 0)
{
  Stepper stepper;
  Promise promise = stepper.explore<Model<Queue, Producers, Values>>(Weakness{}, capacity);
  EXPECT_GE(stepper.states(), least_states) << stepper.states();
  return promise;
}

TEST(RingsInterleavings, TheSpscRingKeepsItsPromises)
{
  EXPECT_TRUE((explored<RightSpsc, 1, 4>(1, 200)));
  EXPECT_TRUE((explored<RightSpsc, 1, 4>(2, 200)));
  EXPECT_TRUE((explored<RightSpsc, 1, 4>(3, 200)));
}

TEST(RingsInterleavings, RejectBrokenTwinsOfTheSpscRing)
{
  EXPECT_FALSE((explored<SpscShowsFirst, 1, 4>(2)));
  EXPECT_FALSE((explored<SpscFreesFirst, 1, 4>(2)));
  EXPECT_EQ((explored<SpscForgetsDrops, 1, 4>(2)).fault, "a drop is not counted");
}

TEST(RingsInterleavings, TheMpscRingKeepsItsPromises)
{
  EXPECT_TRUE((explored<RightMpsc, 2, 2>(2, 10000)));
  EXPECT_TRUE((explored<RightMpsc, 1, 4>(2, 200)));
}

TEST(RingsInterleavings, RejectBrokenTwinsOfTheMpscRing)
{
  EXPECT_FALSE((explored<MpscClaimsTwice, 2, 2>(2)));
  EXPECT_FALSE((explored<MpscShowsFirst, 2, 2>(2)));
  EXPECT_FALSE((explored<MpscFreesFirst, 2, 2>(2)));
}

}  // namespace
}  // namespace takt_rt::test
