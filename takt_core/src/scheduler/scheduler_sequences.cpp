// Sequences: the direct start of a callback that an earlier one of its sequence has made ready (sequence.hpp).
//
// A callback in a slot is marked queued and is in no queue. Its own thread takes it out after the earlier callback's end,
// or any thread does that binds or removes it.
#include <bit>
#include <cassert>
#include <mutex>
#include <string>

#include "scheduler/scheduler_settings.hpp"
#include "scheduler/sequence_slots.hpp"

namespace takt_core
{

using takt_rt::to_ns;

thread_local const SequenceScope * SequenceScope::s_open = nullptr;

SequenceScope::SequenceScope(Scheduler & scheduler, const Run & run) noexcept
{
  const CallbackEntry & entry = CallbackEntry::of(*run.callback);
  if (entry.sequence_ == nullptr || run.lane == scheduler.visitor()) {
    return;
  }
  walk_ = &scheduler.walks_[run.lane];
  assert(walk_->ready == 0 || walk_->slots == entry.sequence_);
  walk_->slots = entry.sequence_;
  position_ = entry.position_;
  lane_ = run.lane;
  previous_ = s_open;
  s_open = this;
}

SequenceScope::~SequenceScope()
{
  if (walk_ != nullptr) {
    s_open = previous_;
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
  if (callback.kind() == Kind::timer && binding.sequence->position != 0) {
    faults.push_back(
      id +
      ": time releases a timer, and no callback of a sequence does; a timer can only be the first "
      "of its sequence");
  }
}

// Set-up: before the callback is added.
void Scheduler::give_place(CallbackEntry & entry, const std::optional<SequencePlace> & place)
{
  assert(setup_mutex_.held());
  entry.sequence_ = nullptr;
  if (place) {
    std::unique_ptr<SequenceSlots> & slots = sequences_[place->sequence];
    if (slots == nullptr) {
      slots = std::make_unique<SequenceSlots>();
    }
    entry.sequence_ = slots.get();
    entry.position_ = static_cast<std::uint8_t>(place->position);
  }
}

// Whether the callback, just marked queued, waits for the end of the calling thread's callback.
bool Scheduler::waits_its_turn(CallbackEntry & entry) noexcept
{
  const SequenceScope * const scope = SequenceScope::s_open;
  const std::uint32_t position = entry.position_;
  if (
    scope == nullptr || scope->walk_->slots != entry.sequence_ || position <= scope->position_ ||
    !entry.set_.load(std::memory_order_acquire)->serves(sleepers_.bit(scope->lane_)) ||
    !entry.sequence_->put(position, entry)) {
    return false;
  }
  // From here on set-up may have taken the callback out, and removed it.
  scope->walk_->ready |= std::uint64_t{1} << position;
  return true;
}

// For set-up, which cannot wait until the slot's thread comes.
void Scheduler::give_up_turn(CallbackEntry & entry) noexcept
{
  assert(setup_mutex_.held());
  if (entry.sequence_ != nullptr && entry.sequence_->take(entry.position_, entry)) {
    put_in(entry, kNoThread);
  }
}

// The callbacks that wait for their turn on this thread go to their ready queues.
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

// Whether a callback of the set is ready that goes before one with this key.
bool Scheduler::has_before(
  ThreadSet & set, std::uint64_t key, std::uint32_t thread, Time now,
  detail::WakeMask & woken) noexcept
{
  assert(set.mutex.held());
  if (set.intake.empty() && !set.queue->may_have_work() && now < set.timers.next()) {
    set.looked_at.store(to_ns(now), std::memory_order_relaxed);
    return false;
  }
  woken |= service(set, thread, now);
  publish_hints(set);
  const CallbackEntry * const head = set.queue->peek();
  return head != nullptr && head->precedence_.key < key;
}

bool Scheduler::may_start_here(
  const ThreadSet & set, const CallbackEntry & entry, std::uint32_t thread) const noexcept
{
  assert(set.mutex.held());
  return entry.set_.load(std::memory_order_acquire) == &set && set.serves(sleepers_.bit(thread)) &&
         (entry.state_.load(std::memory_order_acquire) & CallbackEntry::kClosed) == 0;
}

// Starts the callback that was taken out of its slot, puts it into its set, or parks it.
Scheduler::Pick Scheduler::start_in_turn(
  CallbackEntry & entry, std::uint32_t thread, Time now, Run & run,
  detail::WakeMask & woken) noexcept
{
  ThreadSets & own = own_sets_[thread];
  ThreadSet & set = *entry.set_.load(std::memory_order_seq_cst);
  std::unique_lock lock(set.mutex);
  bool in_turn = may_start_here(set, entry, thread);
  if (in_turn) {
    set_key(set, entry, std::exchange(entry.comes_, CallbackEntry::Comes::released));
    const std::uint64_t key = entry.precedence_.key;
    in_turn = !has_before(set, key, thread, now, woken);
    if (in_turn && own.size() > 1) {
      lock.unlock();
      const std::uint32_t count = own.size();
      for (std::uint32_t i = 0; in_turn && i < count; ++i) {
        ThreadSet & other = own[i];
        if (&other != &set) {
          const std::lock_guard guard(other.mutex);
          in_turn =
            !other.serves(sleepers_.bit(thread)) || !has_before(other, key, thread, now, woken);
        }
      }
      lock.lock();
      in_turn = in_turn && may_start_here(set, entry, thread);
    }
  }
  if (!in_turn) {
    lock.unlock();
    put_in(entry, thread);
    return Pick::nothing;
  }
  if (entry.group_->enter(entry) == Group::Enter::parked) {
    tell_parked(entry);
    return Pick::put_aside;
  }
  if (start(set, entry, thread, now, run)) {
    return Pick::started;
  }
  finish(run);
  return Pick::put_aside;
}

bool Scheduler::next_in_sequence(std::uint32_t thread, Time now, Run & run) noexcept
{
  SequenceWalk & walk = walks_[thread];
  detail::WakeMask woken = 0;
  Pick last = Pick::put_aside;
  while (last == Pick::put_aside && walk.ready != 0) {
    const auto position = static_cast<std::uint32_t>(std::countr_zero(walk.ready));
    walk.ready &= walk.ready - 1;
    if (CallbackEntry * const entry = walk.slots->take(position)) {
      last = start_in_turn(*entry, thread, now, run, woken);
    }
  }
  if (last == Pick::started) {
    sleepers_.pass_on(own_sets_[thread], woken);
    return true;
  }
  // The search for the best callback follows. Its own pass_on wakes threads for all that is left.
  end_walk(thread, thread);
  return false;
}

}  // namespace takt_core
