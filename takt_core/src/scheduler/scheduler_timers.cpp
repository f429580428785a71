// Releases due timers and applies the policies for missed periods.
#include <cassert>
#include <mutex>

#include "scheduler/scheduler_settings.hpp"
#include "takt_rt/duration_text.hpp"

namespace takt_core
{

using takt_rt::add_saturated;
using takt_rt::from_ns;
using takt_rt::print_duration;
using takt_rt::to_ns;

namespace
{

// The time from the last release of the timer's grid until `time`, on a clock that is `ahead`.
Duration since_release(const TimerOptions & timer, Time time, Duration ahead) noexcept
{
  const auto part = [&](Duration one) { return one % timer.period; };
  Duration since =
    part(part(time - Time{}) + part(ahead)) - part(timer.offset.value_or(timer.period));
  while (since < Duration::zero()) {
    since += timer.period;
  }
  return since;
}

}  // namespace

Time first_release(const TimerOptions & timer, Epoch epoch, Time from, Duration ahead) noexcept
{
  const Duration offset = timer.offset.value_or(timer.period);
  if (epoch == Epoch::start) {
    return add_saturated(from, offset);
  }
  const Time earliest = add_saturated(from, offset / timer.period * timer.period);
  const Duration since =
    since_release(timer, earliest, epoch == Epoch::tai ? ahead : Duration::zero());
  return since == Duration::zero() ? earliest : add_saturated(earliest, timer.period - since);
}

Time Scheduler::first_release(const TimerOptions & timer, Time from) const noexcept
{
  return takt_core::first_release(timer, epoch_of_timers_, from, ahead());
}

Duration Scheduler::ahead() const noexcept
{
  return epoch_of_timers_ == Epoch::tai && clock_ahead_ != nullptr ? clock_ahead_()
                                                                   : Duration::zero();
}

// If the clock was set since the last release, the next release moves to the nearest grid point.
void Scheduler::keep_on_grid(CallbackEntry & timer) const noexcept
{
  assert(holds_set(timer));
  if (epoch_of_timers_ != Epoch::tai || !timer.on_grid_ || timer.expiry_ == kNever) {
    return;
  }
  const Duration since = since_release(timer.timer_, timer.expiry_, ahead());
  timer.expiry_ = since <= timer.timer_.period / 2
                    ? timer.expiry_ - since
                    : add_saturated(timer.expiry_, timer.timer_.period - since);
}

void Scheduler::check_timer(const Callback & callback, Faults & faults)
{
  const CallbackEntry & entry = CallbackEntry::of(callback);
  if (entry.kind_ != Kind::timer) {
    if (entry.timed_) {
      faults.push_back(
        callback.id() + ": timer options belong to a timer, not to a " +
        std::string(to_string(entry.kind_)));
    }
    return;
  }
  if (entry.timer_.period <= Duration::zero()) {
    faults.push_back(callback.id() + ": a timer needs a period above zero");
  }
  if (entry.timer_.offset && *entry.timer_.offset < Duration::zero()) {
    faults.push_back(
      callback.id() + ": offset " + print_duration(*entry.timer_.offset) + " must not be negative");
  }
}

// Releases every due timer of the set; returns their number.
std::uint32_t Scheduler::release_timers(ThreadSet & set, Time now) noexcept
{
  assert(set.mutex.held());
  std::uint32_t released = 0;
  while (!set.timers.empty() && set.timers.next() <= now) {
    CallbackEntry & timer = set.timers.top();
    set.timers.disarm(timer);
    // The timer is not queued: it is armed only after its pick, or before its first release.
    if (!timer.state_.mark_queued()) {
      continue;  // being removed
    }
    timer.due_ = timer.expiry_;
    timer.precedence_.sequence = sequence_.fetch_add(kReleaseStep, std::memory_order_relaxed);
    insert(set, timer, CallbackEntry::Comes::released);
    ++released;
  }
  return released;
}

// Sets the next expiry of a timer that starts now, by its policy; returns the number of dropped
// periods.
std::uint32_t Scheduler::advance_timer(CallbackEntry & timer, Time now) noexcept
{
  assert(holds_set(timer));
  const Duration period = timer.timer_.period;
  Duration::rep dropped = 0;
  switch (timer.timer_.missed_periods) {
    case MissedPeriods::catch_up:
      timer.expiry_ = add_saturated(timer.due_, period);
      break;
    case MissedPeriods::restart:
      dropped = std::max<Duration::rep>((now - timer.due_) / period, 0);
      timer.expiry_ = add_saturated(std::max(now, timer.due_), period);
      break;
    case MissedPeriods::skip:
      timer.expiry_ = add_saturated(timer.due_, period);
      if (timer.expiry_ <= now) {
        dropped = (now - timer.due_) / period;
        timer.expiry_ = add_saturated(timer.due_ + dropped * period, period);
      }
      break;
  }
  timer.on_grid_ = timer.on_grid_ && timer.timer_.missed_periods != MissedPeriods::restart;
  keep_on_grid(timer);
  timer.skipped_.fetch_add(static_cast<std::uint64_t>(dropped), std::memory_order_relaxed);
  if (dropped > 0) {
    disturbed(timer.callback(), Disturbance::skipped_period, now);
  }
  return static_cast<std::uint32_t>(dropped);
}

// Puts an idle timer into the set's heap and ensures that a thread wakes in time.
void Scheduler::arm(ThreadSet & set, CallbackEntry & timer) noexcept
{
  assert(set.mutex.held());
  set.timers.arm(timer);
  sleepers_.armed(set, timer.expiry_);
}

// Locks the mutex of the callback's set; the caller unlocks it. Null if the callback is in no set
// of this scheduler.
ThreadSet * Scheduler::lock_set(const CallbackEntry & entry) const noexcept
{
  for (;;) {
    ThreadSet * const set = entry.set_.load(std::memory_order_acquire);
    if (set == nullptr || &set->owner != this) {
      return nullptr;
    }
    set->mutex.lock();
    if (entry.set_.load(std::memory_order_relaxed) == set) {
      return set;
    }
    set->mutex.unlock();  // the callback has another set now
  }
}

// Whether a timer that is active and not queued may be armed. It may not while a run of it has not
// taken (`taken` arms it then), and not during its removal.
bool Scheduler::may_arm(std::uint32_t state) noexcept
{
  return (state & CallbackEntry::kAdded) != 0 &&
         (state & (CallbackEntry::kClosed | CallbackEntry::kTaking)) == 0;
}

// Arms a timer of a reentrant group after its take: runs of the timer may overlap, but not before
// the take.
void Scheduler::taken_by_timer(CallbackEntry & timer) noexcept
{
  ThreadSet & set = *lock_set(timer);
  const std::uint32_t state =
    timer.state_.fetch_and(~CallbackEntry::kTaking, std::memory_order_seq_cst) &
    ~CallbackEntry::kTaking;
  const bool arms = may_arm(state) && timer.timer_active_ && !TimerHeap::armed(timer) &&
                    (state & CallbackEntry::kQueued) == 0;
  if (arms) {
    arm(set, timer);
    publish_hints(set);
  }
  set.mutex.unlock();
  if (arms) {
    sleepers_.attend(set);
  }
}

// The queued release, else the next one; kNever: the timer is cancelled.
Time Scheduler::upcoming(const CallbackEntry & timer) noexcept
{
  assert(holds_set(timer));
  const bool released = !timer.withdrawn_ && (timer.state_.load(std::memory_order_acquire) &
                                              CallbackEntry::kQueued) != 0;
  return !timer.timer_active_ ? kNever : released ? timer.due_ : timer.expiry_;
}

namespace
{

// Whether the callback is in no scheduler: then only its owner uses its timer fields.
bool loose(const std::atomic<ThreadSet *> & set) noexcept
{
  return set.load(std::memory_order_acquire) == nullptr;
}

}  // namespace

Time Scheduler::cancel_timer(Callback & timer) noexcept
{
  CallbackEntry & entry = CallbackEntry::of(timer);
  ThreadSet * const set = lock_set(entry);
  if (set == nullptr) {
    if (loose(entry.set_)) {
      entry.timer_active_ = false;
    }
    return kNever;
  }
  const Time next = upcoming(entry);
  entry.timer_active_ = false;  // if it is queued, its start checks this
  if (TimerHeap::armed(entry)) {
    set->timers.disarm(entry);
    publish_hints(*set);
  }
  set->mutex.unlock();
  return next;
}

// Makes the timer active with its next release `expiry`. kNever: the first release counts from the
// opening of the gate. Call with the set's mutex held; this function unlocks it.
void Scheduler::begin_timer(
  ThreadSet & set, CallbackEntry & timer, Time expiry, bool on_grid) noexcept
{
  assert(set.mutex.held());
  timer.timer_active_ = true;
  timer.on_grid_ = on_grid;
  timer.expiry_ = expiry;
  const std::uint32_t state = timer.state_.load(std::memory_order_acquire);
  if (TimerHeap::armed(timer)) {
    set.timers.disarm(timer);
    arm(set, timer);
  } else if ((state & CallbackEntry::kQueued) != 0) {
    timer.withdrawn_ = true;  // the timer's start sees this and arms it for the new expiry
  } else if (expiry != kNever && may_arm(state) && open_.load(std::memory_order_acquire)) {
    arm(set, timer);  // else `open` arms it, after this thread has unlocked the mutex
  }
  publish_hints(set);
  set.mutex.unlock();
  sleepers_.attend(set);
}

void Scheduler::reset_timer(Callback & timer, Time now) noexcept
{
  CallbackEntry & entry = CallbackEntry::of(timer);
  ThreadSet * const set = lock_set(entry);
  if (set != nullptr) {
    begin_timer(*set, entry, add_saturated(now, entry.timer_.period), false);
  } else if (loose(entry.set_)) {
    entry.timer_active_ = true;
  }
}

void Scheduler::resume_timer(Callback & timer, Time next, Time now) noexcept
{
  CallbackEntry & entry = CallbackEntry::of(timer);
  ThreadSet * const set = lock_set(entry);
  if (set == nullptr) {
    return;
  }
  if (entry.timer_active_) {
    set->mutex.unlock();
    return;
  }
  const bool begins = next == kNever;
  if (begins && open_.load(std::memory_order_acquire)) {
    next = first_release(entry.timer_, std::max(now, epoch_));
  }
  begin_timer(*set, entry, next, begins);
}

Duration Scheduler::period(const Callback & timer) const noexcept
{
  const CallbackEntry & entry = CallbackEntry::of(timer);
  ThreadSet * const set = lock_set(entry);
  if (set == nullptr) {
    return Duration::zero();
  }
  const Duration period = entry.timer_.period;
  set->mutex.unlock();
  return period;
}

void Scheduler::set_period(Callback & timer, Duration period) noexcept
{
  CallbackEntry & entry = CallbackEntry::of(timer);
  if (period <= Duration::zero()) {
    return;
  }
  ThreadSet * const set = lock_set(entry);
  if (set != nullptr) {
    entry.timer_.period = period;  // from the next release on, as rcl_timer_exchange_period
    entry.on_grid_ = false;
    set->mutex.unlock();
  } else if (loose(entry.set_)) {
    entry.timer_.period = period;
  }
}

bool Scheduler::timer_cancelled(const Callback & timer) const noexcept
{
  const CallbackEntry & entry = CallbackEntry::of(timer);
  ThreadSet * const set = lock_set(entry);
  const bool cancelled = !entry.timer_active_;
  if (set != nullptr) {
    set->mutex.unlock();
  }
  return cancelled;
}

Time Scheduler::next_release(const Callback & timer) const noexcept
{
  const CallbackEntry & entry = CallbackEntry::of(timer);
  ThreadSet * const set = lock_set(entry);
  if (set == nullptr) {
    return kNever;
  }
  const Time next = upcoming(entry);
  set->mutex.unlock();
  return next;
}

std::uint64_t Scheduler::unstarted_periods(const Callback & timer, Time until) const noexcept
{
  const CallbackEntry & entry = CallbackEntry::of(timer);
  ThreadSet * const set = lock_set(entry);
  if (set == nullptr) {
    return 0;
  }
  const Time next = upcoming(entry);
  const Duration period = entry.timer_.period;
  set->mutex.unlock();
  // A callback that is not a timer has no upcoming release.
  return next > until ? 0 : static_cast<std::uint64_t>((until - next) / period) + 1;
}

std::uint64_t Scheduler::begin_visit(Time now) noexcept
{
  ++visit_;
  ThreadSets & all = own_sets_[visitor()];
  const std::uint32_t count = all.size();
  for (std::uint32_t i = 0; i < count; ++i) {
    ThreadSet & set = all[i];
    std::lock_guard lock(set.mutex);
    release_timers(set, now);
    publish_hints(set);
  }
  return sequence_.load(std::memory_order_relaxed);
}

Time Scheduler::next_timer(std::uint32_t thread) const noexcept
{
  const ThreadSets & own = own_sets_[thread];
  std::int64_t earliest = to_ns(kNever);
  const std::uint32_t count = own.size();
  for (std::uint32_t i = 0; i < count; ++i) {
    const ThreadSet & set = own[i];
    earliest = std::min(earliest, set.next_expiry.load(std::memory_order_relaxed));
  }
  return from_ns(earliest);
}

}  // namespace takt_core
