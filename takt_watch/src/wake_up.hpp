// When the watch thread looks next: it plans a time and sleeps, and others may make that earlier.
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
  /// The thread is to be awake at `time` at the latest. Real-time safe, any thread: a load if it will be, else one
  /// system call.
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

  /// The thread looks now and plans afterwards: what `by` asks for from here on is kept. The thread's own.
  void begin() noexcept { planned_.store(kNone, std::memory_order_seq_cst); }

  /// Sleeps until `time`, until what `by` asked for since `begin`, or until `ends` and a call of `by`. The thread's
  /// own; may block, by intent.
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
