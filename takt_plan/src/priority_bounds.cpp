#include "takt_plan/priority_bounds.hpp"

#include "answers.hpp"

namespace takt_plan
{

takt_core::Result<PriorityBounds> priority_bounds(
  const Model & model, const PriorityOptions & options)
{
  if (const takt_core::Status status = check(model); !status) {
    return status.faults();
  }
  return detail::answers(detail::PrioritySolver(model, options), options.explain);
}

}  // namespace takt_plan
