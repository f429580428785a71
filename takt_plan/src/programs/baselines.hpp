// Compares a plan in simulation with other ways to run the system.
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

/// Compares the plan with ROS 2's pool, one thread for each group, and PiCAS. Returns a sentence
/// for each of them that keeps a deadline in simulation which the plan misses there. Simulates
/// nothing if the plan misses no deadline. `simulated`: the plan's simulation.
std::vector<std::string> better_baselines(
  const takt_schedule::System & system, const PlanOptions & options, const Planned & planned,
  const SimulatedPlan & simulated);

}  // namespace takt_plan::program

#endif  // TAKT_PLAN__SRC__PROGRAMS__BASELINES_HPP_
