// A set of executor threads on which callbacks may run, with its one ready queue, its timers and
// the intake through which work reaches it.
//
// Everything but the intake is guarded by the set's short priority-inheritance mutex. Used by the
// scheduler only.
#ifndef TAKT_CORE__THREAD_SET_HPP_
#define TAKT_CORE__THREAD_SET_HPP_

#include <atomic>
#include <cstdint>
#include <memory>

#include "takt_core/intake.hpp"
#include "takt_core/intrusive_heap.hpp"
#include "takt_core/pi_mutex.hpp"
#include "takt_core/ready_queue.hpp"

namespace takt_core
{

/// Bit i stands for executor thread i.
using ThreadMask = std::uint64_t;

/// Armed timers, the earliest on top. O(log timers).
class TimerHeap
{
public:
  void reserve(std::size_t timers) { heap_.reserve(timers); }
  bool empty() const noexcept { return heap_.empty(); }
  Callback & top() const noexcept { return *heap_.top(); }
  void arm(Callback & timer) noexcept { heap_.push(&timer); }
  void disarm(Callback & timer) noexcept { heap_.remove(&timer); }
  static bool armed(const Callback & timer) noexcept { return timer.timer_place_ != UINT32_MAX; }
  Time next() const noexcept { return heap_.empty() ? kNever : heap_.top()->expiry_; }

private:
  struct Less
  {
    // Simultaneous timers are released in registration order.
    bool operator()(const Callback * a, const Callback * b) const noexcept
    {
      return a->expiry_ != b->expiry_ ? a->expiry_ < b->expiry_
                                      : a->registration_ < b->registration_;
    }
  };
  struct Index
  {
    std::uint32_t & operator()(Callback * c) const noexcept { return c->timer_place_; }
  };
  IntrusiveHeap<Callback *, Less, Index> heap_;
};

class alignas(64) ThreadSet
{
public:
  ThreadSet(ThreadMask members, Order order, WindowTimers timers)
  : members(members),
    order(order),
    queue(make_ready_queue(order, timers))
  {
  }

  static constexpr std::uint32_t kNobody = UINT32_MAX;

  const ThreadMask members;  ///< as the scheduler's user numbers threads
  const Order order;
  Intake intake;
  PiMutex mutex;

  // --- guarded by mutex ---
  std::unique_ptr<ReadyQueue> queue;
  TimerHeap timers;
  /// The idle member that sleeps until the next timer; written with the mutex held.
  std::atomic<std::uint32_t> timer_waiter{kNobody};
  Time waiter_until = kNever;  ///< when it will wake

  // --- readable without the mutex: hints, exact for whoever holds it ---
  std::atomic<bool> may_have_work{false};
  std::atomic<std::int64_t> next_expiry{to_ns(kNever)};
  ThreadMask wake_members = 0;  ///< members as bits in the order in which they are woken
};

}  // namespace takt_core

#endif  // TAKT_CORE__THREAD_SET_HPP_
