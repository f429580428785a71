// How often threads come on their cores and leave them: what many threads cost beside their bounds.
//
// Set-up only: allocates, does not block.
#ifndef TAKT_PLAN__SRC__CONTEXT_SWITCHES_HPP_
#define TAKT_PLAN__SRC__CONTEXT_SWITCHES_HPP_

#include <vector>

#include "planners/layout.hpp"
#include "planners/plan_problem.hpp"

namespace takt_plan::detail
{

/// A second, on one core, at most: two for each run of a task, to its thread and back to whatever was
/// there, but none for runs that only runs of the same thread start, since that thread goes on.
double context_switches(const PlanProblem & problem, const std::vector<Block> & blocks);

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__CONTEXT_SWITCHES_HPP_
