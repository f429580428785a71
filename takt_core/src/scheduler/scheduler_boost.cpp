// Boosted priorities (boost.hpp): each dispatch of a thread set with boosted callbacks updates
// them.
#include <algorithm>
#include <cassert>
#include <cmath>
#include <mutex>
#include <string>

#include "scheduler/scheduler_settings.hpp"
#include "takt_rt/duration_text.hpp"

namespace takt_core
{

using takt_rt::print_duration;

namespace
{

constexpr int kMostUrgent = 255;

bool in_range(int value) noexcept
{
  return value >= 1 && value <= kMostUrgent;
}

// The number of full steps. `waiting` is positive.
std::uint32_t full_steps(
  const Boost & boost, std::uint32_t waiting, std::uint32_t depth, Duration age) noexcept
{
  const double steps =
    boost.depth > 0 ? static_cast<double>(waiting) / (boost.depth * static_cast<double>(depth))
                    : static_cast<double>(age.count()) / static_cast<double>(boost.age.count());
  // Fractions such as 0.1 are not exact. With the summand, ten steps of 0.1 make a full history.
  return static_cast<std::uint32_t>(std::clamp(std::floor(steps + 1e-9), 0.0, 256.0));
}

}  // namespace

void check_boost(const Callback & callback, const std::optional<Boost> & boost, Faults & faults)
{
  if (!boost) {
    return;
  }
  const std::string what = callback.id() + ": boost";
  if (callback.kind() == Kind::timer) {
    faults.push_back(what + " does not fit a timer, for which no messages wait");
  }
  const bool by_depth = boost->depth != 0;
  const bool by_age = boost->age != Duration::zero();
  if (by_depth == by_age) {
    faults.push_back(what + " needs a step in backlog or a step in age, and not both");
  }
  if (!(boost->depth >= 0 && boost->depth <= 1)) {
    faults.push_back(what + ": a step is a fraction of the history above 0 and at most 1");
  }
  if (boost->age < Duration::zero()) {
    faults.push_back(what + ": a step of " + print_duration(boost->age) + " must be above zero");
  }
  if (!in_range(boost->levels) || !in_range(boost->max)) {
    faults.push_back(what + ": levels and max are priorities from 1 to 255");
  }
}

void Scheduler::attach(ThreadSet & set, CallbackEntry & entry)
{
  assert(set.mutex.held());
  set.queue->attach(entry);
  link_boost(set, entry);
}

void Scheduler::detach(ThreadSet & set, CallbackEntry & entry)
{
  assert(set.mutex.held());
  unlink_boost(set, entry);
  set.queue->detach(entry);
}

void Scheduler::link_boost(ThreadSet & set, CallbackEntry & entry) noexcept
{
  assert(set.mutex.held());
  if (entry.boost_ && set.order == Order::priority) {
    entry.next_boosted_ = set.boosted;
    set.boosted = &entry;
    set.boosts.store(true, std::memory_order_seq_cst);
  }
}

void Scheduler::unlink_boost(ThreadSet & set, CallbackEntry & entry) noexcept
{
  assert(set.mutex.held());
  for (CallbackEntry ** at = &set.boosted; *at != nullptr; at = &(*at)->next_boosted_) {
    if (*at == &entry) {
      *at = entry.next_boosted_;
      entry.next_boosted_ = nullptr;
      break;
    }
  }
  set.boosts.store(set.boosted != nullptr, std::memory_order_relaxed);
}

// Moves a waiting callback to the place of its new key. If that hands the group to a callback,
// returns this callback, which the caller must put in; else nullptr. With the set's mutex held; not
// for windows.
CallbackEntry * Scheduler::requeue(ThreadSet & set, CallbackEntry & entry) noexcept
{
  assert(set.mutex.held());
  // Acquire, because `precedence_` is read below: the thread that put the callback there may have
  // held another mutex or none.
  const CallbackEntry::Where where = entry.where_.load(std::memory_order_acquire);
  // A callback in these places starts only with the set's mutex.
  if (
    where != CallbackEntry::Where::queue && where != CallbackEntry::Where::parked &&
    where != CallbackEntry::Where::intake) {
    // Another thread may be about to park the callback with its old key, holding the group's mutex.
    return set.order == Order::edf ? nullptr
                                   : entry.group_->rekey(entry, set.queue->key(entry, kNever));
  }
  Precedence place = entry.precedence_;
  find_precedence(set, entry, CallbackEntry::Comes::released, place);
  if (where == CallbackEntry::Where::queue) {
    set.queue->remove(entry);
    insert(set, entry, CallbackEntry::Comes::released);
  }
  return entry.group_->rekey(entry, place.key);
}

// Updates the boosts of the set's callbacks. Real-time safe; O(callbacks of the set with a boost).
void Scheduler::boost_all(ThreadSet & set, std::uint32_t thread, Time now) noexcept
{
  assert(set.mutex.held());
  const bool nothing_ready = !set.queue->may_have_work();
  bool handed_on = false;
  for (CallbackEntry * c = set.boosted; c != nullptr; c = c->next_boosted_) {
    const Boost & boost = *c->boost_;
    if (nothing_ready) {
      c->boosted_starts_ = 0;
    }
    const std::uint32_t waiting = c->arrivals_.size();
    const Time oldest = boost.depth > 0 ? now : c->arrivals_.oldest_stamp();
    if (waiting == 0) {
      c->boost_step_ = 0;
    } else if (oldest != kNever) {  // else a producer is replacing the oldest arrival
      const Duration age = oldest < now ? now - oldest : Duration::zero();
      const std::uint32_t full = full_steps(boost, waiting, c->arrivals_.depth(), age);
      c->boost_step_ = std::clamp(c->boost_step_, full, full + 1);
    }
    const int own = c->priority_.load(std::memory_order_relaxed);
    const int wanted = own + static_cast<int>(std::min(c->boost_step_, 255U)) * boost.levels;
    const bool rests = c->boosted_starts_ >= c->arrivals_.depth();
    const int raised = rests ? 0 : std::max(std::min(wanted, boost.max) - own, 0);
    if (raised == c->raised_.load(std::memory_order_relaxed)) {
      continue;
    }
    c->raised_.store(static_cast<std::uint8_t>(raised), std::memory_order_relaxed);
    if (CallbackEntry * const handed = requeue(set, *c); handed != nullptr) {
      handed->comes_ = CallbackEntry::Comes::returning;
      put_in(*handed, thread);
      handed_on = true;
    }
  }
  if (handed_on) {
    drain(set);  // a callback that was handed its group may be for this thread
  }
}

Status Scheduler::set_boost(Callback & callback, std::optional<Boost> boost)
{
  std::lock_guard setup(setup_mutex_);
  Faults faults;
  check_boost(callback, boost, faults);
  CallbackEntry & entry = CallbackEntry::of(callback);
  if (settings_.count(&entry) == 0) {
    faults.push_back(callback.id() + " is not in this executor");
  }
  if (!faults.empty()) {
    return faults;
  }
  settings(entry).binding.boost = boost;
  ThreadSet & set = *lock_set(entry);
  unlink_boost(set, entry);
  entry.boost_ = boost;
  entry.boost_step_ = 0;
  entry.boosted_starts_ = 0;
  entry.raised_.store(0, std::memory_order_relaxed);
  link_boost(set, entry);
  set.mutex.unlock();
  rekey(entry);
  return {};
}

}  // namespace takt_core
