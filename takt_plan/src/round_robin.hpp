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

/// kUnbounded also for what is not found before `steps` run out.
Ns nonpreemptive_bound(
  const Service & service, const Demand & own, const std::vector<Demand> & interferers, Ns blocking,
  Ns horizon, Steps & steps);

std::vector<Ns> round_robin_bounds(
  const Service & service, const std::vector<ExecutorTask> & tasks, Ns horizon,
  const RoundRobinTerms & terms, Steps & steps);

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__ROUND_ROBIN_HPP_
