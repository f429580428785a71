// The equations of executor_bounds.hpp for callers that repeat them under one limit of steps, and
// for callers that ask for the terms of a bound.
//
// Set-up only: allocates, does not block.
#ifndef TAKT_PLAN__SRC__ROUND_ROBIN_HPP_
#define TAKT_PLAN__SRC__ROUND_ROBIN_HPP_

#include <vector>

#include "analysis/limits.hpp"
#include "takt_plan/executor_bounds.hpp"

namespace takt_plan::detail
{

/// The shortest interval in which the thread gets time for `work`. `length`: the interval as far as
/// it is known; the time that is taken from the thread counts for it.
inline Ns time_for(const Service & service, Ns work, Ns length)
{
  return service.supply.time_for(add(work, service.taken_in(length)));
}

/// The activation with the longest response. Times count from the beginning of the interval of the
/// equation.
struct WorstCase
{
  Ns response = kUnbounded;
  Ns offset = 0;  ///< of the activation
  Ns start = 0;   ///< all earlier work was released before this time
  Ns end = 0;
};

/// Here and below the result is also kUnbounded if it is not found before `steps` run out.
WorstCase nonpreemptive_worst_case(
  const Service & service, const Demand & own, const std::vector<Demand> & interferers, Ns blocking,
  Ns horizon, Steps & steps);

inline Ns nonpreemptive_bound(
  const Service & service, const Demand & own, const std::vector<Demand> & interferers, Ns blocking,
  Ns horizon, Steps & steps)
{
  return nonpreemptive_worst_case(service, own, interferers, blocking, horizon, steps).response;
}

/// The tasks that may run before a task, as positions.
struct Ahead
{
  std::vector<std::size_t> others;  ///< they go before it whenever they are ready
  std::size_t blocking = kNone;  ///< the task with the longest run that may have begun; kNone: none
};

/// The tasks that may run before a task that is not polled.
Ahead ahead_of_polled(const std::vector<ExecutorTask> & tasks, std::size_t own);

std::vector<Ns> round_robin_bounds(
  const Service & service, const std::vector<ExecutorTask> & tasks, Ns horizon,
  const RoundRobinTerms & terms, Steps & steps);

/// If `window_steps` run out, the bound is that of Theorem 2: a nearly full thread has very long
/// windows.
std::vector<Ns> round_robin_or_busy_window_bounds(
  const Service & service, const std::vector<ExecutorTask> & tasks, Ns horizon, Steps & steps,
  Steps & window_steps);

/// The origin of the bound of a run of tasks, up to one of the tasks.
struct RunBound
{
  enum class By
  {
    sum,         ///< the bound up to the task before it, plus its own bound
    window,      ///< Theorem 3
    round_robin  ///< Theorem 2
  };
  By by = By::sum;
  Ns bound = 0;
  Ns points = 0;  ///< of Theorem 3
  Ns prefix = 0;  ///< of Theorem 3: the bound up to the task before it
};

/// With `parts` it also gives the origin of the bound up to each task of the run; nothing if the
/// bound is infinite from the start.
Ns run_bound(
  const Service & service, const std::vector<ExecutorTask> & tasks, const TaskRun & run,
  const std::vector<Ns> & bounds, Ns horizon, const BusyWindowTerms & terms, Steps & steps,
  std::vector<RunBound> * parts = nullptr);

/// Theorem 2 with assumed bounds, for a run of tasks. Keeps references; allocates nothing.
class RoundRobin
{
public:
  RoundRobin(
    const std::vector<ExecutorTask> & tasks, const TaskRun & run, const std::vector<Ns> & bounds,
    const RoundRobinTerms & terms);

  /// The runs of a task before the run's last task, in an interval of `length`. Of that last task
  /// itself: its earlier runs.
  Ns runs(std::size_t task, Ns length) const;

  WorstCase worst_case(const Service & service, Ns horizon, Steps & steps) const;

private:
  Ns work(Ns length) const;

  const std::vector<ExecutorTask> & tasks_;
  const std::vector<Ns> & bounds_;
  const RoundRobinTerms terms_;
  const std::size_t own_;  // the last of the run
  Ns most_ = 0;            // the most runs of another polled task
};

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__ROUND_ROBIN_HPP_
