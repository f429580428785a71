// A value of any type that several threads read and write, under a lock with priority inheritance.
//
// For values that are too large for `AtomicValue` and have more than one writer or reader;
// `Exchange` allows only one of each. A real-time thread uses the functions that never wait,
// `try_set` and `try_get`, or accepts a wait for the holder, which copies one value at the waiting
// thread's priority.
#ifndef TAKT_RT__BOX_HPP_
#define TAKT_RT__BOX_HPP_

#include <mutex>
#include <utility>

#include "takt_rt/pi_mutex.hpp"

namespace takt_rt
{

/// Any thread. The functions copy a `T` with the lock held: copies that allocate are not real-time
/// safe. An exception of a copy or of a visitor passes through; the lock is free then.
template <typename T>
class Box
{
public:
  /// Set-up only.
  explicit Box(T initial = T{}) : value_(std::move(initial)) {}
  Box(const Box &) = delete;
  Box & operator=(const Box &) = delete;

  /// Real-time safe: waits at most for the holder, with priority inheritance.
  void set(const T & value)
  {
    const std::lock_guard lock(mutex_);
    value_ = value;
  }
  /// As `set`.
  T get() const
  {
    const std::lock_guard lock(mutex_);
    return value_;
  }

  /// Real-time safe: never waits. False, and the value stays, while another thread holds the lock.
  [[nodiscard]] bool try_set(const T & value)
  {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (lock.owns_lock()) {
      value_ = value;
    }
    return lock.owns_lock();
  }
  /// Real-time safe: never waits. False, and `value` stays, while another thread holds the lock.
  [[nodiscard]] bool try_get(T & value) const
  {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (lock.owns_lock()) {
      value = value_;
    }
    return lock.owns_lock();
  }

  /// Calls `visit(value)` with the lock held, and returns its result: to change a part of the
  /// value, or to read it without a copy. `visit` must not use this box. As real-time safe as
  /// `visit`.
  template <typename Visit>
  decltype(auto) with(Visit && visit)
  {
    const std::lock_guard lock(mutex_);
    return std::forward<Visit>(visit)(value_);
  }

private:
  mutable PiMutex mutex_;
  T value_;
};

}  // namespace takt_rt

#endif  // TAKT_RT__BOX_HPP_
