// The busy window of one executor thread, and Theorem 3 of executor_bounds.hpp in it.
//
// Set-up only: allocates, does not block.
#ifndef TAKT_PLAN__SRC__THREAD_WINDOW_HPP_
#define TAKT_PLAN__SRC__THREAD_WINDOW_HPP_

#include <cstddef>
#include <vector>

#include "analysis/limits.hpp"
#include "analysis/window/round_robin.hpp"
#include "takt_plan/executor_bounds.hpp"

namespace takt_plan::detail
{

class ThreadWindow
{
public:
  /// Keeps references.
  ThreadWindow(
    const Service & service, const std::vector<ExecutorTask> & tasks, Ns horizon,
    const BusyWindowTerms & terms, Steps & steps);

  /// The largest number of polling points that a polled task meets, if `bound` holds for it.
  Ns points(std::size_t task, Ns bound) const;

  /// The longest time from an activation to the task's end. A polled task meets at most `points`
  /// polling points. `prefix`: the run of tasks to which the task belongs was activated up to this
  /// time before the task.
  WorstCase worst_case(std::size_t task, Ns points, Ns prefix) const;
  Ns bound(std::size_t task, Ns points, Ns prefix) const
  {
    return worst_case(task, points, prefix).response;
  }

  /// The runs of a task that go before the run of `own` that was activated at `offset`, in an
  /// interval of `length` from the window's beginning. Of `own` itself: its earlier runs.
  Ns runs(std::size_t task, std::size_t own, Ns offset, Ns points, Ns length) const;

private:
  Ns next_offset(std::size_t own, Ns offset) const;
  Ns before(std::size_t own, Ns offset, Ns points, Ns length) const;

  const Service & service_;
  const std::vector<ExecutorTask> & tasks_;
  const Ns horizon_;
  const BusyWindowTerms terms_;
  Steps & steps_;
  std::vector<Demand> demands_;  // in the window
  Ns length_ = kUnbounded;
};

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__THREAD_WINDOW_HPP_
