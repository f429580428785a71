// A small value that threads read and write whole, without a lock.
//
// Refuses at compile time each type that the processor cannot read and write in one instruction.
// std::atomic accepts such a type, and then takes a hidden lock, on which a real-time thread would
// wait for a less urgent one. For larger values: `Exchange` (one writer, one reader), `Box`
// (several).
#ifndef TAKT_RT__ATOMIC_VALUE_HPP_
#define TAKT_RT__ATOMIC_VALUE_HPP_

#include <atomic>
#include <type_traits>

namespace takt_rt
{

/// Any thread reads and writes. All functions are real-time safe: no lock, no allocation, no error.
template <typename T>
class AtomicValue
{
  static_assert(std::is_trivially_copyable_v<T>, "an atomic value is copied byte by byte");
  static_assert(
    std::atomic<T>::is_always_lock_free,
    "this type is not lock-free on this processor: use takt_rt::Exchange or takt_rt::Box");

public:
  explicit AtomicValue(T initial = T{}) noexcept : value_(initial) {}

  /// Wait-free. Acquires the writes before the `set` whose value it returns.
  T get() const noexcept { return value_.load(std::memory_order_acquire); }

  /// Wait-free. Releases the caller's earlier writes.
  void set(T value) noexcept { value_.store(value, std::memory_order_release); }

  /// Replaces the value and returns the one before. Wait-free on x86 and with ARMv8.1's atomics.
  T exchange(T value) noexcept { return value_.exchange(value, std::memory_order_acq_rel); }

  /// Replaces the value by `change(value)` and returns the new one. Calls `change` again whenever
  /// another thread wrote meanwhile, so that `change` must be free of side effects. Lock-free: of
  /// several callers one always succeeds.
  template <typename Change>
  T modify(Change change) noexcept(noexcept(change(T{})))
  {
    T before = value_.load(std::memory_order_relaxed);
    for (;;) {
      const T after = change(before);
      if (value_.compare_exchange_weak(
            before, after, std::memory_order_acq_rel, std::memory_order_relaxed)) {
        return after;
      }
    }
  }

private:
  std::atomic<T> value_;
};

}  // namespace takt_rt

#endif  // TAKT_RT__ATOMIC_VALUE_HPP_
