// Response-time bounds of a whole model: each task and chain by the analysis that covers it.
//
// Which one that is follows from the order of the threads involved: `window` from `window_bounds`
// (window_bounds.hpp), all others from `priority_bounds` (priority_bounds.hpp), whose headers say what
// they implement, assume and refuse. A chain through threads of both kinds is refused: neither takes
// over where the other ends.
//
// Set-up only: allocates, does not block.
#ifndef TAKT_PLAN__BOUNDS_HPP_
#define TAKT_PLAN__BOUNDS_HPP_

#include <vector>

#include "takt_core/result.hpp"
#include "takt_plan/model.hpp"
#include "takt_plan/priority_bounds.hpp"

namespace takt_plan
{

enum class Analysis
{
  priority,
  window
};

struct ChainAnswer
{
  Analysis analysis = Analysis::priority;
  Ns bound = 0;  ///< from the root's nominal release to the last task's end
  /// What the bound is the sum of; by `priority` only.
  std::vector<SegmentBound> segments;
};

struct Bounds
{
  /// One per task: from the nominal release of the source that started it, at any distance, to its
  /// end; the largest over its sources.
  std::vector<takt_core::Result<Ns>> tasks;
  /// One per chain; a fault is a sentence that says why there is no bound.
  std::vector<takt_core::Result<ChainAnswer>> chains;
};

/// Faults: those of `check` (model.hpp).
takt_core::Result<Bounds> bounds(const Model & model);

/// Whether a chain has a bound and it is within the chain's deadline.
bool meets_deadline(const Chain & chain, const takt_core::Result<ChainAnswer> & answer);

}  // namespace takt_plan

#endif  // TAKT_PLAN__BOUNDS_HPP_
