// Conditions of groups: which messages wait for a condition, and when it releases them
// (condition.hpp).
//
// A source first stores its arrival and then checks the condition, with the condition's mutex held.
// So if several messages arrive at once, the last source that gets the mutex sees all of them.
#include <algorithm>
#include <cassert>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>

#include "scheduler/group_condition.hpp"
#include "scheduler/scheduler_settings.hpp"
#include "takt_core/adapter/callback_ids.hpp"

namespace takt_core
{

namespace
{

// The number of messages that wait and are not released.
std::uint32_t waiting(const CallbackEntry & input) noexcept
{
  const std::uint64_t oldest = input.arrivals_.oldest_index();
  const std::uint64_t pushed = input.arrivals_.pushed();
  const std::uint64_t from = std::max(oldest, input.released_.load(std::memory_order_relaxed));
  return from < pushed ? static_cast<std::uint32_t>(pushed - from) : 0;
}

bool is_input(const Callback & callback)
{
  return !callback.of_client_library() &&
         (callback.kind() == Kind::subscription ||
          (callback.kind() == Kind::waitable && adapter::kind_word(callback.chain_id()) == "sub"));
}

// Replaces the members. Builds the lists without the mutex, for which publishers may wait.
void set_members(GroupCondition & condition, std::vector<GroupCondition::Member> members)
{
  std::vector<ConditionInput> inputs;
  for (GroupCondition::Member & member : members) {
    const std::string_view id = member.entry->callback().chain_id();
    const auto known = std::find_if(
      inputs.begin(), inputs.end(), [&](const ConditionInput & input) { return input.id == id; });
    member.input = static_cast<std::size_t>(known - inputs.begin());
    if (known == inputs.end()) {
      inputs.push_back({id, 0, kNever});
    }
  }
  const std::lock_guard lock(condition.mutex);
  condition.members.swap(members);
  condition.inputs.swap(inputs);
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
    entry.head_ = nullptr;
    return;
  }
  entry.released_.store(0, std::memory_order_relaxed);
  entry.newest_ = kNever;
  entry.head_ = nullptr;
  if (condition->rule.spread) {
    std::unique_ptr<SetHead> & head = settings(entry).head;
    head = std::make_unique<SetHead>();
    entry.head_ = head.get();
  }
  entry.state_.fetch_or(CallbackEntry::kConditional, std::memory_order_seq_cst);
  std::vector<GroupCondition::Member> members = condition->members;  // only set-up changes them
  members.push_back({&entry, 0});
  set_members(*condition, std::move(members));
}

void Scheduler::leave_condition(CallbackEntry & entry)
{
  assert(setup_mutex_.held());
  if (!entry.conditional()) {
    return;
  }
  GroupCondition & condition = *entry.group_->condition_;
  std::vector<GroupCondition::Member> members = condition.members;
  std::erase_if(members, [&](const GroupCondition::Member & one) { return one.entry == &entry; });
  set_members(condition, std::move(members));
  if (entry.head_ != nullptr) {
    leave_sets(condition, entry);
  }
}

// With `Condition::spread`: faults of a callback of the group.
void check_spread(
  const Callback & callback, const GroupCondition * condition, bool triggers, Faults & faults)
{
  if (condition == nullptr || !condition->rule.spread || !is_input(callback)) {
    return;
  }
  const std::string of_group = callback.id() + ": its group " + callback.group().id() +
                               " waits for messages whose stamps lie close together (spread)";
  if (!callback.stamped()) {
    faults.push_back(
      of_group +
      ", and its type has no std_msgs/msg/Header as first field; omit spread, or give the "
      "subscription another group");
  }
  if (!triggers) {
    faults.push_back(
      of_group +
      ", so each of its messages is taken when it comes; omit trigger: false, or `with` in the "
      "program");
  }
  if (!callback.group().exclusive()) {
    faults.push_back(
      of_group + ", which is for mutually exclusive groups, and this group is reentrant");
  }
}

void Scheduler::conditions_in_vain(Faults & faults) const
{
  assert(setup_mutex_.held());
  std::set<std::pair<std::string_view, const Group *>> groups;
  for (const auto & [entry, settings] : settings_) {
    if (entry->group_->condition_ != nullptr) {
      groups.emplace(entry->group_->id(), entry->group_);
    }
  }
  for (const auto & [id, group] : groups) {
    const GroupCondition * const condition = group->condition_.get();
    const std::size_t inputs = condition->inputs.size();
    if (inputs != 0 && inputs < condition->rule.count) {
      faults.push_back(
        "group " + group->id() + ": its condition needs messages of " +
        std::to_string(condition->rule.count) + " subscriptions, and the group has " +
        std::to_string(inputs) + ", so their callbacks never run");
    }
  }
}

// Notes that a message arrived at `newest` for an input of a condition. Checks the condition if the
// input triggers.
void Scheduler::arrived_under_condition(
  CallbackEntry & entry, Time newest, Time now, std::uint32_t caller) noexcept
{
  GroupCondition & condition = *entry.group_->condition_;
  CallbackEntry * released = nullptr;
  {
    const std::lock_guard lock(condition.mutex);
    // An announcement may be of a message that came before the newest one.
    entry.newest_ = entry.newest_ == kNever ? newest : std::max(entry.newest_, newest);
    if (entry.non_triggering_ == nullptr) {
      released = release(condition, *entry.group_, now);
    }
  }
  put_in_all(released, caller);
}

// As in `ready`: the place of a callback that is released is that of its oldest message now, even
// if that message is lost before the start.
void Scheduler::place_at_oldest(CallbackEntry & entry) noexcept
{
  Precedence & place = entry.precedence_;
  if (entry.arrivals_.peek_stamp(place.release, place.sequence)) {
    entry.comes_ = CallbackEntry::Comes::stamped;
  }
}

// Checks the group's condition. Returns the callbacks that become ready, linked by `next_`: the
// thread that marks a callback as queued owns its links.
CallbackEntry * Scheduler::release(
  GroupCondition & condition, const Group & group, Time now) noexcept
{
  assert(condition.mutex.held());
  if (!open_.load(std::memory_order_seq_cst) || group.condition_holds_.load() > 0) {
    return nullptr;
  }
  if (condition.rule.spread) {
    return ask_for_sets(condition);
  }
  if (!holds(condition, now)) {
    return nullptr;
  }
  for (const GroupCondition::Member & member : condition.members) {
    member.entry->released_.store(member.entry->arrivals_.pushed(), std::memory_order_seq_cst);
  }
  CallbackEntry * released = nullptr;
  for (const GroupCondition::Member & member : condition.members) {
    if (!member.entry->arrivals_.empty() && member.entry->state_.mark_released()) {
      place_at_oldest(*member.entry);
      member.entry->next_ = released;
      released = member.entry;
    }
  }
  return released;
}

void Scheduler::put_in_all(CallbackEntry * entries, std::uint32_t caller) noexcept
{
  while (entries != nullptr) {
    CallbackEntry & entry = *entries;
    entries = entry.next_;
    announce(entry, caller);
  }
}

void Scheduler::look_at_condition(Group & group, Time now) noexcept
{
  GroupCondition * const condition = group.condition_.get();
  if (condition == nullptr) {
    return;
  }
  CallbackEntry * released = nullptr;
  {
    const std::lock_guard lock(condition->mutex);
    released = release(*condition, group, now);
  }
  put_in_all(released, kNoThread);
}

void Scheduler::release_condition(Group & group, Time now) noexcept
{
  if (group.condition_holds_.fetch_sub(1) == 1) {
    look_at_condition(group, now);
  }
}

}  // namespace takt_core
