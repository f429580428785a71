#include "model/observed_phases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "takt_rt/readable.hpp"
#include "takt_rt/time.hpp"

namespace takt_trace
{
namespace
{

using takt_rt::Duration;
using takt_rt::human;

// The least number of releases that show a phase.
constexpr std::uint64_t kFewReleases = 3;
// takt reads rclcpp's timers with an error of up to 0.1 ms; a timer that the program resets moves
// by much more.
constexpr Duration kOneGrid = std::chrono::microseconds(250);
// A smaller jitter comes from reading the clock.
constexpr Duration kLeastJitter = std::chrono::microseconds(1);

bool is_seen(const ObservedCallback & one)
{
  return one.model.is_timer() && one.model.period && one.phase.count > 0 &&
         one.processes.size() == 1;
}

/// True if its releases do not lie on one grid. A timer with runs in less than half of its periods
/// was stopped, or started late.
bool leaves_grid(const ObservedCallback & one)
{
  const Duration period = *one.model.period;
  const double due =
    static_cast<double>(one.phase.last - one.phase.first) / static_cast<double>(period.count()) + 1;
  return Duration{one.phase.spread()} > std::min(kOneGrid, period / 4) ||
         static_cast<double>(one.phase.count + one.skipped) * 2 < due ||
         static_cast<double>(one.runs + one.skipped) * static_cast<double>(period.count()) * 2 <
           one.seconds * 1e9;
}

bool keeps_phase(const ObservedCallback & one)
{
  return one.phase.count >= kFewReleases && !leaves_grid(one);
}

// Releases that takt chose are whole units from each other, or from zero of the host's clock.
// rclcpp's are so only by chance.
constexpr std::int64_t kUnitOfOffsets = 1'000;

/// True if takt chose the phase, so that it is the same after the next start.
bool is_given(const ObservedCallback & one, const Observation & seen)
{
  const auto whole = [](std::int64_t ns) { return ns % kUnitOfOffsets == 0; };
  if (one.has_offset) {
    return *one.has_offset;
  }
  return one.under_takt &&
         (whole(one.phase.first) ||
          std::any_of(
            seen.callbacks.begin(), seen.callbacks.end(), [&](const ObservedCallback & other) {
              return &other != &one && is_seen(other) && other.processes == one.processes &&
                     whole(other.phase.first - one.phase.first);
            }));
}

double ms_of(std::int64_t ns)
{
  return static_cast<double>(ns) / 1e6;
}

std::int64_t within(std::int64_t ns, std::int64_t period)
{
  return ((ns % period) + period) % period;
}

/// The likely period of a message's sender: the measured one, rounded to three digits.
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
    "; for {:.1f} s they came every {:.6f} ms, to within {}", seconds, fit.period / 1e6,
    human(spread));
  // The reading of the clock, or irregular messages, may explain so small a drift.
  if (std::abs(drift) * seconds * 1e9 > std::max(spread, static_cast<double>(kOneGrid.count()))) {
    return even + fmt::format(
                    ", by a clock that {} {} in each second {} the host's: no phase to timers",
                    drift > 0 ? "falls" : "gains", human(std::abs(drift) * 1e9),
                    drift > 0 ? "behind" : "on");
  }
  return even +
         fmt::format(
           ", the earliest {0:.3f} ms behind whole periods of the host's clock; if they always "
           "do, `offset: {0:.3f}ms` and a `jitter` say so",
           ms_of(within(fit.first + fit.early, likely)));
}

void set_phases(Observation & seen, std::vector<std::string> & notes)
{
  std::set<int> processes;
  std::int64_t earliest = INT64_MAX;
  for (const ObservedCallback & one : seen.callbacks) {
    if (is_seen(one)) {
      processes.insert(one.processes.begin(), one.processes.end());
      if (keeps_phase(one) && is_given(one, seen)) {
        earliest = std::min(earliest, one.phase.first + one.phase.early);
      }
    }
  }
  const bool to_host = processes.size() > 1;
  std::size_t by_start = 0, of_hosts = 0;
  for (ObservedCallback & one : seen.callbacks) {
    if (!is_seen(one)) {
      continue;
    }
    const std::int64_t period = one.model.period->count();
    const double seconds = static_cast<double>(one.phase.last - one.phase.first) / 1e9;
    if (leaves_grid(one)) {
      one.model.any_phase = true;
      one.caveats += fmt::format(
        "; it keeps no phase: in {:.1f} s its releases were up to {} off one grid, or too "
        "few",
        seconds, human(Duration{one.phase.spread()}));
      continue;
    }
    if (!keeps_phase(one)) {
      continue;
    }
    const std::int64_t at = one.phase.first + one.phase.early;
    const std::string kept = fmt::format(
      "; for {:.1f} s all releases were within {} of one grid, {:.3f} ms behind whole "
      "periods of the host's clock",
      seconds, human(Duration{one.phase.spread()}), ms_of(within(at, period)));
    if (!is_given(one, seen)) {
      ++by_start;
      one.caveats += kept +
                     ". The start of the program decides that, and the next start gives another "
                     "one; a rule of a schedule may give it an offset that stays";
      continue;
    }
    one.model.offset = Duration{within(at - (to_host ? 0 : earliest), period)};
    if (const Duration jitter{one.phase.spread()}; jitter >= kLeastJitter) {
      one.model.jitter = jitter;
    }
    one.caveats += kept + (to_host ? "; `offset` is that" : "; `offset` is to the earliest timer");
    ++of_hosts;
  }
  if (to_host && of_hosts > 0) {
    notes.push_back(
      "offsets in the model count on the host's clock, because several processes have timers; they "
      "hold under a schedule with epoch: host");
  }
  if (by_start > 0) {
    notes.push_back(fmt::format(
      "{} {} a phase that depends on when the program starts; the model has no offset of {}, and a "
      "schedule may give {} one that stays",
      by_start, by_start == 1 ? "timer has" : "timers have", by_start == 1 ? "it" : "them",
      by_start == 1 ? "it" : "them"));
  }
}

}  // namespace takt_trace
