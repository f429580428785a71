// A condition variable for threads of different priority, with PiMutex.
//
// std::condition_variable works only with std::mutex, which has no priority inheritance: a woken
// urgent thread would wait for the mutex behind threads of middle priority. pthread's wakes
// sleepers in groups by age. This one wakes the most urgent sleeper first (the kernel keeps the
// sleepers of a futex in order of their priority), and the woken thread takes a PiMutex, whose
// holder it boosts.
#ifndef TAKT_RT__CONDITION_VARIABLE_HPP_
#define TAKT_RT__CONDITION_VARIABLE_HPP_

#include <atomic>
#include <climits>
#include <cstdint>
#include <mutex>

#include "takt_rt/native_waiting.hpp"
#include "takt_rt/time.hpp"

namespace takt_rt
{

namespace detail
{

/// The condition variable itself. A test replaces `Waiting` by words, a mutex and a sleep that it
/// steps through.
template <typename Waiting = NativeWaiting>
class BasicConditionVariable
{
public:
  using Mutex = typename Waiting::Mutex;

  BasicConditionVariable() = default;
  BasicConditionVariable(const BasicConditionVariable &) = delete;
  BasicConditionVariable & operator=(const BasicConditionVariable &) = delete;

  /// Releases the mutex, sleeps until a notification, and takes the mutex again. `lock` must hold
  /// it. Blocks by design; otherwise real-time safe: no allocation. May return without a
  /// notification, so look at the condition again.
  void wait(std::unique_lock<Mutex> & lock) noexcept
  {
    static_cast<void>(wait_until(lock, kNever));
  }

  /// As above, until `deadline` at the latest. False once the deadline has passed.
  bool wait_until(std::unique_lock<Mutex> & lock, Time deadline) noexcept
  {
    // Read with the mutex held: a thread that changes the condition and notifies has had the mutex
    // since.
    const std::uint32_t seen = notifications_.load(std::memory_order_relaxed);
    lock.unlock();
    const WaitResult result = Waiting::wait(notifications_, seen, deadline);
    lock.lock();
    return result != WaitResult::timed_out;
  }

  /// Sleeps until `condition()`, which is called with the mutex held.
  template <typename Condition>
  void wait(std::unique_lock<Mutex> & lock, Condition condition)
  {
    while (!condition()) {
      wait(lock);
    }
  }

  /// As above, until `deadline` at the latest; returns `condition()`.
  template <typename Condition>
  bool wait_until(std::unique_lock<Mutex> & lock, Time deadline, Condition condition)
  {
    while (!condition()) {
      if (!wait_until(lock, deadline)) {
        return condition();
      }
    }
    return true;
  }

  /// Wakes the most urgent sleeper. Any thread, with or without the mutex. Real-time safe: one
  /// system call.
  void notify_one() noexcept { notify(1); }
  /// Wakes all sleepers, the most urgent first. As `notify_one`, and O(sleepers).
  void notify_all() noexcept { notify(INT_MAX); }

private:
  void notify(int count) noexcept
  {
    // Relaxed: the mutex orders the condition.
    notifications_.fetch_add(1, std::memory_order_relaxed);
    Waiting::wake(notifications_, count);
  }

  typename Waiting::Word notifications_{0};
};

}  // namespace detail

/// Any thread. Change the condition with the mutex held; all waiting threads use the same mutex.
/// Destroy it only while no thread waits.
using ConditionVariable = detail::BasicConditionVariable<>;

}  // namespace takt_rt

#endif  // TAKT_RT__CONDITION_VARIABLE_HPP_
