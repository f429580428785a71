#include "figures/missing_releases.hpp"

#include <algorithm>
#include <cstdint>

namespace takt_workload
{

using takt_rt::Duration;
using takt_rt::Time;

std::vector<takt_trace::UnstartedReleases> missing_releases(
  const CallbackTable & table, const std::vector<RunRecord> & runs,
  const std::vector<TimerRecord> & timers, Time from, Time to, Time observed_to)
{
  std::vector<takt_trace::UnstartedReleases> missing(table.callbacks().size());
  const auto measured = [&](Time time) { return time >= from && time < to; };
  for (const RunRecord & run : runs) {
    const Duration period = table.callbacks()[run.callback].period;
    for (std::uint32_t i = 1; i <= run.skipped && period > Duration::zero(); ++i) {
      if (const Time due = run.release + i * period; measured(due)) {
        missing[run.callback].skipped.push_back(takt_rt::to_ns(due));
      }
    }
  }
  for (const TimerRecord & timer : timers) {
    const Duration period = table.callbacks()[timer.callback].period;
    if (timer.next > observed_to || period <= Duration::zero()) {
      continue;
    }
    takt_trace::UnstartedReleases & own = missing[timer.callback];
    if (measured(timer.next)) {
      own.waiting = takt_rt::to_ns(timer.next);
    }
    const Time end = std::min(to, observed_to);
    for (Time due = timer.next + period; due < end; due += period) {
      if (due >= from) {
        own.skipped.push_back(takt_rt::to_ns(due));
      }
    }
  }
  return missing;
}

}  // namespace takt_workload
