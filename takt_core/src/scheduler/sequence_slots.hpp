// The callbacks of a sequence that wait for the end of an earlier one (sequence.hpp).
#ifndef TAKT_CORE__SRC__SEQUENCE_SLOTS_HPP_
#define TAKT_CORE__SRC__SEQUENCE_SLOTS_HPP_

#include <array>
#include <atomic>
#include <cstdint>

#include "takt_core/sequence.hpp"

namespace takt_core
{

class CallbackEntry;

/// One slot for each place of a sequence. The thread that takes a callback out owns its links, as
/// the thread that marked it queued did before. Any thread; lock-free. A scheduler frees its slots
/// at its end.
class SequenceSlots
{
public:
  /// Puts the callback into its slot. False: another callback is there.
  bool put(std::uint32_t position, CallbackEntry & entry) noexcept
  {
    CallbackEntry * nobody = nullptr;
    return slots_[position].compare_exchange_strong(
      nobody, &entry, std::memory_order_seq_cst, std::memory_order_relaxed);
  }
  /// Takes the callback out of the slot; null: none, because set-up has taken it out.
  CallbackEntry * take(std::uint32_t position) noexcept
  {
    return slots_[position].exchange(nullptr, std::memory_order_seq_cst);
  }
  /// Takes `entry` out of its slot. False: `entry` was not there.
  bool take(std::uint32_t position, CallbackEntry & entry) noexcept
  {
    CallbackEntry * expected = &entry;
    return slots_[position].compare_exchange_strong(
      expected, nullptr, std::memory_order_seq_cst, std::memory_order_relaxed);
  }

private:
  std::array<std::atomic<CallbackEntry *>, SequencePlace::kMaxLength> slots_{};
};

/// A thread's way through a sequence. Only that thread uses it.
struct SequenceWalk
{
  SequenceSlots * slots = nullptr;
  bool graph = false;
  std::uint64_t ready = 0;  ///< bit i: the thread has put a callback into slot i
};

static_assert(SequencePlace::kMaxLength <= 64, "SequenceWalk::ready has a bit for each place");

}  // namespace takt_core

#endif  // TAKT_CORE__SRC__SEQUENCE_SLOTS_HPP_
