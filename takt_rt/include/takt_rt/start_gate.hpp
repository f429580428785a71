// Threads meet at this gate after they got their attributes, and begin together.
//
// Any thread. Real-time safe, except the waits that may block by design.
#ifndef TAKT_RT__START_GATE_HPP_
#define TAKT_RT__START_GATE_HPP_

#include <atomic>
#include <climits>
#include <cstdint>

#include "takt_rt/futex.hpp"

namespace takt_rt
{

/// Stops threads until one thread opens it. It opens once, and stays open.
class StartGate
{
public:
  /// A thread reports its arrival. Its earlier writes are visible after `wait_for`.
  void arrive() noexcept
  {
    arrived_.fetch_add(1, std::memory_order_release);
    futex_wake(arrived_, INT_MAX);
  }

  /// As `arrive`, and sleeps until `open`. Writes before `open` are visible after it. May block.
  void pass() noexcept
  {
    arrive();
    while (open_.load(std::memory_order_acquire) == 0) {
      futex_wait(open_, 0);
    }
  }

  /// The starting thread: sleeps until `count` threads have arrived. May block.
  void wait_for(std::uint32_t count) const noexcept
  {
    for (std::uint32_t seen = 0; (seen = arrived_.load(std::memory_order_acquire)) < count;) {
      futex_wait(arrived_, seen);
    }
  }

  /// Lets all threads through, now and from now on.
  void open() noexcept
  {
    open_.store(1, std::memory_order_release);
    futex_wake(open_, INT_MAX);
  }

private:
  std::atomic<std::uint32_t> arrived_{0};
  std::atomic<std::uint32_t> open_{0};
};

}  // namespace takt_rt

#endif  // TAKT_RT__START_GATE_HPP_
