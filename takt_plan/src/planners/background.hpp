// Moves callbacks that do not fit off real-time threads.
//
// If the real-time threads of a core want more than its cap (sched_rt_runtime_us), the kernel stops all of them,
// important chains too. So on an overloaded core callbacks that no chain needs move to a thread under the fair
// scheduler, until the rest keeps the cap: first those without a bound, then the least urgent ones.
//
// Set-up only: allocates, does not block.
#ifndef TAKT_PLAN__SRC__BACKGROUND_HPP_
#define TAKT_PLAN__SRC__BACKGROUND_HPP_

#include "planners/layout.hpp"
#include "takt_plan/assignment.hpp"
#include "takt_plan/bounds.hpp"

namespace takt_plan::detail
{

/// The layout's assignment, with one fair thread (priority 0) for each executor and core for the callbacks that do
/// not fit. Unchanged if no core is overloaded, or if an executor would need more threads than it can have. `bounds`:
/// of the layout.
Assignment with_background(
  const PlanProblem & problem, const Layout & layout, const Bounds & bounds);

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__BACKGROUND_HPP_
