#include "takt_plan/bounds.hpp"

#include <algorithm>
#include <utility>

#include "analysis/answers.hpp"

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

Result<Bounds> bounds(const Model & model, const BoundsOptions & options)
{
  if (const takt_core::Status status = check(model); !status) {
    return status.faults();
  }
  const detail::PrioritySolver solver(model, options, detail::local_analyses);
  if (!solver.too_large().empty()) {
    return takt_core::Faults{solver.too_large()};
  }
  PriorityBounds found = detail::answers(solver, options.explain ? options.most_terms : 0);
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

bool meets_deadline(const Chain & chain, const Result<ChainAnswer> & answer)
{
  return answer.ok() && answer->bound <= chain.deadline;
}

}  // namespace takt_plan
