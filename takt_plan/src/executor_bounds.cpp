#include "takt_plan/executor_bounds.hpp"

#include <algorithm>

#include "fixed_point.hpp"
#include "round_robin.hpp"

namespace takt_plan
{
namespace
{

using detail::Steps;

/// Until nothing is pending any more; unbounded beyond the horizon and without steps.
Ns busy_length(
  const Service & service, const Demand & own, const std::vector<Demand> & interferers, Ns blocking,
  Ns horizon, Steps & steps)
{
  return detail::fixed_point(1, horizon, steps, [&](Ns length) {
    Ns demand = add(blocking, own.work(length));
    for (const Demand & other : interferers) {
      demand = add(demand, other.work(length));
    }
    return service.supply.time_for(add(demand, service.taken_in(length)));
  });
}

/// The least interval from the window's beginning in which all that goes before is done.
Ns end_after(
  const Service & service, Ns fixed, Ns cost, const std::vector<Demand> & interferers, Ns horizon,
  Steps & steps)
{
  return detail::fixed_point(service.supply.time_for(fixed), horizon, steps, [&](Ns end) {
    Ns demand = fixed;
    for (const Demand & other : interferers) {
      demand = add(demand, other.work(end - cost + 1));
    }
    return service.supply.time_for(add(demand, service.taken_in(end)));
  });
}

/// The offsets of [0, length) at which one more release may come: releases(A + 1) > releases(A).
std::vector<Ns> steps_of(const Demand & demand, Ns length)
{
  std::vector<Ns> steps{0};
  for (const Arrivals & source : demand.arrivals) {
    Ns first = source.period - source.jitter % source.period;
    for (; first < length; first = add(first, source.period)) {
      steps.push_back(first);
    }
  }
  return steps;
}

class RoundRobin
{
public:
  RoundRobin(
    const Service & service, const std::vector<ExecutorTask> & tasks, Ns horizon,
    const RoundRobinTerms & terms, Steps & steps)
  : service_(service),
    tasks_(tasks),
    horizon_(horizon),
    terms_(terms),
    steps_(steps)
  {
    for (const ExecutorTask & task : tasks) {
      bounds_.push_back(task.polled ? task.demand.cost : unpolled(task));
    }
  }

  std::vector<Ns> solve()
  {
    bool moved = true;
    for (int round = 0; moved; ++round) {
      moved = false;
      for (std::size_t i = 0; i < tasks_.size(); ++i) {
        if (!tasks_[i].polled || bounds_[i] == kUnbounded) {
          continue;
        }
        const Ns bound = polled(i);
        if (bound > bounds_[i]) {
          if (round > detail::kMostRounds) {
            steps_.give_up();
          }
          bounds_[i] = bound > horizon_ || steps_.none() ? kUnbounded : bound;
          moved = true;
        }
      }
    }
    return bounds_;
  }

private:
  Ns unpolled(const ExecutorTask & task)
  {
    Ns blocking = 0;
    std::vector<Demand> interferers;
    for (const ExecutorTask & other : tasks_) {
      if (other.polled && terms_.blocking) {
        blocking = std::max(blocking, other.demand.cost);
      } else if (!other.polled && &other != &task) {
        interferers.push_back(other.demand);
      }
    }
    return detail::nonpreemptive_bound(
      service_, task.demand, interferers, blocking, horizon_, steps_);
  }

  Ns polled(std::size_t own)
  {
    const Demand & demand = tasks_[own].demand;
    const Ns points = demand.releases(bounds_[own]);
    const auto before = [&](Ns length) {
      const Ns queued = terms_.queued ? earlier(own, length) - 1 : 0;
      Ns sum = multiply(queued, demand.cost);
      for (std::size_t x = 0; x < tasks_.size(); ++x) {
        if (x != own) {
          const Ns releases = earlier(x, length);
          const Ns most = add(points, terms_.extra ? 1 : 0);
          const Ns runs = tasks_[x].polled ? std::min(releases, most) : releases;
          sum = add(sum, multiply(runs, tasks_[x].demand.cost));
        }
      }
      return sum;
    };
    const auto time_for = [&](Ns work, Ns length) {
      return service_.supply.time_for(add(work, service_.taken_in(length)));
    };
    const Ns last = detail::fixed_point(
      1, horizon_, steps_, [&](Ns length) { return time_for(add(1, before(length)), length); });
    if (last == kUnbounded) {
      return kUnbounded;
    }
    // What goes before it has begun by then, and nothing else does until it ends.
    const Ns work = add(before(last), demand.cost);
    return detail::fixed_point(
      time_for(work, last), horizon_, steps_, [&](Ns length) { return time_for(work, length); });
  }

  /// Releases of a task whose runs may fall into an interval.
  Ns earlier(std::size_t task, Ns length) const
  {
    return tasks_[task].demand.releases(add(length, bounds_[task]) - 1);
  }

  const Service & service_;
  const std::vector<ExecutorTask> & tasks_;
  const Ns horizon_;
  const RoundRobinTerms terms_;
  Steps & steps_;
  std::vector<Ns> bounds_;
};

}  // namespace

Ns Demand::releases(Ns length) const
{
  Ns sum = 0;
  if (length > 0) {
    for (const Arrivals & source : arrivals) {
      sum = add(sum, takt_plan::arrivals(length, source.period, source.jitter));
    }
  }
  return sum;
}

Ns Service::taken_in(Ns length) const
{
  Ns sum = once;
  for (const Demand & demand : taken) {
    sum = add(sum, demand.work(length));
  }
  return sum;
}

Ns nonpreemptive_bound(
  const Service & service, const Demand & own, const std::vector<Demand> & interferers, Ns blocking,
  Ns horizon)
{
  Steps steps;
  return detail::nonpreemptive_bound(
    service, own, interferers, blocking, std::min(horizon, kUnbounded - 1), steps);
}

std::vector<Ns> round_robin_bounds(
  const Service & service, const std::vector<ExecutorTask> & tasks, Ns horizon,
  const RoundRobinTerms & terms)
{
  Steps steps(tasks.size());
  return detail::round_robin_bounds(
    service, tasks, std::min(horizon, kUnbounded - 1), terms, steps);
}

Ns detail::nonpreemptive_bound(
  const Service & service, const Demand & own, const std::vector<Demand> & interferers, Ns blocking,
  Ns horizon, Steps & steps)
{
  const Ns length = busy_length(service, own, interferers, blocking, horizon, steps);
  if (length == kUnbounded) {
    return kUnbounded;
  }
  if (own.releases(length) > steps.left()) {  // each takes one at least, and memory
    steps.give_up();
    return kUnbounded;
  }
  Ns worst = 0;
  for (const Ns offset : steps_of(own, length)) {
    const Ns end = end_after(
      service, add(own.work(offset + 1), blocking), own.cost, interferers, horizon, steps);
    if (end == kUnbounded) {
      return kUnbounded;
    }
    worst = std::max(worst, end - offset);
  }
  return worst;
}

std::vector<Ns> detail::round_robin_bounds(
  const Service & service, const std::vector<ExecutorTask> & tasks, Ns horizon,
  const RoundRobinTerms & terms, Steps & steps)
{
  return RoundRobin(service, tasks, horizon, terms, steps).solve();
}

}  // namespace takt_plan
