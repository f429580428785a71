#include "alarms/own_runs.hpp"

#include <algorithm>
#include <chrono>
#include <functional>

namespace takt_watch
{
namespace
{

using takt_rt::Duration;

constexpr double kLonger = 1.25;      // times the usual mean
constexpr double kOneIsLonger = 2.0;  // times the usual mean, for a single run
constexpr double kWholeCore = 0.95;
// Seconds. Without a usual mean a run of this length is long.
constexpr double kLongWhereNothingIsUsual = 1.0;

double in_seconds(Duration duration) noexcept
{
  return std::chrono::duration<double>(duration).count();
}

// The time of the longest run in progress, divided by the usual time; absent: that run is not long,
// or does not explain the alarm.
std::optional<double> one_is_longer(const Suspect & suspect, bool pile_up)
{
  const auto usual = suspect.rates.usual_run_time();
  const auto is_long = [&](Duration run) {
    return usual ? in_seconds(run) > kOneIsLonger * *usual
                 : in_seconds(run) >= kLongWhereNothingIsUsual;
  };
  const auto & runs = suspect.under_way;
  const auto all = static_cast<double>(std::count_if(runs.begin(), runs.end(), is_long));
  if (all == 0 || all < suspect.at_once()) {
    return std::nullopt;  // other runs of the callback may still make progress
  }
  const double longest = in_seconds(runs.front());
  const double came = longest * suspect.rates.arrival_rate();
  if (pile_up && came < 0.5 * suspect.callback.waiting) {
    return std::nullopt;
  }
  return longest / std::max(usual.value_or(kLongWhereNothingIsUsual), 1e-9);
}

std::optional<double> all_are_longer(const Suspect & suspect, bool pile_up)
{
  const auto usual = suspect.rates.usual_run_time();
  if (!usual) {
    return std::nullopt;
  }
  const double latest = suspect.rates.latest_run_time().value_or(0.0);
  const double run = pile_up ? std::max(latest, suspect.rates.run_time().value_or(0.0)) : latest;
  const double demand = suspect.rates.arrival_rate() * run / suspect.at_once();
  return run > kLonger * *usual && (!pile_up || demand > kWholeCore)
           ? std::optional(run / std::max(*usual, 1e-9))
           : std::nullopt;
}

}  // namespace

double Suspect::at_once() const noexcept
{
  return callback.exclusive ? 1.0 : std::max(static_cast<double>(callback.threads.size()), 1.0);
}

std::optional<LongerRuns> longer_runs(const Suspect & suspect, bool pile_up)
{
  const auto one = one_is_longer(suspect, pile_up);
  const auto all = all_are_longer(suspect, pile_up);
  if (!one && !all) {
    return std::nullopt;
  }
  if (one && *one > all.value_or(0.0)) {
    return LongerRuns{*one, suspect.under_way.front()};
  }
  return LongerRuns{*all, std::nullopt};
}

void RunsUnderWay::note(
  const ExecutorSample & before, const ExecutorSample & now, takt_rt::Time time)
{
  for (const ThreadSample & thread : now.threads) {
    if (!thread.running) {
      continue;
    }
    Run & run = runs_[{now.name, thread.number}];
    if (run.id != thread.running->id || run.since != thread.running->since) {
      run.id = thread.running->id;
      run.since = thread.running->since;
      // The earlier look may precede the run. So `waited` may be too large and `lasted` too small,
      // but never the other way round.
      run.waited_before = thread.run_queue_delay;
      for (const ThreadSample & earlier : before.threads) {
        if (earlier.number == thread.number && earlier.tid == thread.tid) {
          run.waited_before = earlier.run_queue_delay;
        }
      }
    }
    const Duration waited = std::max(thread.run_queue_delay - run.waited_before, Duration::zero());
    run.lasted = std::max(time - run.since - waited, Duration::zero());
    run.seen = true;
  }
}

void RunsUnderWay::forget_others()
{
  std::erase_if(runs_, [](const auto & one) { return !one.second.seen; });
  for (auto & [key, run] : runs_) {
    run.seen = false;
  }
}

std::vector<Duration> RunsUnderWay::of(const std::string & executor, const std::string & id) const
{
  std::vector<Duration> found;
  for (const auto & [key, run] : runs_) {
    if (run.seen && key.first == executor && run.id == id) {
      found.push_back(run.lasted);
    }
  }
  std::sort(found.begin(), found.end(), std::greater<>());
  return found;
}

}  // namespace takt_watch
