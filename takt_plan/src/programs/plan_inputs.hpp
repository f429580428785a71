// `trigger: false` in a plan, for subscriptions that only store by the system model.
#ifndef TAKT_PLAN__SRC__PROGRAMS__PLAN_INPUTS_HPP_
#define TAKT_PLAN__SRC__PROGRAMS__PLAN_INPUTS_HPP_

#include "planners/simulated_plan.hpp"
#include "programs/plan_trials.hpp"
#include "takt_plan/planner.hpp"
#include "takt_schedule/system.hpp"

namespace takt_plan::program
{

/// Gives each subscription with `stores` (CallbackModel) `trigger: false` where the plan is no
/// worse with it (PlanJudge) but for chains that keep `keep_slack` of their deadlines by their
/// bounds. It tries those of a group together, then each by itself, the one with most messages
/// first, and refused ones again after another one was taken. A note says of each of them how many
/// wake-ups it saves and what it costs, or what would be worse. If `trials` end the search, a note
/// says so. Afterwards the plan's model is one for analyses (inputs.hpp). Set-up only: allocates;
/// takes a simulation for each trial.
void use_inputs(
  const takt_schedule::System & system, Planned & planned, SimulatedPlan & simulated,
  double keep_slack, Trials & trials);

}  // namespace takt_plan::program

#endif  // TAKT_PLAN__SRC__PROGRAMS__PLAN_INPUTS_HPP_
