// Moves callbacks of overloaded cores from real-time threads to threads under the fair scheduler.
//
// If the real-time threads of a core want more time than its cap (sched_rt_runtime_us), the kernel
// stops all of them, also those of important chains. So the planner moves callbacks that no chain
// needs from an overloaded core to a fair thread, until the others keep the cap. Callbacks without
// a bound move first, then the least urgent ones.
//
// Set-up only: allocates, does not block.
#ifndef TAKT_PLAN__SRC__BACKGROUND_HPP_
#define TAKT_PLAN__SRC__BACKGROUND_HPP_

#include "planners/layout.hpp"
#include "takt_plan/assignment.hpp"
#include "takt_plan/bounds.hpp"

namespace takt_plan::detail
{

/// The layout's assignment, plus one fair thread (priority 0) for each executor and core, for the
/// callbacks that do not fit. The assignment has no fair threads if no core is overloaded, or if an
/// executor would need more threads than it can have. `bounds`: the layout's bounds.
Assignment with_background(
  const PlanProblem & problem, const Layout & layout, const Bounds & bounds);

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__BACKGROUND_HPP_
