#include "takt_plan/window_bounds.hpp"

#include <utility>

#include "answers.hpp"

namespace takt_plan
{

using takt_core::Result;

Result<WindowBounds> window_bounds(const Model & model, const WindowOptions & options)
{
  if (const takt_core::Status status = check(model); !status) {
    return status.faults();
  }
  BoundsOptions all;
  all.horizon = options.horizon;
  all.window = options.terms;
  all.round_robin_only = options.round_robin_only || !(options.terms == RoundRobinTerms{});
  PriorityBounds found =
    detail::answers(detail::PrioritySolver(model, all, detail::window_analyses));
  WindowBounds bounds;
  bounds.tasks = std::move(found.tasks);
  for (const Result<ChainBound> & chain : found.chains) {
    bounds.chains.push_back(chain ? Result<Ns>(chain->bound) : chain.faults());
  }
  return bounds;
}

}  // namespace takt_plan
