#include "takt_trace/stall_index.hpp"

#include <algorithm>
#include <utility>

namespace takt_trace
{

std::vector<TimeSpan> merged(std::vector<TimeSpan> spans)
{
  std::sort(
    spans.begin(), spans.end(), [](const auto & a, const auto & b) { return a.begin < b.begin; });
  std::vector<TimeSpan> result;
  for (const TimeSpan & span : spans) {
    if (!result.empty() && span.begin <= result.back().end) {
      result.back().end = std::max(result.back().end, span.end);
    } else {
      result.push_back(span);
    }
  }
  return result;
}

std::vector<TimeSpan> host_spans(const std::vector<Stall> & stalls)
{
  std::vector<TimeSpan> spans;
  for (const Stall & stall : stalls) {
    if (stall.source != Stall::Source::throttled) {
      spans.push_back({stall.begin, stall.end});
    }
  }
  return spans;
}

StallIndex::StallIndex(const std::vector<Stall> & stalls) : StallIndex(host_spans(stalls))
{
}

StallIndex::StallIndex(std::vector<TimeSpan> spans) : spans_(merged(std::move(spans)))
{
}

bool StallIndex::overlaps(takt_rt::Time begin, takt_rt::Time end) const
{
  // Merged spans are ordered by their ends, too.
  const auto first = std::lower_bound(
    spans_.begin(), spans_.end(), begin,
    [](const TimeSpan & span, takt_rt::Time time) { return span.end < time; });
  return first != spans_.end() && first->begin <= end;
}

HeldUp held_up(
  const std::vector<Stall> & stalls, Stall::Source source, takt_rt::Time from, takt_rt::Time to)
{
  std::vector<TimeSpan> spans;
  for (const Stall & stall : stalls) {
    const TimeSpan span{std::max(stall.certain_from, from), std::min(stall.end, to)};
    if (stall.source == source && span.begin < span.end) {
      spans.push_back(span);
    }
  }
  HeldUp sum;
  for (const TimeSpan & span : merged(std::move(spans))) {
    ++sum.times;
    sum.time += span.end - span.begin;
  }
  return sum;
}

}  // namespace takt_trace
