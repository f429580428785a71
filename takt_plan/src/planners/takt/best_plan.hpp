// The planner `takt` from its first plan to its last one.
//
// Where offsets can be chosen, it looks for a plan that keeps deadlines with late releases (late_releases.hpp), and if there
// is none, for one without.
//
// It makes a first plan (plan_takt), walks from it (annealing.hpp), merges threads, begins again with longer deadlines where
// chains are late, and takes the best of all. Where a deadline is not proven plans are compared by simulation first: no
// plan is taken for what it proves if chains are late in simulation that another plan has in time.
//
// Set-up only: allocates, takes long.
#ifndef TAKT_PLAN__SRC__PLANNERS__TAKT__BEST_PLAN_HPP_
#define TAKT_PLAN__SRC__PLANNERS__TAKT__BEST_PLAN_HPP_

#include <functional>
#include <string>
#include <vector>

#include "planners/layout.hpp"
#include "takt_plan/planner.hpp"
#include "takt_schedule/system.hpp"

namespace takt_plan::detail
{

struct BestPlan
{
  Layout layout;
  std::vector<TradePoint> trade;
  std::vector<std::string> notes;
  double cost = 0;              ///< Planned::cost
  double cost_of_restarts = 0;  ///< Planned::cost_of_restarts
};

/// `show`: gets each plan that is better than those before it, where `options` ask for them; empty: nobody does. `problem`
/// is of `system` and `options`; afterwards it is as it was.
BestPlan best_plan(
  const takt_schedule::System & system, const PlanOptions & options, PlanProblem & problem,
  const std::function<void(const Layout &)> & show);

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__PLANNERS__TAKT__BEST_PLAN_HPP_
