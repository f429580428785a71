// Set-up's record of each callback; private to the scheduler's sources.
#ifndef TAKT_CORE__SRC__SCHEDULER_SETTINGS_HPP_
#define TAKT_CORE__SRC__SCHEDULER_SETTINGS_HPP_

#include <memory>
#include <vector>

#include "scheduler/callback_numbers.hpp"
#include "scheduler/set_head.hpp"
#include "takt_core/scheduler.hpp"

namespace takt_core
{

struct GroupCondition;

/// The values from which a callback's deadlines are computed. A reader holds the mutex of the
/// callback's set or, while the callback runs, of its group; a writer holds both.
struct CallbackEntry::Deadlines
{
  Duration local = kForever;  // from the run's release; for activations of no chain in `entries`

  // The chains from which the callback inherits end-to-end deadlines.
  struct Entry
  {
    detail::IdNumber root;  // the chain's root, in any executor of this process
    Duration deadline;      // from the root's release
  };
  std::vector<Entry> entries;
};

/// Adds a fault if `priority` is out of range.
void check_priority(const std::string & what, std::optional<int> priority, Faults & faults);

/// Adds a fault unless `deadline` is positive.
void check_deadline(const std::string & what, std::optional<Duration> deadline, Faults & faults);

/// Adds a fault if a value is out of range, or the callback is a timer.
void check_boost(const Callback & callback, const std::optional<Boost> & boost, Faults & faults);

/// Adds a fault if the callback is a timer, or the order has no place for callbacks that do not
/// trigger.
void check_non_triggering(
  const Callback & callback, const std::optional<NonTriggering> & non_triggering, Order order,
  Faults & faults);

/// Adds faults if the condition of the callback's group has a spread, and the callback cannot be an
/// input of such a condition.
void check_spread(
  const Callback & callback, const GroupCondition * condition, bool triggers, Faults & faults);

/// Adds a fault if the callback cannot have its place in a sequence.
void check_sequence(
  const Callback & callback, const Binding & binding, Order order, Faults & faults);

/// Notes the time at which a member of the set looked at it. A thread reads the clock before it
/// gets the set's mutex, so times may come out of order: an earlier time changes nothing. With the
/// set's mutex held.
[[gnu::always_inline]] inline void note_look(ThreadSet & set, Time now) noexcept
{
  if (takt_rt::to_ns(now) > set.looked_at.load(std::memory_order_relaxed)) {
    set.looked_at.store(takt_rt::to_ns(now), std::memory_order_relaxed);
  }
}

struct Scheduler::Settings
{
  CallbackEntry & entry() const noexcept { return CallbackEntry::of(*callback); }

  std::shared_ptr<Callback> callback;
  Binding binding;                                            // as requested; absent: inherited
  std::unique_ptr<const CallbackEntry::Deadlines> deadlines;  // null: no deadline
  std::vector<InputEntry> inputs;                             // see CallbackEntry::inputs_
  std::unique_ptr<SetHead> head;                              // see CallbackEntry::head_
  std::uint64_t added = 0;                                    // position in the order of adding
  // After the removal:
  ThreadSet * last_set = nullptr;  // the callback's set at the removal
  bool awaited = false;            // the remover waits for the last run and frees the callback
};

}  // namespace takt_core

#endif  // TAKT_CORE__SRC__SCHEDULER_SETTINGS_HPP_
