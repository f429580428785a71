#include "isolation/plan_of_messages.hpp"

#include <algorithm>
#include <map>

namespace takt_bench::isolation
{

using takt_schedule::CallbackModel;
using takt_schedule::System;

namespace
{

const CallbackModel * find(const System & system, const std::string & id)
{
  const auto found = std::find_if(
    system.callbacks.begin(), system.callbacks.end(),
    [&](const CallbackModel & one) { return one.id == id; });
  return found == system.callbacks.end() ? nullptr : &*found;
}

std::uint32_t position(const System & system, const std::string & id)
{
  return static_cast<std::uint32_t>(find(system, id) - system.callbacks.data());
}

}  // namespace

takt_rt::Faults unsupported(const System & system)
{
  takt_rt::Faults faults;
  for (const CallbackModel & callback : system.callbacks) {
    if (callback.trigger != takt_schedule::Trigger::any) {
      faults.push_back(
        "callback '" + callback.id + "' waits for messages of several topics; this program only " +
        "runs callbacks that each message starts");
    } else if (!callback.is_timer() && callback.period) {
      faults.push_back(
        "callback '" + callback.id + "' gets messages from outside of the model; give the model " +
        "a timer that publishes these messages");
    }
  }
  if (system.hosts.size() > 1) {
    faults.push_back("the model has several hosts; this program runs models of one host");
  }
  for (const takt_schedule::ChainSchedule & chain : system.chains) {
    const CallbackModel * const root = find(system, chain.options.path.front());
    if (root == nullptr || !root->is_timer()) {
      faults.push_back("chain '" + chain.options.name + "' does not begin with a timer");
    }
  }
  return faults;
}

PlanOfMessages plan_of_messages(const System & system)
{
  PlanOfMessages plan;
  std::map<std::string, std::vector<std::uint32_t>> started;  // callbacks that a topic starts
  for (std::uint32_t i = 0; i < system.callbacks.size(); ++i) {
    const CallbackModel & callback = system.callbacks[i];
    const auto known = std::find(plan.executors.begin(), plan.executors.end(), callback.executor);
    plan.process.push_back(static_cast<std::uint32_t>(known - plan.executors.begin()));
    if (known == plan.executors.end()) {
      plan.executors.push_back(callback.executor);
    }
    for (const std::string & topic : callback.triggers) {
      started[topic].push_back(i);
    }
  }
  for (const CallbackModel & callback : system.callbacks) {
    plan.subscribers.emplace_back();
    for (const std::string & topic : callback.publishes) {
      const auto & more = started[topic];
      plan.subscribers.back().insert(plan.subscribers.back().end(), more.begin(), more.end());
    }
  }
  for (const takt_schedule::ChainSchedule & chain : system.chains) {
    const std::uint32_t root = position(system, chain.options.path.front());
    const takt_rt::Duration period = *system.callbacks[root].period;
    plan.chains.push_back(
      {chain.options.name, root, position(system, chain.options.path.back()), period,
       system.callbacks[root].offset.value_or(period)});
  }
  return plan;
}

std::uint64_t releases_between(
  const ChainEnds & chain, takt_rt::Duration from, takt_rt::Duration to) noexcept
{
  const auto before = [&](takt_rt::Duration time) -> std::int64_t {
    const std::int64_t since_first = (time - chain.offset).count();
    return since_first <= 0 ? 0 : (since_first - 1) / chain.period.count() + 1;
  };
  return to <= from ? 0 : static_cast<std::uint64_t>(before(to) - before(from));
}

}  // namespace takt_bench::isolation
