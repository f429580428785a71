// Bounds together with the effort of finding them, for callers that repeat the analysis.
//
// The effort is counted, not timed: the same model has the same count on every machine. Set-up
// only: allocates, does not block.
#ifndef TAKT_PLAN__SRC__ANALYSIS__COUNTED_BOUNDS_HPP_
#define TAKT_PLAN__SRC__ANALYSIS__COUNTED_BOUNDS_HPP_

#include <cstdint>

#include "analysis/limits.hpp"
#include "takt_plan/bounds.hpp"
#include "takt_rt/result.hpp"

namespace takt_plan::detail
{

/// As `bounds`. Adds to `looks` the number of evaluated terms of busy windows. After about `most`
/// of them, the remaining tasks have no bound. Terms of other analyses (window, pool, deadline) do
/// not count.
takt_rt::Result<Bounds> counted_bounds(
  const Model & model, const BoundsOptions & options, double & looks,
  std::int64_t most = kMostLooks);

/// The same for `bounds_through_reads`. If chains read, it evaluates up to twice `most` terms.
takt_rt::Result<Bounds> counted_bounds_through_reads(
  const Model & model, double & looks, std::int64_t most = kMostLooks,
  const BoundsOptions & options = {});

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__ANALYSIS__COUNTED_BOUNDS_HPP_
