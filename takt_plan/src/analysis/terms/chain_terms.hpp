// Finds the terms of a chain's bound, segment by segment.
//
// Set-up only: allocates, does not block.
#ifndef TAKT_PLAN__SRC__CHAIN_TERMS_HPP_
#define TAKT_PLAN__SRC__CHAIN_TERMS_HPP_

#include <vector>

#include "analysis/priority/priority_solver.hpp"
#include "takt_plan/priority_bounds.hpp"

namespace takt_plan::detail
{

/// The stream that a segment ends, and the window that bounds it. `from_release`: its response
/// counts from its nominal release; false: from its activation.
struct ChainStep
{
  Index stream = kNone;
  const SolvedWindow * window = nullptr;
  const WholeWay * way = nullptr;  ///< several segments as a whole, in place of the window
  bool from_release = true;
  bool leaving = false;  ///< up to its message, not its end
};

/// Adds the terms to the segments; there is one step for each segment. Segments that a local
/// analysis bounds together become the parts of that analysis.
void explain(
  const PrioritySolver & solver, const std::vector<ChainStep> & steps,
  std::vector<SegmentBound> & segments);

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__CHAIN_TERMS_HPP_
