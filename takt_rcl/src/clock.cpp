#include "takt_rcl/clock.hpp"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <stdexcept>

#include "takt_core/adapter/announced_callback.hpp"

namespace takt_rcl
{

Clock::Clock(rcl_clock_type_t type) : Clock(type, false)
{
  if (type != RCL_ROS_TIME && type != RCL_SYSTEM_TIME && type != RCL_STEADY_TIME) {
    throw std::invalid_argument("a clock is of ROS, system or steady time");
  }
}

Clock::Clock(rcl_clock_type_t type, bool simulated) : type_(type), simulated_(simulated)
{
}

Clock::SharedPtr Clock::simulated()
{
  return SharedPtr(new Clock(RCL_ROS_TIME, true));
}

Time Clock::now() const noexcept
{
  if (simulated_) {
    return Time(simulated_now_.load(std::memory_order_acquire), type_);
  }
  if (type_ == RCL_STEADY_TIME) {
    return Time(takt_rt::to_ns(takt_rt::now()), type_);
  }
  const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
  return Time(std::chrono::duration_cast<std::chrono::nanoseconds>(since_epoch).count(), type_);
}

void Clock::set_simulated(Time now) noexcept
{
  std::lock_guard lock(mutex_);
  const Time before(simulated_now_.exchange(now.nanoseconds(), std::memory_order_acq_rel));
  if (!started_) {
    started_ = true;
    for (SimTimer * const timer : timers_) {
      if (timer->active) {
        arm(*timer, *timer->first);
      }
    }
  } else if (now < before) {
    for (SimTimer * const timer : timers_) {
      if (timer->active && timer->next > now + timer->period) {
        disarm(*timer);
        arm(*timer, timer->period);
      }
    }
  }
  while (!heap_.empty() && heap_.top()->next <= now) {
    release(*heap_.top(), now);
  }
}

void Clock::release(SimTimer & timer, Time now) noexcept
{
  const takt_rt::Duration::rep passed = (now - timer.next) / timer.period;
  timer.expected.store(timer.next.nanoseconds(), std::memory_order_relaxed);
  timer.skipped.fetch_add(static_cast<std::uint64_t>(passed), std::memory_order_relaxed);
  timer.next = timer.next + (passed + 1) * timer.period;
  heap_.update(&timer);
  // A timer begins the activations of its chains itself. So its release must not belong to an
  // activation of the callback that set the time.
  static const takt_core::ActivationSet nobody;
  const takt_core::ActivationScope scope(nobody);
  timer.target->use([](takt_core::Executor & executor, takt_core::Callback & callback) {
    static_cast<takt_core::adapter::AnnouncedCallback &>(callback).announce(executor, 1);
  });
}

void Clock::arm(SimTimer & timer, takt_rt::Duration after) noexcept
{
  timer.next = now() + after;
  timer.begun = true;
  heap_.push(&timer);
}

void Clock::disarm(SimTimer & timer) noexcept
{
  if (timer.place != UINT32_MAX) {
    heap_.remove(&timer);
  }
}

void Clock::add(
  SimTimer & timer, const takt_core::adapter::Attachment & target,
  std::optional<takt_rt::Duration> first)
{
  std::lock_guard lock(mutex_);
  timer.first = timer.first.value_or(first.value_or(timer.period));
  timer.target = &target;
  timers_.push_back(&timer);
  heap_.reserve(timers_.size());
  if (started_ && timer.active) {
    if (timer.begun && timer.next <= now() + timer.period) {
      heap_.push(&timer);  // continues from its state in its last executor
    } else {
      arm(timer, *timer.first);
    }
  }
}

void Clock::remove(SimTimer & timer) noexcept
{
  std::lock_guard lock(mutex_);
  disarm(timer);
  timer.target = nullptr;
  std::erase(timers_, &timer);
}

void Clock::cancel(SimTimer & timer) noexcept
{
  std::lock_guard lock(mutex_);
  timer.active = false;
  disarm(timer);
}

void Clock::reset(SimTimer & timer) noexcept
{
  std::lock_guard lock(mutex_);
  timer.active = true;
  disarm(timer);
  if (started_ && timer.target != nullptr) {
    arm(timer, timer.period);
  } else {
    timer.first = timer.period;
    timer.begun = false;
  }
}

void Clock::set_period(SimTimer & timer, takt_rt::Duration period) noexcept
{
  std::lock_guard lock(mutex_);
  timer.period = period;
}

bool Clock::cancelled(const SimTimer & timer) const noexcept
{
  std::lock_guard lock(mutex_);
  return !timer.active;
}

takt_rt::Duration Clock::period(const SimTimer & timer) const noexcept
{
  std::lock_guard lock(mutex_);
  return timer.period;
}

takt_rt::Duration Clock::until(const SimTimer & timer) const noexcept
{
  std::lock_guard lock(mutex_);
  if (!timer.active) {
    return takt_rt::kForever;
  }
  return timer.place != UINT32_MAX ? timer.next - now() : timer.period;
}

}  // namespace takt_rcl
