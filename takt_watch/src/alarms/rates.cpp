#include "alarms/rates.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace takt_watch
{
namespace
{

constexpr std::size_t kMostLooks = 64;
constexpr std::uint64_t kEnoughMessages = 10;
constexpr double kAway = 10.0;   // messages that would usually come during a pause of the publisher
constexpr double kUsual = 10.0;  // s: time constant of the usual values
constexpr double kKnown = 1.0;   // s: least time of observation for a usual value
constexpr double kLatestRuns = 0.3;  // weight of a window's mean run time
constexpr std::uint64_t kFewRuns = 3;
constexpr std::ptrdiff_t kFewLooks = 10;

double seconds_of(takt_rt::Duration duration) noexcept
{
  return std::chrono::duration<double>(duration).count();
}

// Adds `value` to a mean: a plain mean until `learned` exceeds `kUsual`, then an exponential mean.
void learn(double & usual, double & learned, double value, double dt) noexcept
{
  learned += dt;
  usual += (value - usual) * std::min(dt / std::min(learned, kUsual), 1.0);
}

// The growth of a count; 0 if the count fell, because a front end may correct a count downwards.
double grown(std::uint64_t now, std::uint64_t before) noexcept
{
  return static_cast<double>(now - std::min(now, before));
}

// The seconds of `busy` in which the runs did not wait for a core. `core` also counts the time of
// other callbacks on the same threads, and runs may have slept. In each of these cases one of the
// two estimates is too small, so take the larger one.
double without_waits(double busy, const CoreTime & core) noexcept
{
  const double wanted = core.had + core.waited;
  return std::max(wanted > 0 ? busy * core.had / wanted : busy, busy - core.waited);
}

}  // namespace

void Rates::note(
  takt_rt::Time now, const CallbackSample & sample, const CoreTime & core, std::size_t under_way,
  bool settled)
{
  const std::uint64_t ends = sample.starts - std::min<std::uint64_t>(under_way, sample.starts);
  if (!looks_.empty()) {
    core_.had += core.had;
    core_.waited += core.waited;
    const double dt = seconds_of(now - looks_.back().time);
    // Learn only after the first message: before it there was no publisher.
    if (settled && dt > 0 && looks_.back().arrivals > 0) {
      learn(usual_rate_, learned_, grown(sample.arrivals, looks_.back().arrivals) / dt, dt);
    }
    const double runs = grown(ends, ends_before_);
    // `busy` counts a run only when it ends, perhaps some looks after its start.
    if (runs > 0 && sample.busy > busy_before_ && dt > 0) {
      const double worked = without_waits(seconds_of(sample.busy - busy_before_), core_);
      const double mean = worked / runs;
      run_time_ = run_time_ ? *run_time_ + kLatestRuns * (mean - *run_time_) : mean;
      if (settled) {
        learn(usual_run_time_, learned_run_, mean, dt);
      }
      worked_ += worked;
      core_ = {};
      ends_before_ = ends;
      busy_before_ = sample.busy;
    }
  } else {
    ends_before_ = ends;
    busy_before_ = sample.busy;
  }
  looks_.push_back({now, sample.arrivals, sample.starts, ends_before_, worked_});
  if (looks_.size() > kMostLooks) {
    looks_.pop_front();
  }
  measure();
  measure_runs();
}

void Rates::measure() noexcept
{
  const Look & last = looks_.back();
  arrival_rate_ = 0;
  service_rate_ = 0;
  arrivals_ = 0;
  double rate_before_pause = 0;
  takt_rt::Time pause_ended{};
  for (auto look = std::next(looks_.rbegin()); look < looks_.rend(); ++look) {
    const double dt = seconds_of(last.time - look->time);
    if (dt <= 0) {
      continue;
    }
    const Look & younger = *std::prev(look);
    if (younger.arrivals > look->arrivals) {
      pause_ended = look->time;
    } else if (
      arrivals_ > 0 && learned_ >= kKnown &&
      seconds_of(pause_ended - look->time) * usual_rate_ >= kAway) {
      arrival_rate_ = rate_before_pause;
      break;
    }
    arrivals_ = static_cast<std::uint64_t>(grown(last.arrivals, look->arrivals));
    arrival_rate_ = static_cast<double>(arrivals_) / dt;
    if (younger.arrivals > look->arrivals) {
      rate_before_pause = arrival_rate_;
    }
    service_rate_ = grown(last.taken, look->taken) / dt;
    if (arrivals_ >= kEnoughMessages) {
      break;
    }
  }
}

void Rates::measure_runs() noexcept
{
  const Look & last = looks_.back();
  latest_run_time_.reset();
  const auto oldest = looks_.rbegin() + std::min<std::ptrdiff_t>(std::ssize(looks_), kFewLooks + 1);
  for (auto look = std::next(looks_.rbegin()); look < oldest; ++look) {
    if (const double runs = grown(last.ends, look->ends); runs > 0) {
      latest_run_time_ = (last.worked - look->worked) / runs;
    }
    if (last.ends - look->ends >= kFewRuns) {
      break;
    }
  }
}

std::optional<double> Rates::usual_rate() const noexcept
{
  return learned_ >= kKnown ? std::optional(usual_rate_) : std::nullopt;
}

std::optional<double> Rates::usual_run_time() const noexcept
{
  return learned_run_ >= kKnown ? std::optional(usual_run_time_) : std::nullopt;
}

}  // namespace takt_watch
