#include "analysis/window/window_bounds.hpp"

#include "analysis/answers.hpp"

namespace takt_plan
{

using takt_rt::Result;

Result<WindowBounds> window_bounds(const Model & model, const WindowOptions & options)
{
  if (const takt_rt::Status status = check(model); !status) {
    return status.faults();
  }
  BoundsOptions all;
  all.horizon = options.horizon;
  all.window = options.terms;
  all.round_robin_only = options.round_robin_only || !(options.terms == RoundRobinTerms{});
  const detail::PrioritySolver solved(model, all, detail::window_analyses);
  return detail::without_segments<WindowBounds>(detail::answers(solved, 0));
}

}  // namespace takt_plan
