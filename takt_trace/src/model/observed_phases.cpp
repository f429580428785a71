#include "model/observed_phases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "takt_core/time.hpp"

namespace takt_trace
{
namespace
{

using takt_core::Duration;

// Releases that show a phase.
constexpr std::uint64_t kFewReleases = 3;
// takt reads rclcpp's timers to within 0.1 ms, and a timer that the program resets moves by much more.
constexpr Duration kOneGrid = std::chrono::microseconds(250);
// Below it a jitter is the reading of the clock.
constexpr Duration kLeastJitter = std::chrono::microseconds(1);

bool is_phased(const ObservedCallback & one)
{
  return one.model.is_timer() && one.model.period && one.phase.count >= kFewReleases &&
         one.processes.size() == 1;
}

/// Whether its releases lie on one grid. A timer that ran in less than half of its periods was stopped, or came late.
bool keeps_phase(const ObservedCallback & one)
{
  const Duration period = *one.model.period;
  const double due =
    static_cast<double>(one.phase.last - one.phase.first) / static_cast<double>(period.count()) + 1;
  return Duration{one.phase.spread()} <= std::min(kOneGrid, period / 4) &&
         static_cast<double>(one.phase.count + one.skipped) * 2 >= due &&
         static_cast<double>(one.runs + one.skipped) * static_cast<double>(period.count()) * 2 >=
           one.seconds * 1e9;
}

double ms_of(std::int64_t ns)
{
  return static_cast<double>(ns) / 1e6;
}

std::int64_t within(std::int64_t ns, std::int64_t period)
{
  return ((ns % period) + period) % period;
}

/// The period that a message's sender most likely has: three digits of the one that was measured.
std::int64_t likely_period(double period)
{
  double unit = 1;
  while (period / unit >= 1000) {
    unit *= 10;
  }
  return std::llround(std::round(period / unit) * unit);
}

}  // namespace

std::string phase_of_messages(const ObservedCallback & one)
{
  const ReleaseFit & fit = one.fit;
  const auto spread = static_cast<double>(fit.late - fit.early);
  if (fit.count == 0 || one.missed > 0 || fit.period < 1e3 || spread > fit.period / 4) {
    return {};
  }
  const double seconds = fit.period * static_cast<double>(fit.count - 1) / 1e9;
  const std::int64_t likely = likely_period(fit.period);
  const double drift = (fit.period - static_cast<double>(likely)) / fit.period;
  const std::string even = fmt::format(
    "; for {:.1f} s they came every {:.6f} ms, to within {:.3f} ms", seconds, fit.period / 1e6,
    spread / 1e6);
  // What the reading of the clock explains, or the messages' own unevenness, is no drift.
  if (std::abs(drift) * seconds * 1e9 > std::max(spread, static_cast<double>(kOneGrid.count()))) {
    return even +
           fmt::format(
             ", by a clock that {} {:.1f} us in each second {} the host's: no phase to timers",
             drift > 0 ? "falls" : "gains", std::abs(drift) * 1e6, drift > 0 ? "behind" : "on");
  }
  return even + fmt::format(
                  ", the earliest {:.3f} ms behind whole periods of the host's clock",
                  ms_of(within(fit.first + fit.early, likely)));
}

void set_phases(Observation & seen, std::vector<std::string> & notes)
{
  std::set<int> processes;
  std::int64_t earliest = INT64_MAX;
  for (const ObservedCallback & one : seen.callbacks) {
    if (is_phased(one)) {
      processes.insert(one.processes.begin(), one.processes.end());
      if (one.phase_given && keeps_phase(one)) {
        earliest = std::min(earliest, one.phase.first + one.phase.early);
      }
    }
  }
  const bool to_host = processes.size() > 1;
  std::size_t by_start = 0;
  for (ObservedCallback & one : seen.callbacks) {
    if (!is_phased(one)) {
      continue;
    }
    const std::int64_t period = one.model.period->count();
    const double seconds = static_cast<double>(one.phase.last - one.phase.first) / 1e9;
    if (!keeps_phase(one)) {
      one.caveats += fmt::format(
        "; its phase is not known: in {:.1f} s its releases were up to {:.3f} ms off one grid, or "
        "too few",
        seconds, ms_of(one.phase.spread()));
      continue;
    }
    const std::int64_t at = one.phase.first + one.phase.early;
    const std::string kept = fmt::format(
      "; for {:.1f} s all releases were within {:.3f} ms of one grid, {:.3f} ms behind whole "
      "periods of the host's clock",
      seconds, ms_of(one.phase.spread()), ms_of(within(at, period)));
    if (!one.phase_given) {
      ++by_start;
      one.model.offset = Duration::zero();
      one.caveats += kept +
                     ". The start of the program decides that: `offset` is what a schedule of takt "
                     "gives the timer";
      continue;
    }
    one.model.offset = Duration{within(at - (to_host ? 0 : earliest), period)};
    if (const Duration jitter{one.phase.spread()}; jitter >= kLeastJitter) {
      one.model.jitter = jitter;
    }
    one.caveats += kept + (to_host ? "; `offset` is that" : "; `offset` is to the earliest timer");
  }
  if (by_start > 0) {
    notes.push_back(fmt::format(
      "{} {} phases that depend on when the program starts; the model gives them offset 0ms, and "
      "under a plan takt releases them by the plan's offsets",
      by_start, by_start == 1 ? "timer has" : "timers have"));
  }
}

}  // namespace takt_trace
