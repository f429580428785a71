// Where a callback is between release and end, as one word: whether it is queued, closed, added, about
// to take, and how many runs of it are under way.
//
// A callback is queued at most once: whoever sets kQueued owns the callback's links until it is picked.
// A source announces first and then tries to queue; a run takes kQueued off first and then looks for
// more announcements. Both are sequentially consistent, so no announcement is left behind.
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
  static constexpr std::uint32_t kClosed = 2;  ///< being removed: not to be queued again
  static constexpr std::uint32_t kAdded = 4;   ///< belongs to a scheduler
  /// Reentrant: a run has yet to take; no other may start.
  static constexpr std::uint32_t kTaking = 8;
  static constexpr std::uint32_t kRun = 16;  ///< times the runs between `next` and `complete`
  static constexpr std::uint32_t kMarks = kRun - 1;

  CallbackState() : Sync::template Word<std::uint32_t>(0) {}

  /// Sets kQueued unless it is set or the callback is closing, is not added yet (`add` looks at the
  /// arrivals once it is done), or has a take under way (`taken` looks then).
  bool mark_queued() noexcept
  {
    std::uint32_t state = this->load(std::memory_order_seq_cst);
    do {
      if ((state & (kQueued | kClosed | kTaking)) != 0 || (state & kAdded) == 0) {
        return false;
      }
    } while (!this->compare_exchange_weak(state, state | kQueued, std::memory_order_seq_cst));
    return true;
  }

  /// A queued callback starts, in one step: it runs, is queued no longer and, if need be, has yet to
  /// take.
  void start(bool taking) noexcept
  {
    this->fetch_add(kRun - kQueued + (taking ? kTaking : 0), std::memory_order_seq_cst);
  }

  /// A run ends.
  void end() noexcept { this->fetch_sub(kRun, std::memory_order_release); }
};

}  // namespace takt_core::detail

#endif  // TAKT_CORE__DETAIL__CALLBACK_STATE_HPP_
