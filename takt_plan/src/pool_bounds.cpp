#include "takt_plan/pool_bounds.hpp"

#include <utility>

#include "answers.hpp"

namespace takt_plan
{

using takt_core::Result;

Result<PooledBounds> pool_bounds(const Model & model, const PoolOptions & options)
{
  if (const takt_core::Status status = check(model); !status) {
    return status.faults();
  }
  const BoundsOptions all{options.horizon, {}, {}, {}, options.terms};
  PriorityBounds found = detail::answers(detail::PrioritySolver(model, all, detail::pool_analyses));
  PooledBounds bounds;
  bounds.tasks = std::move(found.tasks);
  for (const Result<ChainBound> & chain : found.chains) {
    bounds.chains.push_back(chain ? Result<Ns>(chain->bound) : chain.faults());
  }
  return bounds;
}

}  // namespace takt_plan
