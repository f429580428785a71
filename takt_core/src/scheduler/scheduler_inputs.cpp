// Non-triggering callbacks: their messages are inputs of the callbacks that take them
// (non_triggering.hpp).
//
// inputs_mutex_ guards the lists of inputs, and the consumer's side of the inputs' arrivals. A
// thread that holds it may lock a group's mutex, and no other.
#include <algorithm>
#include <cassert>
#include <mutex>

#include "scheduler/scheduler_settings.hpp"

namespace takt_core
{

bool takes(const Callback & taker, const Callback & input, const NonTriggering & rule)
{
  if (rule.taken_by) {
    return rule.taken_by(taker.chain_id());
  }
  return !taker.of_client_library() && &taker.group() == &input.group() &&
         (!rule.by_release || taker.kind() == Kind::timer);
}

namespace
{

bool takes(const CallbackEntry & taker, const CallbackEntry & input)
{
  return taker.non_triggering_ == nullptr &&
         takt_core::takes(taker.callback(), input.callback(), *input.non_triggering_);
}

}  // namespace

takt_rt::Fault keeps_all(const std::string & id)
{
  return id +
         ": a subscription that does not trigger needs a history of a limited depth: it keeps all "
         "messages "
         "(KEEP_ALL), and a reliable publisher would wait until a callback takes them";
}

void check_non_triggering(
  const Callback & callback, const std::optional<NonTriggering> & non_triggering, Order order,
  Faults & faults)
{
  if (!non_triggering) {
    return;
  }
  if (!has_messages(callback.kind())) {
    faults.push_back(
      callback.id() + ": only a subscription can be without a trigger, and this is a " +
      std::string(to_string(callback.kind())));
  }
  if (order == Order::stock) {
    faults.push_back(
      callback.id() +
      ": order stock is that of ROS 2's own executors, which know no subscription without a "
      "trigger; use "
      "another order");
  }
}

// Computes the inputs of a taker. The former list is freed after its last reader. A taker whose run
// has begun takes no messages by the new list.
void Scheduler::find_inputs(Settings & taker)
{
  assert(setup_mutex_.held());
  CallbackEntry & entry = taker.entry();
  std::vector<InputEntry> found;
  for (CallbackEntry * const input : non_triggering_) {
    if (takes(entry, *input)) {
      found.push_back({input, 0});
    }
  }
  const bool any = !found.empty();
  {
    const std::lock_guard lock(inputs_mutex_);
    taker.inputs.swap(found);
    entry.inputs_ = any ? &taker.inputs : nullptr;
  }
  if (any) {
    entry.state_.fetch_or(CallbackEntry::kInputs, std::memory_order_seq_cst);
  } else {
    entry.state_.fetch_and(~CallbackEntry::kInputs, std::memory_order_seq_cst);
  }
}

// Call when a callback is added: finds its inputs or, if it does not trigger, the takers of its
// messages.
void Scheduler::link_inputs(CallbackEntry & entry)
{
  assert(setup_mutex_.held());
  if (entry.non_triggering_ == nullptr) {
    find_inputs(settings(entry));
    return;
  }
  non_triggering_.push_back(&entry);
  for (const auto & [other, settings] : settings_) {
    if (takes(*other, entry)) {
      find_inputs(*settings);
    }
  }
}

// Call when a callback is removed: from now on no taker starts it. A run that has begun may go on.
void Scheduler::unlink_inputs(CallbackEntry & entry)
{
  assert(setup_mutex_.held());
  {
    // A run of a removed taker may go on. It must not take inputs that are removed after the taker.
    const std::lock_guard lock(inputs_mutex_);
    entry.inputs_ = nullptr;
  }
  if (std::erase(non_triggering_, &entry) == 0) {
    return;
  }
  for (const auto & [other, settings] : settings_) {
    const bool took = std::any_of(
      settings->inputs.begin(), settings->inputs.end(),
      [&](const InputEntry & input) { return input.entry == &entry; });
    if (took) {
      find_inputs(*settings);
    }
  }
}

std::vector<const Callback *> Scheduler::non_triggering() const
{
  const std::lock_guard lock(setup_mutex_);
  std::vector<const Callback *> result;
  for (const CallbackEntry * const input : non_triggering_) {
    result.push_back(&input->callback());
  }
  return result;
}

Faults Scheduler::waiting_in_vain() const
{
  const std::lock_guard lock(setup_mutex_);
  Faults result;
  for (const CallbackEntry * const input : non_triggering_) {
    const bool taken = std::any_of(settings_.begin(), settings_.end(), [&](const auto & one) {
      return takes(*one.first, *input);
    });
    if (!taken) {
      const Callback & callback = input->callback();
      result.push_back(
        input->non_triggering_->by_release
          ? callback.id() + ": its group " + callback.group().id() +
              " has let, and no timer of the group takes its messages; give the group a timer on "
              "the "
              "monotonic clock, or omit let"
          : callback.id() + ": it does not trigger, and no callback of " +
              (input->non_triggering_->taken_by
                 ? "those that `with` names is in this executor"
                 : "its group " + callback.group().id() + " triggers") +
              ", so nothing takes its messages; name callbacks by `with` that take them");
    }
  }
  conditions_in_vain(result);
  return result;
}

void Scheduler::begin_inputs(const Run & taker) noexcept
{
  const CallbackEntry & entry = CallbackEntry::of(*taker.callback);
  const std::lock_guard lock(inputs_mutex_);
  if (entry.inputs_ != nullptr) {
    for (InputEntry & input : *entry.inputs_) {
      const ArrivalRing & arrivals = input.entry->arrivals_;
      input.left = input.entry->non_triggering_->by_release ? arrivals.announced_by(taker.release)
                                                            : arrivals.size();
    }
  }
}

// The input with the oldest message; null: none.
InputEntry * Scheduler::oldest_input(const Run & run) noexcept
{
  assert(inputs_mutex_.held());
  const CallbackEntry & taker = CallbackEntry::of(*run.callback);
  InputEntry * oldest = nullptr;
  std::uint64_t first = UINT64_MAX;
  if (taker.inputs_ != nullptr) {
    for (InputEntry & input : *taker.inputs_) {
      if (input.left == 0 || running(input.entry->callback()) || input.entry->arrivals_.empty()) {
        continue;
      }
      Time release{};
      // Stays 0 for an arrival without a stamp: its age is unknown, so it goes first.
      std::uint64_t sequence = 0;
      const bool stamped = input.entry->arrivals_.peek_stamp(release, sequence);
      if (input.entry->non_triggering_->by_release && (!stamped || release > run.release)) {
        input.left = 0;  // the message belongs to the taker's next period
        continue;
      }
      if (sequence < first) {
        oldest = &input;
        first = sequence;
      }
    }
  }
  return oldest;
}

// Fills `run` if the input has a message; else returns false.
bool Scheduler::start_input(InputEntry & input, const Run & taker, Time now, Run & run) noexcept
{
  assert(inputs_mutex_.held());
  CallbackEntry & entry = *input.entry;
  const NonTriggering & rule = *entry.non_triggering_;
  run.callback = &entry.callback();
  run.set = taker.set;
  run.thread = taker.thread;
  run.lane = taker.lane;
  run.start = now;
  run.skipped = 0;
  run.taking = false;
  run.found = 0;
  run.arrived = kNever;
  run.activations.clear();
  if (!entry.arrivals_.pop(
        run.release, run.sequence, run.activations, run.arrival, run.announced)) {
    return false;
  }
  if (run.sequence == 0) {
    run.release = now;
  }
  --input.left;
  // Another taker may have taken some of the counted messages.
  const std::uint32_t newer = std::min(input.left, entry.arrivals_.size());
  const Time taken = rule.by_release ? taker.release : taker.start;
  run.oldest = rule.max_age == takt_rt::kForever ? Time{} : taken - rule.max_age;
  run.leaves_out = (rule.keep != 0 && newer >= rule.keep) || run.release < run.oldest;
  if (run.activations.empty()) {
    run.activations.add({entry.number_, entry.instance(), run.release});
    entry.next_instance();
  }
  const std::lock_guard lock(entry.group_->mutex_);
  run.deadline = deadline(entry, run.release, run.activations);
  return true;
}

bool Scheduler::next_input(const Run & taker, Time now, Run & run) noexcept
{
  const CallbackEntry & of = CallbackEntry::of(*taker.callback);
  for (;;) {
    CallbackEntry * entry = nullptr;
    CallbackEntry * handed = nullptr;
    bool started = false;
    {
      const std::lock_guard lock(inputs_mutex_);
      InputEntry * const input = oldest_input(taker);
      if (input == nullptr) {
        return false;
      }
      if (input->entry->group_ != of.group_ && !input->entry->group_->enter_unless_running()) {
        input->left = 0;  // the input's messages wait for the taker's next start
        continue;
      }
      entry = input->entry;
      if (entry->state_.start_input()) {
        started = start_input(*input, taker, now, run);
        if (!started) {
          entry->state_.end();
        }
      }
      if (!started) {
        input->left = 0;
        // Leave with the mutex held: `remove` waits for the mutex, and no run keeps the input
        // alive.
        handed = entry->group_ == of.group_ ? nullptr : entry->group_->leave();
      }
    }
    if (started) {
      note_overwritten_input(*entry, now);
      return true;
    }
    resume(handed);
  }
}

void Scheduler::note_overwritten_input(CallbackEntry & entry, Time now) noexcept
{
  if (phases_ == nullptr) {
    return;
  }
  if (ThreadSet * const set = lock_set(entry)) {
    if (entry.arrivals_.overwritten() != entry.seen_overwritten_) {
      note_overwritten(entry, now);
    }
    set->mutex.unlock();
  }
}

// Puts in a callback that was parked in the group of an input. This thread goes on with the taker,
// so another thread must start the callback.
void Scheduler::resume(CallbackEntry * handed) noexcept
{
  if (handed != nullptr) {
    handed->comes_ = CallbackEntry::Comes::returning;
    put_in(*handed, kNoThread);
  }
}

void Scheduler::complete_input(const Run & taker, Run & run) noexcept
{
  taken(run);
  CallbackEntry & input = CallbackEntry::of(*run.callback);
  if (input.group_ != CallbackEntry::of(*taker.callback).group_) {
    resume(input.group_->leave());
  }
  // From here on `remove` may return and the callback be destroyed.
  input.state_.end();
}

}  // namespace takt_core
