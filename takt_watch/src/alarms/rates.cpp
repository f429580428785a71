#include "alarms/rates.hpp"

#include <algorithm>
#include <cmath>

namespace takt_watch
{
namespace
{

constexpr std::size_t kMostLooks = 64;
constexpr std::uint64_t kEnoughMessages = 10;
constexpr double kUsual = 10.0;      // s: how slowly what is usual follows
constexpr double kKnown = 1.0;       // s: so long something must have been seen to be usual
constexpr double kLatestRuns = 0.3;  // weight of a window's mean run time

double seconds(takt_core::Duration duration) noexcept
{
  return std::chrono::duration<double>(duration).count();
}

// The mean of what was seen so far, until that is longer than `kUsual`; then an exponential one.
void learn(double & usual, double & learned, double value, double dt) noexcept
{
  learned += dt;
  usual += (value - usual) * std::min(dt / std::min(learned, kUsual), 1.0);
}

// A count that a front end took back a little does not go on below zero.
double grown(std::uint64_t now, std::uint64_t before) noexcept
{
  return static_cast<double>(now - std::min(now, before));
}

}  // namespace

void Rates::note(takt_core::Time now, const CallbackSample & sample, double share, bool settled)
{
  const Look look{now, sample.arrivals, sample.starts};
  if (!looks_.empty()) {
    const double dt = seconds(now - looks_.back().time);
    // Not before its first message: until then there was no publisher.
    if (settled && dt > 0 && looks_.back().arrivals > 0) {
      learn(usual_rate_, learned_, grown(sample.arrivals, looks_.back().arrivals) / dt, dt);
    }
    const double runs = grown(sample.starts, starts_before_);
    // A run counts as busy when it ends, perhaps some looks after it started.
    if (runs > 0 && sample.busy > busy_before_ && dt > 0) {
      const double mean = seconds(sample.busy - busy_before_) * std::clamp(share, 0.0, 1.0) / runs;
      run_time_ = run_time_ ? *run_time_ + kLatestRuns * (mean - *run_time_) : mean;
      if (settled) {
        learn(usual_run_time_, learned_run_, mean, dt);
      }
      starts_before_ = sample.starts;
      busy_before_ = sample.busy;
    }
  } else {
    starts_before_ = sample.starts;
    busy_before_ = sample.busy;
  }
  looks_.push_back(look);
  if (looks_.size() > kMostLooks) {
    looks_.pop_front();
  }
  measure();
}

void Rates::measure() noexcept
{
  const Look & last = looks_.back();
  arrival_rate_ = 0;
  service_rate_ = 0;
  arrivals_ = 0;
  for (auto look = std::next(looks_.rbegin()); look < looks_.rend(); ++look) {
    const double dt = seconds(last.time - look->time);
    if (dt <= 0) {
      continue;
    }
    arrivals_ = static_cast<std::uint64_t>(grown(last.arrivals, look->arrivals));
    arrival_rate_ = static_cast<double>(arrivals_) / dt;
    service_rate_ = grown(last.taken, look->taken) / dt;
    if (arrivals_ >= kEnoughMessages) {
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
