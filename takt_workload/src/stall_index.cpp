#include "takt_workload/stall_index.hpp"

#include <algorithm>

#include "takt_workload/work.hpp"

namespace takt_workload
{

StallIndex::StallIndex(const std::vector<Stall> & stalls)
{
  std::vector<Span> all;
  for (const Stall & stall : stalls) {
    if (stall.source != Stall::Source::throttled) {
      all.push_back({stall.begin, stall.end});
    }
  }
  std::sort(
    all.begin(), all.end(), [](const Span & a, const Span & b) { return a.begin < b.begin; });
  for (const Span & span : all) {
    if (!spans_.empty() && span.begin <= spans_.back().end) {
      spans_.back().end = std::max(spans_.back().end, span.end);
    } else {
      spans_.push_back(span);
    }
  }
}

bool StallIndex::overlaps(takt_core::Time begin, takt_core::Time end) const
{
  // Merged spans are ordered by their ends too.
  const auto first = std::lower_bound(
    spans_.begin(), spans_.end(), begin,
    [](const Span & span, takt_core::Time time) { return span.end < time; });
  return first != spans_.end() && first->begin <= end;
}

std::vector<Stall> overruns(const std::vector<RunRecord> & runs)
{
  std::vector<Stall> found;
  for (const RunRecord & run : runs) {
    if (const auto over = run.work_cpu - run.work_asked; over > Work::kOverrun) {
      // Work ends with the chunk that overran.
      found.push_back(
        {-1, run.work_end - over - Work::kChunk, run.work_end, Stall::Source::overrun});
    }
  }
  return found;
}

}  // namespace takt_workload
