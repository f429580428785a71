// A callback's state between release and end, as one word: queued, closed, added, about to take,
// non-triggering, with inputs, under a condition, and its number of runs.
//
// A callback is queued at most once: the thread that sets kQueued owns the callback's links until
// its pick. A source announces first and then tries to queue; a run clears kQueued first and then
// looks for more announcements. Both are sequentially consistent, so no announcement is left
// behind.
#ifndef TAKT_CORE__DETAIL__CALLBACK_STATE_HPP_
#define TAKT_CORE__DETAIL__CALLBACK_STATE_HPP_

#include <atomic>
#include <cstdint>

#include "takt_core/detail/sync.hpp"

namespace takt_core::detail
{

template <typename Sync = NativeSync>
class CallbackState : public Sync::template Word<std::uint32_t>
{
public:
  static constexpr std::uint32_t kQueued = 1;  ///< in an intake, a ready queue, or parked
  static constexpr std::uint32_t kClosed = 2;  ///< being removed: must not be queued again
  static constexpr std::uint32_t kAdded = 4;   ///< belongs to a scheduler
  /// A run of a reentrant callback has not taken yet; no other run may start.
  static constexpr std::uint32_t kTaking = 8;
  static constexpr std::uint32_t kNonTriggering = 16;  ///< no message queues it; see NonTriggering
  /// Its start takes messages of non-triggering callbacks.
  static constexpr std::uint32_t kInputs = 32;
  static constexpr std::uint32_t kConditional = 64;  ///< its group's condition queues it
  /// One run in the count of runs. A run counts from `Scheduler::next` to `Scheduler::complete`.
  static constexpr std::uint32_t kRun = 128;
  static constexpr std::uint32_t kMarks = kRun - 1;

  CallbackState() : Sync::template Word<std::uint32_t>(0) {}

  /// Sets kQueued and returns true, except if the callback is queued, is closed, is not added yet
  /// (`add` looks at the arrivals at its end), has a take under way (`taken` looks then), does not
  /// trigger, or waits for its group's condition.
  bool mark_queued() noexcept
  {
    return mark(kQueued | kClosed | kTaking | kNonTriggering | kConditional);
  }

  /// As `mark_queued`, for a callback with a message that the condition has released.
  bool mark_released() noexcept { return mark(kQueued | kClosed | kTaking | kNonTriggering); }

  /// Starts a queued callback in one step: counts a run, clears kQueued and, if `taking`, sets
  /// kTaking.
  void start(bool taking) noexcept
  {
    this->fetch_add(kRun - kQueued + (taking ? kTaking : 0), std::memory_order_seq_cst);
  }

  /// Starts a non-triggering callback: counts a run and returns true, except if the callback is
  /// closed, is not added yet, or runs.
  bool start_input() noexcept
  {
    std::uint32_t state = this->load(std::memory_order_seq_cst);
    do {
      if ((state & kClosed) != 0 || (state & kAdded) == 0 || state >= kRun) {
        return false;
      }
    } while (!this->compare_exchange_weak(state, state + kRun, std::memory_order_seq_cst));
    return true;
  }

  /// Starts a callback whose message is kept for a set: counts a run and returns true, except if
  /// the callback is closed. The run of its take may not have ended yet.
  bool start_kept() noexcept
  {
    std::uint32_t state = this->load(std::memory_order_seq_cst);
    do {
      if ((state & kClosed) != 0) {
        return false;
      }
    } while (!this->compare_exchange_weak(state, state + kRun, std::memory_order_seq_cst));
    return true;
  }

  void end() noexcept { this->fetch_sub(kRun, std::memory_order_release); }

private:
  bool mark(std::uint32_t unless) noexcept
  {
    std::uint32_t state = this->load(std::memory_order_seq_cst);
    do {
      if ((state & unless) != 0 || (state & kAdded) == 0) {
        return false;
      }
    } while (!this->compare_exchange_weak(state, state | kQueued, std::memory_order_seq_cst));
    return true;
  }
};

}  // namespace takt_core::detail

#endif  // TAKT_CORE__DETAIL__CALLBACK_STATE_HPP_
