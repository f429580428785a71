#include "takt_plan/bounds.hpp"

#include <algorithm>
#include <utility>

#include "analysis/answers.hpp"
#include "analysis/counted_bounds.hpp"

namespace takt_plan
{
namespace
{

using takt_core::Result;

Analysis common(const std::vector<SegmentBound> & segments)
{
  const Analysis first = segments.front().analysis;
  const bool one = std::all_of(segments.begin(), segments.end(), [&](const SegmentBound & segment) {
    return segment.analysis == first;
  });
  return one ? first : Analysis::several;
}

}  // namespace

Result<Bounds> detail::counted_bounds(
  const Model & model, const BoundsOptions & options, double & looks, std::int64_t most)
{
  if (const takt_core::Status status = check(model); !status) {
    return status.faults();
  }
  const std::size_t terms = options.explain ? options.most_terms : 0;
  const auto first = options.delays == Delays::in_segments ? detail::UnderWay::in_segments
                                                           : detail::UnderWay::between_segments;
  const detail::PrioritySolver solver(model, options, detail::local_analyses, most, first);
  if (!solver.too_large().empty()) {
    return takt_core::Faults{solver.too_large()};
  }
  looks += static_cast<double>(solver.looks());
  PriorityBounds found = detail::answers(solver, terms);
  if (options.delays == Delays::best && !solver.exhausted() && detail::may_be_in_segments(model)) {
    const detail::PrioritySolver other(
      model, options, detail::local_analyses, most - solver.looks(), detail::UnderWay::in_segments);
    looks += static_cast<double>(other.looks());
    detail::take_smaller(found, detail::answers(other, terms));
  }
  Bounds all;
  all.tasks = std::move(found.tasks);
  for (Result<ChainBound> & chain : found.chains) {
    all.chains.push_back(
      chain ? Result<ChainAnswer>(
                ChainAnswer{common(chain->segments), chain->bound, std::move(chain->segments)})
            : chain.faults());
  }
  return all;
}

Result<Bounds> bounds(const Model & model, const BoundsOptions & options)
{
  double looks = 0;
  return detail::counted_bounds(model, options, looks);
}

bool meets_deadline(const Chain & chain, const Result<ChainAnswer> & answer)
{
  return answer.ok() && answer->bound <= chain.deadline;
}

}  // namespace takt_plan
