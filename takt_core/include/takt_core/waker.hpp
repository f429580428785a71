// The interface through which the scheduler asks its driver to wake an idle thread.
#ifndef TAKT_CORE__WAKER_HPP_
#define TAKT_CORE__WAKER_HPP_

#include <cstdint>

namespace takt_core
{

/// The driver of a scheduler implements it.
class Waker
{
public:
  virtual ~Waker() = default;

  /// Ends the sleep of `thread`, which `Scheduler::begin_idle` registered. The scheduler holds no
  /// lock that a publisher can hold. Must be real-time safe.
  virtual void wake(std::uint32_t thread) noexcept = 0;
};

}  // namespace takt_core

#endif  // TAKT_CORE__WAKER_HPP_
