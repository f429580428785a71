// Bounds of tasks and chains from the windows of their jobs.
//
// Set-up only: allocates, does not block.
#ifndef TAKT_PLAN__SRC__ANALYSIS__JOBS__JOB_BOUNDS_HPP_
#define TAKT_PLAN__SRC__ANALYSIS__JOBS__JOB_BOUNDS_HPP_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analysis/jobs/job_windows.hpp"
#include "model/flow.hpp"
#include "takt_plan/bounds.hpp"

namespace takt_plan::detail
{

struct JobBounds : PriorityBounds
{
  /// Per task: 1 if its part may have windows. A missing bound of it has a reason then.
  std::vector<char> covered;
};

/// `model` must pass `check`. Adds the evaluated terms of sums to `looks`, about `most` for each
/// part of the model. `most_terms` above 0: chains have terms until there are so many.
JobBounds job_bounds(
  const Model & model, const Flow & flow, const BoundsOptions & options, std::size_t most_terms,
  const KnownEnds & known, double & looks, std::int64_t most);

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__ANALYSIS__JOBS__JOB_BOUNDS_HPP_
