// What a chain's bound is the sum of, segment by segment.
//
// Set-up only: allocates, does not block.
#ifndef TAKT_PLAN__SRC__CHAIN_TERMS_HPP_
#define TAKT_PLAN__SRC__CHAIN_TERMS_HPP_

#include <vector>

#include "analysis/priority/priority_solver.hpp"
#include "takt_plan/priority_bounds.hpp"

namespace takt_plan::detail
{

/// Which stream a segment ends by, in which window, and whether its response counts from its nominal release; else
/// from its activation.
struct ChainStep
{
  Index stream = kNone;
  const SolvedWindow * window = nullptr;
  bool from_release = true;
  bool leaving = false;  ///< up to its message, not its end
};

/// Adds the terms to the segments, one for each step. Those of local analyses that are bounded together
/// become one.
void explain(
  const PrioritySolver & solver, const std::vector<ChainStep> & steps,
  std::vector<SegmentBound> & segments);

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__CHAIN_TERMS_HPP_
