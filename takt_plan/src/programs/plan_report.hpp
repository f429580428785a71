// What takt_plan prints: tables for people, JSON for machines.
#ifndef TAKT_PLAN__SRC__PROGRAMS__PLAN_REPORT_HPP_
#define TAKT_PLAN__SRC__PROGRAMS__PLAN_REPORT_HPP_

#include <optional>
#include <string>
#include <vector>

#include "planners/misfit.hpp"
#include "planners/simulated_plan.hpp"
#include "takt_plan/planner.hpp"

namespace takt_plan::program
{

struct PlanReport
{
  const Planned & planned;
  const std::vector<Misfit> & misfits;
  const std::vector<std::string> & warnings;
  Planner planner;
  std::string system;  ///< the file
  /// That may overwrite what bounds assume to be read; none: not known.
  std::optional<std::size_t> short_histories;
  /// Chains of which possibly no activation ends, whatever their bounds (replaced.hpp).
  std::size_t endless_chains = 0;
  /// What simulation shows of the plan; nothing: it could not be simulated.
  std::optional<SimulatedPlan> simulated;
  std::vector<std::string> better_baselines;  ///< sentences: what does better in simulation
};

/// Chains of which simulation shows a response above their bound.
std::size_t refuted_bounds(const PlanReport & report);

std::string as_text(const PlanReport & report);
std::string as_json(const PlanReport & report);

/// What stands above the schedule: what it is for, and the bound of each chain.
std::string header(const PlanReport & report);

}  // namespace takt_plan::program

#endif  // TAKT_PLAN__SRC__PROGRAMS__PLAN_REPORT_HPP_
