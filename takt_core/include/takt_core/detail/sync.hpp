// The atomic words and the mutex of the lock-free parts.
//
// The lock-free parts are templates over this type, so that a test can run the real code on words
// that switch to another thread before each access, and can try every interleaving.
#ifndef TAKT_CORE__DETAIL__SYNC_HPP_
#define TAKT_CORE__DETAIL__SYNC_HPP_

#include <atomic>

#include "takt_rt/pi_mutex.hpp"

namespace takt_core::detail
{

using takt_rt::PiMutex;

struct NativeSync
{
  template <typename T>
  using Word = std::atomic<T>;
  using Mutex = PiMutex;
  /// Of the store that begins a DispatchStep. The heavy fence of the other side orders it before
  /// the step; release orders it behind the step before, so that a set-up that sees it sees all of
  /// that step.
  static constexpr std::memory_order kBeginStep = std::memory_order_release;
};

}  // namespace takt_core::detail

#endif  // TAKT_CORE__DETAIL__SYNC_HPP_
