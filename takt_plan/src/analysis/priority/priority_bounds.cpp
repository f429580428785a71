#include "takt_plan/priority_bounds.hpp"

#include "analysis/answers.hpp"

namespace takt_plan
{

takt_rt::Result<PriorityBounds> priority_bounds(
  const Model & model, const PriorityOptions & options)
{
  if (const takt_rt::Status status = check(model); !status) {
    return status.faults();
  }
  const std::size_t terms = options.explain ? kMostTerms : 0;
  const auto first = options.delays == Delays::in_segments ? detail::UnderWay::in_segments
                                                           : detail::UnderWay::between_segments;
  const detail::PrioritySolver solver(model, options, first);
  if (!solver.too_large().empty()) {
    return takt_rt::Faults{solver.too_large()};
  }
  PriorityBounds found = detail::answers(solver, terms);
  if (options.delays == Delays::best && detail::may_be_in_segments(model)) {
    const detail::PrioritySolver other(model, options, detail::UnderWay::in_segments);
    detail::take_smaller(found, detail::answers(other, terms));
  }
  return found;
}

}  // namespace takt_plan
