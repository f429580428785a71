// Removes callbacks. Serialised by setup_mutex_, safe while threads dispatch.
#include <algorithm>
#include <cassert>
#include <chrono>
#include <iterator>
#include <mutex>
#include <thread>

#include "scheduler/scheduler_settings.hpp"

namespace takt_core
{

// Unlinks the callback from the place where it waits; false if it is between two places. With the
// mutex of its set held.
bool Scheduler::unlink(CallbackEntry & entry) noexcept
{
  assert(holds_set(entry));
  ThreadSet & set = *entry.set_.load(std::memory_order_relaxed);
  drain(set);
  bool out = false;
  if (entry.where_.load(std::memory_order_relaxed) == CallbackEntry::Where::queue) {
    set.queue->remove(entry);
    out = true;
  } else if (entry.where_.load(std::memory_order_relaxed) == CallbackEntry::Where::held) {
    std::lock_guard lock(held_mutex_);
    for (CallbackEntry ** at = &held_; *at != nullptr; at = &(*at)->next_) {
      if (*at == &entry) {
        *at = entry.next_;
        out = true;
        break;
      }
    }
  }
  bool was_parked = false;
  CallbackEntry * const handed = entry.group_->forget(entry, was_parked);
  if (handed != nullptr) {
    handed->comes_ = CallbackEntry::Comes::returning;
    put_in(*handed, kNoThread);
  }
  if (out || was_parked) {
    entry.where_.store(CallbackEntry::Where::nowhere, std::memory_order_relaxed);
    entry.state_.fetch_and(~CallbackEntry::kQueued, std::memory_order_seq_cst);
  }
  return (entry.state_.load(std::memory_order_seq_cst) & CallbackEntry::kQueued) == 0;
}

// Prevents further starts and takes the callback out of its queue, its timers and its group.
// `detach` and `give_up`, or the scheduler's end, remove it from the set.
void Scheduler::take_out(CallbackEntry & entry)
{
  assert(setup_mutex_.held());
  entry.state_.fetch_or(CallbackEntry::kClosed, std::memory_order_seq_cst);
  unlink_inputs(entry);
  leave_condition(entry);
  for (;;) {
    give_up_turn(entry);
    ThreadSet & set = *lock_set(entry);
    if (TimerHeap::armed(entry)) {
      set.timers.disarm(entry);
    }
    const bool out = unlink(entry);
    publish_hints(set);
    set.mutex.unlock();
    if (set.may_have_work.load(std::memory_order_seq_cst)) {
      sleepers_.wake_one(
        set);  // a thread that looked while this one emptied the intake saw no callback
    }
    if (out) {
      break;
    }
    // The callback lies in the intake of a former set, or a thread has marked it as queued and has
    // not linked it yet. The latter takes a few instructions, unless the thread is preempted.
    drain_all();
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
  entry.state_.fetch_and(~CallbackEntry::kAdded, std::memory_order_seq_cst);
  entry.deadlines_.store(nullptr, std::memory_order_release);  // read only for waiting callbacks
  entry.group_->part();
}

std::shared_ptr<Callback> Scheduler::remove(Callback & callback, bool awaited)
{
  std::lock_guard setup(setup_mutex_);
  CallbackEntry & entry = CallbackEntry::of(callback);
  const auto found = settings_.find(&entry);
  if (found == settings_.end()) {
    const auto earlier = std::find_if(retired_.begin(), retired_.end(), [&](const auto & settings) {
      return settings->callback.get() == &callback;
    });
    return earlier == retired_.end() ? nullptr : (*earlier)->callback;
  }
  take_out(entry);
  ThreadSet & set = *entry.set_.load(std::memory_order_relaxed);
  {
    std::lock_guard lock(set.mutex);
    detach(set, entry);
  }
  give_up(set);
  by_id_.erase(callback.id());
  std::erase(aliases_, &entry);
  std::unique_ptr<Settings> gone = std::move(found->second);
  settings_.erase(found);
  std::shared_ptr<Callback> removed = gone->callback;
  gone->last_set = &set;
  if (running(callback)) {
    gone->awaited = awaited;
    retired_.push_back(std::move(gone));
    retiring_.store(true, std::memory_order_release);
  } else {
    forget(*gone);
  }
  return removed;
}

// Call when the last run of a removed callback is over. Then the callback belongs to no scheduler,
// unless it was added again meanwhile.
void Scheduler::forget(const Settings & gone) noexcept
{
  assert(setup_mutex_.held());
  ThreadSet * last = gone.last_set;
  CallbackEntry & entry = gone.entry();
  if (settings_.count(&entry) == 0) {
    entry.set_.compare_exchange_strong(last, nullptr);
  }
}

void Scheduler::leave_to_reap(const Callback & callback)
{
  std::lock_guard setup(setup_mutex_);
  for (const auto & settings : retired_) {
    if (settings->callback.get() == &callback) {
      settings->awaited = false;
    }
  }
}

bool Scheduler::reap(const Callback * awaited)
{
  if (!retiring_.load(std::memory_order_acquire)) {
    return false;
  }
  std::vector<std::unique_ptr<Settings>> ended;  // freed after the unlock: destructors call back
  std::lock_guard setup(setup_mutex_);
  const auto first = std::partition(retired_.begin(), retired_.end(), [&](const auto & s) {
    return running(*s->callback) || (s->awaited && s->callback.get() != awaited);
  });
  std::for_each(first, retired_.end(), [this](const auto & s) { forget(*s); });
  std::move(first, retired_.end(), std::back_inserter(ended));
  retired_.erase(first, retired_.end());
  retiring_.store(!retired_.empty(), std::memory_order_release);
  return !retired_.empty();
}

}  // namespace takt_core
