// Runs the planner `takt` from its first plan to its last.
//
// If the planner may choose offsets, it looks for a plan that keeps deadlines with late releases
// (late_releases.hpp). If it finds none, it looks for a plan without late releases.
//
// The planner makes a first plan (plan_takt), walks from it (annealing.hpp), merges threads, starts
// again with longer deadlines if chains are late, and takes the best plan. If a deadline is not
// proven, simulations of the plans decide first. So a plan with more proven deadlines may lose to a
// plan that keeps more deadlines in simulation.
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
  PaidPeriods paid;
  double cost = 0;              ///< Planned::cost
  double cost_of_restarts = 0;  ///< Planned::cost_of_restarts
  double walking = 0;           ///< the cost of walks
};

/// `show`: gets each plan that is better than all earlier plans, if `options` ask for it; may be
/// empty. `problem`: the problem of `system` and `options`; the function changes and restores it.
BestPlan best_plan(
  const takt_schedule::System & system, const PlanOptions & options, PlanProblem & problem,
  const std::function<void(const Layout &)> & show);

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__PLANNERS__TAKT__BEST_PLAN_HPP_
