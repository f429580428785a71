// The callbacks of a sequence that wait for the end of an earlier one (sequence.hpp).
#ifndef TAKT_CORE__SRC__SEQUENCE_SLOTS_HPP_
#define TAKT_CORE__SRC__SEQUENCE_SLOTS_HPP_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "takt_core/detail/dispatch_step.hpp"
#include "takt_core/sequence.hpp"

namespace takt_core
{

class CallbackEntry;

/// One slot for each place of a sequence. One thread puts callbacks in, and takes them out; set-up
/// on other threads takes them out, too. The thread that takes a callback out owns its links, as
/// the thread that marked it queued did before. Lock-free.
template <
  typename Entry, typename Sync = detail::NativeSync,
  std::size_t kLength = SequencePlace::kMaxLength>
class BasicSequenceSlots
{
public:
  /// Whether a callback is in the slot. Exact for the thread that puts callbacks in, if it is not.
  bool full(std::uint32_t position) const noexcept
  {
    return slots_[position].load(std::memory_order_relaxed) != nullptr;
  }
  /// Puts the callback into its slot, which is not `full`. Only for the thread of the slots, so
  /// that this is no atomic step: set-up only empties slots.
  void put(std::uint32_t position, Entry & entry) noexcept
  {
    slots_[position].store(&entry, std::memory_order_release);
  }
  /// Takes the callback out of the slot; null: none, because set-up has taken it out. Only for the
  /// thread of the slots, in a DispatchStep. An atomic step only while set-up is `taking`.
  Entry * take(std::uint32_t position) noexcept
  {
    if (taking_.load(std::memory_order_acquire)) {
      return slots_[position].exchange(nullptr, std::memory_order_seq_cst);
    }
    Entry * const entry = slots_[position].load(std::memory_order_relaxed);
    slots_[position].store(nullptr, std::memory_order_relaxed);
    return entry;
  }

  // ---- set-up, one at a time ----

  /// Whether `entry` is in its slot. A hint.
  bool has(std::uint32_t position, const Entry & entry) const noexcept
  {
    return slots_[position].load(std::memory_order_seq_cst) == &entry;
  }
  /// Set-up may take callbacks out while this is true and no DispatchStep of the slots' thread is
  /// under way that began before.
  void set_taking(bool taking) noexcept { taking_.store(taking, std::memory_order_seq_cst); }
  /// Takes `entry` out of its slot. False: `entry` was not there.
  bool take(std::uint32_t position, Entry & entry) noexcept
  {
    Entry * expected = &entry;
    return slots_[position].compare_exchange_strong(
      expected, nullptr, std::memory_order_seq_cst, std::memory_order_relaxed);
  }

private:
  template <typename T>
  using Word = typename Sync::template Word<T>;

  Word<bool> taking_{false};
  std::array<Word<Entry *>, kLength> slots_{};
};

using SequenceSlots = BasicSequenceSlots<CallbackEntry>;

/// A thread's way through a sequence. Other threads use only the slots and the step.
struct alignas(64) SequenceWalk
{
  std::uint64_t ready = 0;    ///< bit i: the thread has put a callback into slot i
  std::uint64_t turn = 0;     ///< counts the callbacks that came into slots together
  std::uint8_t sequence = 0;  ///< the sequence's number
  bool graph = false;
  detail::DispatchStep<> step{};
  SequenceSlots slots{};
};

static_assert(SequencePlace::kMaxLength <= 64, "SequenceWalk::ready has a bit for each place");

}  // namespace takt_core

#endif  // TAKT_CORE__SRC__SEQUENCE_SLOTS_HPP_
