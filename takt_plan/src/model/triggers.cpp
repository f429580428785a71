#include "model/triggers.hpp"

#include <algorithm>
#include <set>
#include <string>

#include "takt_core/adapter/callback_ids.hpp"
#include "takt_schedule/quoted.hpp"
#include "takt_schedule/source.hpp"

namespace takt_plan::detail
{
namespace
{

using takt_schedule::CallbackModel;
using takt_schedule::quoted;

bool is_subscription(const CallbackModel & callback)
{
  return callback.kind() == takt_core::Kind::subscription;
}

/// The number of subscriptions that the callback of the model stands for.
std::size_t subscriptions(const CallbackModel & callback)
{
  return std::max<std::size_t>(
    callback.triggers.size() + (callback.period && !callback.is_timer() ? 1 : 0), 1);
}

std::vector<Index> threads_of(const Model & model, const std::vector<Index> & tasks)
{
  std::set<Index> threads;
  for (const Index task : tasks) {
    threads.insert(model.tasks[task].threads.begin(), model.tasks[task].threads.end());
  }
  return {threads.begin(), threads.end()};
}

}  // namespace

void Triggers::add_input(Index index, Task & task, const takt_core::NonTriggering & rule)
{
  task.input.emplace();
  task.input->keep = rule.keep;
  task.input->by_release = rule.by_release;
  task.input->max_age = rule.max_age == takt_rt::kForever ? kUnbounded : rule.max_age.count();
  inputs_.emplace_back(index, rule);
}

void Triggers::add_condition(Index group, const takt_core::Condition & condition)
{
  conditions_.emplace_back(group, condition);
}

// A callback of a set stands for several subscriptions, which take the messages together or not at
// all.
void Triggers::find_takers(
  const takt_schedule::System & system, Model & model, Index input,
  const takt_core::NonTriggering & rule, takt_rt::Faults & faults) const
{
  Task & task = model.tasks[input];
  for (Index index = 0; index < model.tasks.size(); ++index) {
    const Task & other = model.tasks[index];
    if (other.input || other.executor != task.executor) {
      continue;
    }
    const std::vector<std::string> ids = system.callbacks[index].all_ids();
    const bool of_client_library =
      std::all_of(ids.begin(), ids.end(), takt_core::adapter::is_of_client_library);
    const auto named = rule.taken_by ? std::count_if(ids.begin(), ids.end(), rule.taken_by) : 0;
    if (named != 0 && named != static_cast<std::ptrdiff_t>(ids.size())) {
      faults.push_back(takt_schedule::located(
        system.file, system.callbacks[index].source,
        "`with` of " + quoted(task.id) +
          " names some of the subscriptions that complete a set with " + quoted(other.id) +
          ", and not all; name all of them or none"));
    }
    if (
      (!rule.by_release || other.timer) &&
      (rule.taken_by ? named != 0
                     : task.group != kNone && other.group == task.group && !of_client_library)) {
      task.priority =
        task.input->takers.empty() ? other.priority : std::min(task.priority, other.priority);
      task.input->takers.push_back(index);
    }
  }
  if (!task.input->takers.empty()) {
    task.threads = threads_of(model, task.input->takers);
  }
}

void Triggers::settle(
  const takt_schedule::System & system, Model & model, takt_rt::Faults & faults) const
{
  for (const auto & [group, condition] : conditions_) {
    model.groups[group].condition = condition;
  }
  for (const auto & [input, rule] : inputs_) {
    find_takers(system, model, input, rule, faults);
  }
  for (Index index = 0; index < model.tasks.size(); ++index) {
    const CallbackModel & callback = system.callbacks[index];
    const Task & task = model.tasks[index];
    const std::vector<std::string> ids = callback.all_ids();
    const bool of_client_library =
      std::any_of(ids.begin(), ids.end(), takt_core::adapter::is_of_client_library);
    if (
      task.group != kNone && model.groups[task.group].condition && is_subscription(callback) &&
      !of_client_library) {
      model.groups[task.group].inputs.push_back(index);
    }
    const bool conditional =
      task.group != kNone && model.groups[task.group].condition && is_subscription(callback);
    if ((task.input || conditional) && subscriptions(callback) > 1) {
      faults.push_back(takt_schedule::located(
        system.file, callback.source,
        quoted(callback.id) + " stands for " + std::to_string(subscriptions(callback)) +
          " subscriptions, and the schedule has " +
          (task.input ? "trigger: false for it" : "a condition (when) for its group") +
          "; describe each subscription as a callback of its own"));
    }
  }
}

std::vector<std::string> waiting_in_vain(const Model & model)
{
  std::vector<std::string> warnings;
  for (const Task & task : model.tasks) {
    if (task.input && task.input->takers.empty()) {
      warnings.push_back(
        quoted(task.id) +
        " does not trigger, and no callback of the model takes its messages, so it never runs; "
        "name "
        "callbacks by `with` that take them");
    }
  }
  return warnings;
}

takt_rt::Faults with_and_isolated(const takt_schedule::Schedule & schedule)
{
  takt_rt::Faults faults;
  for (const takt_schedule::ExecutorSchedule & executor : schedule.executors) {
    const bool isolates = std::any_of(
      executor.groups.begin(), executor.groups.end(),
      [](const takt_schedule::GroupRule & rule) { return rule.isolate.has_value(); });
    for (const takt_schedule::CallbackRule & rule : executor.callbacks) {
      if (isolates && rule.non_triggering && !rule.non_triggering->with.empty()) {
        faults.push_back(takt_schedule::located(
          schedule.file, rule.source,
          "analyses and the simulator do not know `with` in an executor with isolated groups; omit "
          "it, so that the callbacks of the group take the messages"));
      }
    }
  }
  return faults;
}

}  // namespace takt_plan::detail
