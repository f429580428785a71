// `trigger: false` in a plan, for subscriptions that only store by the system model.
#ifndef TAKT_PLAN__SRC__PROGRAMS__PLAN_INPUTS_HPP_
#define TAKT_PLAN__SRC__PROGRAMS__PLAN_INPUTS_HPP_

#include <functional>

#include "planners/simulated_plan.hpp"
#include "takt_plan/planner.hpp"
#include "takt_schedule/system.hpp"

namespace takt_plan::program
{

/// Gives each subscription with `stores` (CallbackModel) `trigger: false`, the one with most
/// messages first, where the plan is no worse with it (PlanJudge) but for chains that keep
/// `keep_slack` of their deadlines by their bounds. A note says of each of them how many wake-ups
/// it saves and what it costs, or what would be worse. `may_go_on`: false ends the search, and a
/// note says so. Afterwards the plan's model is one for analyses (inputs.hpp). Set-up only:
/// allocates; takes a simulation for each such subscription.
void use_inputs(
  const takt_schedule::System & system, Planned & planned, SimulatedPlan & simulated,
  double keep_slack, const std::function<bool()> & may_go_on);

}  // namespace takt_plan::program

#endif  // TAKT_PLAN__SRC__PROGRAMS__PLAN_INPUTS_HPP_
