#include "figures/run_stalls.hpp"

#include <algorithm>
#include <utility>

#include "run/work.hpp"

namespace takt_workload
{

namespace
{

// The longest time after the end of a run in which its last message may arrive.
constexpr takt_rt::Duration kOnItsWay = std::chrono::milliseconds(1);

// At a load of up to 90 %, the delayed work is done within ten times the length of the stall. This
// is also the limit of a span.
constexpr int kMostTimes = 10;
constexpr takt_rt::Duration kLeast = std::chrono::milliseconds(50);

}  // namespace

std::vector<TimeSpan> catching_up(
  const std::vector<Stall> & stalls, const std::vector<RunRecord> & runs)
{
  std::vector<TimeSpan> pending;
  for (const RunRecord & run : runs) {
    pending.push_back({run.release, run.end + kOnItsWay});
  }
  const std::vector<TimeSpan> busy = takt_trace::merged(std::move(pending));
  std::vector<TimeSpan> found;
  for (const TimeSpan & stall : takt_trace::host_spans(stalls)) {
    const auto period = std::lower_bound(
      busy.begin(), busy.end(), stall.end,
      [](const TimeSpan & span, takt_rt::Time time) { return span.end < time; });
    if (period != busy.end() && period->begin <= stall.end) {
      const takt_rt::Duration most = std::max(kMostTimes * (stall.end - stall.begin), kLeast);
      found.push_back({stall.end, std::min(period->end, stall.end + most)});
    }
  }
  return takt_trace::merged(std::move(found));
}

std::vector<Stall> overruns(const std::vector<RunRecord> & runs)
{
  std::vector<Stall> found;
  for (const RunRecord & run : runs) {
    if (const auto over = run.work_cpu - run.work_asked; over > Work::kOverrun) {
      // The overrun ends with the chunk of work that overran. The run slept afterwards.
      const takt_rt::Time end = run.work_end - run.slept;
      found.push_back({-1, end - over - Work::kChunk, end, Stall::Source::overrun, end - over});
    }
  }
  return found;
}

}  // namespace takt_workload
