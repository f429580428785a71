#include "takt_rcl/timer.hpp"

#include <stdexcept>
#include <utility>

#include "engine.hpp"
#include "takt_rcl/error.hpp"
#include "takt_rt/duration_text.hpp"
#include "timer_run.hpp"

namespace takt_rcl
{

namespace
{

takt_rt::Duration checked(takt_rt::Duration period)
{
  if (period <= takt_rt::Duration::zero()) {
    throw std::invalid_argument("a timer's period must be positive");
  }
  return period;
}

}  // namespace

Timer::Timer(
  std::shared_ptr<NodeState> node, takt_rt::Duration period, Function function,
  TimerOptions options, std::shared_ptr<Clock> clock)
: Entity(
    std::move(node), takt_core::Kind::timer, "timer", takt_rt::print_duration(checked(period)),
    options),
  shared_(std::make_shared<Shared>())
{
  shared_->function = std::move(function);
  shared_->state = std::make_shared<TimerState>(period, options.autostart);
  shared_->clock = std::move(clock);
  shared_->sim.period = period;
  shared_->sim.active = options.autostart;
  shared_->options = std::move(options);
  shared_->options.callback_group.reset();  // the entity has it
  set_depth(1);
}

Timer::~Timer()
{
  leave_node();
}

std::shared_ptr<takt_core::Callback> Timer::make(
  Engine & engine, takt_core::CallbackOptions options,
  const takt_core::adapter::CallbackSettings & settings)
{
  shared_->handle = weak_from_this();
  const std::optional<takt_rt::Duration> offset =
    settings.offset ? settings.offset : shared_->options.offset;
  if (shared_->clock != nullptr) {
    if (options.group->logical_time() != nullptr) {
      throw Error(
        id() + ": its group " + options.group->id() +
        " has let, whose periods are those of the monotonic clock, and this timer runs on "
        "simulated "
        "time; use create_wall_timer, or omit let");
    }
    first_ = offset;
    options.kind = takt_core::Kind::waitable;
    return std::make_shared<SimRun>(std::move(options), shared_);
  }
  takt_core::TimerOptions timer;
  timer.period = period();
  // On the host's grid the period and offset give the phase; elsewhere the timer continues its
  // former phase.
  timer.offset = engine.core().options().epoch == takt_core::Epoch::start
                   ? shared_->state->offset(offset)
                   : offset;
  timer.missed_periods = settings.missed_periods.value_or(shared_->options.missed_periods);
  timer.autostart = false;  // `connect` starts it if required
  options.timer = timer;
  return std::make_shared<Run>(std::move(options), shared_);
}

void Timer::connect(takt_core::Executor & executor, takt_core::Callback & callback)
{
  if (shared_->clock != nullptr) {
    shared_->clock->add(shared_->sim, attachment_, first_);
  } else {
    shared_->state->enter(executor.scheduler_of(callback), callback);
  }
}

void Timer::disconnect(takt_core::Callback &) noexcept
{
  if (shared_->clock != nullptr) {
    shared_->clock->remove(shared_->sim);
  } else {
    shared_->state->leave();
  }
}

void Timer::removed(takt_core::Callback & callback) noexcept
{
  if (shared_->clock != nullptr) {
    static_cast<SimRun &>(callback).close();
  } else {
    static_cast<Run &>(callback).close();
  }
}

void Timer::cancel() noexcept
{
  if (shared_->clock != nullptr) {
    shared_->clock->cancel(shared_->sim);
  } else {
    shared_->state->cancel();
  }
}

void Timer::reset() noexcept
{
  if (shared_->clock != nullptr) {
    shared_->clock->reset(shared_->sim);
  } else {
    shared_->state->reset();
  }
}

bool Timer::is_canceled() const noexcept
{
  return shared_->clock != nullptr ? shared_->clock->cancelled(shared_->sim)
                                   : shared_->state->cancelled();
}

takt_rt::Duration Timer::time_until_trigger() const noexcept
{
  return shared_->clock != nullptr ? shared_->clock->until(shared_->sim) : shared_->state->until();
}

takt_rt::Duration Timer::period() const noexcept
{
  return shared_->clock != nullptr ? shared_->clock->period(shared_->sim)
                                   : shared_->state->period();
}

void Timer::set_period(takt_rt::Duration period) noexcept
{
  if (period <= takt_rt::Duration::zero()) {
    return;
  }
  if (shared_->clock != nullptr) {
    shared_->clock->set_period(shared_->sim, period);
  } else {
    shared_->state->set_period(period);
  }
}

std::uint64_t Timer::skipped_periods() const noexcept
{
  return shared_->clock != nullptr ? shared_->sim.skipped.load(std::memory_order_relaxed)
                                   : shared_->state->skipped();
}

}  // namespace takt_rcl
