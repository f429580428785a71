// The limits of the analysis of pools, in sentences.
//
// Set-up only: allocates, does not block.
#ifndef TAKT_PLAN__SRC__POOL_REFUSALS_HPP_
#define TAKT_PLAN__SRC__POOL_REFUSALS_HPP_

#include <string>
#include <vector>

#include "model/flow.hpp"

namespace takt_plan::detail
{

/// One for each task; empty: the analysis covers it.
std::vector<std::string> pool_refusals(const Model & model, const Flow & flow);

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__POOL_REFUSALS_HPP_
