// Conditions of groups: which messages wait for them, and when they release these (condition.hpp).
//
// A source stores its arrival first and looks at the condition then, with the condition's mutex held. So of several
// messages that arrive at once the last source to get the mutex sees all.
#include <algorithm>
#include <cassert>
#include <mutex>

#include "scheduler/group_condition.hpp"
#include "scheduler/scheduler_settings.hpp"

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

bool holds(GroupCondition & condition, Time now) noexcept
{
  assert(condition.mutex.held());
  const Condition & rule = condition.rule;
  std::size_t ready = 0;
  for (std::size_t i = 0; i < condition.inputs.size(); ++i) {
    const CallbackEntry & input = *condition.inputs[i];
    const std::uint32_t messages = waiting(input);
    ready += messages > 0 ? 1 : 0;
    if (rule.fresh && (input.newest_ == kNever || now - input.newest_ >= *rule.fresh)) {
      return false;
    }
    condition.seen[i].waiting = messages;
    condition.seen[i].newest = input.newest_;
  }
  const std::size_t wanted = rule.count == 0 ? condition.inputs.size() : rule.count;
  return ready >= wanted && (!rule.predicate || rule.predicate(condition.seen, now));
}

}  // namespace

// Set-up: the callback becomes an input of its group's condition.
void Scheduler::join_condition(CallbackEntry & entry)
{
  assert(setup_mutex_.held());
  GroupCondition * const condition = entry.group_->condition_.get();
  if (condition == nullptr || !has_messages(entry.kind_)) {
    return;
  }
  const std::lock_guard lock(condition->mutex);
  entry.released_.store(0, std::memory_order_relaxed);
  entry.newest_ = kNever;
  condition->inputs.push_back(&entry);
  condition->seen.push_back({entry.callback().chain_id(), 0, kNever});
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
  const auto found = std::find(condition.inputs.begin(), condition.inputs.end(), &entry);
  if (found != condition.inputs.end()) {
    condition.seen.erase(condition.seen.begin() + (found - condition.inputs.begin()));
    condition.inputs.erase(found);
  }
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
    for (CallbackEntry * const input : condition.inputs) {
      input->released_.store(input->arrivals_.pushed(), std::memory_order_seq_cst);
    }
    for (CallbackEntry * const input : condition.inputs) {
      if (!input->arrivals_.empty() && input->state_.mark_released()) {
        input->next_ = released;  // the thread that marks a callback owns its links
        released = input;
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
