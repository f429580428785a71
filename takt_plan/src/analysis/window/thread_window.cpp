#include "analysis/window/thread_window.hpp"

#include <algorithm>

#include "analysis/fixed_point.hpp"
#include "analysis/window/round_robin.hpp"

namespace takt_plan::detail
{
namespace
{

/// The least offset above `offset` at which the source may release once more.
Ns next_release(const Arrivals & source, Ns offset)
{
  const Ns first = source.period - source.jitter % source.period;
  if (offset < first) {
    return first;
  }
  return add(first, multiply((offset - first) / source.period + 1, source.period));
}

}  // namespace

ThreadWindow::ThreadWindow(
  const Service & service, const std::vector<ExecutorTask> & tasks, Ns horizon,
  const BusyWindowTerms & terms, Steps & steps)
: service_(service),
  tasks_(tasks),
  horizon_(horizon),
  terms_(terms),
  steps_(steps)
{
  for (const ExecutorTask & task : tasks) {
    demands_.push_back(
      {task.in_window.empty() ? task.demand.arrivals : task.in_window, task.demand.cost});
  }
  length_ = fixed_point(1, horizon, steps, [&](Ns length) {
    Ns demand = 1;
    for (const Demand & task : demands_) {
      demand = add(demand, task.work(length));
    }
    return time_for(service, demand, length);
  });
}

Ns ThreadWindow::points(std::size_t task, Ns bound) const
{
  // Any interval counts, not only one that begins with the window: the time until the bound may
  // begin anywhere in the window.
  return terms_.points ? tasks_[task].demand.releases(bound) : 0;
}

WorstCase ThreadWindow::worst_case(std::size_t task, Ns points, Ns prefix) const
{
  if (length_ == kUnbounded) {
    return {};
  }
  WorstCase worst{0};
  Ns start = 1;
  for (Ns offset = 0; offset < length_; offset = next_offset(task, offset)) {
    // The shortest interval in which the first nanosecond of the task's own work is done. It rises
    // with the offset.
    start = fixed_point(start, horizon_, steps_, [&](Ns length) {
      return time_for(service_, add(1, before(task, offset, points, length)), length);
    });
    if (start == kUnbounded) {
      return {};
    }
    const Ns work = add(before(task, offset, points, start), demands_[task].cost);
    const Ns end = fixed_point(time_for(service_, work, start), horizon_, steps_, [&](Ns length) {
      return time_for(service_, work, length);
    });
    if (end == kUnbounded) {
      return {};
    }
    const Ns response = end - std::max<Ns>(0, offset - prefix);
    if (response > worst.response) {
      worst = {response, offset, start, end};
    }
    if (!terms_.later) {
      break;
    }
  }
  return worst;
}

/// The next offset from which a count of `before` changes.
Ns ThreadWindow::next_offset(std::size_t own, Ns offset) const
{
  Ns next = kUnbounded;
  for (std::size_t x = 0; x < tasks_.size(); ++x) {
    for (const Arrivals & source : demands_[x].arrivals) {
      if (x == own) {
        next = std::min(next, next_release(source, offset));
      } else if (tasks_[x].polled) {
        // Releases before the offset count, so the count changes one nanosecond later.
        next = std::min(next, offset == 0 ? 1 : add(next_release(source, offset - 1), 1));
      }
    }
  }
  return next;
}

/// The time of all runs that go before the run that was activated at `offset`, in an interval of
/// `length` from the window's beginning.
Ns ThreadWindow::before(std::size_t own, Ns offset, Ns points, Ns length) const
{
  Ns sum = 0;
  for (std::size_t x = 0; x < tasks_.size(); ++x) {
    sum = add(sum, multiply(runs(x, own, offset, points, length), demands_[x].cost));
  }
  return sum;
}

Ns ThreadWindow::runs(std::size_t task, std::size_t own, Ns offset, Ns points, Ns length) const
{
  if (task == own) {
    return terms_.queued ? std::max<Ns>(1, demands_[own].releases(offset + 1)) - 1 : 0;
  }
  const Ns runs = demands_[task].releases(length);
  if (!tasks_[task].polled) {
    return runs;
  }
  const Ns earlier = terms_.before ? demands_[task].releases(offset) : 0;
  return std::min(runs, add(add(earlier, points), terms_.extra ? 1 : 0));
}

}  // namespace takt_plan::detail
