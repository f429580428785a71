#include <algorithm>

#include "analysis/fixed_point.hpp"
#include "analysis/window/round_robin.hpp"
#include "analysis/window/thread_window.hpp"
#include "takt_plan/executor_bounds.hpp"

namespace takt_plan
{
namespace
{

using detail::Steps;

/// The bound of a task that is not polled: it waits for all tasks that are not polled, in any
/// order, and one polled task blocks it.
Ns unpolled(
  const Service & service, const std::vector<ExecutorTask> & tasks, std::size_t own, bool blocks,
  Ns horizon, Steps & steps)
{
  const detail::Ahead ahead = detail::ahead_of_polled(tasks, own);
  const Ns blocking = blocks && ahead.blocking != kNone ? tasks[ahead.blocking].demand.cost : 0;
  std::vector<Demand> interferers;
  for (const std::size_t x : ahead.others) {
    interferers.push_back(tasks[x].demand);
  }
  return detail::nonpreemptive_bound(
    service, tasks[own].demand, interferers, blocking, horizon, steps);
}

/// The least bounds that `polled(task, bounds)` does not raise.
template <typename Polled>
std::vector<Ns> iterated(
  const Service & service, const std::vector<ExecutorTask> & tasks, bool blocks, Ns horizon,
  Steps & steps, const Polled & polled)
{
  std::vector<Ns> bounds;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    bounds.push_back(
      tasks[i].polled ? tasks[i].demand.cost : unpolled(service, tasks, i, blocks, horizon, steps));
  }
  bool moved = true;
  for (int round = 0; moved; ++round) {
    moved = false;
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      if (!tasks[i].polled || bounds[i] == kUnbounded) {
        continue;
      }
      const Ns bound = polled(i, bounds);
      if (bound > bounds[i]) {
        const bool endless = bound > horizon || round > detail::kMostRounds || steps.none();
        bounds[i] = endless ? kUnbounded : bound;
        moved = true;
      }
    }
  }
  return bounds;
}

/// The releases of a task whose runs may fall into an interval, if `bound` holds for the task.
Ns earlier(const ExecutorTask & task, Ns length, Ns bound)
{
  return task.demand.releases(add(length, bound) - 1);
}

/// At most kUnbounded - 1, so that each sum beyond it is unbounded.
Ns limited(Ns horizon)
{
  return std::min(horizon, kUnbounded - 1);
}

Ns known(Ns bound, Ns horizon, const Steps & steps)
{
  return bound > horizon || steps.none() ? kUnbounded : bound;
}

/// The bound by Theorem 2 with assumed bounds.
Ns round_robin(
  const Service & service, const std::vector<ExecutorTask> & tasks, const TaskRun & run,
  const std::vector<Ns> & bounds, Ns horizon, const RoundRobinTerms & terms, Steps & steps)
{
  return detail::RoundRobin(tasks, run, bounds, terms).worst_case(service, horizon, steps).response;
}

bool has_unbounded(const TaskRun & run, const std::vector<Ns> & bounds)
{
  return std::any_of(
    run.begin(), run.end(), [&](std::size_t task) { return bounds[task] == kUnbounded; });
}

}  // namespace

std::vector<Ns> round_robin_bounds(
  const Service & service, const std::vector<ExecutorTask> & tasks, Ns horizon,
  const RoundRobinTerms & terms)
{
  Steps steps(tasks.size());
  return detail::round_robin_bounds(service, tasks, limited(horizon), terms, steps);
}

std::vector<Ns> busy_window_bounds(
  const Service & service, const std::vector<ExecutorTask> & tasks, Ns horizon,
  const BusyWindowTerms & terms)
{
  Steps steps(tasks.size());
  const detail::ThreadWindow window(service, tasks, limited(horizon), terms, steps);
  return iterated(
    service, tasks, true, limited(horizon), steps,
    [&](std::size_t i, const std::vector<Ns> & bounds) {
      return window.bound(i, window.points(i, bounds[i]), 0);
    });
}

std::vector<Ns> round_robin_or_busy_window_bounds(
  const Service & service, const std::vector<ExecutorTask> & tasks, Ns horizon)
{
  Steps steps(tasks.size());
  Steps window_steps(tasks.size());
  return detail::round_robin_or_busy_window_bounds(
    service, tasks, limited(horizon), steps, window_steps);
}

Ns round_robin_run_bound(
  const Service & service, const std::vector<ExecutorTask> & tasks, const TaskRun & run,
  const std::vector<Ns> & bounds, Ns horizon, const RoundRobinTerms & terms)
{
  if (has_unbounded(run, bounds)) {
    return kUnbounded;
  }
  Steps steps(tasks.size());
  const Ns bound = round_robin(service, tasks, run, bounds, limited(horizon), terms, steps);
  return known(bound, limited(horizon), steps);
}

Ns busy_window_run_bound(
  const Service & service, const std::vector<ExecutorTask> & tasks, const TaskRun & run,
  const std::vector<Ns> & bounds, Ns horizon, const BusyWindowTerms & terms)
{
  if (has_unbounded(run, bounds)) {
    return kUnbounded;
  }
  Steps steps(tasks.size());
  const detail::ThreadWindow window(service, tasks, limited(horizon), terms, steps);
  Ns points = 0;
  for (const std::size_t task : run) {
    points = add(points, window.points(task, bounds[task]));
  }
  const Ns prefix = run.size() == 1 ? 0 : kUnbounded;
  return known(window.bound(run.back(), points, prefix), limited(horizon), steps);
}

Ns run_bound(
  const Service & service, const std::vector<ExecutorTask> & tasks, const TaskRun & run,
  const std::vector<Ns> & bounds, Ns horizon, const BusyWindowTerms & terms)
{
  Steps steps(tasks.size());
  return detail::run_bound(service, tasks, run, bounds, limited(horizon), terms, steps);
}

std::vector<Ns> detail::round_robin_or_busy_window_bounds(
  const Service & service, const std::vector<ExecutorTask> & tasks, Ns horizon, Steps & steps,
  Steps & window_steps)
{
  const detail::ThreadWindow window(service, tasks, horizon, {}, window_steps);
  return iterated(
    service, tasks, true, horizon, steps, [&](std::size_t i, const std::vector<Ns> & bounds) {
      return std::min(
        round_robin(service, tasks, {i}, bounds, horizon, {}, steps),
        window.bound(i, window.points(i, bounds[i]), 0));
    });
}

Ns detail::run_bound(
  const Service & service, const std::vector<ExecutorTask> & tasks, const TaskRun & run,
  const std::vector<Ns> & bounds, Ns horizon, const BusyWindowTerms & terms, Steps & steps,
  std::vector<RunBound> * parts)
{
  if (has_unbounded(run, bounds)) {
    return kUnbounded;
  }
  const detail::ThreadWindow window(service, tasks, horizon, terms, steps);
  TaskRun part;
  Ns bound = 0;
  for (const std::size_t task : run) {
    part.push_back(task);
    const Ns prefix = bound;
    const Ns points = window.points(task, bounds[task]);
    const Ns sum = add(prefix, bounds[task]);
    const Ns in_window = window.bound(task, points, prefix);
    bound =
      std::min({sum, in_window, round_robin(service, tasks, part, bounds, horizon, {}, steps)});
    if (parts != nullptr) {
      const RunBound::By by = bound == sum         ? RunBound::By::sum
                              : bound == in_window ? RunBound::By::window
                                                   : RunBound::By::round_robin;
      parts->push_back({by, bound, points, prefix});
    }
  }
  return bound;
}

detail::Ahead detail::ahead_of_polled(const std::vector<ExecutorTask> & tasks, std::size_t own)
{
  Ahead ahead;
  for (std::size_t x = 0; x < tasks.size(); ++x) {
    if (!tasks[x].polled && x != own) {
      ahead.others.push_back(x);
    } else if (
      tasks[x].polled &&
      (ahead.blocking == kNone || tasks[x].demand.cost > tasks[ahead.blocking].demand.cost)) {
      ahead.blocking = x;
    }
  }
  return ahead;
}

std::vector<Ns> detail::round_robin_bounds(
  const Service & service, const std::vector<ExecutorTask> & tasks, Ns horizon,
  const RoundRobinTerms & terms, Steps & steps)
{
  return iterated(
    service, tasks, terms.blocking, horizon, steps,
    [&](std::size_t i, const std::vector<Ns> & bounds) {
      return round_robin(service, tasks, {i}, bounds, horizon, terms, steps);
    });
}

detail::RoundRobin::RoundRobin(
  const std::vector<ExecutorTask> & tasks, const TaskRun & run, const std::vector<Ns> & bounds,
  const RoundRobinTerms & terms)
: tasks_(tasks),
  bounds_(bounds),
  terms_(terms),
  own_(run.back())
{
  Ns points = 0;
  for (const std::size_t task : run) {
    points = add(points, tasks[task].demand.releases(bounds[task]));
  }
  most_ = add(points, terms.extra ? 1 : 0);
}

Ns detail::RoundRobin::runs(std::size_t task, Ns length) const
{
  if (task == own_) {
    return terms_.queued ? std::max<Ns>(1, earlier(tasks_[own_], length, bounds_[own_])) - 1 : 0;
  }
  const Ns releases = earlier(tasks_[task], length, bounds_[task]);
  return tasks_[task].polled ? std::min(releases, most_) : releases;
}

Ns detail::RoundRobin::work(Ns length) const
{
  Ns sum = 0;
  for (std::size_t x = 0; x < tasks_.size(); ++x) {
    sum = add(sum, multiply(runs(x, length), tasks_[x].demand.cost));
  }
  return sum;
}

detail::WorstCase detail::RoundRobin::worst_case(
  const Service & service, Ns horizon, Steps & steps) const
{
  const Ns last = fixed_point(
    1, horizon, steps, [&](Ns length) { return time_for(service, add(1, work(length)), length); });
  if (last == kUnbounded) {
    return {};
  }
  // By then all earlier work has begun, and no other work begins until the run ends.
  const Ns all = add(work(last), tasks_[own_].demand.cost);
  const Ns end = fixed_point(time_for(service, all, last), horizon, steps, [&](Ns length) {
    return time_for(service, all, length);
  });
  return {end, 0, last, end};
}

}  // namespace takt_plan
