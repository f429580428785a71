// Theorem 2 of executor_bounds.hpp for callers that repeat it and limit the whole.
//
// Set-up only: allocates, does not block.
#ifndef TAKT_PLAN__SRC__ROUND_ROBIN_HPP_
#define TAKT_PLAN__SRC__ROUND_ROBIN_HPP_

#include <vector>

#include "limits.hpp"
#include "takt_plan/executor_bounds.hpp"

namespace takt_plan::detail
{

/// kUnbounded also for what is not found before `steps` run out.
std::vector<Ns> round_robin_bounds(
  const Supply & supply, const std::vector<ExecutorTask> & tasks, Ns horizon,
  const RoundRobinTerms & terms, Steps & steps);

/// One evaluation with assumed bounds, for a run of tasks. Allocates nothing.
Ns round_robin(
  const Supply & supply, const std::vector<ExecutorTask> & tasks, const TaskRun & run,
  const std::vector<Ns> & bounds, Ns horizon, const RoundRobinTerms & terms, Steps & steps);

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__ROUND_ROBIN_HPP_
