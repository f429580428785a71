// Dispatch: ready, next, taken, complete. Set-up is in scheduler_setup.cpp, timers in
// scheduler_timers.cpp, sleeping and waking in scheduler_idle.cpp.
#include "takt_core/scheduler.hpp"

#include <mutex>

#include "scheduler_settings.hpp"

namespace takt_core
{

void Scheduler::ready(Callback & callback, std::uint32_t count, Time now) noexcept
{
  const ActivationSet * const activations = current_activations();
  for (std::uint32_t i = std::min(count, callback.arrivals_.depth()); i > 0; --i) {
    callback.arrivals_.push(
      now, sequence_.fetch_add(1, std::memory_order_relaxed), activations);
  }
  if (count > 0) {
    enqueue(callback);
  }
}

// Turns kQueued on unless it is on or the callback is closing. Whoever turned it on owns the
// callback's links until it is picked.
bool Scheduler::mark_queued(Callback & callback) noexcept
{
  std::uint32_t state = callback.state_.load(std::memory_order_seq_cst);
  do {
    if ((state & (Callback::kQueued | Callback::kClosed)) != 0 || (state & Callback::kAdded) == 0) {
      return false;  // not added yet: `add` looks at the arrivals once it is done
    }
  } while (!callback.state_.compare_exchange_weak(
    state, state | Callback::kQueued, std::memory_order_seq_cst));
  return true;
}

void Scheduler::enqueue(Callback & callback) noexcept
{
  if (mark_queued(callback)) {
    put_in(callback, kNoThread);
  }
}

// Puts a queued callback in its set's intake and wakes a thread for it, unless `caller` is a member
// that is about to look itself.
void Scheduler::put_in(Callback & callback, std::uint32_t caller) noexcept
{
  ThreadSet & set = *callback.set_.load(std::memory_order_acquire);
  set.intake.push(callback);
  if (caller == kNoThread || (set.wake_members >> wake_bit_[caller] & 1) == 0) {
    wake_one(set);
  }
}

Time Scheduler::deadline(
  const Callback & callback, Time release, const ActivationSet & of) const noexcept
{
  const Duration local{callback.local_deadline_.load(std::memory_order_relaxed)};
  Time earliest = add_saturated(release, local);
  const auto * const chains = callback.chain_deadlines_.load(std::memory_order_acquire);
  if (chains != nullptr) {
    for (const Activation & activation : of) {
      for (const auto & chain : chains->entries) {
        if (chain.root == activation.root) {
          earliest = std::min(earliest, add_saturated(activation.release, chain.deadline));
        }
      }
    }
  }
  return earliest;
}

void Scheduler::set_key(ThreadSet & set, Callback & callback) noexcept
{
  Time due = kNever;
  if (callback.kind_ == Kind::timer) {
    if (set.queue->needs_deadline()) {
      ActivationSet own;
      own.add({callback.number_, callback.instance_, callback.due_});
      due = deadline(callback, callback.due_, own);
    }
  } else if (set.queue->needs_deadline()) {
    Arrival arrival;
    if (callback.arrivals_.peek(arrival)) {
      if (arrival.activations.empty()) {
        arrival.activations.add({callback.number_, callback.instance_, arrival.ready});
      }
      callback.sequence_ = arrival.sequence;
      due = deadline(callback, arrival.ready, arrival.activations);
    }
  } else {
    callback.sequence_ = callback.arrivals_.peek_sequence();
  }
  callback.key_ = set.queue->key(callback, due);
}

void Scheduler::insert(ThreadSet & set, Callback & callback, ReadyQueue::From from) noexcept
{
  set_key(set, callback);
  callback.where_.store(Callback::Where::queue, std::memory_order_relaxed);
  set.queue->insert(callback, from);
}

// Moves the intake into the ready queue. A callback that was bound elsewhere meanwhile is sent on;
// one that is being removed is dropped.
void Scheduler::drain(ThreadSet & set) noexcept
{
  Callback * callback = set.intake.take_all();
  while (callback != nullptr) {
    Callback * const next = callback->next_;
    if (callback->set_.load(std::memory_order_acquire) != &set) {
      callback->where_.store(Callback::Where::nowhere, std::memory_order_relaxed);
      put_in(*callback, kNoThread);
    } else if ((callback->state_.load(std::memory_order_acquire) & Callback::kClosed) != 0) {
      callback->where_.store(Callback::Where::nowhere, std::memory_order_relaxed);
      callback->state_.fetch_and(~Callback::kQueued, std::memory_order_acq_rel);
    } else {
      const bool back = callback->returning_;
      callback->returning_ = false;
      insert(set, *callback, back ? ReadyQueue::From::group : ReadyQueue::From::release);
    }
    callback = next;
  }
}

// Brings a set up to date: due timers, then the intake.
void Scheduler::service(ThreadSet & set, std::uint32_t thread, Time now) noexcept
{
  if (set.timer_waiter.load(std::memory_order_relaxed) == thread) {
    set.timer_waiter.store(ThreadSet::kNobody, std::memory_order_relaxed);
    set.waiter_until = kNever;
  }
  const std::uint32_t released = release_timers(set, now);
  drain(set);
  // This thread takes one of the timers; each further one may have an idle member of its own.
  for (std::uint32_t i = 1; i < released && wake_one(set); ++i) {
  }
}

void Scheduler::publish_hints(ThreadSet & set) noexcept
{
  set.may_have_work.store(set.queue->may_have_work(), std::memory_order_seq_cst);
  set.next_expiry.store(to_ns(set.timers.next()), std::memory_order_seq_cst);
}

// Fills `run` if the callback really starts. With the set's mutex held.
bool Scheduler::start(
  ThreadSet & set, Callback & callback, std::uint32_t thread, Time now, Run & run) noexcept
{
  run.callback = &callback;
  run.set = &set;
  run.thread = thread;
  run.start = now;
  run.sequence = callback.sequence_;
  run.skipped = 0;
  run.activations.clear();

  bool works = true;
  if (callback.kind_ == Kind::timer) {
    works = callback.timer_active_ && !callback.withdrawn_;
    callback.withdrawn_ = false;
    run.release = callback.due_;
    run.activations.add({callback.number_, callback.instance_, run.release});
    if (works) {
      ++callback.instance_;
      run.skipped = advance_timer(callback, now);
    }
  } else {
    Arrival arrival;
    works = callback.arrivals_.pop(arrival);
    if (arrival.ready == Time{}) {
      arrival.ready = now;
    }
    run.release = arrival.ready;
    run.activations = arrival.activations;
    if (run.activations.empty()) {
      run.activations.add({callback.number_, callback.instance_++, run.release});
    }
  }
  run.deadline = deadline(callback, run.release, run.activations);

  callback.running_.fetch_add(1, std::memory_order_relaxed);
  callback.where_.store(Callback::Where::nowhere, std::memory_order_relaxed);
  callback.state_.fetch_and(~Callback::kQueued, std::memory_order_seq_cst);
  if (callback.kind_ == Kind::timer && callback.timer_active_) {
    arm(set, callback);
  }
  return works;
}

// Pops until something starts. With the set's mutex held.
bool Scheduler::pick(
  ThreadSet & set, std::uint32_t thread, Time now, Run & run, std::uint64_t before) noexcept
{
  while (Callback * const callback = set.queue->pop()) {
    if (before != UINT64_MAX && (callback->sequence_ >= before || callback->visit_ == visit_)) {
      if (set.queue->enters_groups()) {
        callback->group_->leave(nullptr);
        set.queue->group_left(*callback->group_);
      }
      std::lock_guard lock(held_mutex_);
      callback->where_.store(Callback::Where::held, std::memory_order_relaxed);
      callback->next_ = held_;
      held_ = callback;
      continue;
    }
    if (
      !set.queue->enters_groups() &&
      callback->group_->enter(*callback) == Group::Enter::parked) {
      continue;
    }
    if (start(set, *callback, thread, now, run)) {
      callback->visit_ = before != UINT64_MAX ? visit_ : callback->visit_;
      return true;
    }
    // A cancelled timer, or an arrival that was overwritten: nothing runs, the group is free.
    finish(run);
  }
  return false;
}

// Of several sets, the one whose best callback comes first. Windows never share threads, so all
// heads can be compared.
ThreadSet * Scheduler::best_set(ThreadSets & own, std::uint32_t thread, Time now) noexcept
{
  ThreadSet * best = nullptr;
  std::uint64_t best_key = 0;
  std::uint64_t best_sequence = 0;
  const std::uint32_t count = own.count.load(std::memory_order_acquire);
  for (std::uint32_t i = 0; i < count; ++i) {
    ThreadSet & set = *own.sets[i].load(std::memory_order_relaxed);
    std::lock_guard lock(set.mutex);
    service(set, thread, now);
    publish_hints(set);
    if (has_windows(set.order)) {  // only a visitor sees several of these
      if (best == nullptr && set.queue->may_have_work()) {
        best = &set;
        best_key = UINT64_MAX;
      }
      continue;
    }
    const Callback * const head = set.queue->peek();
    if (head == nullptr) {
      continue;
    }
    if (
      best == nullptr || head->key_ < best_key ||
      (head->key_ == best_key && head->sequence_ < best_sequence)) {
      best = &set;
      best_key = head->key_;
      best_sequence = head->sequence_;
    }
  }
  return best;
}

bool Scheduler::next(std::uint32_t thread, Time now, Run & run, std::uint64_t before) noexcept
{
  ThreadSets & own = own_sets_[thread];
  const std::uint64_t bit = std::uint64_t{1} << wake_bit_[thread];
  if ((waking_.load(std::memory_order_relaxed) & bit) != 0) {
    waking_.fetch_and(~bit, std::memory_order_seq_cst);
  }

  const std::uint32_t count = own.count.load(std::memory_order_acquire);
  bool found = false;
  if (count == 1) {
    ThreadSet & set = *own.sets[0].load(std::memory_order_relaxed);
    std::lock_guard lock(set.mutex);
    service(set, thread, now);
    found = pick(set, thread, now, run, before);
    publish_hints(set);
  } else {
    while (!found) {
      ThreadSet * const set = best_set(own, thread, now);
      if (set == nullptr) {
        break;
      }
      std::lock_guard lock(set->mutex);
      found = pick(*set, thread, now, run, before);
      publish_hints(*set);
    }
  }
  if (found) {
    pass_on(own);
  }
  return found;
}

void Scheduler::taken(Run & run) noexcept
{
  Callback & callback = *run.callback;
  if (
    !callback.group_->exclusive() && callback.kind_ != Kind::timer && !callback.arrivals_.empty()) {
    enqueue(callback);
  }
}

// Queues what is pending and leaves the group. For `stock`, with the set's mutex held.
void Scheduler::finish(Run & run) noexcept
{
  Callback & callback = *run.callback;
  ThreadSet & set = *run.set;
  Group & group = *callback.group_;

  Callback * self = nullptr;
  if (callback.kind_ != Kind::timer && !callback.arrivals_.empty() && mark_queued(callback)) {
    if (!group.exclusive() || has_windows(set.order)) {
      put_in(callback, run.thread);  // for a window, that is the next one
    } else {
      // Its next message competes with what is parked in the group, by (key, release).
      self = &callback;
      set_key(set, callback);
    }
  }
  Callback * const handed = group.leave(self);
  if (set.queue->enters_groups()) {
    set.queue->group_left(group);
  }
  // From here on `remove` may return and the callback be destroyed, unless it is queued again.
  callback.running_.fetch_sub(1, std::memory_order_release);
  if (handed != nullptr) {
    handed->returning_ = handed != self;
    put_in(*handed, run.thread);
  }
}

void Scheduler::complete(Run & run) noexcept
{
  ThreadSet & set = *run.set;
  if (!set.queue->enters_groups()) {
    finish(run);
    return;
  }
  // `stock`: leaving a group is an event for the whole set, as rclcpp's interrupt is.
  {
    std::lock_guard lock(set.mutex);
    finish(run);
    publish_hints(set);
  }
  wake_one(set);
}

void Scheduler::release_held() noexcept
{
  std::lock_guard lock(held_mutex_);
  while (held_ != nullptr) {
    Callback * const callback = held_;
    held_ = callback->next_;
    put_in(*callback, kNoThread);
  }
}

}  // namespace takt_core
