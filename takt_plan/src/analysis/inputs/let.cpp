#include "analysis/inputs/let.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "model/printed.hpp"
#include "takt_schedule/quoted.hpp"

namespace takt_plan
{
namespace
{

using takt_rt::Faults;
using takt_rt::Result;
using takt_schedule::quoted;

constexpr int kMostUrgent = 255;

/// The timers of groups with logical execution time.
std::vector<Index> logical_timers(const Model & model)
{
  std::vector<Index> timers;
  for (Index index = 0; index < model.tasks.size(); ++index) {
    if (model.has_logical_time(model.tasks[index])) {
      timers.push_back(index);
    }
  }
  return timers;
}

std::string has_let(const Model & model, const Task & timer)
{
  return "group " + quoted(model.groups[timer.group].id) + " has let, and its timer " +
         quoted(timer.id);
}

bool picks_in_order(const Model & model, const Task & timer)
{
  const Thread & thread = model.threads[timer.threads.front()];
  return thread.kind == ThreadClass::fixed_priority &&
         (thread.order == takt_core::Order::priority || thread.order == takt_core::Order::fifo);
}

/// The reason why the analysis does not cover the group of this timer; empty: it covers it.
std::string refuse(const Model & model, const std::vector<Index> & timers, Index index)
{
  const Task & timer = model.tasks[index];
  const std::string name = has_let(model, timer);
  for (const Index other : timers) {
    if (other != index && model.tasks[other].group == timer.group) {
      return name + " is not its only one; give it one timer";
    }
    if (
      model.tasks[other].executor == timer.executor &&
      model.tasks[other].threads != timer.threads) {
      return name + " is not on the same threads as " + quoted(model.tasks[other].id) +
             ", whose group has let, too; analyses need all of an executor on one thread";
    }
  }
  if (!timer.triggers.empty()) {
    return name + " is also started by messages, which analyses do not know";
  }
  if (timer.threads.size() != 1) {
    return name + " may run on several threads; analyses need it on one thread";
  }
  if (!picks_in_order(model, timer)) {
    return name +
           " is not on a thread of policy fifo or rr whose executor has order priority or fifo, "
           "which "
           "analyses need";
  }
  return {};
}

/// The time to publish the messages of one period: those of the timer, and at most `depth` for each
/// of its inputs.
Ns publishes(const Model & model, Index timer)
{
  Ns sum = model.tasks[timer].middleware;
  for (const Task & task : model.tasks) {
    const bool taken =
      task.input && std::count(task.input->takers.begin(), task.input->takers.end(), timer) > 0;
    if (taken) {
      sum = add(sum, multiply(static_cast<Ns>(task.depth), task.publish));
    }
  }
  return sum;
}

/// The time that other groups of the executor take to publish at a border.
Ns publishes_of_others(const Model & model, const std::vector<Index> & timers, Index index)
{
  Ns sum = 0;
  for (const Index other : timers) {
    if (other != index && model.tasks[other].executor == model.tasks[index].executor) {
      sum = add(sum, publishes(model, other));
    }
  }
  return sum;
}

Task border_task(const Task & timer, Index index, Ns publishing, bool any_set)
{
  Task task;
  task.id = "outputs of " + timer.id;
  task.host = timer.host;
  task.executor = timer.executor;
  task.threads = timer.threads;
  task.priority = kMostUrgent;
  task.dispatch = timer.dispatch;
  task.middleware = publishing;
  task.release = timer.release;
  // Tasks that wait for the first message use Model::first_release. For all other tasks a release
  // before the first border, which does not really come, does no harm. But job windows of sets know
  // only the offset. Without sets job windows need equal offsets, to see that such a task is due
  // together with others.
  if (task.release->offset && any_set) {
    *task.release->offset = add(*task.release->offset, task.release->period);
  }
  task.timer = true;
  task.reads = {{index, 0, 0}};
  task.one_topic = timer.one_topic;
  return task;
}

bool by_call(const Task & task, Index from)
{
  return std::any_of(task.triggers.begin(), task.triggers.end(), [&](const Link & link) {
    return link.call && link.from == from;
  });
}

void lead_through(Model & model, Index timer, Index border)
{
  for (Task & task : model.tasks) {
    for (auto * const links : {&task.triggers, &task.reads}) {
      for (Link & link : *links) {
        link.from = link.from == timer && !link.call ? border : link.from;
      }
    }
  }
  for (Chain & chain : model.chains) {
    for (Index i = 0; i + 1 < chain.path.size(); ++i) {
      if (chain.path[i] == timer && !by_call(model.tasks[chain.path[i + 1]], timer)) {
        chain.path.insert(chain.path.begin() + static_cast<std::ptrdiff_t>(i) + 1, border);
      }
    }
  }
}

}  // namespace

Result<Model> with_borders(Model model)
{
  Faults faults;
  const std::vector<Index> timers = logical_timers(model);
  for (const Index index : timers) {
    if (std::string why = refuse(model, timers, index); !why.empty()) {
      faults.push_back(std::move(why));
    }
  }
  if (!faults.empty()) {
    return faults;
  }
  std::vector<Ns> of_others;
  for (const Index index : timers) {
    of_others.push_back(publishes_of_others(model, timers, index));
  }
  const bool any_set = std::any_of(model.tasks.begin(), model.tasks.end(), [](const Task & task) {
    return task.newest || task.all;
  });
  for (Index i = 0; i < timers.size(); ++i) {
    const Index border = model.tasks.size();
    lead_through(model, timers[i], border);
    model.tasks.push_back(border_task(
      model.tasks[timers[i]], timers[i], add(publishes(model, timers[i]), of_others[i]), any_set));
    model.tasks[timers[i]].border = border;
  }
  for (Index i = 0; i < timers.size(); ++i) {
    Task & timer = model.tasks[timers[i]];
    const bool after_borders =
      model.threads[timer.threads.front()].order == takt_core::Order::priority &&
      timer.priority < kMostUrgent;
    if (!after_borders) {
      timer.dispatch = add(timer.dispatch, of_others[i]);
      timer.of_inputs = std::max(timer.of_inputs, of_others[i]);
    }
  }
  return model;
}

bool all_from_borders(const Model & model, const std::vector<Link> & links, Index executor)
{
  return std::all_of(links.begin(), links.end(), [&](const Link & link) {
    const Task & from = model.tasks[link.from];
    return model.timer_of_border(link.from) != kNone && from.executor == executor &&
           link.delay == 0 && !link.call;
  });
}

std::string late_runs(const Model & model, const std::vector<Result<Ns>> & tasks)
{
  for (Index index = 0; index < model.tasks.size(); ++index) {
    const Task & timer = model.tasks[index];
    if (!model.has_logical_time(timer)) {
      continue;
    }
    const std::string name = has_let(model, timer);
    if (!tasks[index]) {
      return name + " has no bound, so its runs may end after their period: " +
             to_string(tasks[index].faults().front());
    }
    if (*tasks[index] >= timer.release->period) {
      return name + " may end its runs " + detail::printed(*tasks[index]) +
             " after their release, which is not within its period of " +
             detail::printed(timer.release->period) +
             ": a late run does not publish at the end of the period, so no bound of this system "
             "holds";
    }
  }
  return {};
}

// Borders are at publisher.offset + k * publisher.period, releases at timer.offset + m *
// timer.period. Their distances are all that are alike modulo the common divisor of the periods.
Ns longest_wait_from_border(const Task & publisher, const Task & timer)
{
  const Ns divisor = std::gcd(publisher.release->period, timer.release->period);
  const Ns apart = (*timer.release->offset - *publisher.release->offset) % divisor;
  return timer.release->period - divisor + (apart < 0 ? apart + divisor : apart);
}

}  // namespace takt_plan
