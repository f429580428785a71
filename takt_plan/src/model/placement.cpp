#include "model/placement.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "takt_core/binding_rules.hpp"
#include "takt_schedule/core_options.hpp"
#include "takt_schedule/quoted.hpp"

namespace takt_plan::detail
{

using takt_rt::Faults;
using takt_schedule::CallbackModel;
using takt_schedule::located;
using takt_schedule::quoted;

Placement::Placement(
  const takt_schedule::System & system, const takt_schedule::Schedule & schedule,
  const Hosts & hosts, Model & model, Faults & faults)
: system_(system),
  schedule_(schedule),
  hosts_(hosts),
  model_(model),
  faults_(faults),
  inherited_(takt_core::inherited_priorities(takt_schedule::chain_options(schedule)))
{
}

void Placement::place(const CallbackModel & callback, Task & task)
{
  task.host = hosts_.find(callback.host);
  Executor & executor = executor_of(callback, task.host);
  task.executor = executor.index;
  if (!executor.resolver) {
    return;
  }
  auto resolved = executor.resolver->resolve(callback.id, callback.kind());
  if (!resolved) {
    for (takt_rt::Fault & what : std::move(resolved).faults()) {
      faults_.push_back(std::move(what));
    }
    return;
  }
  place_in_group(callback, task, *executor.resolver, *resolved);
  const takt_core::Binding & binding = resolved->binding;
  for (int i = 0; i < static_cast<int>(std::bit_width(binding.threads)); ++i) {
    if ((binding.threads >> i & 1U) != 0) {
      task.threads.push_back(executor.first_thread + static_cast<Index>(i));
    }
  }
  task.priority = priority_of(binding, callback.id);
  for (const std::string & id : callback.ids) {
    require_together(callback, binding, task, id, *executor.resolver);
  }
  task.any_phase = callback.any_phase;
  task.leaves_grid = resolved->missed_periods == takt_core::MissedPeriods::restart;
  if (callback.is_timer() && resolved->offset && task.release) {
    task.release->offset = resolved->offset->count();
  }
  if (
    callback.is_timer() && task.release &&
    executor.resolver->executor().epoch.from == takt_core::Epoch::tai) {
    task.release->jitter = add(task.release->jitter, jitter_of_clocks());
  }
  if (binding.sequence) {
    task.sequence = binding.sequence->sequence;
    task.position = binding.sequence->position;
    task.graph = binding.sequence->graph;
  }
  if (binding.non_triggering) {
    triggers_.add_input(model_.tasks.size(), task, *binding.non_triggering);
  }
  for (const Index thread : task.threads) {
    if (!task.input) {  // an input runs on the threads of its takers
      require_allowed(callback, thread);
    }
  }
}

void Placement::place_in_group(
  const CallbackModel & callback, const Task & task, takt_schedule::Resolver & resolver,
  takt_schedule::ResolvedCallback & resolved)
{
  if (task.group == kNone) {
    return;
  }
  if (const auto group = resolver.resolve_group(callback.group)) {  // its faults are the check's
    takt_schedule::apply_logical_time(*group, callback.kind(), resolved);
    model_.groups[task.group].logical_time = group->logical_time;
    if (group->condition) {
      triggers_.add_condition(task.group, *group->condition);
    }
  }
}

void Placement::settle_triggers()
{
  triggers_.settle(system_, model_, faults_);
  for (Index index = 0; index < model_.tasks.size(); ++index) {
    if (model_.tasks[index].input) {
      for (const Index thread : model_.tasks[index].threads) {
        require_allowed(system_.callbacks[index], thread);
      }
    }
  }
}

// The clock of one host may be early while that of another is late. All timers get the same jitter:
// it makes no difference if all of them begin earlier, only if some of them do.
Ns Placement::jitter_of_clocks() const
{
  Ns most = 0;
  for (const takt_schedule::ExecutorSchedule & executor : schedule_.executors) {
    most = std::max(most, Ns{executor.epoch.uncertainty.count()});
  }
  return system_.hosts.size() > 1 ? multiply(2, most) : 0;
}

int Placement::priority_of(const takt_core::Binding & binding, const std::string & id) const
{
  const auto inherited = inherited_.find(id);
  return binding.priority.value_or(inherited == inherited_.end() ? 0 : inherited->second);
}

// The model has the group's callbacks as one task, because each of them may be the one that works.
void Placement::require_together(
  const CallbackModel & callback, const takt_core::Binding & binding, const Task & task,
  const std::string & id, takt_schedule::Resolver & resolver)
{
  const auto other = resolver.resolve(id, callback.kind());
  if (
    other && (other->binding.threads != binding.threads ||
              priority_of(other->binding, id) != task.priority)) {
    faults_.push_back(located(
      system_.file, callback.source,
      quoted(callback.id) + " and " + quoted(id) +
        " complete one set, and the schedule gives them other threads or another priority; give "
        "them the same"));
  }
}

Placement::Executor & Placement::executor_of(const CallbackModel & callback, Index host)
{
  const auto [entry, fresh] = executors_.try_emplace(callback.executor);
  Executor & executor = entry->second;
  if (!fresh) {
    return executor;
  }
  if (host == kNone) {
    faults_.push_back(
      located(system_.file, callback.source, "there is no host " + quoted(callback.host)));
    return executor;
  }
  auto resolver = takt_schedule::Resolver::create(schedule_, callback.executor, first_);
  if (!resolver) {
    const Faults faults = resolver.faults();
    faults_.insert(faults_.end(), faults.begin(), faults.end());
    return executor;
  }
  executor.index = model_.executors.size();
  executor.first_thread = model_.threads.size();
  executor.resolver.emplace(std::move(resolver.value()));
  first_ = first_ == nullptr ? &*executor.resolver : first_;
  model_.executors.push_back(callback.executor);
  model_.epochs.push_back(executor.resolver->executor().epoch.from);
  add_threads(executor.resolver->executor(), host, executor.index);
  return executor;
}

// Makes the threads as the executor will make them, but spreads them over the cores of the host,
// not of this machine.
void Placement::add_threads(
  const takt_schedule::ExecutorSchedule & schedule, Index host, Index executor)
{
  const takt_core::ExecutorOptions options = takt_schedule::core_options(schedule);
  const int ceiling = takt_core::ceiling_to_ask(options.middleware_ceiling, options.threads);
  auto asked = options.threads.begin();
  for (const takt_schedule::Threads & entry : schedule.threads) {
    const std::vector<int> & numbers =
      entry.attributes.cores.empty() ? system_.hosts[host].cores : entry.attributes.cores;
    // Threads without cores may use any core. Threads that are spread use one core each.
    std::size_t used = entry.attributes.cores.size();
    if (used == 0 && entry.spread) {
      used = std::min(numbers.size(), static_cast<std::size_t>(entry.count));
    }
    for (std::size_t i = 0; i < used; ++i) {
      require_core(entry, host, numbers[i]);
    }
    for (int i = 0; i < entry.count; ++i, ++asked) {
      Thread thread;
      thread.name = asked->attributes.name;
      thread.host = host;
      thread.executor = executor;
      thread.order = options.order;
      thread.window_timers = options.window_timers;
      thread.follow = asked->follow;
      thread.priority = asked->attributes.priority;
      thread.ceiling = ceiling;
      if (takt_rt::has_rt_priority(asked->attributes.policy)) {
        thread.kind = ThreadClass::fixed_priority;
        thread.rr = asked->attributes.policy == takt_rt::Policy::rr;
      } else if (asked->attributes.policy == takt_rt::Policy::deadline) {
        thread.kind = ThreadClass::deadline;
        const takt_rt::ThreadAttributes & given = asked->attributes;
        const takt_rt::Duration deadline =
          given.deadline.count() > 0 ? given.deadline : given.period;
        thread.reservation = {
          given.runtime.count(), deadline.count(), given.period.count(),
          system_.hosts[host].overheads.context_switch.count()};
      }
      thread.cores = entry.spread && !numbers.empty()
                       ? hosts_.cores(host, {numbers[static_cast<std::size_t>(i) % numbers.size()]})
                       : hosts_.cores(host, numbers);
      model_.threads.push_back(std::move(thread));
    }
  }
}

void Placement::require_core(const takt_schedule::Threads & entry, Index host, int number)
{
  const takt_schedule::HostModel & model = system_.hosts[host];
  const auto has = [&](const std::vector<int> & cores) {
    return std::find(cores.begin(), cores.end(), number) != cores.end();
  };
  const auto fault = [&](const std::string & why) {
    faults_.push_back(located(
      schedule_.file, entry.source,
      "threads " + quoted(entry.name) + " are on core " + std::to_string(number) + ", which " +
        why));
  };
  if (!has(model.cores)) {
    fault(quoted(model.name) + " does not have");
  } else if (has(model.reserved)) {
    fault("is reserved on " + quoted(model.name));
  }
}

void Placement::require_allowed(const CallbackModel & callback, Index thread)
{
  if (callback.cores.empty()) {
    return;
  }
  for (const Index core : model_.threads[thread].cores) {
    const int number = model_.cores[core].number;
    if (std::find(callback.cores.begin(), callback.cores.end(), number) == callback.cores.end()) {
      faults_.push_back(located(
        system_.file, callback.source,
        quoted(callback.id) + " may not use core " + std::to_string(number) +
          ", on which its thread " + quoted(model_.threads[thread].name) + " may be"));
      return;
    }
  }
}

}  // namespace takt_plan::detail
