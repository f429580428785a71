#include "takt_core/clock/phases.hpp"

#include <algorithm>
#include <mutex>
#include <numeric>

#include "takt_core/callback.hpp"

namespace takt_core
{

using takt_rt::add_saturated;
using takt_rt::kForever;

namespace
{

// Longer hyperperiods are useless: a program runs only for a few of them.
constexpr Duration kMostHyperperiod = std::chrono::hours(1);

}  // namespace

std::string_view to_string(Disturbance cause) noexcept
{
  switch (cause) {
    case Disturbance::skipped_period:
      return "skipped period";
    case Disturbance::lost_message:
      return "lost message";
    case Disturbance::restarted_process:
      return "restarted process";
  }
  return "unknown";
}

void PhasedTimers::add(const TimerOptions & timer) noexcept
{
  longest_offset = std::max(longest_offset, timer.offset.value_or(Duration::zero()));
  if (hyperperiod == kForever || timer.period <= Duration::zero()) {
    return;
  }
  const Duration before = std::max(hyperperiod, Duration{1});
  const Duration::rep factor =
    timer.period.count() / std::gcd(before.count(), timer.period.count());
  hyperperiod = before > kMostHyperperiod / factor ? kForever : before * factor;
}

std::optional<Duration> PhasedTimers::settle() const noexcept
{
  if (hyperperiod <= Duration::zero() || hyperperiod == kForever) {
    return std::nullopt;
  }
  return (longest_offset / hyperperiod + 1) * hyperperiod;
}

Phases::Phases(const PhaseOptions & options, Epoch epoch) noexcept
: options_(options),
  epoch_(epoch)
{
}

void Phases::begin(Time start, Begins begins) noexcept
{
  const std::lock_guard lock(mutex_);
  if (start_ && begins == Begins::once) {
    return;
  }
  start_ = start;
  unsettled_ = start;
  disturbed_ = false;
  for_good_ = false;
}

void Phases::note(Disturbance cause, const Callback & callback, Phased phased, Time now) noexcept
{
  const std::lock_guard lock(mutex_);
  ++disturbances_;
  cause_ = cause;
  time_ = std::max(time_, now);
  unsettled_ = std::max(unsettled_, now);
  disturbed_ = true;
  for_good_ = for_good_ || phased == Phased::for_good;
  id_size_ = std::min(callback.id().size(), kMostId);
  std::copy_n(callback.id().begin(), id_size_, id_.begin());
}

void Phases::publisher_began(const Callback & callback, bool again, Time now) noexcept
{
  if (epoch_ == Epoch::start) {
    return;  // the phases of another process are unknown, so no bound rests on them
  }
  if (again) {
    // Bounds of sets with messages of several processes hold whichever messages come first.
    note(Disturbance::restarted_process, callback, Phased::settles, now);
    return;
  }
  const std::lock_guard lock(mutex_);
  unsettled_ = std::max(unsettled_, now);
}

PhaseState Phases::state(const PhasedTimers & timers) const
{
  PhaseState state;
  const std::lock_guard lock(mutex_);
  state.disturbances = disturbances_;
  if (disturbances_ > 0) {
    state.last = {cause_, std::string(id_.data(), id_size_), time_};
  }
  state.started = start_.has_value();
  const auto settles = options_.settles || disturbed_ ? options_.settles : timers.settle();
  if (!start_ || for_good_) {
    state.holds_from = kNever;
  } else if (!disturbed_ && epoch_ == Epoch::start) {
    state.holds_from = *start_;
  } else if (settles) {
    state.holds_from = add_saturated(unsettled_, *settles);
  }
  return state;
}

}  // namespace takt_core
