// Hands the latest value from one writer thread to one reader thread without a lock.
//
// For state that is overwritten instead of queued: set points, parameters, snapshots. Both sides
// are wait-free. The reader sees only whole values, never an older one after a newer one, and may
// skip values. `Exchange<T>` has three slots: the writer's, the reader's, and one that they swap.
// Neither side waits for the other or touches its slot.
#ifndef TAKT_RT__EXCHANGE_HPP_
#define TAKT_RT__EXCHANGE_HPP_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace takt_rt
{

namespace detail
{

/// Tracks the owner of each slot. Each function makes at most one access to the shared word, so
/// that a test can step through all interleavings; the test replaces the atomic `Word` by a plain
/// one.
template <typename Word = std::atomic<std::uint8_t>>
class SlotSwap
{
public:
  /// Writer: the slot to fill.
  std::size_t writer_slot() const noexcept { return writer_slot_; }

  /// Writer: offers the filled slot and takes back the slot that the reader does not hold. Release:
  /// the reader sees the filled value. Acquire: the reader has finished with the returned slot.
  void offer() noexcept
  {
    const auto offered = static_cast<std::uint8_t>(writer_slot_ | kFresh);
    writer_slot_ = word_.exchange(offered, std::memory_order_acq_rel) & kSlotMask;
  }

  /// Reader: whether the writer offered a slot since the last take().
  bool has_offer() const noexcept { return (word_.load(std::memory_order_relaxed) & kFresh) != 0; }

  /// Reader, only after has_offer(): the newest offer against the slot held so far.
  void take() noexcept
  {
    reader_slot_ = word_.exchange(reader_slot_, std::memory_order_acq_rel) & kSlotMask;
  }

  /// Reader: the slot to read.
  std::size_t reader_slot() const noexcept { return reader_slot_; }

private:
  static constexpr std::uint8_t kSlotMask = 3;
  static constexpr std::uint8_t kFresh = 4;  ///< the swapped slot was offered and not taken yet
  static constexpr std::size_t kCacheLine = 64;

  alignas(kCacheLine) std::uint8_t writer_slot_ = 0;
  alignas(kCacheLine) Word word_{1};
  alignas(kCacheLine) std::uint8_t reader_slot_ = 2;
};

}  // namespace detail

/// Holds the latest value of a trivially copyable type. One thread writes, and one thread reads.
template <typename T>
class Exchange
{
  static_assert(std::is_trivially_copyable_v<T>, "values are copied while the other side runs on");

public:
  /// The result of read(). The reference is valid until the reader's next read().
  struct Reading
  {
    const T & value;
    bool is_new;  ///< written since the previous read()
  };

  /// Set-up only. `initial` is what read() returns before the first write().
  explicit Exchange(const T & initial = T{}) { slots_.fill({initial}); }

  Exchange(const Exchange &) = delete;
  Exchange & operator=(const Exchange &) = delete;

  /// The writer thread only. Real-time safe and wait-free: one copy and one atomic exchange.
  void write(const T & value) noexcept
  {
    slots_[swap_.writer_slot()].value = value;
    swap_.offer();
  }

  /// The reader thread only. Real-time safe and wait-free: at most one atomic exchange, no copy.
  /// Acquires all writes of the writer before the write() whose value it returns.
  Reading read() noexcept
  {
    const bool is_new = swap_.has_offer();
    if (is_new) {
      swap_.take();
    }
    return {slots_[swap_.reader_slot()].value, is_new};
  }

private:
  struct alignas(64) Slot
  {
    T value;
  };

  std::array<Slot, 3> slots_;
  detail::SlotSwap<> swap_;
};

}  // namespace takt_rt

#endif  // TAKT_RT__EXCHANGE_HPP_
