// The ways of a chain through the nodes of a job graph.
//
// Set-up only: allocates, does not block.
#ifndef TAKT_PLAN__SRC__ANALYSIS__JOBS__NODE_WAYS_HPP_
#define TAKT_PLAN__SRC__ANALYSIS__JOBS__NODE_WAYS_HPP_

#include <vector>

#include "analysis/jobs/job_graph.hpp"
#include "model/flow.hpp"
#include "takt_plan/model.hpp"

namespace takt_plan::detail
{

/// Ways of nodes from the chain's root to its end. For a set, a way has the node that keeps the
/// chain's message, and then the node of the work.
std::vector<std::vector<Index>> ways_of_nodes(
  const Flow & flow, const JobGraph & graph, const Chain & chain);

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__ANALYSIS__JOBS__NODE_WAYS_HPP_
