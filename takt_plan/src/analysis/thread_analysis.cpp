#include "analysis/thread_analysis.hpp"

#include <algorithm>
#include <utility>

#include "analysis/window/round_robin.hpp"
#include "model/printed.hpp"
#include "takt_schedule/quoted.hpp"

namespace takt_plan::detail
{
namespace
{

using takt_core::Order;
using takt_schedule::quoted;

std::vector<Index> covered(const Model & model, const Flow & flow, Index thread)
{
  std::vector<Index> tasks;
  for (const Index task : flow.segments.tasks_of(thread)) {
    if (model.tasks[task].threads.front() == thread) {
      tasks.push_back(task);
    }
  }
  return tasks;
}

}  // namespace

ThreadAnalysis::ThreadAnalysis(
  const Model & model, const Flow & flow, Index thread, Analysis kind,
  const BoundsOptions & options)
: LocalAnalysis(kind, covered(model, flow, thread)),
  model_(model),
  flow_(flow),
  thread_(thread),
  window_terms_(options.window),
  round_robin_only_(options.round_robin_only),
  terms_(options.threads),
  horizon_(detail::horizon(model, options.horizon)),
  service_(model, flow, thread, kind, options.threads),
  refusal_(find_refusal()),
  responses_(tasks().size(), kUnbounded),
  position_(model.tasks.size(), kNone),
  steps_(tasks().size(), tasks().size()),
  window_steps_(tasks().size(), tasks().size()),
  run_steps_(window_steps_)
{
  for (Index i = 0; i < tasks().size(); ++i) {
    position_[tasks()[i]] = i;
  }
}

std::string ThreadAnalysis::find_refusal() const
{
  const Thread & thread = model_.threads[thread_];
  const bool served = kind() == Analysis::deadline &&
                      (thread.order == Order::priority || thread.order == Order::fifo);
  if (thread.order != Order::window && !served) {
    return "its order is " + std::string(takt_core::to_string(thread.order)) +
           "; this analysis needs " +
           (kind() == Analysis::deadline ? "priority, fifo or window" : "window");
  }
  if (std::string reason = service_.refusal(); !reason.empty()) {
    return reason;
  }
  for (const Index task : flow_.segments.tasks_of(thread_)) {
    const std::string name = quoted(model_.tasks[task].id);
    if (model_.tasks[task].threads.size() > 1) {
      return name +
             " may run on several threads; this analysis needs callbacks bound to one thread";
    }
    if (flow_.segments.spanned(task)) {
      return name + " is in an exclusive group that spans threads";
    }
    if (model_.tasks[task].newest) {
      return name +
             " works on sets of newest messages; these are analysed on threads of policy fifo or "
             "rr "
             "that pick by priority or fifo";
    }
    if (flow_.streams.too_many(task)) {
      return too_many_ways(name);
    }
  }
  return {};
}

std::string ThreadAnalysis::refusal(Index index) const
{
  const Task & task = model_.tasks[index];
  if (task.threads.size() > 1) {
    return quoted(task.id) + " may run on any of " + std::to_string(task.threads.size()) +
           " threads; this analysis needs one thread for each callback";
  }
  return refusal_.empty() ? ""
                          : quoted(task.id) + " runs on thread " +
                              quoted(model_.threads[thread_].name) + ": " + refusal_;
}

std::vector<Demand> ThreadAnalysis::demands(const Lateness & lateness)
{
  std::vector<Demand> all;
  for (const Index task : tasks()) {
    Demand demand;
    // A task that takes no time still waits until its thread has a core.
    demand.cost = std::max<Ns>(model_.tasks[task].cost(), 1);
    for (const Index id : flow_.streams.of(task)) {
      const Stream & stream = flow_.streams.all()[id];
      const bool from_elsewhere =
        std::any_of(stream.from.begin(), stream.from.end(), [&](const Stream::From & from) {
          return model_.tasks[flow_.streams.all()[from.stream].task].threads.front() != thread_;
        });
      const bool counts = terms_.lateness || !from_elsewhere;
      released_[id] = counts ? lateness.released(id) : 0;
      demand.arrivals.push_back({stream.period, released_[id]});
    }
    all.push_back(std::move(demand));
  }
  return all;
}

const std::vector<Ns> & ThreadAnalysis::responses(const Lateness & lateness)
{
  if (!refusal_.empty()) {
    return responses_;
  }
  std::vector<Demand> now = demands(lateness);
  Service given = service_.given(lateness);
  if (!solved_ || now != demands_ || given.taken != given_.taken || given.once != given_.once) {
    solved_ = true;
    demands_ = std::move(now);
    given_ = std::move(given);
    solve();
  }
  return responses_;
}

void ThreadAnalysis::solve()
{
  if (model_.threads[thread_].order == Order::window) {
    solve_window();
  } else {
    solve_in_order();
  }
}

std::vector<ExecutorTask> ThreadAnalysis::polled_tasks() const
{
  const bool snapshot = model_.threads[thread_].window_timers == takt_core::WindowTimers::snapshot;
  std::vector<ExecutorTask> executor;
  for (Index i = 0; i < tasks().size(); ++i) {
    executor.push_back({demands_[i], snapshot || !model_.tasks[tasks()[i]].timer, {}});
    for (const Index id : flow_.streams.of(tasks()[i])) {
      executor.back().in_window.push_back({flow_.streams.all()[id].period, late_in_window(id)});
    }
  }
  return executor;
}

void ThreadAnalysis::solve_window()
{
  const std::vector<ExecutorTask> executor = polled_tasks();
  if (round_robin_only_) {
    responses_ = round_robin_bounds(given_, executor, horizon_, window_terms_, steps_);
    return;
  }
  responses_ = round_robin_or_busy_window_bounds(given_, executor, horizon_, steps_, window_steps_);
  bound_runs(executor);
}

/// True if the end of the only stream before starts this one at once, on this thread.
bool ThreadAnalysis::continues(Index id) const
{
  const Stream & stream = flow_.streams.all()[id];
  if (stream.from.size() != 1 || joins(model_.tasks[stream.task])) {
    return false;
  }
  const Stream::From & from = stream.from.front();
  return position_[flow_.streams.all()[from.stream].task] != kNone &&
         model_.tasks[stream.task].triggers[from.link].delay == 0 &&
         !model_.tasks[stream.task].triggers[from.link].call;
}

/// The lateness of the work in the thread's window: a run of tasks is as late as its first stream.
Ns ThreadAnalysis::late_in_window(Index id) const
{
  while (continues(id)) {
    id = flow_.streams.all()[id].from.front().stream;
  }
  return released_.at(id);
}

ThreadAnalysis::Run ThreadAnalysis::run_up_to(Index stream) const
{
  constexpr std::size_t kLongestRun = 16;
  Run run{{position_[flow_.streams.all()[stream].task]}, stream};
  while (run.tasks.size() < kLongestRun && continues(run.head)) {
    run.head = flow_.streams.all()[run.head].from.front().stream;
    run.tasks.insert(run.tasks.begin(), position_[flow_.streams.all()[run.head].task]);
  }
  return run;
}

void ThreadAnalysis::bound_runs(const std::vector<ExecutorTask> & executor)
{
  ends_.clear();
  run_steps_ = window_steps_;
  for (const Index task : tasks()) {
    for (const Index id : flow_.streams.of(task)) {
      const Run run = run_up_to(id);
      if (run.tasks.size() > 1) {
        const Ns bound =
          run_bound(given_, executor, run.tasks, responses_, horizon_, {}, window_steps_);
        ends_[id] = add(released_.at(run.head), bound);
      }
    }
  }
}

// A run of tasks that start each other ends before the sum of its tasks' responses.
Ns ThreadAnalysis::end(Index stream, Ns released, Ns response) const
{
  const Ns sum = add(released, response);
  const auto found = ends_.find(stream);
  return found == ends_.end() ? sum : std::max(released, std::min(sum, found->second));
}

/// The tasks that are as urgent or more, and the longest of the others.
Ahead ThreadAnalysis::ahead_in_order(Index own) const
{
  Ahead ahead;
  for (Index other = 0; other < tasks().size(); ++other) {
    if (other == own) {
      continue;
    }
    if (flow_.segments.level(tasks()[other]) >= flow_.segments.level(tasks()[own])) {
      ahead.others.push_back(other);
    } else if (
      terms_.blocking &&
      (ahead.blocking == kNone || demands_[other].cost > demands_[ahead.blocking].cost)) {
      ahead.blocking = other;
    }
  }
  return ahead;
}

void ThreadAnalysis::solve_in_order()
{
  for (Index i = 0; i < tasks().size(); ++i) {
    const Ahead ahead = ahead_in_order(i);
    std::vector<Demand> interferers;
    for (const std::size_t other : ahead.others) {
      interferers.push_back(demands_[other]);
    }
    const Ns blocking = ahead.blocking == kNone ? 0 : demands_[ahead.blocking].cost;
    const bool endless = std::any_of(
      demands_[i].arrivals.begin(), demands_[i].arrivals.end(),
      [](const Arrivals & source) { return source.jitter == kUnbounded; });
    responses_[i] =
      endless ? kUnbounded
              : nonpreemptive_bound(given_, demands_[i], interferers, blocking, horizon_, steps_);
  }
}

std::string ThreadAnalysis::reason(Index task) const
{
  const std::string name = quoted(model_.tasks[task].id);
  if (!service_.unknown().empty()) {
    return name + " has no bound because " + service_.unknown() +
           ", which may take its core, has none";
  }
  if (steps_.none()) {
    return name + " has no bound that " + std::to_string(kMostSteps) +
           " steps for each task of its thread would find: the thread is nearly full, or very many "
           "releases come at once";
  }
  return name + " has no bound below " + printed(horizon_) +
         ": its thread is overloaded or nearly so, or something on it is released without a bound";
}

}  // namespace takt_plan::detail
