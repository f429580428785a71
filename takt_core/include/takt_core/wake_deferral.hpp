// Saves wake-ups: the thread of the running callback looks for work itself when the callback
// returns.
//
// To wake a thread on another core costs a system call and an interrupt between processors. In a
// chain of five callbacks on a virtual machine of two cores, a wake-up took 25 us of each publish,
// and the rest of the publish 6 us. A callback that publishes right before it returns
// (`Binding::publishes_last`) gains nothing by the wake-up: its thread is free before the other
// thread is awake.
//
// While a scope is open, announcements of its thread for thread sets of that thread wake only
// strictly more urgent members. When the thread next looks at its sets, it starts the best callback
// and wakes other threads for the rest. No function allocates, locks or blocks.
#ifndef TAKT_CORE__WAKE_DEFERRAL_HPP_
#define TAKT_CORE__WAKE_DEFERRAL_HPP_

#include <cstdint>

namespace takt_core
{

class Scheduler;

/// A scope on the stack of an executor thread. Scopes nest.
class WakeDeferral
{
public:
  static constexpr std::uint32_t kNobody = UINT32_MAX;

  /// Opens the scope for the calling thread, which is the scheduler's `thread` and will call `next`
  /// as that thread.
  WakeDeferral(const Scheduler & scheduler, std::uint32_t thread) noexcept;
  ~WakeDeferral();
  WakeDeferral(const WakeDeferral &) = delete;
  WakeDeferral & operator=(const WakeDeferral &) = delete;

  /// The calling thread's number if it has a scope open for this scheduler, else kNobody.
  static std::uint32_t thread_of(const Scheduler & scheduler) noexcept;

private:
  const WakeDeferral * const previous_;
  const Scheduler * const scheduler_;
  const std::uint32_t thread_;
};

}  // namespace takt_core

#endif  // TAKT_CORE__WAKE_DEFERRAL_HPP_
