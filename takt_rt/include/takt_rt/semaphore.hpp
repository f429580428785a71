// A counting semaphore: one thread posts, another waits, without a mutex. C++17 has none, and
// C++20's spins before it sleeps.
//
// For a real-time thread that starts work of another thread, and for signal handlers. A post wakes
// the most urgent sleeper, but does not reserve the post for it: a thread that calls `wait` or
// `try_wait` before the sleeper runs takes the post, whatever its priority, and the sleeper sleeps
// on. Where each waiter must get its turn, use ConditionVariable with PiMutex.
#ifndef TAKT_RT__SEMAPHORE_HPP_
#define TAKT_RT__SEMAPHORE_HPP_

#include <atomic>
#include <cstdint>

#include "takt_rt/native_waiting.hpp"
#include "takt_rt/time.hpp"

namespace takt_rt
{

namespace detail
{

/// The semaphore itself. A test replaces `Waiting` by words and a sleep that it steps through.
template <typename Waiting = NativeWaiting>
class BasicSemaphore
{
public:
  /// `count`: how many waits return at once.
  explicit BasicSemaphore(std::uint32_t count = 0) noexcept : count_(count) {}
  BasicSemaphore(const BasicSemaphore &) = delete;
  BasicSemaphore & operator=(const BasicSemaphore &) = delete;

  /// Lets one wait return, that of the most urgent sleeper if threads sleep. Real-time safe and
  /// async-signal-safe: a system call only if a thread sleeps. At most 2^32 - 1 posts may be open.
  /// Releases the caller's earlier writes.
  void post() noexcept
  {
    // Sequentially consistent, as the waiter's accesses: either this thread sees the sleeper, or
    // the sleeper the count.
    count_.fetch_add(1, std::memory_order_seq_cst);
    if (sleepers_.load(std::memory_order_seq_cst) > 0) {
      Waiting::wake(count_, 1);
    }
  }

  /// Takes a post; false if there is none. Real-time safe: never waits.
  bool try_wait() noexcept
  {
    std::uint32_t count = count_.load(std::memory_order_relaxed);
    while (count > 0) {
      if (count_.compare_exchange_weak(
            count, count - 1, std::memory_order_acquire, std::memory_order_relaxed)) {
        return true;
      }
    }
    return false;
  }

  /// Sleeps until it can take a post. Blocks by design; otherwise real-time safe: no allocation.
  void wait() noexcept { static_cast<void>(wait_until(kNever)); }

  /// As above, until `deadline` at the latest; false if it took no post. A deadline in the past
  /// makes it a poll.
  bool wait_until(Time deadline) noexcept
  {
    if (try_wait()) {
      return true;
    }
    sleepers_.fetch_add(1, std::memory_order_seq_cst);
    bool taken = false;
    for (bool late = false; !taken && !late;) {
      late = Waiting::wait(count_, 0, deadline) == WaitResult::timed_out;
      taken = try_wait();
    }
    sleepers_.fetch_sub(1, std::memory_order_relaxed);
    return taken;
  }

private:
  typename Waiting::Word count_;
  typename Waiting::Word sleepers_{0};
};

}  // namespace detail

/// Any thread. Destroy it only when no thread uses it any more, `post` included.
using Semaphore = detail::BasicSemaphore<>;

}  // namespace takt_rt

#endif  // TAKT_RT__SEMAPHORE_HPP_
