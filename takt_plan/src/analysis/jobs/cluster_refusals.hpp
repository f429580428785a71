// Which parts of a model cluster_ends.hpp does not cover.
//
// Set-up only: allocates, does not block.
#ifndef TAKT_PLAN__SRC__ANALYSIS__JOBS__CLUSTER_REFUSALS_HPP_
#define TAKT_PLAN__SRC__ANALYSIS__JOBS__CLUSTER_REFUSALS_HPP_

#include <string>
#include <vector>

#include "model/flow.hpp"
#include "takt_plan/model.hpp"

namespace takt_plan::detail
{

/// The reason why the jobs of `tasks`, a part of the model, have no latest ends; empty: they may
/// have them. Their threads have fixed priorities and pick by priority or fifo.
std::string refuse_clusters(
  const Model & model, const Flow & flow, const std::vector<Index> & tasks);

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__ANALYSIS__JOBS__CLUSTER_REFUSALS_HPP_
