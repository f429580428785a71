// Conditions of groups: which messages wait for them, and when they release these (condition.hpp).
//
// A source stores its arrival first and looks at the condition then, with the condition's mutex held. So of several
// messages that arrive at once the last source to get the mutex sees all.
#include <algorithm>
#include <cassert>
#include <mutex>

#include "scheduler/group_condition.hpp"
#include "scheduler/scheduler_settings.hpp"
#include "takt_core/adapter/callback_ids.hpp"

namespace takt_core
{

namespace
{

// Messages that wait and are not released.
std::uint32_t waiting(const CallbackEntry & input) noexcept
{
  const std::uint64_t pushed = input.arrivals_.pushed();
  const std::uint64_t oldest = pushed - std::min<std::uint64_t>(input.arrivals_.size(), pushed);
  const std::uint64_t from = std::max(oldest, input.released_.load(std::memory_order_relaxed));
  return from < pushed ? static_cast<std::uint32_t>(pushed - from) : 0;
}

bool is_input(const Callback & callback)
{
  return !callback.of_client_library() &&
         (callback.kind() == Kind::subscription ||
          (callback.kind() == Kind::waitable && adapter::kind_word(callback.chain_id()) == "sub"));
}

// Numbers the subscriptions of the members anew.
void list_inputs(GroupCondition & condition)
{
  condition.inputs.clear();
  for (GroupCondition::Member & member : condition.members) {
    const std::string_view id = member.entry->callback().chain_id();
    const auto known = std::find_if(
      condition.inputs.begin(), condition.inputs.end(),
      [&](const ConditionInput & input) { return input.id == id; });
    member.input = static_cast<std::size_t>(known - condition.inputs.begin());
    if (known == condition.inputs.end()) {
      condition.inputs.push_back({id, 0, kNever});
    }
  }
}

bool holds(GroupCondition & condition, Time now) noexcept
{
  assert(condition.mutex.held());
  for (ConditionInput & input : condition.inputs) {
    input.waiting = 0;
    input.newest = kNever;
  }
  for (const GroupCondition::Member & member : condition.members) {
    ConditionInput & input = condition.inputs[member.input];
    input.waiting += waiting(*member.entry);
    const Time newest = member.entry->newest_;
    if (newest != kNever && (input.newest == kNever || input.newest < newest)) {
      input.newest = newest;
    }
  }
  const Condition & rule = condition.rule;
  std::size_t ready = 0;
  for (const ConditionInput & input : condition.inputs) {
    ready += input.waiting > 0 ? 1 : 0;
    if (rule.fresh && (input.newest == kNever || now - input.newest >= *rule.fresh)) {
      return false;
    }
  }
  const std::size_t wanted = rule.count == 0 ? condition.inputs.size() : rule.count;
  return ready >= wanted && (!rule.predicate || rule.predicate(condition.inputs, now));
}

}  // namespace

// Set-up: the callback becomes an input of its group's condition.
void Scheduler::join_condition(CallbackEntry & entry)
{
  assert(setup_mutex_.held());
  GroupCondition * const condition = entry.group_->condition_.get();
  if (condition == nullptr || !is_input(entry.callback())) {
    return;
  }
  const std::lock_guard lock(condition->mutex);
  entry.released_.store(0, std::memory_order_relaxed);
  entry.newest_ = kNever;
  condition->members.push_back({&entry, 0});
  list_inputs(*condition);
  entry.state_.fetch_or(CallbackEntry::kConditional, std::memory_order_seq_cst);
}

void Scheduler::leave_condition(CallbackEntry & entry)
{
  assert(setup_mutex_.held());
  if (!entry.conditional()) {
    return;
  }
  GroupCondition & condition = *entry.group_->condition_;
  const std::lock_guard lock(condition.mutex);
  std::erase_if(
    condition.members, [&](const GroupCondition::Member & one) { return one.entry == &entry; });
  list_inputs(condition);
}

// A message has arrived for an input of a condition.
void Scheduler::arrived_under_condition(
  CallbackEntry & entry, Time now, std::uint32_t caller) noexcept
{
  GroupCondition & condition = *entry.group_->condition_;
  CallbackEntry * released = nullptr;
  {
    const std::lock_guard lock(condition.mutex);
    entry.newest_ = now;
    if (entry.non_triggering_ != nullptr || !holds(condition, now)) {
      return;
    }
    for (const GroupCondition::Member & member : condition.members) {
      member.entry->released_.store(member.entry->arrivals_.pushed(), std::memory_order_seq_cst);
    }
    for (const GroupCondition::Member & member : condition.members) {
      if (!member.entry->arrivals_.empty() && member.entry->state_.mark_released()) {
        member.entry->next_ = released;  // the thread that marks a callback owns its links
        released = member.entry;
      }
    }
  }
  while (released != nullptr) {
    CallbackEntry & input = *released;
    released = input.next_;
    put_in(input, caller);
  }
}

}  // namespace takt_core
