#include "takt_plan/priority_bounds.hpp"

#include "analysis/answers.hpp"

namespace takt_plan
{

takt_core::Result<PriorityBounds> priority_bounds(
  const Model & model, const PriorityOptions & options)
{
  if (const takt_core::Status status = check(model); !status) {
    return status.faults();
  }
  const detail::PrioritySolver solver(model, options);
  if (!solver.too_large().empty()) {
    return takt_core::Faults{solver.too_large()};
  }
  return detail::answers(solver, options.explain ? kMostTerms : 0);
}

}  // namespace takt_plan
