// Groups the units of each chain, except units that a more important chain has taken.
//
// Set-up only: allocates, does not block.
#ifndef TAKT_PLAN__SRC__CLUSTERS_HPP_
#define TAKT_PLAN__SRC__CLUSTERS_HPP_

#include <vector>

#include "planners/plan_problem.hpp"

namespace takt_plan::detail
{

struct Cluster
{
  std::vector<Index> units;  ///< in the order of the chain, all on one host; never empty
  Ns deadline = kUnbounded;  ///< the chain's deadline; kUnbounded without a chain
  double utilization = 0;
};

/// The clusters of chains, the most important chain first. Then one cluster for each unit without a
/// chain, in trigger order.
std::vector<Cluster> clusters(const PlanProblem & problem);

/// The cores that all of the units may use; empty if they have none in common.
std::vector<Index> common_cores(const PlanProblem & problem, const std::vector<Index> & units);

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__CLUSTERS_HPP_
