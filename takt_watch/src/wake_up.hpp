// The time of the watch thread's next wake-up. The thread plans it and sleeps; other threads may
// make it earlier.
#ifndef TAKT_WATCH__SRC__WAKE_UP_HPP_
#define TAKT_WATCH__SRC__WAKE_UP_HPP_

#include <atomic>
#include <climits>
#include <cstdint>
#include <limits>

#include "takt_rt/futex.hpp"
#include "takt_rt/time.hpp"

namespace takt_watch
{

class WakeUp
{
public:
  /// Makes the watch thread wake up at `time` or earlier. Real-time safe, any thread: one load if
  /// the planned time is early enough, else one system call.
  void by(takt_rt::Time time) noexcept
  {
    const std::int64_t when = takt_rt::to_ns(time);
    std::int64_t planned = planned_.load(std::memory_order_seq_cst);
    while (when < planned) {
      if (planned_.compare_exchange_weak(planned, when, std::memory_order_seq_cst)) {
        told_.fetch_add(1, std::memory_order_seq_cst);
        takt_rt::futex_wake(told_, INT_MAX);
        return;
      }
    }
  }

  /// Forgets the planned time: from here on `by` plans the next one. Call it on the watch thread
  /// before a look.
  void begin() noexcept { planned_.store(kNone, std::memory_order_seq_cst); }

  /// Sleeps until `time`, until the earliest time that `by` asked for since `begin`, or until
  /// `ends` is set and `by` is called. Only the watch thread calls it; blocks.
  void sleep(takt_rt::Time time, const std::atomic<bool> & ends) noexcept
  {
    std::int64_t planned = planned_.load(std::memory_order_seq_cst);
    const std::int64_t own = takt_rt::to_ns(time);
    while (own < planned &&
           !planned_.compare_exchange_weak(planned, own, std::memory_order_seq_cst)) {
    }
    for (;;) {
      const std::uint32_t told = told_.load(std::memory_order_seq_cst);
      const takt_rt::Time until = takt_rt::from_ns(planned_.load(std::memory_order_seq_cst));
      if (ends.load() || until <= takt_rt::now()) {
        return;
      }
      takt_rt::futex_wait(told_, told, until);
    }
  }

  takt_rt::Time planned() const noexcept
  {
    return takt_rt::from_ns(planned_.load(std::memory_order_seq_cst));
  }

private:
  static constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max();

  static constexpr std::int64_t kNobody = std::numeric_limits<std::int64_t>::min();

  std::atomic<std::int64_t> planned_{kNobody};
  std::atomic<std::uint32_t> told_{0};  // futex
};

}  // namespace takt_watch

#endif  // TAKT_WATCH__SRC__WAKE_UP_HPP_
