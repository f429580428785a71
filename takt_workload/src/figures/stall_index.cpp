#include "takt_workload/stall_index.hpp"

#include <algorithm>
#include <utility>

#include "takt_workload/work.hpp"

namespace takt_workload
{

namespace
{

// A message that was published at the end of a run may arrive so much later.
constexpr takt_core::Duration kOnItsWay = std::chrono::milliseconds(1);

// At a load of up to nine tenths what has piled up is worked off in ten times the length of the stall; and
// so long it may take in any case.
constexpr int kMostTimes = 10;
constexpr takt_core::Duration kLeast = std::chrono::milliseconds(50);

// By begin, and none touches another.
std::vector<TimeSpan> merged(std::vector<TimeSpan> all)
{
  std::sort(
    all.begin(), all.end(), [](const auto & a, const auto & b) { return a.begin < b.begin; });
  std::vector<TimeSpan> spans;
  for (const TimeSpan & span : all) {
    if (!spans.empty() && span.begin <= spans.back().end) {
      spans.back().end = std::max(spans.back().end, span.end);
    } else {
      spans.push_back(span);
    }
  }
  return spans;
}

std::vector<TimeSpan> of_host(const std::vector<Stall> & stalls)
{
  std::vector<TimeSpan> all;
  for (const Stall & stall : stalls) {
    if (stall.source != Stall::Source::throttled) {
      all.push_back({stall.begin, stall.end});
    }
  }
  return all;
}

}  // namespace

StallIndex::StallIndex(const std::vector<Stall> & stalls) : StallIndex(of_host(stalls))
{
}

StallIndex::StallIndex(std::vector<TimeSpan> spans) : spans_(merged(std::move(spans)))
{
}

bool StallIndex::overlaps(takt_core::Time begin, takt_core::Time end) const
{
  // Merged spans are ordered by their ends too.
  const auto first = std::lower_bound(
    spans_.begin(), spans_.end(), begin,
    [](const TimeSpan & span, takt_core::Time time) { return span.end < time; });
  return first != spans_.end() && first->begin <= end;
}

HeldUp held_up(
  const std::vector<Stall> & stalls, Stall::Source source, takt_core::Time from, takt_core::Time to)
{
  std::vector<TimeSpan> all;
  for (const Stall & stall : stalls) {
    const TimeSpan span{std::max(stall.certain_from, from), std::min(stall.end, to)};
    if (stall.source == source && span.begin < span.end) {
      all.push_back(span);
    }
  }
  HeldUp sum;
  for (const TimeSpan & span : merged(std::move(all))) {
    ++sum.times;
    sum.time += span.end - span.begin;
  }
  return sum;
}

std::vector<TimeSpan> catching_up(
  const std::vector<Stall> & stalls, const std::vector<RunRecord> & runs)
{
  std::vector<TimeSpan> pending;
  for (const RunRecord & run : runs) {
    pending.push_back({run.release, run.end + kOnItsWay});
  }
  const std::vector<TimeSpan> busy = merged(std::move(pending));
  std::vector<TimeSpan> found;
  for (const TimeSpan & stall : of_host(stalls)) {
    const auto period = std::lower_bound(
      busy.begin(), busy.end(), stall.end,
      [](const TimeSpan & span, takt_core::Time time) { return span.end < time; });
    if (period != busy.end() && period->begin <= stall.end) {
      const takt_core::Duration most = std::max(kMostTimes * (stall.end - stall.begin), kLeast);
      found.push_back({stall.end, std::min(period->end, stall.end + most)});
    }
  }
  return merged(std::move(found));
}

std::vector<Stall> overruns(const std::vector<RunRecord> & runs)
{
  std::vector<Stall> found;
  for (const RunRecord & run : runs) {
    if (const auto over = run.work_cpu - run.work_asked; over > Work::kOverrun) {
      // Work ends with the chunk that overran.
      found.push_back(
        {-1, run.work_end - over - Work::kChunk, run.work_end, Stall::Source::overrun,
         run.work_end - over});
    }
  }
  return found;
}

}  // namespace takt_workload
