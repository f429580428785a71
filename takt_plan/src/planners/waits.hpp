// Callbacks that wait within a run for others (Task::waits_for) and those others are on different threads.
//
// The rule: a thread that runs a unit that some callback waits for runs no other unit that waits. Then no circle of waits goes
// through a thread, since those within a unit are faults of the model: whatever holds a thread waits for callbacks whose
// threads nobody holds by waiting for them.
//
// Set-up only: allocates, does not block.
#ifndef TAKT_PLAN__SRC__PLANNERS__WAITS_HPP_
#define TAKT_PLAN__SRC__PLANNERS__WAITS_HPP_

#include <vector>

#include "planners/layout.hpp"
#include "planners/plan_problem.hpp"
#include "takt_plan/assignment.hpp"

namespace takt_plan::detail
{

/// Whether one thread may run all of both.
bool may_share(
  const PlanProblem & problem, const std::vector<Index> & some, const std::vector<Index> & others);

/// The tasks in parts that may share a thread each, in their order; the more urgent part first: what others wait for before
/// what waits, so that waits have bounds on one core.
std::vector<std::vector<Index>> separated(
  const PlanProblem & problem, const std::vector<Index> & tasks);

/// The same for each block, or thread.
std::vector<Block> separated(const PlanProblem & problem, const std::vector<Block> & blocks);
Assignment separated(const PlanProblem & problem, const Assignment & assignment);

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__PLANNERS__WAITS_HPP_
