// Tasks on cores in order of urgency, before they have threads and OS priorities.
//
// Set-up only: allocates, does not block.
#ifndef TAKT_PLAN__SRC__LAYOUT_HPP_
#define TAKT_PLAN__SRC__LAYOUT_HPP_

#include <vector>

#include "plan_problem.hpp"
#include "takt_plan/assignment.hpp"

namespace takt_plan::detail
{

/// What becomes one thread.
struct Block
{
  Index executor = kNone;
  std::vector<Index> tasks;  ///< most urgent first
  Ns deadline = kUnbounded;  ///< what it is sorted by
  Index cluster = kNone;     ///< of whatever the planner thinks of together
};

struct Layout
{
  explicit Layout(const PlanProblem & problem) : cores(problem.model.cores.size()) {}

  std::vector<std::vector<Block>> cores;  ///< per core, most urgent first

  /// OS priorities from the top of each host's band down; those that find no room share its lowest.
  Assignment assignment(const PlanProblem & problem) const;
  Index threads() const;
  double load(const PlanProblem & problem, Index core) const;
};

/// The tasks of some units as PiCAS has the callbacks of a chain (rules R1, R2, R6): the later in the
/// chain the more urgent, so that no instance waits for a later one. One block for each executor.
std::vector<Block> blocks_of(const PlanProblem & problem, const std::vector<Index> & units);

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__LAYOUT_HPP_
