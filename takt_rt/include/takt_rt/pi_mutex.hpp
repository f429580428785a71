// A mutex whose holder runs at least at the priority of its most urgent waiter.
//
// For short critical sections shared by threads of different real-time priority. Works with
// std::lock_guard and std::unique_lock. Not recursive and not for sharing between processes.
//
// Uses the kernel's priority-inheritance futex (futex(2), FUTEX_LOCK_PI) without the C library: the
// word holds the owner's thread id, so that locking and unlocking a free mutex costs one
// compare-and-swap each. (pthread's priority-inheritance mutex adds a dozen branches, measured as a
// tenth of a dispatch.)
//
// A misuse (locking twice, unlocking another thread's mutex) ends the process with a message:
// callers cannot handle such a fault of the program.
#ifndef TAKT_RT__PI_MUTEX_HPP_
#define TAKT_RT__PI_MUTEX_HPP_

#include <atomic>
#include <cstdint>

#include "takt_rt/constinit.hpp"

namespace takt_rt
{

/// A thread that holds this mutex inherits the priority of the threads that wait for it. Not
/// recursive. Any thread.
class PiMutex
{
public:
  /// Set-up only. Ends the process with a message if the kernel has no priority inheritance.
  PiMutex();
  /// Destroy it only while no thread holds it.
  ~PiMutex();

  PiMutex(const PiMutex &) = delete;
  PiMutex & operator=(const PiMutex &) = delete;

  /// Real-time safe: waits only for the holder, whose priority is boosted meanwhile. One
  /// compare-and-swap if the mutex is free. Acquires the writes that the last unlock() released.
  void lock() noexcept
  {
    if (!try_lock()) {
      wait();
    }
  }

  /// Real-time safe: never waits.
  bool try_lock() noexcept
  {
    std::uint32_t free = 0;
    return word_.compare_exchange_strong(
      free, own_id(), std::memory_order_acquire, std::memory_order_relaxed);
  }

  /// Real-time safe: never waits; a system call only if a thread waits.
  void unlock() noexcept
  {
    std::uint32_t own = own_id();
    if (!word_.compare_exchange_strong(
          own, 0, std::memory_order_release, std::memory_order_relaxed)) {
      hand_over();
    }
  }

  /// Whether the calling thread holds it. For assertions. Real-time safe.
  bool held() const noexcept
  {
    return (word_.load(std::memory_order_relaxed) & kOwner) == own_id();
  }

  /// Number of times that a thread of this process had to wait for any PiMutex. Real-time safe.
  static std::uint64_t waits() noexcept { return waits_.load(std::memory_order_relaxed); }

private:
  static constexpr std::uint32_t kOwner = 0x3fffffff;  ///< FUTEX_TID_MASK; other bits: waiters

  // The kernel's thread id; read once per thread (and again after fork).
  static std::uint32_t own_id() noexcept { return id_ != 0 ? id_ : ask_id(); }
  static std::uint32_t ask_id() noexcept;
  static void forget_id() noexcept { id_ = 0; }

  void wait() noexcept;
  void hand_over() noexcept;

  // Defined in one source file: an inline variable would exist again in every plug-in. Initial-exec
  // also when a plug-in is compiled: takt_shared_library.cmake.
  [[gnu::tls_model("initial-exec")]] TAKT_RT_CONSTINIT static thread_local std::uint32_t id_;
  static std::atomic<std::uint64_t> waits_;

  std::atomic<std::uint32_t> word_{0};
};

}  // namespace takt_rt

#endif  // TAKT_RT__PI_MUTEX_HPP_
