// Sequences for a plan: callbacks that start each other on one thread follow one another by direct
// call.
#ifndef TAKT_PLAN__SRC__PROGRAMS__PLAN_SEQUENCES_HPP_
#define TAKT_PLAN__SRC__PROGRAMS__PLAN_SEQUENCES_HPP_

#include "planners/simulated_plan.hpp"
#include "programs/plan_trials.hpp"
#include "takt_plan/planner.hpp"
#include "takt_schedule/system.hpp"

namespace takt_plan::program
{

/// Adds each sequence to the plan with which it is no worse (PlanJudge). The callbacks of a
/// sequence get one priority where theirs would rise along it. A note says of each sequence what it
/// is and how many hops it saves. If `trials` end the search, a note says so. Set-up only:
/// allocates; takes up to three simulations for each sequence.
void use_sequences(
  const takt_schedule::System & system, Planned & planned, SimulatedPlan & simulated,
  Trials & trials);

}  // namespace takt_plan::program

#endif  // TAKT_PLAN__SRC__PROGRAMS__PLAN_SEQUENCES_HPP_
