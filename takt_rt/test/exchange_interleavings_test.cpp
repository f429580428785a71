// The slot protocol of Exchange, stepped through every interleaving of a writer and a reader.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <set>
#include <string>
#include <utility>

#include "takt_rt/exchange.hpp"

namespace takt_rt
{
namespace
{

/// Replaces std::atomic where only one step runs at a time; copyable, so that states can be stored.
struct PlainWord
{
  std::uint8_t value = 0;
  std::uint8_t exchange(std::uint8_t next, std::memory_order) noexcept
  {
    return std::exchange(value, next);
  }
  std::uint8_t load(std::memory_order) const noexcept { return value; }
};

using RightSwap = detail::SlotSwap<PlainWord>;

/// Broken: the writer keeps using the slot that it has just offered.
struct KeepsItsSlot : RightSwap
{
  std::size_t writer_slot() const noexcept { return 0; }
};

/// Broken: the reader swaps without an offer, and gets an old value back.
struct TakesWithoutOffer : RightSwap
{
  bool has_offer() const noexcept { return true; }
};

/// Broken: the reader marks the offer as taken but leaves its slot in the exchange, so the writer
/// gets it back while the reader looks at it.
struct SharesASlot
{
  std::size_t writer_slot() const noexcept { return writer; }
  std::size_t reader_slot() const noexcept { return reader; }
  bool has_offer() const noexcept { return (word & 4) != 0; }
  void offer() noexcept { writer = std::exchange(word, writer | 4) & 3; }
  void take() noexcept { reader = (word &= 3); }

  std::size_t writer = 0;
  std::size_t word = 1;
  std::size_t reader = 2;
};

/// A writer of `kWrites` two-part values and a reader of `kReads`, run step by step.
template <typename Swap>
class Model
{
public:
  /// Runs every interleaving from `state` on, each to its end or its first fault, which goes to
  /// `faults`; returns how many.
  static std::uint64_t explore(const Model & state, std::set<std::string> & faults)
  {
    if (!state.fault_.empty()) {
      faults.insert(state.fault_);
      return 1;
    }
    std::uint64_t interleavings = 0;
    if (state.written_ < kWrites) {
      Model next = state;
      next.step_writer();
      interleavings += explore(next, faults);
    }
    if (state.read_ < kReads) {
      Model next = state;
      next.step_reader();
      interleavings += explore(next, faults);
    }
    return interleavings == 0 ? 1 : interleavings;
  }

private:
  static constexpr int kWrites = 3;
  static constexpr int kReads = 3;

  struct Value
  {
    int first = 0;
    int second = 0;
  };

  void step_writer()
  {
    switch (writer_step_++) {
      case 0:
        slots_[swap_.writer_slot()].first = written_ + 1;
        return;
      case 1:
        slots_[swap_.writer_slot()].second = written_ + 1;
        return;
      default:
        swap_.offer();
        ++written_;
        writer_step_ = 0;
    }
  }

  void step_reader()
  {
    switch (reader_step_++) {
      case 0:
        written_when_read_began_ = written_;
        is_new_ = swap_.has_offer();
        reader_step_ = is_new_ ? 1 : 2;
        return;
      case 1:
        swap_.take();
        return;
      case 2:
        seen_.first = slots_[swap_.reader_slot()].first;
        return;
      default:
        seen_.second = slots_[swap_.reader_slot()].second;
        judge();
        ++read_;
        reader_step_ = 0;
    }
  }

  void judge()
  {
    if (seen_.first != seen_.second) {
      fault_ = "torn";
    } else if (seen_.first < last_) {
      fault_ = "older than the value before";
    } else if (seen_.first < written_when_read_began_) {
      fault_ = "not the newest";
    } else if (is_new_ != (seen_.first != last_)) {
      fault_ = "wrong about being new";
    }
    last_ = seen_.first;
  }

  Swap swap_;
  std::array<Value, 3> slots_{};
  int written_ = 0;
  int writer_step_ = 0;
  int read_ = 0;
  int reader_step_ = 0;
  int written_when_read_began_ = 0;
  bool is_new_ = false;
  Value seen_{};
  int last_ = 0;
  std::string fault_;
};

template <typename Swap>
std::set<std::string> all_faults(std::uint64_t & interleavings)
{
  std::set<std::string> faults;
  interleavings = Model<Swap>::explore(Model<Swap>(), faults);
  return faults;
}

TEST(ExchangeInterleavings, AreAllRight)
{
  std::uint64_t interleavings = 0;
  EXPECT_EQ(all_faults<RightSwap>(interleavings), std::set<std::string>{});
  EXPECT_GT(interleavings, 50000U);
}

TEST(ExchangeInterleavings, RejectTheBrokenTwins)
{
  std::uint64_t interleavings = 0;
  EXPECT_EQ(all_faults<KeepsItsSlot>(interleavings).count("torn"), 1U);
  EXPECT_EQ(all_faults<SharesASlot>(interleavings).count("torn"), 1U);
  EXPECT_EQ(all_faults<TakesWithoutOffer>(interleavings).count("older than the value before"), 1U);
}

}  // namespace
}  // namespace takt_rt
