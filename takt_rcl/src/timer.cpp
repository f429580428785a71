#include "takt_rcl/timer.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "engine.hpp"
#include "timer_run.hpp"

namespace takt_rcl
{

namespace
{

// 100ms, 1s, 250us: the largest unit that gives a whole number.
std::string period_name(takt_core::Duration period)
{
  struct Unit
  {
    takt_core::Duration::rep ns;
    const char * name;
  };
  for (const Unit unit : {Unit{1'000'000'000, "s"}, Unit{1'000'000, "ms"}, Unit{1'000, "us"}}) {
    if (period.count() % unit.ns == 0) {
      return std::to_string(period.count() / unit.ns) + unit.name;
    }
  }
  return std::to_string(period.count()) + "ns";
}

takt_core::Duration checked(takt_core::Duration period)
{
  if (period <= takt_core::Duration::zero()) {
    throw std::invalid_argument("a timer's period must be positive");
  }
  return period;
}

}  // namespace

Timer::Timer(
  std::shared_ptr<NodeState> node, takt_core::Duration period, Function function,
  TimerOptions options, std::shared_ptr<Clock> clock)
: Entity(std::move(node), takt_core::Kind::timer, "timer", period_name(checked(period)), options),
  shared_(std::make_shared<Shared>())
{
  shared_->function = std::move(function);
  shared_->active = options.autostart;
  shared_->options = std::move(options);
  shared_->options.callback_group.reset();  // the entity has it
  shared_->clock = std::move(clock);
  shared_->period = period.count();
  shared_->sim.period = period;
  shared_->sim.active = shared_->active;
  set_depth(1);
}

Timer::~Timer()
{
  leave_node();
}

std::shared_ptr<takt_core::Callback> Timer::make(
  Engine & engine, takt_core::CallbackOptions options, const Placement & placement)
{
  shared_->handle = weak_from_this();
  const std::optional<takt_core::Duration> offset =
    placement.offset ? placement.offset : shared_->options.offset;
  if (shared_->clock != nullptr) {
    shared_->sim.first = offset.value_or(shared_->sim.period);
    options.kind = takt_core::Kind::waitable;
    return std::make_shared<SimRun>(std::move(options), shared_);
  }
  takt_core::TimerOptions timer;
  timer.period = period();
  timer.offset = offset;
  if (const std::int64_t next = shared_->next; next != Shared::kNotBegun) {
    const takt_core::Duration until = takt_core::from_ns(next) - takt_core::now();
    const auto missed = std::max<std::int64_t>(-until / timer.period, 0);
    shared_->next = next + missed * timer.period.count();
    shared_->skipped_before += static_cast<std::uint64_t>(missed);
    timer.offset = std::max(until, takt_core::Duration::zero());
  }
  timer.missed_periods = placement.missed_periods.value_or(shared_->options.missed_periods);
  timer.autostart = shared_->active;
  options.timer = timer;
  return std::make_shared<Run>(std::move(options), shared_, engine.core());
}

void Timer::connect(takt_core::Callback & callback)
{
  if (shared_->clock != nullptr) {
    shared_->clock->add(shared_->sim, attachment_);
    return;
  }
  // It goes on where it was; exactly, also if it is late, where the start gate is open and it has not
  // been released in this moment.
  const std::int64_t next = shared_->next.exchange(Shared::kNotBegun);
  attachment_.use([&](takt_core::Executor & executor, takt_core::Callback &) {
    const takt_core::Time begins = executor.scheduler().next_release(callback);
    if (
      next != Shared::kNotBegun && begins != takt_core::kNever &&
      begins - takt_core::from_ns(next) < period()) {
      executor.scheduler().reset_timer(callback, takt_core::from_ns(next) - period());
    }
  });
}

void Timer::disconnect(takt_core::Callback & callback) noexcept
{
  if (shared_->clock != nullptr) {
    shared_->clock->remove(shared_->sim);
    static_cast<SimRun &>(callback).close();
    return;
  }
  shared_->active = !static_cast<Run &>(callback).cancelled();
  shared_->skipped_before += callback.skipped_periods();
  static_cast<Run &>(callback).close();
  shared_->next = takt_core::to_ns(static_cast<Run &>(callback).next_release());
}

void Timer::cancel() noexcept
{
  if (shared_->clock != nullptr) {
    shared_->clock->cancel(shared_->sim);
  } else if (!attachment_.use([](takt_core::Executor & executor, takt_core::Callback & callback) {
               executor.scheduler().cancel_timer(callback);
             })) {
    shared_->active = false;
  }
}

void Timer::reset() noexcept
{
  if (shared_->clock != nullptr) {
    shared_->clock->reset(shared_->sim);
  } else if (!attachment_.use([](takt_core::Executor & executor, takt_core::Callback & callback) {
               executor.scheduler().reset_timer(callback, takt_core::now());
             })) {
    shared_->next = takt_core::to_ns(takt_core::add_saturated(takt_core::now(), period()));
    shared_->active = true;
  }
}

bool Timer::is_canceled() const noexcept
{
  if (shared_->clock != nullptr) {
    return shared_->clock->cancelled(shared_->sim);
  }
  bool cancelled = !shared_->active;
  attachment_.use([&](takt_core::Executor & executor, takt_core::Callback & callback) {
    cancelled = executor.scheduler().timer_cancelled(callback);
  });
  return cancelled;
}

takt_core::Duration Timer::time_until_trigger() const noexcept
{
  if (shared_->clock != nullptr) {
    return shared_->clock->until(shared_->sim);
  }
  takt_core::Duration until = shared_->active ? period() : takt_core::kForever;
  if (const std::int64_t next = shared_->next; shared_->active && next != Shared::kNotBegun) {
    until = takt_core::from_ns(next) - takt_core::now();
  }
  attachment_.use([&](takt_core::Executor & executor, takt_core::Callback & callback) {
    const takt_core::Time next = executor.scheduler().next_release(callback);
    until = next == takt_core::kNever ? takt_core::kForever : next - takt_core::now();
  });
  return until;
}

takt_core::Duration Timer::period() const noexcept
{
  return takt_core::Duration(shared_->period.load(std::memory_order_relaxed));
}

void Timer::set_period(takt_core::Duration period) noexcept
{
  if (period <= takt_core::Duration::zero()) {
    return;
  }
  shared_->period.store(period.count(), std::memory_order_relaxed);
  if (shared_->clock != nullptr) {
    shared_->clock->set_period(shared_->sim, period);
    return;
  }
  attachment_.use([&](takt_core::Executor & executor, takt_core::Callback & callback) {
    executor.scheduler().set_period(callback, period);
  });
}

std::uint64_t Timer::skipped_periods() const noexcept
{
  std::uint64_t skipped =
    shared_->skipped_before + shared_->sim.skipped.load(std::memory_order_relaxed);
  attachment_.use([&](takt_core::Executor &, takt_core::Callback & callback) {
    skipped += callback.skipped_periods();
  });
  return skipped;
}

}  // namespace takt_rcl
