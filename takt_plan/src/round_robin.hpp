// The equations of executor_bounds.hpp for callers that repeat them and limit the whole.
//
// Set-up only: allocates, does not block.
#ifndef TAKT_PLAN__SRC__ROUND_ROBIN_HPP_
#define TAKT_PLAN__SRC__ROUND_ROBIN_HPP_

#include <vector>

#include "limits.hpp"
#include "takt_plan/executor_bounds.hpp"

namespace takt_plan::detail
{

/// The least interval that gives so much work to the thread, `length` long as far as is known.
inline Ns time_for(const Service & service, Ns work, Ns length)
{
  return service.supply.time_for(add(work, service.taken_in(length)));
}

/// kUnbounded also for what is not found before `steps` run out, here and below.
Ns nonpreemptive_bound(
  const Service & service, const Demand & own, const std::vector<Demand> & interferers, Ns blocking,
  Ns horizon, Steps & steps);

std::vector<Ns> round_robin_bounds(
  const Service & service, const std::vector<ExecutorTask> & tasks, Ns horizon,
  const RoundRobinTerms & terms, Steps & steps);

/// Where `window_steps` run out it is Theorem 2 alone: a nearly full thread has very long windows.
std::vector<Ns> round_robin_or_busy_window_bounds(
  const Service & service, const std::vector<ExecutorTask> & tasks, Ns horizon, Steps & steps,
  Steps & window_steps);

Ns run_bound(
  const Service & service, const std::vector<ExecutorTask> & tasks, const TaskRun & run,
  const std::vector<Ns> & bounds, Ns horizon, const BusyWindowTerms & terms, Steps & steps);

/// One evaluation with assumed bounds, for a run of tasks. Allocates nothing.
Ns round_robin(
  const Service & service, const std::vector<ExecutorTask> & tasks, const TaskRun & run,
  const std::vector<Ns> & bounds, Ns horizon, const RoundRobinTerms & terms, Steps & steps);

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__ROUND_ROBIN_HPP_
