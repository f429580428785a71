// Wake-ups that the running callback's thread saves the others, because it looks for work itself as
// soon as the callback returns.
//
// To wake a sleeping thread on another core costs the one that wakes it a system call and an
// interrupt between processors: 25 us of each publish in a chain of five callbacks on a virtual
// machine of two cores, where all else of a publish took 6 us. For a callback that publishes right
// before it returns (`Binding::publishes_last`) that buys nothing: its thread is free again before
// the other one is awake.
//
// While a scope is open, what its thread announces for thread sets that it belongs to wakes no other
// member, except one that is strictly more urgent.
// The thread's next look at its sets starts the best of it and has other threads woken for the rest.
// No function allocates, locks or blocks.
#ifndef TAKT_CORE__WAKE_DEFERRAL_HPP_
#define TAKT_CORE__WAKE_DEFERRAL_HPP_

#include <cstdint>

namespace takt_core
{

class Scheduler;

class WakeDeferral
{
public:
  static constexpr std::uint32_t kNobody = UINT32_MAX;

  /// For the calling thread, which is the scheduler's `thread` and will call `next` as that.
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
