#include "analysis/terms/chain_terms.hpp"

#include <iterator>
#include <utility>

#include "analysis/terms/segment_terms.hpp"

namespace takt_plan::detail
{
namespace
{

/// Replaces the segments that end with `segments[last]` by the parts. Returns the position of the
/// first new segment.
Index replace(std::vector<SegmentBound> & segments, Index last, std::vector<LocalPart> parts)
{
  Index first = last + 1;
  std::vector<SegmentBound> together;
  for (LocalPart & part : parts) {
    first -= part.tasks.size();
    SegmentBound segment;
    segment.analysis = segments[last].analysis;
    segment.tasks = std::move(part.tasks);
    segment.response = sum_of(part.terms);
    segment.terms = std::move(part.terms);
    together.push_back(std::move(segment));
  }
  Ns released = segments[first].released;
  for (SegmentBound & segment : together) {
    segment.released = released;
    released = add(released, segment.response);
  }
  together.back().waiting = segments[last].waiting;
  const auto begin = segments.begin() + static_cast<std::ptrdiff_t>(first);
  const auto next = segments.erase(begin, begin + static_cast<std::ptrdiff_t>(last + 1 - first));
  segments.insert(
    next, std::make_move_iterator(together.begin()), std::make_move_iterator(together.end()));
  return first;
}

}  // namespace

void explain(
  const PrioritySolver & solver, const std::vector<ChainStep> & steps,
  std::vector<SegmentBound> & segments)
{
  // Begin at the end, so that a replacement does not move segments that are still to come.
  for (Index at = steps.size(); at-- > 0;) {
    const PriorityPart & part = solver.part(steps[at].stream);
    BoundTerms & terms = segments[at].terms;
    if (steps[at].way != nullptr) {
      terms = steps[at].way->terms(part.way_length);
    } else if (part.local == nullptr) {
      terms = steps[at].from_release
                ? terms_from_release(solver, *steps[at].window, steps[at].leaving)
                : terms_from_activation(solver, *steps[at].window);
    } else if (steps[at].from_release) {
      at = replace(segments, at, part.local->parts(steps[at].stream));
    } else {
      terms = part.local->terms(segments[at].tasks.front());
    }
  }
}

}  // namespace takt_plan::detail
