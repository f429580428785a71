// Counts context switches: the cost of many threads, which bounds do not show.
//
// Set-up only: allocates, does not block.
#ifndef TAKT_PLAN__SRC__CONTEXT_SWITCHES_HPP_
#define TAKT_PLAN__SRC__CONTEXT_SWITCHES_HPP_

#include <vector>

#include "planners/layout.hpp"
#include "planners/plan_problem.hpp"

namespace takt_plan::detail
{

/// An upper bound on the context switches of one core per second. Each run of a task counts as two:
/// to the task's thread and back. A run counts as none if only runs of the same thread start it,
/// because that thread goes on.
double context_switches(const PlanProblem & problem, const std::vector<Block> & blocks);

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__CONTEXT_SWITCHES_HPP_
