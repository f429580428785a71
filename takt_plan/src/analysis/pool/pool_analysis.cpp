#include "analysis/pool/pool_analysis.hpp"

#include <algorithm>
#include <utility>

#include "analysis/pool/pool_refusals.hpp"
#include "model/printed.hpp"
#include "takt_schedule/quoted.hpp"

namespace takt_plan::detail
{
namespace
{

using takt_schedule::quoted;

std::vector<Index> positions(const Model & model, const std::vector<Index> & tasks)
{
  std::vector<Index> result(model.tasks.size(), kNone);
  for (Index i = 0; i < tasks.size(); ++i) {
    result[tasks[i]] = i;
  }
  return result;
}

std::vector<Index> sources(const Flow & flow)
{
  std::vector<Index> result(flow.streams.all().size(), 0);
  for (const Index task : flow.order) {
    const std::vector<Index> & streams = flow.streams.of(task);
    for (Index i = 0; i < streams.size(); ++i) {
      result[streams[i]] = i;
    }
  }
  return result;
}

}  // namespace

std::vector<Index> in_pools(const Model & model)
{
  // Threads belong together if a task may run on both, or if they run members of one exclusive
  // group: their tasks wait for each other's runs.
  std::vector<Index> leader(model.threads.size());
  for (Index thread = 0; thread < leader.size(); ++thread) {
    leader[thread] = thread;
  }
  const auto find = [&](Index thread) {
    while (leader[thread] != thread) {
      thread = leader[thread] = leader[leader[thread]];
    }
    return thread;
  };
  std::vector<char> pooled(model.threads.size());
  std::vector<Index> of_group(model.groups.size(), kNone);
  for (const Task & task : model.tasks) {
    for (const Index thread : task.threads) {
      leader[find(thread)] = find(task.threads.front());
    }
    if (task.group != kNone && model.groups[task.group].exclusive) {
      Index & first = of_group[task.group];
      first = first == kNone ? task.threads.front() : first;
      leader[find(first)] = find(task.threads.front());
    }
  }
  for (const Task & task : model.tasks) {
    if (task.threads.size() > 1) {
      pooled[find(task.threads.front())] = true;
    }
  }
  std::vector<Index> tasks;
  for (Index task = 0; task < model.tasks.size(); ++task) {
    if (pooled[find(model.tasks[task].threads.front())]) {
      tasks.push_back(task);
    }
  }
  return tasks;
}

std::vector<char> threads_of(const Model & model, const std::vector<Index> & tasks)
{
  std::vector<char> threads(model.threads.size());
  for (const Index task : tasks) {
    for (const Index thread : model.tasks[task].threads) {
      threads[thread] = true;
    }
  }
  return threads;
}

PoolAnalysis::PoolAnalysis(
  const Model & model, const Flow & flow, std::vector<Index> tasks, const BoundsOptions & options)
: LocalAnalysis(Analysis::pool, std::move(tasks)),
  model_(model),
  flow_(flow),
  horizon_(detail::horizon(model, options.horizon)),
  refusals_(pool_refusals(model, flow)),
  position_(positions(model, this->tasks())),
  source_(sources(flow)),
  solver_(pooled_tasks(), horizon_, options.pool),
  released_(flow.streams.all().size(), -1),
  responses_(this->tasks().size(), 0)
{
}

/// The only task that starts this one: at its end, without delay, on threads of the same executor.
Index PoolAnalysis::after(Index index) const
{
  const Task & task = model_.tasks[index];
  if (
    task.release || task.triggers.size() != 1 || task.triggers.front().delay != 0 ||
    task.triggers.front().call) {
    return kNone;
  }
  const Index from = task.triggers.front().from;
  return model_.tasks[from].threads == task.threads ? position_[from] : kNone;
}

std::vector<PooledTask> PoolAnalysis::pooled_tasks() const
{
  std::vector<PooledTask> result;
  for (const Index index : tasks()) {
    const Task & task = model_.tasks[index];
    PooledTask pooled;
    for (const Index id : flow_.streams.of(index)) {
      pooled.arrivals.push_back({flow_.streams.all()[id].period, 0});
    }
    pooled.cost = task.cost();
    pooled.wake = task.dispatch;
    pooled.threads = task.threads;
    std::sort(pooled.threads.begin(), pooled.threads.end());
    const bool fifo = model_.threads[task.threads.front()].order == takt_core::Order::fifo;
    pooled.priority = fifo ? 0 : task.priority;
    pooled.reentrant = task.group != kNone && !model_.groups[task.group].exclusive;
    if (pooled.reentrant) {
      pooled.serial = add(task.dispatch, task.middleware);
    } else {
      pooled.group = task.group;
    }
    pooled.after = after(index);
    pooled.outside = !refusals_[index].empty();
    result.push_back(std::move(pooled));
  }
  return result;
}

const std::vector<Ns> & PoolAnalysis::responses(const Lateness & lateness)
{
  bool later = false;
  for (const Index task : tasks()) {
    for (const Index id : flow_.streams.of(task)) {
      if (lateness.released(id) != released_[id]) {
        released_[id] = lateness.released(id);
        solver_.set_jitter(position_[task], source_[id], released_[id]);
        later = true;
      }
    }
  }
  for (int round = 0; later; ++round) {
    later = solver_.sweep(round);
  }
  for (Index i = 0; i < tasks().size(); ++i) {
    responses_[i] = refusals_[tasks()[i]].empty() ? solver_.response(i).response : kUnbounded;
  }
  return responses_;
}

// The end of a run of tasks is earlier than the sum of its tasks' responses.
Ns PoolAnalysis::end(Index stream, Ns released, Ns response) const
{
  const Index task = position_[flow_.streams.all()[stream].task];
  return std::max(released, std::min(add(released, response), solver_.end(task, source_[stream])));
}

std::string PoolAnalysis::reason(Index task) const
{
  const std::string whom = quoted(model_.tasks[task].id);
  if (solver_.given_up(position_[task])) {
    return whom + " has no bound that " + std::to_string(kMostSteps) +
           " steps for each task that shares its threads would find: they are nearly full, or very "
           "many releases come at once";
  }
  return whom + " has no bound below " + printed(horizon_) +
         ": its threads are overloaded or nearly so, or something that may delay it has no bound";
}

}  // namespace takt_plan::detail
