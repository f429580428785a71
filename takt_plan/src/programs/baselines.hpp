// What other ways to run the system do better in simulation than a plan.
//
// Set-up only: allocates, takes up to some seconds.
#ifndef TAKT_PLAN__SRC__PROGRAMS__BASELINES_HPP_
#define TAKT_PLAN__SRC__PROGRAMS__BASELINES_HPP_

#include <string>
#include <vector>

#include "planners/simulated_plan.hpp"
#include "takt_plan/planner.hpp"

namespace takt_plan::program
{

/// One sentence for each of ROS 2's pool and a thread for each group that meets a chain in simulation which the plan does
/// not meet there. Nothing is simulated where the plan meets all. `simulated`: the plan.
std::vector<std::string> better_baselines(
  const takt_schedule::System & system, const PlanOptions & options, const Planned & planned,
  const SimulatedPlan & simulated);

}  // namespace takt_plan::program

#endif  // TAKT_PLAN__SRC__PROGRAMS__BASELINES_HPP_
