// Puts callbacks that wait within a run (Task::waits_for) and the callbacks that they wait for on
// different threads.
//
// The rule: if some callback waits for a unit, the unit's thread runs no other unit that waits.
// Then no circle of waits goes through a thread: a callback that holds its thread waits only for
// callbacks on threads that no waiting callback holds. (Circles within a unit are faults of the
// model.)
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

/// True if one thread may run all tasks of `some` and `others`.
bool may_share(
  const PlanProblem & problem, const std::vector<Index> & some, const std::vector<Index> & others);

/// Splits the tasks into parts; one thread may run all tasks of a part. Tasks keep their order
/// within a part. The more urgent part comes first: awaited tasks before the tasks that wait for
/// them, so that waits have bounds on one core.
std::vector<std::vector<Index>> separated(
  const PlanProblem & problem, const std::vector<Index> & tasks);

/// Split each block, and each thread of the assignment, in the same way.
std::vector<Block> separated(const PlanProblem & problem, const std::vector<Block> & blocks);
Assignment separated(const PlanProblem & problem, const Assignment & assignment);

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__PLANNERS__WAITS_HPP_
