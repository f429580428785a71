#include "analysis/waits.hpp"

#include <algorithm>

#include "analysis/answers.hpp"
#include "analysis/priority/priority_scope.hpp"
#include "analysis/priority/priority_solver.hpp"
#include "takt_schedule/quoted.hpp"

namespace takt_plan::detail
{
namespace
{

using takt_core::Order;
using takt_schedule::quoted;

const Thread & thread_of(const Model & model, const Task & task)
{
  return model.threads[task.threads.front()];
}

/// "it waits for 'x'", or "it sleeps".
std::string doing(const Model & model, const Task & task)
{
  return task.waits_for.empty() ? "it sleeps"
                                : "it waits for " + quoted(model.tasks[task.waits_for.front()].id);
}

/// The sentence for a wait that has no bound, whatever the times are.
std::string refuse(const Model & model, const Task & task)
{
  const std::string name = quoted(task.id) + " has no bound, because ";
  const Thread & own = thread_of(model, task);
  for (const Index index : task.waits_for) {
    const Task & other = model.tasks[index];
    if (task.threads.size() == 1 && other.threads == task.threads) {
      return name + "it waits for " + quoted(other.id) + " on its own thread " + quoted(own.name) +
             ": that wait never ends; put them on different threads";
    }
  }
  if (
    task.threads.size() > 1 || own.kind != ThreadClass::fixed_priority || own.follow ||
    own.cores.size() != 1 || (own.order != Order::priority && own.order != Order::fifo)) {
    return name + doing(model, task) +
           ", and this analysis bounds waits of callbacks that are on one thread of policy fifo or "
           "rr, "
           "on one core, that picks by priority or fifo";
  }
  for (const Index index : task.waits_for) {
    const Task & other = model.tasks[index];
    for (const Index thread : other.threads) {
      const Thread & there = model.threads[thread];
      const bool above =
        there.kind == ThreadClass::deadline ||
        (there.kind == ThreadClass::fixed_priority && there.priority > own.priority);
      if (
        !above &&
        std::find(there.cores.begin(), there.cores.end(), own.cores.front()) != there.cores.end()) {
        return name + "it waits for " + quoted(other.id) + ", whose thread " + quoted(there.name) +
               " is not more urgent on the same core; make it more urgent, or put it on another "
               "core";
      }
    }
  }
  return {};
}

/// The longest time from an activation to its end; kUnbounded: there is no bound.
Ns longest_run(const PrioritySolver & solver, Index task)
{
  Ns longest = 0;
  for (const Index stream : solver.streams().of(task)) {
    const PriorityPart & part = solver.part(stream);
    longest = std::max(longest, part.bound == kUnbounded ? kUnbounded : part.worst.from_activation);
  }
  return solver.streams().too_many(task) ? kUnbounded : longest;
}

/// The longest section at a middleware ceiling on the core.
Ns longest_section(const PrioritySolver & solver, const Model & model, Index core)
{
  Ns most = 0;
  for (const Index thread : solver.segments().threads_on(core)) {
    if (model.threads[thread].ceiling != 0) {
      most = std::max(most, most_middleware(model, solver.segments(), thread));
    }
  }
  return most;
}

/// The longest wait of a run. kUnbounded: the task `without` has no bound.
Ns wait_of(const PrioritySolver & solver, const Model & model, Index index, Index & without)
{
  const Task & task = model.tasks[index];
  const Ns section = longest_section(solver, model, thread_of(model, task).cores.front());
  Ns wait = task.sleep > 0 ? add(task.sleep, section) : 0;
  for (const Index other : task.waits_for) {
    const Ns run = longest_run(solver, other);
    if (run == kUnbounded) {
      without = other;
      return kUnbounded;
    }
    Ns delay = 0;
    for (const Link & link : model.tasks[other].triggers) {
      delay = std::max(delay, link.call && link.from == index ? link.delay : 0);
    }
    wait = add(wait, add(delay, add(run, section)));
  }
  return wait > solver.horizon() ? kUnbounded : wait;
}

bool may_delay(const Model & model, const Task & waiting, const Task & other)
{
  if (
    waiting.group != kNone && waiting.group == other.group && model.groups[other.group].exclusive) {
    return true;
  }
  for (const Index a : waiting.threads) {
    for (const Index b : other.threads) {
      const Thread & x = model.threads[a];
      const Thread & y = model.threads[b];
      const bool meets = std::any_of(x.cores.begin(), x.cores.end(), [&](Index core) {
        return std::find(y.cores.begin(), y.cores.end(), core) != y.cores.end();
      });
      // A reservation limits the time that its thread takes, whatever its tasks do.
      const bool below = x.kind == ThreadClass::deadline || y.kind == ThreadClass::deadline ||
                         (x.kind == ThreadClass::fair && y.kind != ThreadClass::fair) ||
                         (x.kind == y.kind && !y.follow && !x.follow && x.priority < y.priority);
      if (a == b || (meets && !below)) {
        return true;
      }
    }
  }
  return false;
}

}  // namespace

bool any_waits(const Model & model)
{
  return std::any_of(
    model.tasks.begin(), model.tasks.end(), [](const Task & task) { return task.may_wait(); });
}

void begin_waits(Model & model)
{
  for (Task & task : model.tasks) {
    task.wait = 0;
    task.no_wait = task.may_wait() ? refuse(model, task) : "";
  }
}

bool update_waits(const PrioritySolver & solver, Model & model)
{
  std::vector<Ns> waits(model.tasks.size(), 0);
  std::vector<std::string> no_waits(model.tasks.size());
  bool changed = false;
  for (Index index = 0; index < model.tasks.size(); ++index) {
    const Task & task = model.tasks[index];
    if (!task.may_wait() || !task.no_wait.empty()) {
      continue;
    }
    Index without = kNone;
    waits[index] = wait_of(solver, model, index, without);
    if (waits[index] == kUnbounded) {
      no_waits[index] = quoted(task.id) + " has no bound, because ";
      no_waits[index] += without == kNone
                           ? doing(model, task) + ", for longer than this analysis looks"
                           : "it waits for " + quoted(model.tasks[without].id) + ": " +
                               to_string(answers(solver, 0).tasks[without].faults().front());
    }
    changed = changed || waits[index] != task.wait;
  }
  for (Index index = 0; index < model.tasks.size(); ++index) {
    Task & task = model.tasks[index];
    if (!no_waits[index].empty()) {
      task.no_wait = std::move(no_waits[index]);
    }
    task.wait = task.no_wait.empty() ? waits[index] : 0;
  }
  return changed;
}

void give_up_waits(const PrioritySolver & solver, Model & model)
{
  for (Index index = 0; index < model.tasks.size(); ++index) {
    Task & task = model.tasks[index];
    Index without = kNone;
    if (
      !task.waits_for.empty() && task.no_wait.empty() &&
      wait_of(solver, model, index, without) != task.wait) {
      task.no_wait = quoted(task.id) + " has no bound, because its wait for " +
                     quoted(model.tasks[task.waits_for.front()].id) +
                     " depends on itself and rises with each round of this analysis";
      task.wait = 0;
    }
  }
}

std::string refuse_waits(const Model & model, Index index)
{
  const Task & task = model.tasks[index];
  if (!task.no_wait.empty()) {
    return task.no_wait;
  }
  for (const Task & other : model.tasks) {
    if (!other.no_wait.empty() && may_delay(model, other, task)) {
      return quoted(task.id) + " has no bound, because " + quoted(other.id) +
             ", which may delay it, waits without a bound";
    }
  }
  return {};
}

}  // namespace takt_plan::detail
