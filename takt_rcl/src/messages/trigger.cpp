#include "takt_rcl/trigger.hpp"

#include <algorithm>
#include <string_view>

#include "takt_core/non_triggering.hpp"
#include "takt_rcl/error.hpp"

namespace takt_rcl
{

takt_core::Condition all()
{
  takt_core::Condition condition;
  condition.count = 0;
  return condition;
}

takt_core::Condition any()
{
  return {};
}

takt_core::Condition count(std::uint32_t subscriptions)
{
  if (subscriptions == 0) {
    throw Error("a condition needs the messages of at least one subscription");
  }
  takt_core::Condition condition;
  condition.count = subscriptions;
  return condition;
}

takt_core::Condition fresh(takt_rt::Duration age)
{
  if (age <= takt_rt::Duration::zero()) {
    throw Error("a condition's age of messages must be positive");
  }
  takt_core::Condition condition;
  condition.fresh = age;
  return condition;
}

takt_core::Condition spread(takt_rt::Duration time)
{
  if (time < takt_rt::Duration::zero()) {
    throw Error("the header stamps of a set of messages cannot lie within a negative time");
  }
  takt_core::Condition condition = all();
  condition.spread = time;
  return condition;
}

const takt_core::ConditionInput * TriggerInputs::find(
  const SubscriptionBase & subscription) const noexcept
{
  const auto found = std::find_if(inputs_.begin(), inputs_.end(), [&](const auto & input) {
    return input.id == subscription.id();
  });
  return found != inputs_.end() ? &*found : nullptr;
}

std::uint32_t TriggerInputs::waiting(const SubscriptionBase & subscription) const noexcept
{
  const takt_core::ConditionInput * const input = find(subscription);
  return input != nullptr ? input->waiting : 0;
}

takt_rt::Duration TriggerInputs::age(const SubscriptionBase & subscription) const noexcept
{
  const takt_core::ConditionInput * const input = find(subscription);
  return input != nullptr && input->newest != takt_rt::kNever ? now_ - input->newest
                                                              : takt_rt::kForever;
}

Trigger::Trigger(std::vector<std::shared_ptr<Entity>> on) : on_(std::move(on))
{
  if (on_.empty()) {
    throw Error("trigger_on needs a callback");
  }
  for (const auto & one : on_) {
    if (one == nullptr) {
      throw Error("trigger_on got a null pointer");
    }
    ids_.push_back(one->id());
  }
}

void Trigger::add(std::vector<std::shared_ptr<SubscriptionBase>> inputs)
{
  for (const auto & one : inputs) {
    if (one == nullptr) {
      throw Error(ids_.front() + ": `with` got a null pointer");
    }
    if (std::find(ids_.begin(), ids_.end(), one->id()) != ids_.end()) {
      throw Error(one->id() + ": a callback that triggers cannot wait for itself");
    }
    if (conditional_) {
      check_group(*one);
    }
  }
  inputs_.insert(inputs_.end(), inputs.begin(), inputs.end());
  apply();
}

void Trigger::check_group(const Entity & one) const
{
  const CallbackGroup & group = on_.front()->group();
  if (&one.group() != &group) {
    throw Error(
      one.id() + ": a condition is one of a group, and the callback is not of " + group.id());
  }
}

void Trigger::apply()
{
  takt_core::NonTriggering rule;
  rule.taken_by = [ids = ids_](std::string_view id) {
    return std::find(ids.begin(), ids.end(), id) != ids.end();
  };
  rule.with = ids_;
  rule.keep = keep_;
  rule.max_age = max_age_;
  for (const auto & input : inputs_) {
    input->do_not_trigger(rule);
  }
}

Trigger & Trigger::keep(std::uint32_t messages)
{
  keep_ = messages;
  apply();
  return *this;
}

Trigger & Trigger::max_age(takt_rt::Duration age)
{
  if (age <= takt_rt::Duration::zero()) {
    throw Error(ids_.front() + ": the max_age of messages must be positive");
  }
  max_age_ = age;
  apply();
  return *this;
}

Trigger & Trigger::when(const takt_core::Condition & condition)
{
  for (const auto & one : on_) {
    check_group(*one);
    if (one->kind() != takt_core::Kind::subscription) {
      throw Error(one->id() + ": only subscriptions wait for a condition");
    }
  }
  for (const auto & one : inputs_) {
    check_group(*one);
  }
  on_.front()->group().set_condition(condition);
  conditional_ = true;
  return *this;
}

}  // namespace takt_rcl
