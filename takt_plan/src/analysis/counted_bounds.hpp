// Bounds with what it took to find them, for those that ask again and again.
//
// Counted, not timed: the same model has the same count on every machine. Set-up only: allocates, does
// not block.
#ifndef TAKT_PLAN__SRC__ANALYSIS__COUNTED_BOUNDS_HPP_
#define TAKT_PLAN__SRC__ANALYSIS__COUNTED_BOUNDS_HPP_

#include <cstdint>

#include "analysis/limits.hpp"
#include "takt_plan/bounds.hpp"
#include "takt_rt/result.hpp"

namespace takt_plan::detail
{

/// `bounds`; adds to `looks` how many terms of equations of busy windows were evaluated. After about
/// `most` of them the tasks that are left have no bound. Terms of other analyses (window, pool, deadline)
/// are not counted.
takt_rt::Result<Bounds> counted_bounds(
  const Model & model, const BoundsOptions & options, double & looks,
  std::int64_t most = kMostLooks);

/// `bounds_through_reads`, likewise; where chains read it looks at `most` terms twice.
takt_rt::Result<Bounds> counted_bounds_through_reads(
  const Model & model, double & looks, std::int64_t most = kMostLooks,
  const BoundsOptions & options = {});

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__ANALYSIS__COUNTED_BOUNDS_HPP_
