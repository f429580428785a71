// The output of takt_plan: tables for people, JSON for machines.
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
  std::string system;  ///< name of the system's file
  /// Histories that may overwrite messages which the bounds assume to be read; none: not known.
  std::optional<std::size_t> short_histories;
  /// Chains that may never end an activation, in spite of their bounds (replaced.hpp).
  std::size_t endless_chains = 0;
  /// The plan's simulation; empty: the plan could not be simulated.
  std::optional<SimulatedPlan> simulated;
  std::vector<std::string> better_baselines;  ///< a sentence for each other way to run the system
                                              ///< that does better in simulation
  std::string ended_by;  ///< the --time that ended the search, as given; empty: it ended by itself
  std::vector<double> loads;  ///< thread_loads
};

/// The share of its core that each thread's callbacks use. For a plan without non-triggering
/// callbacks.
std::vector<double> thread_loads(const Planned & planned);

/// The number of chains with a simulated response above their bound.
std::size_t refuted_bounds(const PlanReport & report);

std::string as_text(const PlanReport & report);
std::string as_json(const PlanReport & report);
/// The document if there is no plan.
std::string faults_as_json(
  const std::string & system, Planner planner, const takt_rt::Faults & faults);

/// The comment at the top of the schedule: the system, and the bound of each chain.
std::string header(const PlanReport & report);

}  // namespace takt_plan::program

#endif  // TAKT_PLAN__SRC__PROGRAMS__PLAN_REPORT_HPP_
