// A set of executor threads for callbacks, with its one ready queue, its timers and its intake.
//
// The set's short priority-inheritance mutex guards everything but the intake. Only the scheduler
// uses thread sets.
//
// A set without bound callbacks is out of use: it has no members, and the scheduler may use it
// again for other members. Its memory lives as long as the scheduler, because a thread may look at
// the set later. So a thread that has locked a set checks that the set still `serves` it.
#ifndef TAKT_CORE__DETAIL__THREAD_SET_HPP_
#define TAKT_CORE__DETAIL__THREAD_SET_HPP_

#include <atomic>
#include <cassert>
#include <cstdint>
#include <memory>

#include "takt_core/detail/callback_entry.hpp"
#include "takt_core/detail/intake.hpp"
#include "takt_core/detail/ready_queue.hpp"
#include "takt_core/detail/sleepers.hpp"
#include "takt_core/intrusive_heap.hpp"
#include "takt_core/thread_mask.hpp"
#include "takt_rt/pi_mutex.hpp"

namespace takt_core
{

/// Armed timers, the earliest on top. O(log timers). The caller holds the thread set's mutex in
/// every call except `reserve`; each of them asserts it first.
class TimerHeap
{
public:
  /// `mutex`: of the thread set.
  explicit TimerHeap(PiMutex & mutex) noexcept : mutex_(mutex) {}

  /// Makes room for `timers`. Call without the set's mutex.
  void reserve(std::size_t timers) { heap_.reserve(timers, mutex_); }
  bool empty() const noexcept { return heap().empty(); }
  CallbackEntry & top() const noexcept { return *heap().top(); }
  void arm(CallbackEntry & timer) noexcept
  {
    assert(mutex_.held());
    heap_.push(&timer);
  }
  void disarm(CallbackEntry & timer) noexcept
  {
    assert(mutex_.held());
    heap_.remove(&timer);
  }
  /// Whether the timer is in the heap of its set, whose mutex the caller holds.
  static bool armed(const CallbackEntry & timer) noexcept
  {
    return timer.timer_place_ != UINT32_MAX;
  }
  Time next() const noexcept { return heap().empty() ? kNever : heap_.top()->expiry_; }

private:
  struct Less
  {
    // Simultaneous timers are released in registration order.
    bool operator()(const CallbackEntry * a, const CallbackEntry * b) const noexcept
    {
      return a->expiry_ != b->expiry_ ? a->expiry_ < b->expiry_
                                      : a->registration_ < b->registration_;
    }
  };
  struct Index
  {
    std::uint32_t & operator()(CallbackEntry * c) const noexcept { return c->timer_place_; }
  };
  using Heap = IntrusiveHeap<CallbackEntry *, Less, Index>;

  const Heap & heap() const noexcept
  {
    assert(mutex_.held());
    return heap_;
  }

  PiMutex & mutex_;
  Heap heap_;
};

class Scheduler;

class alignas(64) ThreadSet : public detail::SetSigns<>
{
public:
  ThreadSet(Scheduler & owner, Order order, WindowTimers timers)
  : owner(owner),
    order(order),
    queue(make_ready_queue(order, timers, mutex)),
    enters_groups(queue->enters_groups()),
    timers(mutex)
  {
  }

  Scheduler & owner;
  const Order order;
  Intake<CallbackEntry> intake;
  PiMutex mutex;

  // --- guarded by mutex ---
  std::unique_ptr<ReadyQueue> queue;
  const bool enters_groups;  ///< of the queue; without a virtual call
  TimerHeap timers;
  CallbackEntry * boosted = nullptr;  ///< callbacks with a boost, linked by `next_boosted_`

  // --- readable without the mutex, as SetSigns: exact for the holder of the mutex ---
  std::atomic<std::int64_t> looked_at{0};  ///< when a member last looked at the set
  std::atomic<bool> boosts{false};         ///< `boosted` is not null
  std::atomic<ThreadMask> members{0};      ///< bit i: thread i of the scheduler; 0: not in use

  // --- set-up only ---
  std::size_t users = 0;  ///< callbacks bound here
};

}  // namespace takt_core

#endif  // TAKT_CORE__DETAIL__THREAD_SET_HPP_
