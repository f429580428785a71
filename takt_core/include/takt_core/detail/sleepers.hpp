// Sleep and wake-up of executor threads: which threads sleep, which one to wake for which work, and
// which one sleeps only until the next timer.
//
// The protocol is Dekker's. A thread that goes to sleep first sets its idle mark, then looks for
// work once more. A source first makes work visible, then looks for idle marks. All four accesses
// are sequentially consistent, so at least one of the two sees the other. A wake-up claims the idle
// mark: each wake-up goes to one thread, the most urgent idle member of the thread set.
//
// A woken thread may have to wait for its core, so other threads rely on it only until the next
// dispatch. A thread that picks a callback may leave more work behind, or timers for which no idle
// thread waits. Then it wakes one more idle member (`pass_on`).
//
// All functions are real-time safe, except the constructor (set-up only).
#ifndef TAKT_CORE__DETAIL__SLEEPERS_HPP_
#define TAKT_CORE__DETAIL__SLEEPERS_HPP_

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cassert>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include "takt_core/detail/sync.hpp"
#include "takt_core/waker.hpp"
#include "takt_rt/time.hpp"

namespace takt_core::detail
{

using takt_rt::kNever;
using takt_rt::Time;
using takt_rt::to_ns;

/// A set of threads; bit i stands for thread i.
using WakeMask = std::uint64_t;

/// The state of a thread set that threads read without the set's mutex. Only the holder of the
/// mutex writes these words, so they are exact for the holder.
template <typename Sync = NativeSync>
struct SetSigns
{
  static constexpr std::uint32_t kNobody = UINT32_MAX;

  /// Whether the thread with this wake bit belongs to the set. Sequentially consistent, for a
  /// thread that goes to sleep.
  bool serves(WakeMask wake_bit) const noexcept
  {
    return (wake_members.load(std::memory_order_seq_cst) & wake_bit) != 0;
  }

  /// Whether each thread of the set has a bit in `wake_bits`. Outdated if set-up binds meanwhile.
  bool serves_only(WakeMask wake_bits) const noexcept
  {
    return (wake_members.load(std::memory_order_relaxed) & ~wake_bits) == 0;
  }

  /// Publishes whether a callback waits in the ready queue, and when the next timer is due. Stores
  /// a value only if it changed, because a sequentially consistent store costs as much as a lock.
  /// An unchanged value needs no store: an earlier holder of the mutex stored it.
  void show(bool work, std::int64_t expiry) noexcept
  {
    if (work != may_have_work.load(std::memory_order_relaxed)) {
      may_have_work.store(work, std::memory_order_seq_cst);
    }
    if (expiry != next_expiry.load(std::memory_order_relaxed)) {
      next_expiry.store(expiry, std::memory_order_seq_cst);
    }
  }

  bool has_timers() const noexcept
  {
    return next_expiry.load(std::memory_order_seq_cst) != to_ns(kNever);
  }

  typename Sync::template Word<bool> may_have_work{false};
  typename Sync::template Word<std::int64_t> next_expiry{to_ns(kNever)};
  /// The member that sleeps until the next timer.
  typename Sync::template Word<std::uint32_t> timer_waiter{kNobody};
  Time waiter_until = kNever;  ///< when that member will wake; guarded by the mutex
  typename Sync::template Word<WakeMask> wake_members{0};
  /// The wake bit of the set's only executor thread; 0 if it has several, or is out of use.
  typename Sync::template Word<WakeMask> sole{0};
};

/// In the functions below, `Set` is a thread set: SetSigns with an `intake`, a `mutex` and
/// `timers`. `Sets` is a list of thread sets: `size()` and `operator[]`.
template <typename Sync = NativeSync>
class Sleepers
{
public:
  static constexpr std::uint32_t kMost = 64;
  static constexpr std::uint32_t kNobody = UINT32_MAX;

  /// `urgencies`: one for each executor thread. One more thread, the visitor, has the last number:
  /// it is woken last, and no thread counts as more urgent than it.
  Sleepers(std::vector<int> urgencies, Waker & waker)
  : waker_(waker),
    urgencies_(std::move(urgencies))
  {
    compare();
  }

  WakeMask bit(std::uint32_t thread) const noexcept { return WakeMask{1} << thread; }

  /// From now on wake-ups choose `thread` by `urgency`. One caller at a time; any thread.
  void set_urgency(std::uint32_t thread, int urgency) noexcept
  {
    urgencies_[thread] = urgency;
    compare();
  }

  /// Clears all idle marks, so that later wake-ups find no idle thread.
  void clear() noexcept { idle_.store(0, std::memory_order_seq_cst); }

  /// Marks `thread` as idle and returns true. If one of its `sets` has work or a due timer, leaves
  /// it unmarked and returns false: the thread must look again. `wake_at`: the time until which the
  /// thread may sleep, because of timers for which it waits. The thread takes the role of waiting
  /// for timers from a less urgent member, or from a member that is awake.
  template <typename Sets>
  bool begin(std::uint32_t thread, Time now, const Sets & sets, Time & wake_at) noexcept
  {
    const WakeMask own = bit(thread);
    idle_.fetch_or(own, std::memory_order_seq_cst);
    wake_at = kNever;
    const std::uint32_t count = sets.size();
    for (std::uint32_t i = 0; i < count; ++i) {
      auto & set = sets[i];
      if (!set.serves(own)) {
        continue;
      }
      if (has_work(set) || (set.has_timers() && !await_timers(set, thread, now, wake_at))) {
        end(thread);  // `next` gives up the timers for which the thread was to wait
        return false;
      }
    }
    return true;
  }

  void end(std::uint32_t thread) noexcept
  {
    idle_.fetch_and(~bit(thread), std::memory_order_seq_cst);
  }

  /// Wakes the most urgent idle member of the set; returns its bit, 0 if no member is idle.
  template <typename Set>
  WakeMask wake_one(const Set & set) noexcept
  {
    return wake_one(set, ~WakeMask{0});
  }

  /// As `wake_one`, but wakes only a member that is strictly more urgent than `thread`, because
  /// `thread` is about to look for the work itself.
  template <typename Set>
  WakeMask wake_more_urgent(const Set & set, std::uint32_t thread) noexcept
  {
    const WakeMask candidates = more_urgent(thread);
    return candidates == 0 ? 0 : wake_one(set, candidates);
  }

  /// Wakes `thread` if it is idle.
  void wake(std::uint32_t thread) noexcept
  {
    if (idle(thread)) {
      claim(bit(thread));
    }
  }

  /// For a thread that has picked a callback and runs it next: wakes an idle member of each set
  /// with more work, or with timers that no idle member waits for. `woken`: members that this
  /// dispatch has already woken for that work.
  template <typename Sets>
  void pass_on(const Sets & sets, WakeMask woken) noexcept
  {
    if (idle_.load(std::memory_order_seq_cst) == 0) {
      return;
    }
    const std::uint32_t count = sets.size();
    for (std::uint32_t i = 0; i < count; ++i) {
      const auto & set = sets[i];
      if (
        (has_work(set) || unattended(set)) &&
        (woken & set.wake_members.load(std::memory_order_seq_cst)) == 0) {
        woken |= wake_one(set);
      }
    }
  }

  /// For a thread that has armed a timer and will not look at the set itself. Wakes a member if no
  /// member has the role of waiting for the timers. (A member that has the role and is awake will
  /// look.)
  template <typename Set>
  void attend(const Set & set) noexcept
  {
    if (set.has_timers() && set.timer_waiter.load(std::memory_order_seq_cst) == kNobody) {
      wake_one(set);
    }
  }

  /// A timer due at `expiry` was armed: wakes the member that waits for the set's timers if it
  /// would sleep too long. With the set's mutex held.
  template <typename Set>
  void armed(const Set & set, Time expiry) noexcept
  {
    assert(set.mutex.held());
    const std::uint32_t waiter = set.timer_waiter.load(std::memory_order_relaxed);
    if (waiter != kNobody && expiry < set.waiter_until) {
      wake(waiter);
    }
  }

  /// `thread` gives up the role of waiting for the set's timers. With the set's mutex held.
  template <typename Set>
  void give_up_timers(Set & set, std::uint32_t thread) noexcept
  {
    assert(set.mutex.held());
    if (set.timer_waiter.load(std::memory_order_relaxed) == thread) {
      set.timer_waiter.store(kNobody, std::memory_order_seq_cst);
      set.waiter_until = kNever;
    }
  }

private:
  template <typename Set>
  static bool has_work(const Set & set) noexcept
  {
    return !set.intake.empty() || set.may_have_work.load(std::memory_order_seq_cst);
  }

  bool idle(std::uint32_t thread) const noexcept
  {
    return (idle_.load(std::memory_order_seq_cst) & bit(thread)) != 0;
  }

  // True if no idle member waits for the set's timers. A member that is awake may have that role,
  // but it looks for work before it waits.
  template <typename Set>
  bool unattended(const Set & set) const noexcept
  {
    if (!set.has_timers()) {
      return false;
    }
    const std::uint32_t waiter = set.timer_waiter.load(std::memory_order_seq_cst);
    return waiter == kNobody || !idle(waiter);
  }

  // Gives `thread` the role of waiting for the set's timers, unless an idle member that is at least
  // as urgent has the role. False if a timer is due.
  template <typename Set>
  bool await_timers(Set & set, std::uint32_t thread, Time now, Time & wake_at) noexcept
  {
    std::lock_guard lock(set.mutex);
    if (!set.serves(bit(thread))) {
      return true;  // the set has other members now
    }
    const Time next = set.timers.next();
    if (next <= now) {
      return false;
    }
    const std::uint32_t waiter = set.timer_waiter.load(std::memory_order_relaxed);
    // Do not wake the former waiter: it sleeps until its old time, and then finds no due timer.
    if (
      waiter == kNobody || waiter == thread || !idle(waiter) ||
      (more_urgent(waiter) & bit(thread)) != 0) {
      set.timer_waiter.store(thread, std::memory_order_seq_cst);
      set.waiter_until = next;
      wake_at = std::min(wake_at, next);
    }
    return true;
  }

  template <typename Set>
  WakeMask wake_one(const Set & set, WakeMask candidates) noexcept
  {
    for (;;) {
      const WakeMask found = idle_.load(std::memory_order_seq_cst) & candidates &
                             set.wake_members.load(std::memory_order_seq_cst);
      if (found == 0) {
        return 0;
      }
      const WakeMask first = most_urgent(found);
      if (claim(first)) {
        return first;
      }
    }
  }

  WakeMask more_urgent(std::uint32_t thread) const noexcept
  {
    return more_urgent_[thread].load(std::memory_order_relaxed);
  }

  // Returns the first of the most urgent threads. A wake-up costs a system call, compared with
  // which the loop is negligible.
  WakeMask most_urgent(WakeMask found) const noexcept
  {
    WakeMask first = found & -found;
    for (WakeMask rest = found & more_urgent(thread_of(first)); rest != 0;
         rest = found & more_urgent(thread_of(first))) {
      first = rest & -rest;
    }
    return first;
  }

  static std::uint32_t thread_of(WakeMask one) noexcept
  {
    return static_cast<std::uint32_t>(std::countr_zero(one));
  }

  // A thread that reads meanwhile may see a mixture of the old and the new order. It then wakes a
  // thread that was among the most urgent a moment ago.
  void compare() noexcept
  {
    const auto threads = static_cast<std::uint32_t>(urgencies_.size());
    for (std::uint32_t a = 0; a < threads; ++a) {
      WakeMask more = 0;
      for (std::uint32_t b = 0; b < threads; ++b) {
        more |= urgencies_[b] > urgencies_[a] ? bit(b) : 0;
      }
      more_urgent_[a].store(more, std::memory_order_relaxed);
    }
  }

  // False if the thread is no longer idle: it then looks for work by itself.
  bool claim(WakeMask one) noexcept
  {
    if ((idle_.fetch_and(~one, std::memory_order_seq_cst) & one) == 0) {
      return false;
    }
    waker_.wake(thread_of(one));
    return true;
  }

  Waker & waker_;
  std::vector<int> urgencies_;  // used only by callers of set_urgency
  std::array<std::atomic<WakeMask>, kMost>
    more_urgent_{};  // thread → threads with a strictly larger urgency; none for the visitor

  alignas(64) typename Sync::template Word<WakeMask> idle_{0};  // threads that sleep
};

}  // namespace takt_core::detail

#endif  // TAKT_CORE__DETAIL__SLEEPERS_HPP_
