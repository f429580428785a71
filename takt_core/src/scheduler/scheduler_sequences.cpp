// Sequences: the direct start of a callback that an earlier one of its sequence has made ready
// (sequence.hpp).
//
// A callback in a slot is marked queued, but is in no queue. The thread that put it there takes it
// out after the end of the running callback. A thread that binds or removes the callback may take
// it out before.
#include <bit>
#include <cassert>
#include <chrono>
#include <mutex>
#include <string>
#include <thread>

#include "scheduler/scheduler_settings.hpp"
#include "scheduler/sequence_slots.hpp"

namespace takt_core
{

constinit thread_local const SequenceScope * SequenceScope::s_open = nullptr;

SequenceScope::SequenceScope(Scheduler & scheduler, const Run & run, bool wanted) noexcept
: scheduler_(scheduler),
  run_(run),
  entry_(CallbackEntry::of(*run.callback)),
  previous_(s_open),
  lane_(run.lane)
{
  s_open = this;
  if (
    !wanted || entry_.sequence_number_ == CallbackEntry::kNoSequence ||
    run.lane == scheduler.visitor()) {
    return;
  }
  walk_ = &scheduler.walks_[run.lane];
  assert(walk_->ready == 0 || walk_->sequence == entry_.sequence_number_);
  walk_->sequence = entry_.sequence_number_;
  walk_->graph = entry_.graph_;
}

void SequenceScope::before_wait() noexcept
{
  for (const SequenceScope * scope = s_open; scope != nullptr; scope = scope->previous_) {
    if (scope->walk_ != nullptr) {
      const detail::DispatchStepScope step(scope->scheduler_.step_of(scope->lane_));
      scope->scheduler_.end_walk(scope->lane_, Scheduler::kNoThread);
    }
  }
}

void check_sequence(
  const Callback & callback, const Binding & binding, Order order, Faults & faults)
{
  if (!binding.sequence) {
    return;
  }
  const std::string & id = callback.id();
  if (
    binding.sequence->sequence >= SequencePlace::kMaxSequences ||
    binding.sequence->position >= SequencePlace::kMaxLength) {
    faults.push_back(
      id + ": an executor has at most " + std::to_string(SequencePlace::kMaxSequences) +
      " sequences, each with at most " + std::to_string(SequencePlace::kMaxLength) + " callbacks");
  }
  if (has_windows(order)) {
    faults.push_back(
      id + ": a sequence runs callbacks before others that were ready earlier, and order " +
      std::string(to_string(order)) +
      " promises ROS 2's own order; use order priority, fifo or edf");
  }
  if (binding.non_triggering) {
    faults.push_back(
      id +
      ": a callback without a trigger runs when another one takes its messages, so it has no "
      "place in a sequence");
  }
  if (
    callback.kind() == Kind::timer && binding.sequence->position != 0 && !binding.sequence->graph) {
    faults.push_back(
      id +
      ": time releases a timer, and no callback of a sequence does; a timer can only be the first "
      "of its sequence");
  }
}

// Gives the callback its place in a sequence. Set-up, before the callback is added.
void Scheduler::give_place(CallbackEntry & entry, const std::optional<SequencePlace> & place)
{
  assert(setup_mutex_.held());
  entry.sequence_number_ = CallbackEntry::kNoSequence;
  entry.graph_ = false;
  entry.at_iteration_ = false;
  if (place) {
    entry.sequence_number_ = static_cast<std::uint8_t>(place->sequence);
    entry.position_ = static_cast<std::uint8_t>(place->position);
    entry.graph_ = place->graph;
  }
}

// Takes the callback out of its slot and puts it in its set. For set-up, which cannot wait until
// the slot's thread comes.
void Scheduler::give_up_turn(CallbackEntry & entry) noexcept
{
  assert(setup_mutex_.held());
  if (entry.sequence_number_ == CallbackEntry::kNoSequence) {
    return;
  }
  for (std::uint32_t t = 0; t < threads_; ++t) {
    SequenceSlots & slots = walks_[t].slots;
    if (!slots.has(entry.position_, entry)) {
      continue;
    }
    slots.set_taking(true);
    await_steps();
    const bool taken = slots.take(entry.position_, entry);
    slots.set_taking(!has_steps_);
    if (taken) {
      put_in(entry, kNoThread);
      return;
    }
  }
}

// The steps of the thread; null for the visitor.
detail::DispatchStep<> * Scheduler::step_of(std::uint32_t thread) noexcept
{
  return thread == visitor() ? nullptr : &walks_[thread].step;
}

// Waits until no thread is in a step that began before the call. Set-up, without the mutex of a
// set.
void Scheduler::await_steps() noexcept
{
  assert(setup_mutex_.held());
  if (!has_steps_) {
    return;
  }
  takt_rt::heavy_fence();
  for (std::uint32_t t = 0; t < threads_; ++t) {
    const detail::DispatchStep<> & step = walks_[t].step;
    const std::uint64_t seen = step.seen();
    while (!step.over(seen)) {
      // A step takes a few instructions, unless its thread is preempted.
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
  }
}

// Sends the callbacks that wait for their turn on this thread to their ready queues. In a step of
// the thread.
void Scheduler::end_walk(std::uint32_t thread, std::uint32_t caller) noexcept
{
  SequenceWalk & walk = walks_[thread];
  while (walk.ready != 0) {
    const auto position = static_cast<std::uint32_t>(std::countr_zero(walk.ready));
    walk.ready &= walk.ready - 1;
    if (CallbackEntry * const entry = walk.slots.take(position)) {
      put_in(*entry, caller);
    }
  }
}

// Releases the set's due timers and drains its intake. Returns its first callback; null: none.
const CallbackEntry * Scheduler::first_of(
  ThreadSet & set, std::uint32_t thread, Time now, detail::WakeMask & woken) noexcept
{
  assert(set.mutex.held());
  if (
    set.intake.empty() && !set.may_have_work.load(std::memory_order_relaxed) &&
    now < set.timers.next()) {
    note_look(set, now);
    return nullptr;
  }
  woken |= service(set, thread, now);
  publish_hints(set);
  return set.queue->peek();
}

bool Scheduler::may_start_here(
  const ThreadSet & set, const CallbackEntry & entry, std::uint32_t thread) const noexcept
{
  assert(set.mutex.held());
  return entry.set_.load(std::memory_order_acquire) == &set && set.serves(sleepers_.bit(thread)) &&
         (entry.state_.load(std::memory_order_acquire) & CallbackEntry::kClosed) == 0;
}

// Starts the callback, whose group this thread has entered for it.
Scheduler::Pick Scheduler::start_entered(
  ThreadSet & set, CallbackEntry & entry, std::uint32_t thread, Time now, Run & run) noexcept
{
  entry.comes_ = CallbackEntry::Comes::released;
  if (start(set, entry, thread, now, run)) {
    return Pick::started;
  }
  finish(run);  // an overwritten arrival
  return Pick::put_aside;
}

// Starts the callback that was taken out of its slot without the mutex of its set, if nothing else
// waits for this thread. Returns false if the callback must be compared with others, or its start
// needs the mutex. `now`: as for `start_in_turn`; may be set.
//
// The set has no other thread, and the callback is marked as queued, so set-up that binds, removes
// or shares waits until the callback has started or lies in a queue (`settled`, `take_out`). What
// the start reads of the set besides are its signs.
[[gnu::always_inline]] inline bool Scheduler::start_directly(
  CallbackEntry & entry, std::uint32_t thread, Time & now, Time (*clock)() noexcept,
  Run & run) noexcept
{
  ThreadSets & own = own_sets_[thread];
  ThreadSet & set = *entry.set_.load(std::memory_order_seq_cst);
  constexpr std::uint32_t kNeedsMore = CallbackEntry::kClosed | CallbackEntry::kInputs |
                                       CallbackEntry::kConditional | CallbackEntry::kNonTriggering;
  const detail::WakeMask bit = sleepers_.bit(thread);
  if (
    set.sole.load(std::memory_order_seq_cst) != bit || own.size() != 1 || &own[0] != &set ||
    !set.intake.empty() || set.may_have_work.load(std::memory_order_seq_cst) ||
    set.boosts.load(std::memory_order_relaxed) || !entry.arrivals_.has_aside() ||
    (entry.state_.load(std::memory_order_seq_cst) & kNeedsMore) != 0 ||
    entry.deadlines_.load(std::memory_order_acquire) != nullptr ||
    (phases_ != nullptr && entry.phased_ != Phased::no)) {
    return false;
  }
  if (const std::int64_t expiry = set.next_expiry.load(std::memory_order_seq_cst);
      expiry != to_ns(kNever)) {
    now = now == kNever ? clock() : now;
    if (expiry <= to_ns(now)) {
      return false;
    }
  }
  if (!entry.group_->enter_if_free(alone(*entry.group_, set, thread))) {
    return false;
  }
  // First what belongs to the callback until its mark is taken back. That is an atomic step, which
  // waits for all earlier stores, so the others come after it.
  const std::uint64_t number = entry.precedence_.sequence;
  const Time place = entry.precedence_.release;
  entry.at_iteration_ = false;
  entry.comes_ = CallbackEntry::Comes::released;
  if (!entry.arrivals_.pop_aside(run.release, run.activations, run.arrival, run.announced)) {
    std::uint64_t announced = 0;  // 0: a full history has replaced the message, and its stamp is
                                  // not readable
    entry.arrivals_.pop(run.release, announced, run.activations, run.arrival, run.announced);
    now = now == kNever ? clock() : now;
    run.release = announced == 0 ? now : run.release;
  }
  if (run.activations.empty()) {
    run.activations.add({entry.number_, entry.instance(), run.release});
    entry.next_instance();
  }
  const bool taking = !entry.group_->exclusive();
  entry.state_.start(taking);
  run.callback = &entry.callback();
  run.set = &set;
  run.thread = thread;
  run.lane = thread;
  run.sequence = number;
  run.place = place;
  run.skipped = 0;
  run.found = 0;
  run.arrived = kNever;
  run.oldest = Time{};
  run.deadline = kNever;
  run.start = now == kNever ? run.release : now;
  run.taking = taking;
  note_look(set, run.start);
  return true;
}

// Starts the callback that was taken out of its slot, puts it into its set, or parks it. If `now`
// is kNever, the function reads `clock` where the time matters.
Scheduler::Pick Scheduler::start_in_turn(
  CallbackEntry & entry, std::uint32_t thread, Time now, Time (*clock)() noexcept, Run & run,
  detail::WakeMask & woken) noexcept
{
  ThreadSets & own = own_sets_[thread];
  ThreadSet & set = *entry.set_.load(std::memory_order_seq_cst);
  std::unique_lock lock(set.mutex);
  bool in_turn = may_start_here(set, entry, thread);
  const bool stamped = entry.comes_ == CallbackEntry::Comes::stamped;
  const bool one_set = own.size() == 1;
  if (now == kNever) {
    // A look at the clock is the largest single cost of a direct call, and only timers, boosts and
    // ages of inputs depend on the time. The place of a graph's callback is that of its iteration.
    const bool timeless = stamped && one_set && set.timers.empty() && set.boosted == nullptr &&
                          !entry.callback().takes_inputs();
    now = !timeless      ? kNever
          : entry.graph_ ? entry.arrivals_.oldest_stamp()
                         : entry.precedence_.release;
    now = now == kNever ? clock() : now;
  }
  if (in_turn) {
    // Look at the set first: a boost that is due changes the key.
    const CallbackEntry * const first = first_of(set, thread, now, woken);
    if (first == nullptr && stamped && one_set && entry.group_->try_enter()) {
      return start_entered(set, entry, thread, now, run);  // no key is compared
    }
    set_key(set, entry, entry.comes_);
    entry.comes_ = CallbackEntry::Comes::stamped;  // it keeps this place wherever it waits
    const auto goes_before = [&entry](const CallbackEntry * other) {
      return other != nullptr && (entry.graph_ ? other->precedence_.before(entry.precedence_)
                                               : other->precedence_.key < entry.precedence_.key);
    };
    in_turn = !goes_before(first);
    if (in_turn && own.size() > 1) {
      lock.unlock();
      const std::uint32_t count = own.size();
      for (std::uint32_t i = 0; in_turn && i < count; ++i) {
        ThreadSet & other = own[i];
        if (&other != &set) {
          const std::lock_guard guard(other.mutex);
          in_turn = !other.serves(sleepers_.bit(thread)) ||
                    !goes_before(first_of(other, thread, now, woken));
        }
      }
      lock.lock();
      in_turn = in_turn && may_start_here(set, entry, thread);
      if (in_turn) {
        set_key(set, entry, entry.comes_);  // set-up may have changed the key meanwhile
      }
    }
  }
  if (!in_turn) {
    lock.unlock();
    put_in(entry, thread);
    return Pick::nothing;
  }
  entry.comes_ = CallbackEntry::Comes::released;
  const auto takes_over = entry.graph_ ? Group::TakesOver::better : Group::TakesOver::as_urgent;
  if (entry.group_->enter(entry, takes_over) == Group::Enter::parked) {
    tell_parked(entry);
    return Pick::put_aside;
  }
  return start_entered(set, entry, thread, now, run);
}

// Returns the first of the callbacks of a graph that wait for their turn on this thread. The others
// go to their ready queues, where other threads find them.
CallbackEntry * Scheduler::share_out(std::uint32_t thread) noexcept
{
  SequenceWalk & walk = walks_[thread];
  CallbackEntry * first = nullptr;
  while (first == nullptr && walk.ready != 0) {
    const auto position = static_cast<std::uint32_t>(std::countr_zero(walk.ready));
    walk.ready &= walk.ready - 1;
    first = walk.slots.take(position);
  }
  end_walk(thread, thread);
  return first;
}

bool Scheduler::next_follower(
  std::uint32_t thread, Time now, Time (*clock)() noexcept, Run & run) noexcept
{
  SequenceWalk & walk = walks_[thread];
  if (walk.ready == 0) {
    return false;
  }
  CallbackEntry * first = nullptr;
  bool started = false;
  {
    const detail::DispatchStepScope step(&walk.step);
    if (walk.graph) {
      first = share_out(thread);
    } else {
      const auto position = static_cast<std::uint32_t>(std::countr_zero(walk.ready));
      walk.ready &= walk.ready - 1;
      first = walk.slots.take(position);
    }
    started = first != nullptr && start_directly(*first, thread, now, clock, run);
  }
  if (started) {
    sleepers_.pass_on(own_sets_[thread], 0);
    return true;
  }
  return next_in_sequence(thread, first, now, clock, run);
}

// `first`: a callback that was taken out of its slot, may not start directly, and comes before the
// others that wait; null: none.
bool Scheduler::next_in_sequence(
  std::uint32_t thread, CallbackEntry * first, Time now, Time (*clock)() noexcept,
  Run & run) noexcept
{
  SequenceWalk & walk = walks_[thread];
  const detail::DispatchStepScope step(&walk.step);
  detail::WakeMask woken = 0;
  Pick last =
    first == nullptr ? Pick::put_aside : start_in_turn(*first, thread, now, clock, run, woken);
  while (last == Pick::put_aside && walk.ready != 0) {
    const auto position = static_cast<std::uint32_t>(std::countr_zero(walk.ready));
    walk.ready &= walk.ready - 1;
    if (CallbackEntry * const entry = walk.slots.take(position)) {
      last = start_in_turn(*entry, thread, now, clock, run, woken);
    }
  }
  if (last == Pick::started) {
    sleepers_.pass_on(own_sets_[thread], woken);
    return true;
  }
  // The search for the best callback follows; its pass_on wakes threads for all callbacks that are
  // left.
  end_walk(thread, thread);
  return false;
}

}  // namespace takt_core
