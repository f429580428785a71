#include "setting.hpp"

#include <algorithm>
#include <utility>

#include "executor_words.hpp"
#include "restored.hpp"
#include "takt_core/names.hpp"
#include "takt_rt/json_values.hpp"
#include "takt_rt/thread_attributes.hpp"

namespace takt_control
{

using nlohmann::json;
using takt_core::Callback;
using takt_core::ChainOptions;
using takt_core::Executor;
using takt_core::ThreadState;
using takt_rt::AttributeReport;
using takt_rt::Faults;
using takt_rt::Policy;
using takt_rt::Result;
using takt_rt::ThreadAttributes;
using Object = SetRequest::Object;
using Value = SetRequest::Value;

namespace
{

// The policy that was asked for; without one, the granted policy.
Policy policy_of(const AttributeReport & report)
{
  if (report.asked.policy != Policy::inherit) {
    return report.asked.policy;
  }
  return report.granted.policy == Policy::inherit ? Policy::other : report.granted.policy;
}

json number_json(const ThreadAttributes & attributes, Value value)
{
  return value == Value::priority ? json(attributes.priority) : json(attributes.nice.value_or(0));
}

json value_json(const AttributeReport & report, Value value)
{
  const bool priority = value == Value::priority;
  const bool asked =
    priority ? report.asked.policy != Policy::inherit : report.asked.nice.has_value();
  return {
    {priority ? "priority" : "nice", number_json(asked ? report.asked : report.granted, value)}};
}

Faults wrong_policy(const std::string & thread, Policy policy, Value value)
{
  const bool fair = takt_rt::has_nice(policy);
  const bool real_time = takt_rt::has_rt_priority(policy);
  if (value == Value::priority ? real_time : fair) {
    return {};
  }
  std::string text =
    thread + " has policy " + std::string(to_string(policy)) +
    (value == Value::priority ? ", which has no priority" : ", which has no nice level");
  text += fair        ? "; set its nice level, or give it another policy with `takt apply`"
          : real_time ? "; set its priority, or give it another policy with `takt apply`"
                      : "; change it with `takt apply`";
  return {text};
}

}  // namespace

Result<std::optional<Setting>> Setting::plan(
  const SetRequest & request, const ExposedExecutor & exposed)
{
  if (request.executor && *request.executor != exposed.name) {
    return std::optional<Setting>();
  }
  Setting setting(exposed);
  Faults faults;
  switch (request.object) {
    case Object::chain:
      setting.plan_chain(request);
      break;
    case Object::callback:
      faults = setting.plan_callback(request);
      break;
    case Object::thread:
      faults = setting.plan_threads(request);
      break;
  }
  if (!faults.empty()) {
    return faults;
  }
  return setting.entries_.empty() ? std::optional<Setting>() : std::move(setting);
}

void Setting::plan_chain(const SetRequest & request)
{
  std::vector<ChainOptions> chains = executor_->scheduler().chains();
  const auto chain = std::find_if(
    chains.begin(), chains.end(), [&](const auto & one) { return one.name == request.name; });
  if (chain == chains.end()) {
    return;
  }
  chain_before_ = *chain;
  chain->priority = *request.number;
  chain_ = *chain;
  entries_.push_back(
    {"chain " + chain->name,
     {{"priority", chain_before_->priority}},
     {{"priority", chain_->priority}}});
  change_.chains = std::move(chains);
}

Faults Setting::plan_callback(const SetRequest & request)
{
  const std::shared_ptr<Callback> callback = executor_->find(request.name);
  if (callback == nullptr || is_adapters_own(*callback)) {
    return {};
  }
  const auto binding = executor_->scheduler_of(*callback).binding(*callback);
  if (!binding) {
    return {};  // the callback was removed meanwhile
  }
  before_.callbacks.push_back({callback, *binding});
  takt_core::Binding wanted = *binding;
  Entry entry{"callback " + callback->id(), {}, {}};
  const auto priority_json = [](const takt_core::Binding & of) {
    return json{{"priority", takt_rt::or_null<json>(of.priority)}};
  };
  if (request.value == Value::priority) {
    wanted.priority = request.number;
    entry.before = priority_json(*binding);
    entry.now = priority_json(wanted);
  } else {
    const std::vector<ThreadState> threads = executor_->threads();
    const auto mask = threads_named(request.threads, threads);
    if (!mask) {
      return {
        "executor " + name_ + ": callback " + callback->id() + " cannot run on " +
        joined(request.threads) + "; its threads are " + joined(own_threads(threads))};
    }
    wanted.threads = *mask;
    entry.before = {{"threads", thread_names(*callback, *executor_, threads)}};
    entry.now = {{"threads", names_in(*mask, threads)}};
  }
  change_.callbacks.push_back({callback, wanted});
  take_along(*callback, wanted, request.value != Value::priority);
  entries_.push_back(std::move(entry));
  return {};
}

// Adds the callbacks that change with `callback`. A subscription whose messages come in two ways is
// two callbacks. And rclcpp adds the callbacks of a subscription's events to the same group: at
// different OS priorities the callbacks of the group would block each other.
void Setting::take_along(const Callback & callback, const takt_core::Binding & wanted, bool threads)
{
  const auto threads_of = [&](const Callback & one) {
    return executor_->scheduler_of(one).threads(one);
  };
  for (const auto & other : executor_->callbacks()) {
    if (other.get() == &callback || &other->group() != &callback.group()) {
      continue;
    }
    const bool same = other->chain_id() == callback.chain_id();
    const bool follows = threads && goes_with_group_ && goes_with_group_(*other) &&
                         threads_of(*other) == threads_of(callback);
    const auto binding = executor_->scheduler_of(*other).binding(*other);
    if ((!same && !follows) || !binding) {
      continue;
    }
    before_.callbacks.push_back({other, *binding});
    takt_core::Binding changed = *binding;
    if (threads) {
      changed.threads = wanted.threads;
    } else {
      changed.priority = wanted.priority;
    }
    change_.callbacks.push_back({other, changed});
  }
}

Faults Setting::plan_threads(const SetRequest & request)
{
  Faults faults;
  for (const ThreadState & thread : executor_->threads()) {
    if (!is_named(thread, request.name)) {
      continue;
    }
    const AttributeReport & report = thread.attributes;
    const Policy policy = policy_of(report);
    const std::string word = word_for(thread);
    const Faults wrong =
      wrong_policy("executor " + name_ + ": thread " + word, policy, request.value);
    faults.insert(faults.end(), wrong.begin(), wrong.end());
    ThreadAttributes wanted = report.asked;
    if (request.value == Value::priority) {
      wanted.policy = policy;
      wanted.priority = *request.number;
    } else {
      wanted.nice = *request.number;
    }
    entries_.push_back(
      {"thread " + word,
       value_json(report, request.value),
       {{request.value == Value::priority ? "priority" : "nice", *request.number}}});
    before_.threads.push_back({thread.number, report.asked, thread.group});
    change_.threads.push_back({thread.number, std::move(wanted), thread.group});
  }
  return faults;
}

Faults Setting::check()
{
  Faults faults = executor_->check(change_);
  const auto & options = executor_->options();
  takt_rt::AttributeSetter & setter =
    options.setter == nullptr ? takt_rt::own_rights() : *options.setter;
  for (std::size_t i = 0; faults.empty() && i < change_.threads.size(); ++i) {
    entries_[i].faults = setter.refusals(change_.threads[i].attributes);
  }
  if (options.missing_rights == takt_core::MissingRights::fail) {
    for (const Entry & entry : entries_) {
      for (const auto & fault : entry.faults) {
        faults.push_back(within("executor " + name_ + ": " + entry.what, fault));
      }
    }
  }
  return faults;
}

Faults Setting::carry_out()
{
  if (chain_) {
    return executor_->reconfigure({.more_chains = {*chain_}}).faults();
  }
  const auto done = executor_->reconfigure(change_);
  if (!done.ok()) {
    return done.faults();
  }
  for (std::size_t i = 0; i < done->size(); ++i) {
    const AttributeReport & report = (*done)[i];
    Entry & entry = entries_[i];
    entry.faults = report.faults;
    if (!report.faults.empty()) {
      const Value value = entry.now.contains("nice") ? Value::nice : Value::priority;
      entry.now.front() = number_json(report.granted, value);
    }
  }
  return {};
}

void Setting::take_back() const
{
  if (chain_before_) {
    static_cast<void>(executor_->reconfigure({.more_chains = {*chain_before_}}));
  } else {
    static_cast<void>(executor_->reconfigure(still_there(before_, *executor_)));
  }
}

json Setting::document() const
{
  json all = json::array();
  for (const Entry & entry : entries_) {
    all.push_back(
      {{"executor", name_},
       {"what", entry.what},
       {"before", entry.before},
       {"now", entry.now},
       {"faults", sentences(entry.faults)}});
  }
  return all;
}

}  // namespace takt_control
