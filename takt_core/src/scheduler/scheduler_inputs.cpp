// Non-triggering callbacks: their messages are inputs of the callbacks that take them (non_triggering.hpp).
//
// inputs_mutex_ guards the lists of inputs, and the consumer's side of the inputs' arrivals. Inside it only a group's
// mutex is taken.
#include <algorithm>
#include <cassert>
#include <iterator>
#include <mutex>

#include "scheduler/scheduler_settings.hpp"

namespace takt_core
{

namespace
{

bool takes(const CallbackEntry & taker, const CallbackEntry & input)
{
  if (taker.non_triggering_ != nullptr) {
    return false;
  }
  const auto & taken_by = input.non_triggering_->taken_by;
  if (!taken_by && taker.callback().of_client_library()) {
    return false;
  }
  return taken_by ? taken_by(taker.callback().chain_id()) : taker.group_ == input.group_;
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

// Computes the inputs of a taker. The former list is freed after its last reader.
void Scheduler::find_inputs(Settings & taker)
{
  assert(setup_mutex_.held());
  CallbackEntry & entry = taker.entry();
  std::vector<CallbackEntry *> found;
  std::copy_if(
    non_triggering_.begin(), non_triggering_.end(), std::back_inserter(found),
    [&](const CallbackEntry * input) { return takes(entry, *input); });
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

// A callback is added: it takes inputs, or is one.
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

// A callback is removed: no taker starts it any more. A run that has begun may be under way.
void Scheduler::unlink_inputs(CallbackEntry & entry)
{
  assert(setup_mutex_.held());
  {
    // A run of a removed taker may be under way. It takes no input that is removed next.
    const std::lock_guard lock(inputs_mutex_);
    entry.inputs_ = nullptr;
  }
  if (std::erase(non_triggering_, &entry) == 0) {
    return;
  }
  for (const auto & [other, settings] : settings_) {
    const std::vector<CallbackEntry *> & inputs = settings->inputs;
    if (std::find(inputs.begin(), inputs.end(), &entry) != inputs.end()) {
      find_inputs(*settings);
    }
  }
}

Scheduler::Inputs Scheduler::inputs(const Run & taker) noexcept
{
  Inputs result;
  result.before = sequence_.load(std::memory_order_seq_cst);
  const std::lock_guard lock(inputs_mutex_);
  const CallbackEntry & entry = CallbackEntry::of(*taker.callback);
  if (entry.inputs_ != nullptr) {
    for (const CallbackEntry * const input : *entry.inputs_) {
      result.left += input->arrivals_.size();
    }
  }
  return result;
}

// The input with the oldest message, and its bit; null: none.
CallbackEntry * Scheduler::oldest_input(
  const CallbackEntry & taker, const Inputs & inputs, std::uint64_t & bit) noexcept
{
  assert(inputs_mutex_.held());
  CallbackEntry * oldest = nullptr;
  std::uint64_t first = inputs.before;
  std::uint64_t next_bit = 1;
  for (CallbackEntry * const input : *taker.inputs_) {
    const std::uint64_t own = next_bit;
    next_bit <<= 1;  // 0 for inputs beyond the 64th
    if ((inputs.busy & own) != 0 || running(input->callback()) || input->arrivals_.empty()) {
      continue;
    }
    Time release{};
    std::uint64_t sequence =
      0;  // stays 0 for an arrival without a stamp: its age is unknown, it goes first
    static_cast<void>(input->arrivals_.peek_stamp(release, sequence));
    if (sequence < first) {
      oldest = input;
      bit = own;
      first = sequence;
    }
  }
  return oldest;
}

// Fills `run` if there is a message. The run holds the group, unless the taker does.
bool Scheduler::start_input(CallbackEntry & entry, const Run & taker, Time now, Run & run) noexcept
{
  assert(inputs_mutex_.held());
  const NonTriggering & rule = *entry.non_triggering_;
  run.callback = &entry.callback();
  run.set = taker.set;
  run.thread = taker.thread;
  run.lane = taker.lane;
  run.start = now;
  run.skipped = 0;
  run.taking = false;
  run.found = 0;
  run.activations.clear();
  run.leaves_out = rule.keep != 0 && entry.arrivals_.size() > rule.keep;
  if (!entry.arrivals_.pop(
        run.release, run.sequence, run.activations, run.arrival, run.announced)) {
    return false;
  }
  if (run.sequence == 0) {
    run.release = now;
  }
  run.leaves_out = run.leaves_out || now - run.release > rule.max_age;
  if (run.leaves_out) {
    entry.left_out_.fetch_add(1, std::memory_order_relaxed);
  }
  if (run.activations.empty()) {
    run.activations.add({entry.number_, entry.instance(), run.release});
    entry.next_instance();
  }
  const std::lock_guard lock(entry.group_->mutex_);
  run.deadline = deadline(entry, run.release, run.activations);
  return true;
}

bool Scheduler::next_input(const Run & taker, Inputs & inputs, Time now, Run & run) noexcept
{
  const CallbackEntry & of = CallbackEntry::of(*taker.callback);
  CallbackEntry * input = nullptr;
  {
    const std::lock_guard lock(inputs_mutex_);
    while (input == nullptr && inputs.left > 0 && of.inputs_ != nullptr) {
      std::uint64_t bit = 0;
      CallbackEntry * const oldest = oldest_input(of, inputs, bit);
      if (oldest == nullptr) {
        inputs.left = 0;
        break;
      }
      if (oldest->group_ != of.group_ && !oldest->group_->try_enter()) {
        inputs.busy |= bit;
        inputs.left = bit == 0 ? 0 : inputs.left;
        continue;
      }
      --inputs.left;
      if (oldest->state_.start_input()) {
        if (start_input(*oldest, taker, now, run)) {
          input = oldest;
          break;
        }
        oldest->state_.end();
      }
      leave_input(of, *oldest, taker.lane);
    }
  }
  if (input != nullptr && phases_ != nullptr) {
    if (ThreadSet * const set = lock_set(*input)) {
      if (input->arrivals_.overwritten() != input->seen_overwritten_) {
        note_overwritten(*input, now);
      }
      set->mutex.unlock();
    }
  }
  return input != nullptr;
}

void Scheduler::leave_input(
  const CallbackEntry & taker, CallbackEntry & input, std::uint32_t lane) noexcept
{
  if (input.group_ == taker.group_) {
    return;
  }
  if (CallbackEntry * const handed = input.group_->leave(); handed != nullptr) {
    handed->comes_ = CallbackEntry::Comes::returning;
    put_in(*handed, lane);
  }
}

void Scheduler::complete_input(const Run & taker, Run & run) noexcept
{
  taken(run);
  CallbackEntry & input = CallbackEntry::of(*run.callback);
  leave_input(CallbackEntry::of(*taker.callback), input, run.lane);
  // From here on `remove` may return and the callback be destroyed.
  input.state_.end();
}

}  // namespace takt_core
