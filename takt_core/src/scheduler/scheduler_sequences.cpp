// Sequences: the direct start of a callback that an earlier one of its sequence has made ready
// (sequence.hpp).
//
// A callback in a slot is marked queued, but is in no queue. The thread that put it there takes it
// out after the end of the running callback. A thread that binds or removes the callback may take
// it out before.
#include <bit>
#include <cassert>
#include <mutex>
#include <string>

#include "scheduler/scheduler_settings.hpp"
#include "scheduler/sequence_slots.hpp"

namespace takt_core
{

namespace
{

int urgency_of(const CallbackEntry & entry) noexcept
{
  return entry.priority_.load(std::memory_order_relaxed) +
         entry.raised_.load(std::memory_order_relaxed);
}

}  // namespace

thread_local const SequenceScope * SequenceScope::s_open = nullptr;

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
  SequenceSlots * const slots = scheduler.sequences_[entry_.sequence_number_].get();
  walk_ = &scheduler.walks_[run.lane];
  assert(walk_->ready == 0 || walk_->slots == slots);
  walk_->slots = slots;
  walk_->graph = entry_.graph_;
}

void SequenceScope::before_wait() noexcept
{
  for (const SequenceScope * scope = s_open; scope != nullptr; scope = scope->previous_) {
    if (scope->walk_ != nullptr) {
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
    std::unique_ptr<SequenceSlots> & slots = sequences_[place->sequence];
    if (slots == nullptr) {
      slots = std::make_unique<SequenceSlots>();
    }
    entry.sequence_number_ = static_cast<std::uint8_t>(place->sequence);
    entry.position_ = static_cast<std::uint8_t>(place->position);
    entry.graph_ = place->graph;
  }
}

// For a callback that was just marked as queued. Puts it into its slot and returns true if it waits
// until the calling thread's callback returns.
bool Scheduler::waits_its_turn(CallbackEntry & entry) noexcept
{
  const SequenceScope * const scope = SequenceScope::s_open;
  if (scope == nullptr || scope->walk_ == nullptr || &scope->scheduler_ != this) {
    return false;
  }
  const CallbackEntry & running = scope->entry_;
  const std::uint32_t position = entry.position_;
  if (entry.sequence_number_ != running.sequence_number_ || position <= running.position_) {
    return false;
  }
  const detail::WakeMask own = sleepers_.bit(scope->lane_);
  const ThreadSet & set = *entry.set_.load(std::memory_order_acquire);
  if (!set.serves(own)) {
    return false;
  }
  const bool only_here = set.serves_only(own | sleepers_.bit(visitor()));
  if (!only_here && urgency_of(entry) > urgency_of(running)) {
    return false;
  }
  if (running.graph_) {
    const Run & run = scope->run_;
    entry.precedence_.release = run.place;
    entry.precedence_.sequence = run.sequence / kReleaseStep * kReleaseStep + position;
    entry.comes_ = CallbackEntry::Comes::stamped;
    entry.at_iteration_ = true;
  }
  if (!scope->walk_->slots->put(position, entry)) {
    return false;
  }
  // From here on set-up may take the callback out and remove it.
  scope->walk_->ready |= std::uint64_t{1} << position;
  return true;
}

// Takes the callback out of its slot and puts it in its set. For set-up, which cannot wait until
// the slot's thread comes.
void Scheduler::give_up_turn(CallbackEntry & entry) noexcept
{
  assert(setup_mutex_.held());
  if (
    entry.sequence_number_ != CallbackEntry::kNoSequence &&
    sequences_[entry.sequence_number_]->take(entry.position_, entry)) {
    put_in(entry, kNoThread);
  }
}

// Sends the callbacks that wait for their turn on this thread to their ready queues.
void Scheduler::end_walk(std::uint32_t thread, std::uint32_t caller) noexcept
{
  SequenceWalk & walk = walks_[thread];
  while (walk.ready != 0) {
    const auto position = static_cast<std::uint32_t>(std::countr_zero(walk.ready));
    walk.ready &= walk.ready - 1;
    if (CallbackEntry * const entry = walk.slots->take(position)) {
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
    first = walk.slots->take(position);
  }
  end_walk(thread, thread);
  return first;
}

bool Scheduler::next_follower(
  std::uint32_t thread, Time now, Time (*clock)() noexcept, Run & run) noexcept
{
  return walks_[thread].ready != 0 && next_in_sequence(thread, now, clock, run);
}

bool Scheduler::next_in_sequence(
  std::uint32_t thread, Time now, Time (*clock)() noexcept, Run & run) noexcept
{
  SequenceWalk & walk = walks_[thread];
  detail::WakeMask woken = 0;
  Pick last = Pick::put_aside;
  if (walk.graph) {
    if (CallbackEntry * const first = share_out(thread)) {
      last = start_in_turn(*first, thread, now, clock, run, woken);
    }
  }
  while (last == Pick::put_aside && walk.ready != 0) {
    const auto position = static_cast<std::uint32_t>(std::countr_zero(walk.ready));
    walk.ready &= walk.ready - 1;
    if (CallbackEntry * const entry = walk.slots->take(position)) {
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
