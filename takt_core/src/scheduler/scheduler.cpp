// Dispatch: ready, next, taken, complete; in one file, so that the compiler can inline across them.
// Set-up is in scheduler_setup.cpp, removing in scheduler_removal.cpp, thread sets, chains and
// sequences in files of their names, timers in scheduler_timers.cpp, sleeping and waking in
// scheduler_idle.cpp.
#include "takt_core/scheduler.hpp"

#include <algorithm>
#include <cassert>
#include <mutex>
#include <utility>

#include "scheduler/callback_numbers.hpp"
#include "scheduler/scheduler_settings.hpp"
#include "scheduler/sequence_slots.hpp"

namespace takt_core
{

using takt_rt::add_saturated;
using takt_rt::from_ns;
using takt_rt::to_ns;

// The scope at whose end the callback may start by direct call, if its place there is free; null:
// none. Its thread is the calling one.
[[gnu::always_inline]] inline const SequenceScope * Scheduler::turn_after(
  const CallbackEntry & entry) const noexcept
{
  const SequenceScope * const scope = SequenceScope::s_open;
  if (scope == nullptr || scope->walk_ == nullptr || &scope->scheduler_ != this) {
    return nullptr;
  }
  const CallbackEntry & running = scope->entry_;
  const std::uint32_t position = entry.position_;
  if (
    entry.sequence_number_ != running.sequence_number_ || position <= running.position_ ||
    scope->walk_->slots.full(position)) {
    return nullptr;
  }
  const detail::WakeMask own = sleepers_.bit(scope->lane_);
  const ThreadSet & set = *entry.set_.load(std::memory_order_acquire);
  if (!set.serves(own)) {
    return nullptr;
  }
  const bool only_here = set.serves_only(own | sleepers_.bit(visitor()));
  if (!only_here && urgency_of(entry) > urgency_of(running)) {
    return nullptr;
  }
  return scope;
}

// For a callback that this thread has just marked as queued, which does not run and has no arrival.
// Notes its message and returns true if the callback has no other thread and waits until the
// calling thread's callback returns. Returns false and does nothing if it does not.
//
// The callback belongs to this thread until its start. So neither the arrival nor the slot needs an
// atomic step.
[[gnu::always_inline]] inline bool Scheduler::ready_in_turn(
  CallbackEntry & entry, Time now) noexcept
{
  const SequenceScope * const scope = turn_after(entry);
  if (
    scope == nullptr ||
    entry.set_.load(std::memory_order_acquire)->sole.load(std::memory_order_relaxed) !=
      sleepers_.bit(scope->lane_)) {
    return false;
  }
  SequenceWalk & walk = *scope->walk_;
  Precedence & place = entry.precedence_;
  std::uint64_t number = 0;
  if (scope->entry_.graph_) {
    const Run & run = scope->run_;
    number = run.sequence / kReleaseStep * kReleaseStep + entry.position_;
    place.release = run.place;
    entry.at_iteration_ = true;
  } else {
    // A number behind all releases so far, before all later ones, and before those of later
    // callbacks of this walk. An announcement takes it from no other one.
    walk.turn = walk.ready == 0 ? 1 : std::min(walk.turn + 1, kReleaseStep - 1);
    number = sequence_.load(std::memory_order_relaxed) - kReleaseStep + walk.turn;
    place.release = now;
  }
  place.sequence = number;
  entry.comes_ = CallbackEntry::Comes::stamped;
  entry.arrivals_.put_aside(now, number, current_activations(), current_message());
  // From here on set-up may take the callback out and remove it.
  const std::uint32_t position = entry.position_;
  walk.ready |= std::uint64_t{1} << position;
  walk.slots.put(position, entry);
  return true;
}

// For a callback that was just marked as queued. Puts it into its slot and returns true if it waits
// until the calling thread's callback returns.
bool Scheduler::waits_its_turn(CallbackEntry & entry) noexcept
{
  const SequenceScope * const scope = turn_after(entry);
  if (scope == nullptr) {
    return false;
  }
  const std::uint32_t position = entry.position_;
  if (scope->entry_.graph_) {
    const Run & run = scope->run_;
    entry.precedence_.release = run.place;
    entry.precedence_.sequence = run.sequence / kReleaseStep * kReleaseStep + position;
    entry.comes_ = CallbackEntry::Comes::stamped;
    entry.at_iteration_ = true;
  }
  // From here on set-up may take the callback out and remove it.
  scope->walk_->ready |= std::uint64_t{1} << position;
  scope->walk_->slots.put(position, entry);
  return true;
}

void Scheduler::ready(Callback & callback, std::uint32_t count, Time now, Time newest) noexcept
{
  CallbackEntry & entry = CallbackEntry::of(callback);
  const bool may_follow =
    count == 1 && SequenceScope::s_open != nullptr && entry.kind_ != Kind::timer &&
    entry.sequence_number_.load(std::memory_order_relaxed) != CallbackEntry::kNoSequence &&
    entry.state_.load(std::memory_order_acquire) < CallbackEntry::kRun && entry.arrivals_.empty();
  if (!may_follow || !entry.state_.mark_queued()) {
    ready_otherwise(entry, count, now, newest);
  } else if (!entry.arrivals_.empty() || !ready_in_turn(entry, now)) {  // another one came first
    ready_marked(entry, now);
  }
}

// As `ready` with one message, for a callback that this thread has marked as queued before.
void Scheduler::ready_marked(CallbackEntry & entry, Time now) noexcept
{
  Precedence first;
  first.release = now;
  first.sequence = sequence_.fetch_add(kReleaseStep, std::memory_order_relaxed);
  const std::uint64_t index =
    entry.arrivals_.push(now, first.sequence, current_activations(), current_message());
  if (entry.arrivals_.oldest_is(index)) {  // else another message came first
    entry.precedence_ = first;
    entry.comes_ = CallbackEntry::Comes::stamped;
  }
  announce(entry, WakeDeferral::thread_of(*this));
}

void Scheduler::ready_otherwise(
  CallbackEntry & entry, std::uint32_t count, Time now, Time newest) noexcept
{
  entry.prefetch();
  if (entry.kind_ == Kind::timer) {
    return;
  }
  const ActivationSet * const activations = current_activations();
  const std::uint32_t kept = std::min(count, entry.arrivals_.depth());
  if (kept < count) {
    entry.arrivals_.count_overwritten(count - kept);
  }
  if (count == 0) {
    return;
  }
  Precedence first;
  first.release = now;
  first.sequence = sequence_.fetch_add(kept * kReleaseStep, std::memory_order_relaxed);
  // With several messages it is unknown which one has the name.
  const std::uint64_t message = count == 1 ? current_message() : 0;
  const std::uint64_t index = entry.arrivals_.push(now, first.sequence, activations, message);
  for (std::uint32_t i = 1; i < kept; ++i) {
    entry.arrivals_.push(now, first.sequence + i * kReleaseStep, activations);
  }
  if (entry.state_.mark_queued()) {
    // The entry cannot start until put_in, so its oldest arrival does not change here. (Another
    // announcement may already have started a run that took this arrival.)
    if (entry.arrivals_.oldest_is(index)) {
      entry.precedence_ = first;
      entry.comes_ = CallbackEntry::Comes::stamped;
    }
    announce(entry, WakeDeferral::thread_of(*this));
  } else if (entry.conditional()) {
    // kNever is later than any time.
    arrived_under_condition(entry, std::min(now, newest), now, WakeDeferral::thread_of(*this));
  }
}

// Puts a queued callback in its set's intake and wakes a thread for it. If `caller` is a member of
// the set, it looks for work next: then only a more urgent member is woken.
void Scheduler::put_in(CallbackEntry & entry, std::uint32_t caller) noexcept
{
  // Sequentially consistent: either this thread sees the new set, or a thread that binds the
  // callback to other threads sees the mark (`settled`).
  ThreadSet & set = *entry.set_.load(std::memory_order_seq_cst);
  set.intake.push(entry);
  if (caller == kNoThread || !set.serves(sleepers_.bit(caller))) {
    sleepers_.wake_one(set);
  } else {
    sleepers_.wake_more_urgent(set, caller);
  }
}

Time Scheduler::deadline(
  const CallbackEntry & entry, Time release, const ActivationSet & of) const noexcept
{
  assert(holds_set_or_group(entry));
  const auto * const deadlines = entry.deadlines_.load(std::memory_order_acquire);
  if (deadlines == nullptr) {
    return kNever;
  }
  Time earliest = kNever;
  bool inherited = false;
  if (!deadlines->entries.empty()) {
    for (const Activation & activation : of) {
      const std::uint32_t root = detail::id_number_of(activation.root);
      for (const auto & chain : deadlines->entries) {
        if (*chain.root == root) {
          earliest = std::min(earliest, add_saturated(activation.release, chain.deadline));
          inherited = true;
        }
      }
    }
  }
  // The callback is its own root, or the message's root is unknown here: the deadline counts from
  // the release.
  return inherited ? earliest : add_saturated(release, deadlines->local);
}

// Places an arrival without a readable stamp behind all others, since its age is unknown.
void Scheduler::stamp_late(const ThreadSet & set, Precedence & precedence) const noexcept
{
  precedence.release = from_ns(set.looked_at.load(std::memory_order_relaxed));
  precedence.sequence = sequence_.load(std::memory_order_relaxed);
}

// Computes the place of a queued callback. `result` holds its previous place. Reads the arrivals
// unless the callback is stamped or a timer. Only for a thread that may start the callback, or
// keeps other threads from starting it.
void Scheduler::find_precedence(
  ThreadSet & set, CallbackEntry & entry, CallbackEntry::Comes comes,
  Precedence & result) const noexcept
{
  assert(holds_set_or_group(entry));
  const bool timer = entry.kind_ == Kind::timer;
  Time due = kNever;
  if (timer) {
    result.release = entry.due_;
  }
  if (set.order == Order::edf && entry.deadlines_.load(std::memory_order_acquire) != nullptr) {
    ActivationSet carried;
    Precedence message = result;
    if (!timer) {
      // A callback whose message is not visible yet has a deadline too: the message may be there at
      // the start.
      entry.arrivals_.peek(message.release, message.sequence, carried);
      if (message.sequence == 0) {
        stamp_late(set, message);
      }
    }
    if (carried.empty()) {
      carried.add({entry.number_, entry.instance(), message.release});
    }
    due = deadline(entry, message.release, carried);
    if (!entry.at_iteration_) {
      result = message;
    }
  } else if (!timer && comes != CallbackEntry::Comes::stamped && !entry.at_iteration_) {
    if (!entry.arrivals_.peek_stamp(result.release, result.sequence)) {
      stamp_late(set, result);
    }
  }
  result.key = set.queue->key(entry, due);
}

void Scheduler::set_key(ThreadSet & set, CallbackEntry & entry, CallbackEntry::Comes comes) noexcept
{
  assert(holds_set_or_group(entry));
  find_precedence(set, entry, comes, entry.precedence_);
}

void Scheduler::insert(ThreadSet & set, CallbackEntry & entry, CallbackEntry::Comes comes) noexcept
{
  assert(set.mutex.held());
  set_key(set, entry, comes);
  entry.where_.store(CallbackEntry::Where::queue, std::memory_order_relaxed);
  set.queue->insert(
    entry,
    comes == CallbackEntry::Comes::returning ? ReadyQueue::From::group : ReadyQueue::From::release);
}

// Moves the callbacks of the intake into the ready queue, the newest first. A callback that was
// bound to other threads meanwhile goes to their set, and a callback that is being removed is
// dropped.
void Scheduler::drain(ThreadSet & set) noexcept
{
  assert(set.mutex.held());
  CallbackEntry * entry = set.intake.take_all();
  while (entry != nullptr) {
    CallbackEntry * const next = entry->next_;
    if (next != nullptr) {
      next->prefetch();
    }
    const CallbackEntry::Comes comes = entry->comes_;
    entry->comes_ = CallbackEntry::Comes::released;
    if (entry->set_.load(std::memory_order_acquire) != &set) {
      entry->where_.store(CallbackEntry::Where::nowhere, std::memory_order_relaxed);
      entry->comes_ = comes;
      put_in(*entry, kNoThread);
    } else if ((entry->state_.load(std::memory_order_acquire) & CallbackEntry::kClosed) != 0) {
      entry->where_.store(CallbackEntry::Where::nowhere, std::memory_order_relaxed);
      entry->state_.fetch_and(~CallbackEntry::kQueued, std::memory_order_acq_rel);
    } else {
      insert(set, *entry, comes);
    }
    entry = next;
  }
}

// Releases the due timers of a set, then drains its intake. Returns the members that this call
// woke.
detail::WakeMask Scheduler::service(ThreadSet & set, std::uint32_t thread, Time now) noexcept
{
  assert(set.mutex.held());
  note_look(set, now);
  sleepers_.give_up_timers(set, thread);
  const std::uint32_t released = release_timers(set, now);
  drain(set);
  if (set.boosted != nullptr) {
    boost_all(set, thread, now);
  }
  // This thread takes one of the released timers. For each further one it wakes an idle member, if
  // there is one.
  detail::WakeMask woken = 0;
  for (std::uint32_t i = 1; i < released; ++i) {
    const detail::WakeMask one = sleepers_.wake_one(set);
    if (one == 0) {
      break;
    }
    woken |= one;
  }
  return woken;
}

void Scheduler::publish_hints(ThreadSet & set) noexcept
{
  assert(set.mutex.held());
  set.show(set.queue->may_have_work(), to_ns(set.timers.next()));
}

// Fills `run`. False if the callback does not start: its timer was cancelled or its arrival
// overwritten.
bool Scheduler::start(
  ThreadSet & set, CallbackEntry & entry, std::uint32_t thread, Time now, Run & run) noexcept
{
  assert(set.mutex.held());
  run.callback = &entry.callback();
  run.set = &set;
  run.thread = thread;
  run.lane = thread;
  run.start = now;
  run.sequence = entry.precedence_.sequence;
  run.place = entry.precedence_.release;
  entry.at_iteration_ = false;
  run.skipped = 0;
  run.found = 0;
  run.announced = 0;
  run.arrived = kNever;
  run.oldest = Time{};
  run.activations.clear();

  bool works = true;
  if (entry.kind_ == Kind::timer) {
    works = entry.timer_active_ && !entry.withdrawn_;
    entry.withdrawn_ = false;
    run.release = entry.due_;
    run.activations.add({entry.number_, entry.instance(), run.release});
    if (works) {
      entry.next_instance();
      run.skipped = advance_timer(entry, now);
    }
  } else {
    std::uint64_t announced = 0;
    works =
      entry.arrivals_.pop(run.release, announced, run.activations, run.arrival, run.announced);
    if (phases_ != nullptr && entry.arrivals_.overwritten() != entry.seen_overwritten_) {
      note_overwritten(entry, now);
    }
    if (announced == 0) {
      run.release = now;
    }
    if (entry.keeps_for_set()) {
      run.stamp = kNever;
      begin_take_for_set(entry, announced != 0 ? announced : run.sequence);
    }
    if (run.activations.empty()) {
      run.activations.add({entry.number_, entry.instance(), run.release});
      if (works) {
        entry.next_instance();
      }
    }
  }
  run.deadline = deadline(entry, run.release, run.activations);

  if (set.boosted != nullptr) {
    const bool raised = entry.raised_.load(std::memory_order_relaxed) != 0;
    entry.boosted_starts_ = raised ? entry.boosted_starts_ + 1 : 0;
  }
  entry.where_.store(CallbackEntry::Where::nowhere, std::memory_order_relaxed);
  run.taking = works && !entry.group_->exclusive();
  entry.state_.start(run.taking);
  if (entry.kind_ == Kind::timer) {
    if (entry.timer_active_ && !run.taking) {
      arm(set, entry);
    }
  } else if (set.order == Order::window && works && !run.taking && mark_again(entry)) {
    // Polling points see the rest of the backlog, as they see a message that comes now.
    insert(set, entry, CallbackEntry::Comes::released);
  }
  return works;
}

// Notes overwritten messages as lost. A front end that sees sequence numbers notes lost messages by
// itself: an announcement without a take may have been one without a message.
void Scheduler::note_overwritten(CallbackEntry & entry, Time now) noexcept
{
  assert(holds_set(entry));
  entry.seen_overwritten_ = entry.arrivals_.overwritten();
  Callback & callback = entry.callback();
  const std::uint64_t lost = callback.message_counts().overwritten;
  if (lost != std::exchange(entry.seen_lost_, lost) && !callback.lost()) {
    disturbed(callback, Disturbance::lost_message, now);
  }
}

// Holds back a callback that is not for this visit. The callback gives up its group meanwhile. With
// the set's mutex held.
void Scheduler::hold(ThreadSet & set, CallbackEntry & entry, std::uint32_t visitor) noexcept
{
  assert(set.mutex.held());
  CallbackEntry * handed = nullptr;
  if (set.enters_groups) {
    handed = entry.group_->leave();
    set.queue->group_left(*entry.group_);
  } else {
    bool was_parked = false;
    handed = entry.group_->forget(entry, was_parked);
  }
  {
    std::lock_guard lock(held_mutex_);
    entry.where_.store(CallbackEntry::Where::held, std::memory_order_relaxed);
    entry.next_ = held_;
    held_ = &entry;
  }
  if (handed != nullptr) {
    handed->comes_ = CallbackEntry::Comes::returning;
    put_in(*handed, visitor);
    drain(set);  // `handed` may be for this visit
  }
}

// Pops one callback, and starts it if its group is free.
Scheduler::Pick Scheduler::pick(
  ThreadSet & set, std::uint32_t thread, Time now, Run & run, std::uint64_t before) noexcept
{
  assert(set.mutex.held());
  CallbackEntry * const entry = set.queue->pop();
  if (entry == nullptr) {
    return Pick::nothing;
  }
  if (before != UINT64_MAX && (entry->precedence_.sequence >= before || entry->visit_ == visit_)) {
    hold(set, *entry, thread);
    return Pick::put_aside;
  }
  if (!set.enters_groups && entry->group_->enter(*entry) == Group::Enter::parked) {
    tell_parked(*entry);
    return Pick::put_aside;
  }
  if (start(set, *entry, thread, now, run)) {
    entry->visit_ = before != UINT64_MAX ? visit_ : entry->visit_;
    return Pick::started;
  }
  // A cancelled timer or an overwritten arrival: no run starts, the group is free.
  finish(run);
  return Pick::put_aside;
}

// The set with the best first callback. Sets with windows never share threads, so all first
// callbacks can be compared.
ThreadSet * Scheduler::best_set(
  ThreadSets & own, std::uint32_t thread, Time now, detail::WakeMask & woken) noexcept
{
  ThreadSet * best = nullptr;
  Precedence best_head;
  const detail::WakeMask bit = sleepers_.bit(thread);
  const std::uint32_t count = own.size();
  for (std::uint32_t i = 0; i < count; ++i) {
    ThreadSet & set = own[i];
    std::lock_guard lock(set.mutex);
    if (!set.serves(bit)) {
      continue;
    }
    woken |= service(set, thread, now);
    publish_hints(set);
    if (has_windows(set.order)) {  // only a visitor sees several of these
      if (best == nullptr && set.queue->may_have_work()) {
        best = &set;
        best_head.key = UINT64_MAX;
      }
      continue;
    }
    const CallbackEntry * const head = set.queue->peek();
    if (head == nullptr) {
      continue;
    }
    if (best == nullptr || head->precedence_.before(best_head)) {
      best = &set;
      best_head = head->precedence_;
    }
  }
  return best;
}

bool Scheduler::next(std::uint32_t thread, Time now, Run & run, std::uint64_t before) noexcept
{
  if (
    thread != visitor() && walks_[thread].ready != 0 && next_follower(thread, now, nullptr, run)) {
    return true;
  }
  ThreadSets & own = own_sets_[thread];
  const detail::WakeMask bit = sleepers_.bit(thread);
  detail::WakeMask woken = 0;
  bool found = false;
  if (own.size() == 1) {
    ThreadSet & set = own[0];
    std::lock_guard lock(set.mutex);
    if (set.serves(bit)) {
      woken = service(set, thread, now);
      Pick last = Pick::put_aside;
      while (last == Pick::put_aside) {
        last = pick(set, thread, now, run, before);
      }
      found = last == Pick::started;
      publish_hints(set);
    }
  } else {
    // Choose the set anew for each callback: after `pick` puts a callback aside, another set may
    // have a better one than the next callback of this set.
    while (!found) {
      ThreadSet * const set = best_set(own, thread, now, woken);
      if (set == nullptr) {
        break;
      }
      std::lock_guard lock(set->mutex);
      if (set->serves(bit)) {  // the set may have other members now
        found = pick(*set, thread, now, run, before) == Pick::started;
        publish_hints(*set);
      }
    }
  }
  if (found) {
    sleepers_.pass_on(own, woken);
  }
  return found;
}

// Corrects a run whose take found a later message than the announced one: the run works for that
// message's activations, and no other run is started for that message.
void Scheduler::catch_up(Run & run) noexcept
{
  CallbackEntry & entry = CallbackEntry::of(*run.callback);
  Time ready{};
  ActivationSet carried;
  if (!entry.arrivals_.catch_up(run.arrival, run.found, ready, carried)) {
    return;
  }
  run.announced = run.found;
  run.release = ready;
  if (!carried.empty()) {
    run.activations = carried;
  } else {
    // The callback is the root of this activation, as it is for a message from elsewhere. The run
    // may have an instance already.
    std::uint32_t instance = entry.instance();
    if (run.activations.size() == 1 && run.activations.begin()->root == entry.number_) {
      instance = run.activations.begin()->instance;
    } else {
      entry.next_instance();
    }
    run.activations.clear();
    run.activations.add({entry.number_, instance, ready});
  }
  // Without the mutex, a set-up function could replace the deadlines meanwhile and free the old
  // ones.
  std::lock_guard lock(entry.group_->mutex_);
  run.deadline = deadline(entry, run.release, run.activations);
}

// Corrects a run whose message came before its announcement: the message's age counts from its
// arrival.
void Scheduler::date_back(Run & run) noexcept
{
  CallbackEntry & entry = CallbackEntry::of(*run.callback);
  run.release = run.arrived;
  run.leaves_out = run.leaves_out || run.release < run.oldest;
  if (run.activations.size() == 1 && run.activations.begin()->root == entry.number_) {
    const std::uint32_t instance = run.activations.begin()->instance;
    run.activations.clear();
    run.activations.add({entry.number_, instance, run.release});
  }
  // Lock the mutex for the reason given in `catch_up`.
  std::lock_guard lock(entry.group_->mutex_);
  run.deadline = deadline(entry, run.release, run.activations);
}

// The rest of `taken`.
void Scheduler::correct(Run & run) noexcept
{
  if (run.found != 0 && run.found != run.announced) {
    catch_up(run);
  }
  if (run.arrived < run.release) {
    date_back(run);
  }
  if (!run.taking) {
    return;
  }
  run.taking = false;
  CallbackEntry & entry = CallbackEntry::of(*run.callback);
  if (entry.kind_ == Kind::timer) {
    taken_by_timer(entry);
    return;
  }
  entry.state_.fetch_and(~CallbackEntry::kTaking, std::memory_order_seq_cst);
  if (mark_again(entry)) {
    put_in(entry, kNoThread);
  }
}

// Queues pending work and leaves the group. For `stock`, with the set's mutex held.
//
// The usual end: no more work, and no other thread that could want to enter the group. Then the
// mark of the run's end is the only atomic step.
void Scheduler::finish(Run & run) noexcept
{
  CallbackEntry & entry = CallbackEntry::of(*run.callback);
  ThreadSet & set = *run.set;
  if (
    run.lane != visitor() && !set.enters_groups && !entry.keeps_for_set() &&
    (entry.kind_ == Kind::timer || entry.arrivals_.empty())) {
    bool left = false;
    {
      const detail::DispatchStepScope step(&walks_[run.lane].step);
      left = alone(*entry.group_, set, run.lane) && entry.group_->leave_if_alone();
    }
    if (left) {
      entry.state_.end();
      return;
    }
  }
  finish_otherwise(run);
}

void Scheduler::finish_otherwise(Run & run) noexcept
{
  assert(!run.set->enters_groups || run.set->mutex.held());
  CallbackEntry & entry = CallbackEntry::of(*run.callback);
  ThreadSet & set = *run.set;
  Group & group = *entry.group_;

  bool parks = false;
  if (entry.keeps_for_set()) {
    end_take_for_set(entry, run.start, run.lane);
  } else if (entry.kind_ != Kind::timer && mark_again(entry)) {
    if (!group.exclusive() || has_windows(set.order)) {
      put_in(entry, run.lane);  // for a window, the callback has its next message
    } else {
      parks = true;
    }
  }
  CallbackEntry * handed = nullptr;
  if (parks) {
    // The callback's next message competes with the callbacks parked in the group, by (key,
    // release). The key is read with the group locked, so that `set_priority` either comes before
    // or finds the callback parked.
    std::lock_guard lock(group.mutex_);
    set_key(set, entry, CallbackEntry::Comes::released);
    handed = group.park_and_leave(entry);
    if (handed != &entry) {
      tell_parked(entry);
    }
  } else {
    handed = group.leave();
  }
  if (set.enters_groups) {
    set.queue->group_left(group);
  }
  // From here on `remove` may return and the callback be destroyed, unless it is queued again.
  entry.state_.end();
  if (handed != nullptr) {
    handed->comes_ =
      parks && handed == &entry ? CallbackEntry::Comes::released : CallbackEntry::Comes::returning;
    put_in(*handed, run.lane);
  }
}

// The rest of `complete`, for orders whose queues enter groups.
void Scheduler::complete_locked(Run & run) noexcept
{
  ThreadSet & set = *run.set;
  // Order `stock`: when a callback leaves its group, all thread sets with members of the group must
  // look again. rclcpp does so with the interrupt guard condition of its one wait set.
  {
    std::lock_guard lock(set.mutex);
    finish(run);
    publish_hints(set);
  }
  look_again();
}

// A callback has left its group. Ready queues of any sets may hold other members of the group.
void Scheduler::look_again() noexcept
{
  ThreadSets & all = own_sets_[visitor()];
  const std::uint32_t count = all.size();
  for (std::uint32_t i = 0; i < count; ++i) {
    ThreadSet & set = all[i];
    {
      std::lock_guard lock(set.mutex);
      set.queue->look_again();
      publish_hints(set);
    }
    sleepers_.wake_one(set);
  }
}

void Scheduler::release_held() noexcept
{
  {
    std::lock_guard lock(held_mutex_);
    while (held_ != nullptr) {
      CallbackEntry * const entry = held_;
      held_ = entry->next_;
      put_in(*entry, kNoThread);
    }
  }
  if (order_ == Order::stock) {
    look_again();  // popping the held callbacks entered their groups for a moment
  }
}

}  // namespace takt_core
