// Thread sets: one is made for the first callback bound to its threads, and is out of use after the
// last one has left. Serialised by setup_mutex_, safe while threads dispatch.
//
// A thread reads its list of sets without a lock. It may miss a set only if the list is changed
// twice meanwhile, first made shorter and then longer; `show` then makes the thread look again.
#include <algorithm>
#include <bit>
#include <cassert>
#include <chrono>
#include <functional>
#include <mutex>
#include <thread>

#include "scheduler/scheduler_settings.hpp"

namespace takt_core
{

// Adds a fault unless a thread set with these members exists or can be made. If only `moving`
// callbacks are bound to a set, the set does not count against the limit, because they leave it.
void Scheduler::check_threads(
  ThreadMask threads, const std::vector<CallbackEntry *> & moving, Faults & faults) const
{
  assert(setup_mutex_.held());
  if (threads == 0) {
    threads = all_threads();
  }
  if ((threads & ~all_threads()) != 0) {
    faults.push_back(
      "binding names thread " + std::to_string(std::bit_width(threads) - 1) +
      ", but the executor has only " + std::to_string(threads_) + " (numbered from 0)");
    return;
  }
  std::size_t used = 0;
  bool shared = false;
  for (const auto & set : sets_) {
    const auto leaving = std::count_if(moving.begin(), moving.end(), [&](const CallbackEntry * c) {
      return c->set_.load(std::memory_order_relaxed) == set.get();
    });
    if (set->users > 0 && set->members == threads) {
      return;
    }
    if (set->users > static_cast<std::size_t>(leaving)) {
      ++used;
      shared = shared || (set->members & threads) != 0;
    }
  }
  if (has_windows(order_) && shared) {
    faults.push_back(
      "order " + std::string(to_string(order_)) +
      " has one window per thread set: a thread cannot be in two of them; bind callbacks to "
      "the same threads or to disjoint ones");
  } else if (used >= kMaxThreadSets) {
    faults.push_back("more than 64 distinct thread sets; bind callbacks to fewer combinations");
  }
}

// The thread set of these members; puts one to use if there is none. Call after `check_threads`.
ThreadSet & Scheduler::thread_set(ThreadMask threads)
{
  assert(setup_mutex_.held());
  if (threads == 0) {
    threads = all_threads();
  }
  ThreadSet * set = nullptr;
  for (const auto & known : sets_) {
    if (known->members == threads) {
      return *known;
    }
    set = known->members == 0 ? known.get() : set;
  }
  if (set == nullptr) {
    auto owned = std::make_unique<ThreadSet>(*this, order_, window_timers_);
    owned->queue->reserve(settings_.size() + 1);
    owned->timers.reserve(settings_.size() + 1);
    sets_.push_back(std::move(owned));
    set = sets_.back().get();
  }
  ThreadMask wake_members = 0;
  for (std::uint32_t t = 0; t <= threads_; ++t) {
    if (t == visitor() || (threads >> t & 1) != 0) {
      wake_members |= sleepers_.bit(t);
    }
  }
  {
    std::lock_guard lock(set->mutex);
    set->members = threads;
    set->wake_members = wake_members;
    set->sole = std::has_single_bit(threads) ? threads : 0;
  }
  for (std::uint32_t t = 0; t <= threads_; ++t) {
    if (t == visitor() || (threads >> t & 1) != 0) {
      show(*set, t);
    }
  }
  return *set;
}

// Adds the set to the thread's list. The visitor's list has every set that was ever in use.
void Scheduler::show(ThreadSet & set, std::uint32_t thread)
{
  assert(setup_mutex_.held());
  ThreadSets & own = own_sets_[thread];
  const std::uint32_t count = own.count.load(std::memory_order_relaxed);
  for (std::uint32_t i = 0; i < count; ++i) {
    if (own.sets[i].load(std::memory_order_relaxed) == &set) {
      return;
    }
  }
  own.sets[count].store(&set, std::memory_order_release);
  own.count.store(count + 1, std::memory_order_release);
  if (count < own.used) {
    // The thread may have read the old list and found this set in the place of a moved one: wake
    // it, so that it looks for the sets that it missed.
    sleepers_.wake(thread);
    sleepers_.pass_on(own, 0);
  }
  own.used = std::max(own.used, count + 1);
}

void Scheduler::hide(ThreadSet & set, std::uint32_t thread)
{
  assert(setup_mutex_.held());
  ThreadSets & own = own_sets_[thread];
  const std::uint32_t last = own.count.load(std::memory_order_relaxed) - 1;
  for (std::uint32_t i = 0; i <= last; ++i) {
    if (own.sets[i].load(std::memory_order_relaxed) == &set) {
      own.sets[i].store(own.sets[last].load(std::memory_order_relaxed), std::memory_order_release);
      own.count.store(last, std::memory_order_release);
      return;
    }
  }
}

// Notes that the set has one bound callback fewer. Call when that callback neither waits in the set
// nor is on its way there.
void Scheduler::give_up(ThreadSet & set)
{
  assert(setup_mutex_.held());
  if (--set.users > 0) {
    return;
  }
  const ThreadMask members = set.members;
  {
    std::lock_guard lock(set.mutex);
    set.members = 0;
    set.wake_members = 0;
    set.sole = 0;
    set.timer_waiter.store(ThreadSet::kNobody, std::memory_order_seq_cst);
    set.waiter_until = kNever;
  }
  for (std::uint32_t t = 0; t < threads_; ++t) {
    if ((members >> t & 1) != 0) {
      hide(set, t);
    }
  }
}

// Binds a callback of this scheduler to other threads. Call after `check_threads`.
void Scheduler::move(CallbackEntry & entry, ThreadMask threads)
{
  assert(setup_mutex_.held());
  ThreadSet & to = thread_set(threads);
  settings(entry).binding.threads = threads;
  ThreadSet & from = *entry.set_.load(std::memory_order_relaxed);  // changes only here
  if (&from == &to) {
    return;
  }
  ++to.users;
  if (Group & group = *entry.group_; !group.shared()) {
    group.share();  // threads of the other set may enter it while a run is about to leave it
    for (const auto & set : sets_) {
      std::lock_guard pass(set->mutex);
    }
    await_steps();
  }
  // Only this function holds two sets' mutexes, in the order of their addresses.
  const bool from_first = std::less<ThreadSet *>{}(&from, &to);
  (from_first ? from : to).mutex.lock();
  (from_first ? to : from).mutex.lock();
  drain(from);  // else the callback would wait for the next look of its former threads
  const bool queued = entry.where_.load(std::memory_order_relaxed) == CallbackEntry::Where::queue;
  if (queued) {
    from.queue->remove(entry);
    entry.where_.store(CallbackEntry::Where::nowhere, std::memory_order_relaxed);
  }
  const bool armed = TimerHeap::armed(entry);
  if (armed) {
    from.timers.disarm(entry);
  }
  detach(from, entry);
  attach(to, entry);
  entry.set_.store(&to, std::memory_order_seq_cst);
  if (armed) {
    arm(to, entry);
  }
  publish_hints(from);
  publish_hints(to);
  to.mutex.unlock();
  from.mutex.unlock();
  if (from.may_have_work.load(std::memory_order_seq_cst)) {
    sleepers_.wake_one(from);
  }
  if (queued) {
    put_in(entry, kNoThread);  // still marked queued: no other thread could link it meanwhile
  }
  if (armed) {
    sleepers_.attend(to);
  }
  give_up_turn(entry);
  while (!settled(entry)) {
    // A thread has marked the callback as queued and has not linked it yet, perhaps to the old set.
    // That takes a few instructions, unless the thread is preempted.
    drain_all();
    std::this_thread::sleep_for(std::chrono::microseconds(50));
    give_up_turn(entry);
  }
  give_up(from);
}

// True if the callback does not wait, or waits in one of the places whose thread looks up the
// callback's set again when it takes the callback out.
bool Scheduler::settled(CallbackEntry & entry) noexcept
{
  assert(setup_mutex_.held());
  ThreadSet & set = *lock_set(entry);
  drain(set);
  bool there = (entry.state_.load(std::memory_order_seq_cst) & CallbackEntry::kQueued) == 0;
  if (!there) {
    // A thread needs these mutexes to take the callback from a group, or from a visitor's held
    // callbacks.
    std::lock_guard group(entry.group_->mutex_);
    std::lock_guard held(held_mutex_);
    const CallbackEntry::Where where = entry.where_.load(std::memory_order_relaxed);
    there = where == CallbackEntry::Where::queue || where == CallbackEntry::Where::parked ||
            where == CallbackEntry::Where::held;
  }
  publish_hints(set);
  set.mutex.unlock();
  if (set.may_have_work.load(std::memory_order_seq_cst)) {
    sleepers_.wake_one(
      set);  // a thread that looked while this one emptied the intake saw no callback
  }
  return there;
}

// Moves every callback in the intakes to its place, whether or not threads dispatch.
void Scheduler::drain_all() noexcept
{
  assert(setup_mutex_.held());
  for (const auto & set : sets_) {
    set->mutex.lock();
    drain(*set);
    publish_hints(*set);
    set->mutex.unlock();
    if (set->may_have_work.load(std::memory_order_seq_cst)) {
      sleepers_.wake_one(*set);
    }
  }
}

Status Scheduler::bind(Callback & callback, ThreadMask threads)
{
  return bind(std::vector<Callback *>{&callback}, threads);
}

Status Scheduler::bind(const std::vector<Callback *> & callbacks, ThreadMask threads)
{
  std::lock_guard setup(setup_mutex_);
  Faults faults;
  std::vector<CallbackEntry *> entries;
  for (Callback * const callback : callbacks) {
    entries.push_back(&CallbackEntry::of(*callback));
    if (settings_.count(entries.back()) == 0) {
      faults.push_back(callback->id() + " is not in this executor");
    }
  }
  if (faults.empty()) {
    check_threads(threads, entries, faults);
  }
  if (!faults.empty()) {
    return faults;
  }
  for (CallbackEntry * const entry : entries) {
    move(*entry, threads);
  }
  return {};
}

ThreadMask Scheduler::threads(const Callback & callback) const noexcept
{
  const CallbackEntry & entry = CallbackEntry::of(callback);
  for (;;) {
    const ThreadSet * const set = entry.set_.load(std::memory_order_acquire);
    const bool here = set != nullptr && &set->owner == this &&
                      (entry.state_.load(std::memory_order_acquire) & CallbackEntry::kAdded) != 0;
    const ThreadMask members = here ? set->members.load() : 0;
    if (entry.set_.load(std::memory_order_acquire) == set) {
      return members;
    }
  }
}

}  // namespace takt_core
