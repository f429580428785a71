#include "takt_plan/pool_bounds.hpp"

#include "analysis/answers.hpp"

namespace takt_plan
{

using takt_rt::Result;

Result<PooledBounds> pool_bounds(const Model & model, const PoolOptions & options)
{
  if (const takt_rt::Status status = check(model); !status) {
    return status.faults();
  }
  BoundsOptions all;
  all.horizon = options.horizon;
  all.pool = options.terms;
  const detail::PrioritySolver solved(model, all, detail::pool_analyses);
  return detail::without_segments<PooledBounds>(detail::answers(solved, 0));
}

}  // namespace takt_plan
