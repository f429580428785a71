// Timers of the adopted program.
//
// The timer of rcl decides: the program may cancel, reset and query it. On the monotonic clock
// takt's own timer releases the callback in the same grid, and each start asks rcl's timer whether
// it is due. On another clock, which may jump, a thread waits for the timer (ClockWaiter).
#include <rcl/timer.h>

#include <algorithm>
#include <mutex>
#include <utility>

#include "adopt/entities/clock_waiter.hpp"
#include "adopt/entity.hpp"
#include "rclcpp/exceptions.hpp"
#include "rclcpp/logging.hpp"
#include "rclcpp_api/rclcpp_api.hpp"
#include "takt_rt/pi_mutex.hpp"

namespace takt_rclcpp
{
namespace
{

using takt_rt::Duration;
using takt_rt::Time;

// A timer counts as due this much before its next call, because rcl and takt read the clock one
// after the other.
constexpr Duration kTolerance = std::chrono::microseconds(100);
// In rclcpp a period of zero means that each call is due at once and that no period can be missed.
// takt's timer then has a period that never passes, and is set from rcl's timer after each call.
constexpr Duration kAlways = std::chrono::hours(24) * 36'500;

Duration period_of(const rcl_timer_t & timer)
{
  std::int64_t period = 0;
  const rcl_ret_t result = rcl_timer_get_period(&timer, &period);
  if (result != RCL_RET_OK) {
    rclcpp::exceptions::throw_from_rcl_error(result, "takt cannot read a timer's period");
  }
  return period == 0 ? kAlways : Duration{period};
}

bool on_monotonic_clock(const rcl_timer_t & timer)
{
  rcl_clock_t * clock = nullptr;
  // The function only reads the timer, but its parameter is not const.
  if (rcl_timer_clock(const_cast<rcl_timer_t *>(&timer), &clock) != RCL_RET_OK) {
    rcl_reset_error();
    return false;
  }
  return clock->type == RCL_STEADY_TIME;
}

/// The time of rcl's next call of a timer on the monotonic clock; nothing if the timer is
/// cancelled. A timer of the longest periods is never due.
std::optional<Time> next_call(const rcl_timer_t & timer)
{
  const api::NextCall next = api::next_call_of(timer);
  if (next.result == RCL_RET_TIMER_CANCELED) {
    rcl_reset_error();
    return std::nullopt;
  }
  if (next.result != RCL_RET_OK) {
    rclcpp::exceptions::throw_from_rcl_error(next.result, "takt cannot read when a timer is due");
  }
  return takt_rt::add_saturated(next.read, Duration{next.left});
}

/// Sets the next call to `when`. rcl can only count a period from now, so the timer has another
/// period for a moment; no other thread may call the timer meanwhile.
void set_next_call(rcl_timer_t & timer, Time when)
{
  std::int64_t period = 0;
  std::int64_t unused = 0;
  const Duration until = std::max(when - takt_rt::now(), Duration{1});
  if (
    rcl_timer_exchange_period(&timer, until.count(), &period) != RCL_RET_OK ||
    rcl_timer_reset(&timer) != RCL_RET_OK ||
    rcl_timer_exchange_period(&timer, period, &unused) != RCL_RET_OK) {
    rclcpp::exceptions::throw_from_rcl_error(RCL_RET_ERROR, "takt cannot set when a timer is due");
  }
}

struct TimerAccess : rclcpp::TimerBase
{
  static OwnListener::Function own_function(rclcpp::TimerBase & timer)
  {
    return kept_function(
      timer.*(&TimerAccess::on_reset_callback_), timer.*(&TimerAccess::callback_mutex_));
  }
};

/// Passes each reset of a timer to its entity, and to the program's own function if there is one.
class Resets
{
public:
  explicit Resets(const EntitySettings & settings)
  : own_(settings.keeps_own_listeners ? std::make_shared<OwnListener>() : nullptr)
  {
  }
  void begin(
    const std::shared_ptr<rclcpp::TimerBase> & timer, std::shared_ptr<ArrivalListener> listener)
  {
    if (own_ != nullptr) {
      const auto own = TimerAccess::own_function(*timer);
      own_->set(own.callback, own.data);
    }
    timer_ = timer;
    listening_.begin(
      std::move(listener), setter(timer), timer, timer->get_timer_handle().get(), own_, {});
  }
  void end(const std::string & id) noexcept
  {
    if (!listening_.begun()) {
      return;
    }
    const auto timer = timer_.lock();
    try {
      listening_.end(timer != nullptr ? setter(timer) : Listening::Set());
    } catch (const std::exception & error) {
      RCLCPP_ERROR(rclcpp::get_logger("takt"), "%s: %s", id.c_str(), error.what());
    }
  }
  /// Passes a reset to the program, unless takt made the reset.
  void tell(std::size_t count) noexcept
  {
    if (own_ != nullptr && !TaktSets::now() && !timer_.expired()) {
      own_->tell(count);
    }
  }

private:
  static Listening::Set setter(const std::shared_ptr<rclcpp::TimerBase> & timer)
  {
    return [timer](rcl_event_callback_t callback, const void * data) {
      return rcl_timer_set_on_reset_callback(timer->get_timer_handle().get(), callback, data);
    };
  }

  Listening listening_;
  rclcpp::TimerBase::WeakPtr timer_;
  const std::shared_ptr<OwnListener> own_;  // null: only takt listens
};

struct TakenTimer
{
  rclcpp::TimerBase::SharedPtr timer;
  std::shared_ptr<void> data;
};

/// A timer on the monotonic clock.
class SteadyTimerEntity final : public Entity,
                                public ArrivalListener,
                                public takt_core::Callback,
                                public std::enable_shared_from_this<SteadyTimerEntity>
{
public:
  SteadyTimerEntity(
    const rclcpp::TimerBase::SharedPtr & timer, takt_core::CallbackOptions options,
    const EntitySettings & settings, std::optional<Duration> offset)
  : Callback(std::move(options)),
    timer_(timer),
    core_(settings.core),
    offset_(offset),
    held_back_(offset.has_value()),
    period_(period_of(*timer->get_timer_handle())),
    resets_(settings),
    lanes_(settings.lanes)
  {
  }

  std::shared_ptr<Callback> callback() override { return shared_from_this(); }
  takt_host::FunctionMemory function_memory() const override { return function_of(timer_.lock()); }

  void listen() override
  {
    const auto timer = timer_.lock();
    if (timer == nullptr) {
      return;
    }
    resets_.begin(timer, shared_from_this());
    follow();
    // takt does not count the periods before the spin as skipped: takt's timer begins with the last
    // of them.
    takt_core::Scheduler & scheduler = core_->scheduler_of(*this);
    const Time next = scheduler.next_release(*this);
    const Duration period = period_.load();
    if (const Time now = takt_rt::now(); next != takt_rt::kNever && now - next >= period) {
      scheduler.cancel_timer(*this);
      scheduler.resume_timer(*this, next + (now - next) / period * period, now);
    }
  }
  // Threads of other hosts may run already. They do not run this timer meanwhile: takt's timer is
  // held back while rcl's timer has another period for a moment.
  void begin_from(Time epoch) override
  {
    const auto timer = timer_.lock();
    if (!offset_ || timer == nullptr) {
      return;
    }
    if (timer->is_canceled()) {
      release();
      return;
    }
    const auto handle = timer->get_timer_handle();
    const Duration period = period_of(*handle);
    const TaktSets not_the_program;
    // rcl's next call is late by the time between the two clock reads, so try again if this thread
    // was delayed.
    constexpr int kTries = 10;
    Time first{};
    for (int tries = 0; tries < kTries; ++tries) {
      first = first_from(epoch, period);
      set_next_call(const_cast<rcl_timer_t &>(*handle), first);
      const auto next = next_call(*handle);
      if (!next || *next - first < kTolerance / 4) {
        break;
      }
    }
    release_at(first);
  }
  void silence() noexcept override { resets_.end(id()); }
  void arrived(std::size_t count) noexcept override
  {
    try {
      follow();
    } catch (const std::exception & error) {
      RCLCPP_ERROR(rclcpp::get_logger("takt"), "%s: %s", id().c_str(), error.what());
    }
    resets_.tell(count);
  }

  bool take(const takt_core::Run & run) override
  {
    if (facts.owner->is_over()) {
      return false;
    }
    TakenTimer taken{timer_.lock(), nullptr};
    if (taken.timer == nullptr) {
      core_->scheduler_of(*this).cancel_timer(*this);
      return false;
    }
    const auto handle = taken.timer->get_timer_handle();
    const auto next = next_call(*handle);
    const Duration period = period_of(*handle);
    if (period != period_.exchange(period)) {
      core_->scheduler_of(*this).set_period(*this, period);
    }
    if (!next || *next > takt_rt::now() + std::min(kTolerance, period / 2)) {
      follow();
      return false;
    }
    taken.data = taken.timer->call();
    // takt's timer and rcl's go on in their own grids. The grids differ only if the program or the
    // system changed one.
    if (
      taken.data == nullptr || period == kAlways ||
      std::chrono::abs(run.release - *next) % period > kTolerance) {
      follow();
    }
    const bool due = taken.data != nullptr;
    lanes_[run] = std::move(taken);
    return due;
  }

  void run(const takt_core::Run & run) override
  {
    const auto alone = facts.owner->exclude();
    const Holds holds(*this);
    const TakenTimer taken = std::exchange(lanes_[run], {});
    taken.timer->execute_callback(taken.data);
  }

private:
  Time first_from(Time epoch, Duration period) const
  {
    const Time now = takt_rt::now();
    const auto counts_from = core_->options().epoch;
    if (counts_from != takt_core::Epoch::start && period != kAlways) {
      takt_core::TimerOptions timer;
      timer.period = period;
      timer.offset = offset_;
      return core_->scheduler().first_release(timer, std::max(epoch, now));
    }
    const Time first = takt_rt::add_saturated(epoch, *offset_);
    if (first >= now) {
      return first;
    }
    return period == kAlways
             ? now
             : takt_rt::add_saturated(first + (now - first) / period * period, period);
  }

  // Releases takt's timer at the exact times of the schedule; rcl's timer follows within the
  // tolerance.
  void release_at(Time first)
  {
    const std::lock_guard lock(following_);
    held_back_ = false;
    grid_ = first;
    takt_core::Scheduler & scheduler = core_->scheduler_of(*this);
    scheduler.cancel_timer(*this);
    scheduler.resume_timer(*this, first, takt_rt::now());
  }

  // Lets the timer run as the program has set it.
  void release()
  {
    {
      const std::lock_guard lock(following_);
      held_back_ = false;
    }
    follow();
  }

  // The release on the schedule's grid for rcl's call at `next`; `next` itself if the program has
  // moved the timer. Call it with `following_` held.
  Time on_grid(Time next) const
  {
    const Duration period = period_.load();
    if (!grid_ || period == kAlways) {
      return next;
    }
    Duration after = (next - *grid_) % period;
    after -= after > period / 2 ? period : after < -(period / 2) ? -period : Duration::zero();
    return std::chrono::abs(after) <= std::min(kTolerance, period / 4) ? next - after : next;
  }

  // Sets takt's timer to the next call of rcl's timer. Any thread, also during a reset by the
  // program. The mutex makes the later read of rcl's timer the one that is applied last.
  void follow()
  {
    const auto timer = timer_.lock();
    if (timer == nullptr) {
      return;
    }
    const std::lock_guard lock(following_);
    if (held_back_) {
      return;
    }
    takt_core::Scheduler & scheduler = core_->scheduler_of(*this);
    const auto next = next_call(*timer->get_timer_handle());
    scheduler.cancel_timer(*this);
    if (next) {
      scheduler.resume_timer(*this, on_grid(*next), takt_rt::now());
    }
  }

  long holders() const noexcept override { return timer_.use_count(); }

  const rclcpp::TimerBase::WeakPtr timer_;
  const std::shared_ptr<takt_core::Executor> core_;
  const std::optional<Duration> offset_;
  takt_rt::PiMutex following_;
  // `following_` guards the next two.
  bool held_back_;  // true until `begin_from` sets the first release of the schedule
  // one release on the schedule's grid; absent: the timer keeps the phase of the program
  std::optional<Time> grid_;
  std::atomic<Duration> period_;
  Resets resets_;
  Lanes<TakenTimer> lanes_;
};

/// A timer on ROS time or system time.
class WaitedTimerEntity final : public Entity,
                                public ArrivalListener,
                                public takt_core::adapter::AnnouncedCallback,
                                public std::enable_shared_from_this<WaitedTimerEntity>
{
public:
  WaitedTimerEntity(
    const rclcpp::TimerBase::SharedPtr & timer, takt_core::CallbackOptions options,
    const EntitySettings & settings)
  : AnnouncedCallback(std::move(options)),
    timer_(timer),
    core_(settings.core),
    waiter_(settings.waiter),
    resets_(settings),
    lanes_(settings.lanes)
  {
  }

  std::shared_ptr<takt_core::Callback> callback() override { return shared_from_this(); }
  takt_host::FunctionMemory function_memory() const override { return function_of(timer_.lock()); }

  void listen() override
  {
    if (const auto timer = timer_.lock(); timer != nullptr) {
      resets_.begin(timer, shared_from_this());
      waiter_->add(timer, this, [self = shared_from_this()] { self->announce(*self->core_, 1); });
    }
  }
  void silence() noexcept override
  {
    resets_.end(id());
    waiter_->remove(this);
  }
  void arrived(std::size_t count) noexcept override
  {
    waiter_->again(this);
    resets_.tell(count);
  }

  bool take(const takt_core::Run & run) override
  {
    if (facts.owner->is_over()) {
      return false;
    }
    TakenTimer taken{timer_.lock(), nullptr};
    if (taken.timer != nullptr && taken.timer->is_ready()) {
      taken.data = taken.timer->call();
    }
    waiter_->again(this);
    if (taken.data == nullptr) {
      return false;
    }
    lanes_[run] = std::move(taken);
    return true;
  }

  void run(const takt_core::Run & run) override
  {
    const auto alone = facts.owner->exclude();
    const Holds holds(*this);
    const TakenTimer taken = std::exchange(lanes_[run], {});
    taken.timer->execute_callback(taken.data);
  }

private:
  long holders() const noexcept override { return timer_.use_count(); }

  const rclcpp::TimerBase::WeakPtr timer_;
  const std::shared_ptr<takt_core::Executor> core_;
  const std::shared_ptr<ClockWaiter> waiter_;
  Resets resets_;
  Lanes<TakenTimer> lanes_;
};

}  // namespace

std::shared_ptr<Entity> make_entity(
  const rclcpp::TimerBase::SharedPtr & timer, takt_core::CallbackOptions options,
  const EntitySettings & settings, std::optional<takt_rt::Duration> offset)
{
  const auto handle = timer->get_timer_handle();
  if (!on_monotonic_clock(*handle)) {
    options.kind = takt_core::Kind::waitable;  // the scheduler does not release this timer
    return std::make_shared<WaitedTimerEntity>(timer, std::move(options), settings);
  }
  takt_core::TimerOptions core_options;
  core_options.period = period_of(*handle);
  core_options.autostart = false;  // `listen` starts it
  options.timer = core_options;
  return std::make_shared<SteadyTimerEntity>(timer, std::move(options), settings, offset);
}

}  // namespace takt_rclcpp
