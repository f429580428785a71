// Going to sleep and waking up.
//
// The protocol is Dekker's: a sleeper first marks itself idle, then looks for work once more; a
// source first makes work visible, then looks for idle threads. All four are sequentially
// consistent, so one of the two sees the other. A wake-up claims the idle mark, so that each goes to
// one thread only, the most urgent idle member.
#include <bit>
#include <mutex>

#include "scheduler/scheduler_settings.hpp"

namespace takt_core
{

bool Scheduler::begin_idle(std::uint32_t thread, Time now, Time & wake_at) noexcept
{
  const std::uint64_t bit = std::uint64_t{1} << wake_bit_[thread];
  idle_.fetch_or(bit, std::memory_order_seq_cst);

  wake_at = kNever;
  ThreadSets & own = own_sets_[thread];
  const std::uint32_t count = own.count.load(std::memory_order_acquire);
  bool work = false;
  for (std::uint32_t i = 0; i < count && !work; ++i) {
    ThreadSet & set = *own.sets[i].load(std::memory_order_acquire);
    if (!set.serves(bit)) {
      continue;
    }
    work = !set.intake.empty() || set.may_have_work.load(std::memory_order_seq_cst);
    if (work || set.next_expiry.load(std::memory_order_seq_cst) == to_ns(kNever)) {
      continue;
    }
    std::lock_guard lock(set.mutex);
    if (!set.serves(bit)) {
      continue;  // given other members meanwhile
    }
    const Time next = set.timers.next();
    const std::uint32_t waiter = set.timer_waiter.load(std::memory_order_relaxed);
    work = next <= now;
    if (!work && (waiter == ThreadSet::kNobody || waiter == thread)) {
      set.timer_waiter.store(thread, std::memory_order_seq_cst);
      set.waiter_until = next;
      wake_at = std::min(wake_at, next);
    }
  }
  if (work) {
    idle_.fetch_and(~bit, std::memory_order_seq_cst);  // timer roles are given up by `next`
  }
  return !work;
}

void Scheduler::end_idle(std::uint32_t thread) noexcept
{
  idle_.fetch_and(~(std::uint64_t{1} << wake_bit_[thread]), std::memory_order_seq_cst);
}

void Scheduler::leave(std::uint32_t thread) noexcept
{
  ThreadSets & own = own_sets_[thread];
  const std::uint32_t count = own.count.load(std::memory_order_acquire);
  for (std::uint32_t i = 0; i < count; ++i) {
    ThreadSet & set = *own.sets[i].load(std::memory_order_acquire);
    std::lock_guard lock(set.mutex);
    give_up_timers(set, thread);
  }
  waking_.fetch_and(~(std::uint64_t{1} << wake_bit_[thread]), std::memory_order_seq_cst);
  pass_on(own);
}

// With the set's mutex held.
void Scheduler::give_up_timers(ThreadSet & set, std::uint32_t thread) noexcept
{
  if (set.timer_waiter.load(std::memory_order_relaxed) == thread) {
    set.timer_waiter.store(ThreadSet::kNobody, std::memory_order_seq_cst);
    set.waiter_until = kNever;
  }
}

// Wakes `thread` if it is idle still.
bool Scheduler::claim(std::uint32_t thread) noexcept
{
  const std::uint64_t bit = std::uint64_t{1} << wake_bit_[thread];
  // Marked as waking before it is claimed: were it after, the mark could outlive the thread's look
  // at its sets and make `pass_on` rely on a thread that is busy.
  waking_.fetch_or(bit, std::memory_order_seq_cst);
  if ((idle_.fetch_and(~bit, std::memory_order_seq_cst) & bit) != 0) {
    waker_.wake(thread);
    return true;
  }
  // It woke by itself and may have looked before the mark. Who relied on the mark is answered for.
  waking_.fetch_and(~bit, std::memory_order_seq_cst);
  pass_on(own_sets_[thread]);
  return false;
}

void Scheduler::wake_thread(std::uint32_t thread) noexcept
{
  if ((idle_.load(std::memory_order_seq_cst) >> wake_bit_[thread] & 1) != 0) {
    claim(thread);
  }
}

// Wakes the most urgent idle member of the set; false if there is none.
bool Scheduler::wake_one(const ThreadSet & set) noexcept
{
  for (;;) {
    const std::uint64_t idle = idle_.load(std::memory_order_seq_cst) & set.wake_members;
    if (idle == 0) {
      return false;
    }
    if (claim(wake_order_[static_cast<std::size_t>(std::countr_zero(idle))])) {
      return true;
    }
  }
}

// Before a thread runs what it picked: if one of its sets has more work, or timers that nobody
// waits for, an idle member takes over. A member that was woken already and has not looked yet will
// do so itself.
void Scheduler::pass_on(ThreadSets & own) noexcept
{
  if (idle_.load(std::memory_order_seq_cst) == 0) {
    return;
  }
  const std::uint32_t count = own.count.load(std::memory_order_acquire);
  for (std::uint32_t i = 0; i < count; ++i) {
    ThreadSet & set = *own.sets[i].load(std::memory_order_acquire);
    const bool work = set.may_have_work.load(std::memory_order_seq_cst) || !set.intake.empty();
    const bool unattended = set.next_expiry.load(std::memory_order_seq_cst) != to_ns(kNever) &&
                            set.timer_waiter.load(std::memory_order_seq_cst) == ThreadSet::kNobody;
    if ((work || unattended) && (waking_.load(std::memory_order_seq_cst) & set.wake_members) == 0) {
      wake_one(set);
    }
  }
}

}  // namespace takt_core
