#include "timer_state.hpp"

#include <algorithm>
#include <mutex>

namespace takt_rcl
{

void TimerState::cancel() noexcept
{
  std::lock_guard lock(mutex_);
  active_ = false;
  next_ = takt_rt::kNever;
  if (callback_ != nullptr) {
    scheduler_->cancel_timer(*callback_);
  }
}

void TimerState::reset() noexcept
{
  std::lock_guard lock(mutex_);
  const takt_rt::Time now = takt_rt::now();
  active_ = true;
  next_ = takt_rt::add_saturated(now, period_);
  if (callback_ != nullptr) {
    scheduler_->reset_timer(*callback_, now);
  }
}

void TimerState::set_period(takt_rt::Duration period) noexcept
{
  std::lock_guard lock(mutex_);
  period_ = period;
  if (callback_ != nullptr) {
    scheduler_->set_period(*callback_, period);
  }
}

bool TimerState::cancelled() const noexcept
{
  std::lock_guard lock(mutex_);
  return callback_ != nullptr ? scheduler_->timer_cancelled(*callback_) : !active_;
}

takt_rt::Duration TimerState::period() const noexcept
{
  std::lock_guard lock(mutex_);
  return period_;
}

takt_rt::Duration TimerState::until() const noexcept
{
  std::lock_guard lock(mutex_);
  takt_rt::Time next = next_;
  if (callback_ != nullptr) {
    next = scheduler_->next_release(*callback_);
  } else if (!active_) {
    next = takt_rt::kNever;
  } else if (next == takt_rt::kNever) {
    return period_;
  }
  return next == takt_rt::kNever ? takt_rt::kForever : next - takt_rt::now();
}

std::uint64_t TimerState::skipped() const noexcept
{
  std::lock_guard lock(mutex_);
  return skipped_ + (callback_ != nullptr ? callback_->skipped_periods() : 0);
}

std::optional<takt_rt::Duration> TimerState::offset(
  std::optional<takt_rt::Duration> first) const noexcept
{
  std::lock_guard lock(mutex_);
  if (next_ == takt_rt::kNever) {
    return first;
  }
  return std::max(next_ - takt_rt::now(), takt_rt::Duration::zero());
}

void TimerState::enter(takt_core::Scheduler & scheduler, takt_core::Callback & callback) noexcept
{
  std::lock_guard lock(mutex_);
  scheduler_ = &scheduler;
  callback_ = &callback;
  scheduler.set_period(callback, period_);
  if (!active_) {
    return;
  }
  const takt_rt::Time now = takt_rt::now();
  if (next_ < now) {
    // Makes up for at most one release missed outside of executors, whatever the policy.
    const auto missed = (now - next_) / period_;
    next_ += missed * period_;
    skipped_ += static_cast<std::uint64_t>(missed);
  }
  scheduler.resume_timer(callback, next_, now);
}

void TimerState::leave() noexcept
{
  std::lock_guard lock(mutex_);
  if (callback_ == nullptr) {
    return;
  }
  active_ = !scheduler_->timer_cancelled(*callback_);
  next_ = scheduler_->cancel_timer(*callback_);
  skipped_ += callback_->skipped_periods();
  callback_ = nullptr;
}

void TimerState::lose() noexcept
{
  std::lock_guard lock(mutex_);
  ++skipped_;
}

}  // namespace takt_rcl
