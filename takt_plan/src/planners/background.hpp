// What does not fit, kept off real-time threads.
//
// The kernel stops all real-time threads of a core that want more than its cap (sched_rt_runtime_us), important chains
// like the rest. So on a core that is given too much, callbacks that no chain needs move to a thread under the fair
// scheduler: those without a bound, and then the least urgent ones, until the rest keeps the cap.
//
// Set-up only: allocates, does not block.
#ifndef TAKT_PLAN__SRC__BACKGROUND_HPP_
#define TAKT_PLAN__SRC__BACKGROUND_HPP_

#include "planners/layout.hpp"
#include "takt_plan/assignment.hpp"
#include "takt_plan/bounds.hpp"

namespace takt_plan::detail
{

/// The layout's assignment, with what does not fit on one fair thread (priority 0) for each executor and core.
/// Unchanged where every core has room for what it is given, and where an executor would need more threads than it
/// can have. `bounds`: of the layout.
Assignment with_background(
  const PlanProblem & problem, const Layout & layout, const Bounds & bounds);

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__BACKGROUND_HPP_
