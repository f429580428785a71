// Sets of messages whose header stamps lie close together (Condition::spread in condition.hpp).
//
// Each input has one place for a message (SetHead), guarded by the condition's mutex. A callback is
// queued by `ask_for_sets` only, and only while its place is empty, so at most one message of each
// input is taken and waits. The group is mutually exclusive: takes and runs of its sets follow one
// another.
#include <algorithm>
#include <cassert>
#include <chrono>
#include <mutex>
#include <vector>

#include "scheduler/group_condition.hpp"
#include "scheduler/scheduler_settings.hpp"
#include "scheduler/sequence_slots.hpp"

namespace takt_core
{

namespace
{

using HeadState = SetHead::State;

// Finds the kept messages that no set can have, and whether the set is complete. Returns false if
// there is neither.
bool match(GroupCondition & condition) noexcept
{
  assert(condition.mutex.held());
  Time newest = Time::min();
  bool all = true;
  for (const GroupCondition::Member & member : condition.members) {
    const SetHead & head = *member.entry->head_;
    if (head.state == HeadState::kept) {
      newest = std::max(newest, head.run.stamp);
    } else {
      all = false;
    }
  }
  bool any_stale = false;
  for (const GroupCondition::Member & member : condition.members) {
    SetHead & head = *member.entry->head_;
    if (head.state == HeadState::kept && newest - head.run.stamp > *condition.rule.spread) {
      head.state = HeadState::stale;
      any_stale = true;
    }
  }
  if (any_stale || !all) {
    return any_stale;
  }
  for (const GroupCondition::Member & member : condition.members) {
    member.entry->head_->state = HeadState::due;
  }
  return !condition.members.empty();
}

// The next message to leave out, or else the next one to run: the one that arrived first. Null:
// none.
CallbackEntry * next_head(const GroupCondition & condition) noexcept
{
  assert(condition.mutex.held());
  CallbackEntry * first = nullptr;
  for (const GroupCondition::Member & member : condition.members) {
    const SetHead & head = *member.entry->head_;
    if (head.state == HeadState::stale) {
      return member.entry;
    }
    if (
      head.state == HeadState::due && (first == nullptr || head.arrival < first->head_->arrival)) {
      first = member.entry;
    }
  }
  return first;
}

// Messages of one input may come out of order, also with a spread of 0.
constexpr Duration kOutOfOrder = std::chrono::seconds(1);

// Whether the stamps of the input began anew.
bool began_anew(const SetHead & head, Time stamp, Duration spread) noexcept
{
  return head.last != kNever && stamp < head.last &&
         head.last - stamp > std::max(spread, kOutOfOrder);
}

}  // namespace

// Queues the callbacks whose places are empty and whose messages wait. Returns them linked by
// `next_`.
CallbackEntry * Scheduler::ask_for_sets(GroupCondition & condition) noexcept
{
  assert(condition.mutex.held());
  CallbackEntry * released = nullptr;
  for (const GroupCondition::Member & member : condition.members) {
    CallbackEntry & entry = *member.entry;
    if (
      entry.head_->state == HeadState::none && !entry.arrivals_.empty() &&
      entry.state_.mark_released()) {
      entry.head_->state = HeadState::asked;
      place_at_oldest(entry);
      entry.next_ = released;
      released = &entry;
    }
  }
  return released;
}

// A run of the callback begins, for the message with this place in the order of arrivals.
void Scheduler::begin_take_for_set(CallbackEntry & entry, std::uint64_t arrival) noexcept
{
  const std::lock_guard lock(entry.group_->condition_->mutex);
  entry.head_->state = HeadState::taking;
  entry.head_->arrival = arrival;
}

// The run ends. If it kept no message, the callback's next message is asked for.
void Scheduler::end_take_for_set(CallbackEntry & entry, Time now, std::uint32_t caller) noexcept
{
  GroupCondition & condition = *entry.group_->condition_;
  CallbackEntry * released = nullptr;
  {
    const std::lock_guard lock(condition.mutex);
    if (entry.head_->state != HeadState::taking) {
      return;
    }
    entry.head_->state = HeadState::none;
    released = release(condition, *entry.group_, now);
  }
  put_in_all(released, caller);
}

// Set-up: `gone`, which is closed, is no member any more. Leaves out the message that it keeps.
// Then leaves out those of the other members if each of them keeps one: none of them would take
// another message, so no thread would look at this set.
void Scheduler::leave_sets(GroupCondition & condition, CallbackEntry & gone)
{
  assert(setup_mutex_.held());
  std::vector<CallbackEntry *> leaving;
  leaving.reserve(condition.members.size() + 1);
  {
    const std::lock_guard lock(condition.mutex);
    HeadState & own = gone.head_->state;
    if (own == HeadState::kept || own == HeadState::due || own == HeadState::stale) {
      own = HeadState::leaving;
      leaving.push_back(&gone);
    }
    const auto & members = condition.members;
    const bool all = std::all_of(members.begin(), members.end(), [](const auto & member) {
      return member.entry->head_->state == HeadState::kept;
    });
    for (const GroupCondition::Member & member : members) {
      if (all && member.entry->state_.start_kept()) {
        member.entry->head_->state = HeadState::leaving;
        leaving.push_back(member.entry);
      }
    }
  }
  for (CallbackEntry * const entry : leaving) {
    left_out(entry->head_->run);
    entry->callback().leave_out(entry->head_->run);
    {
      const std::lock_guard lock(condition.mutex);
      entry->head_->state = HeadState::none;
    }
    if (entry != &gone) {
      entry->state_.end();
    }
  }
  CallbackEntry * released = nullptr;
  if (open_.load(std::memory_order_seq_cst)) {
    const std::lock_guard lock(condition.mutex);
    released = ask_for_sets(condition);
  }
  put_in_all(released, kNoThread);
}

bool Scheduler::keep_for_set(const Run & run) noexcept
{
  CallbackEntry & entry = CallbackEntry::of(*run.callback);
  GroupCondition & condition = *entry.group_->condition_;
  const std::lock_guard lock(condition.mutex);
  if ((entry.state_.load(std::memory_order_seq_cst) & CallbackEntry::kClosed) != 0) {
    return false;
  }
  SetHead & head = *entry.head_;
  head.run = run;
  if (run.stamp == kNever) {
    head.state = HeadState::stale;
    return true;
  }
  head.state = HeadState::kept;
  if (began_anew(head, run.stamp, *condition.rule.spread)) {
    for (const GroupCondition::Member & member : condition.members) {
      SetHead & other = *member.entry->head_;
      if (&other != &head && other.state == HeadState::kept) {
        other.state = HeadState::stale;
      }
    }
    condition.anew = std::max(condition.anew, head.arrival);
  } else if (head.arrival < condition.anew) {
    head.state = HeadState::stale;
  }
  head.last = run.stamp;
  return true;
}

bool Scheduler::next_of_set(const Run & taker, Time now, Run & run) noexcept
{
  CallbackEntry & own = CallbackEntry::of(*taker.callback);
  GroupCondition & condition = *own.group_->condition_;
  CallbackEntry * released = nullptr;
  CallbackEntry * started = nullptr;
  {
    const std::lock_guard lock(condition.mutex);
    CallbackEntry * next = next_head(condition);
    if (next == nullptr && match(condition)) {
      next = next_head(condition);
    }
    for (; next != nullptr; next = next_head(condition)) {
      SetHead & head = *next->head_;
      if (next == &own || next->state_.start_kept()) {
        run = head.run;
        run.thread = taker.thread;
        run.lane = taker.lane;
        run.set = taker.set;
        run.start = now;
        run.taking = false;
        run.leaves_out = head.state == HeadState::stale;
        head.state = HeadState::none;
        started = next;
        break;
      }
      head.state = HeadState::kept;  // its remover leaves it out, with the mutex held
    }
    if (started == nullptr) {
      released = release(condition, *own.group_, now);
    }
  }
  if (started != nullptr) {
    if (!run.leaves_out) {
      end_other_walk(*started, taker.lane);
    }
    return true;
  }
  put_in_all(released, taker.lane);
  return false;
}

// A thread goes along one sequence at a time, and the callbacks of a set may be of several.
void Scheduler::end_other_walk(const CallbackEntry & next, std::uint32_t lane) noexcept
{
  if (lane == visitor() || next.sequence_number_ == CallbackEntry::kNoSequence) {
    return;
  }
  const SequenceWalk & walk = walks_[lane];
  if (walk.ready != 0 && walk.sequence != next.sequence_number_) {
    const detail::DispatchStepScope step(step_of(lane));
    end_walk(lane, lane);
  }
}

void Scheduler::complete_of_set(const Run & taker, const Run & run) noexcept
{
  if (run.callback != taker.callback) {
    CallbackEntry::of(*run.callback).state_.end();  // from here on `remove` may return
  }
}

}  // namespace takt_core
