// The core callbacks behind a timer: one on the monotonic clock, one on simulated time.
#ifndef TIMER_RUN_HPP_
#define TIMER_RUN_HPP_

#include <atomic>
#include <memory>
#include <utility>

#include "takt_core/adapter/announced_callback.hpp"
#include "takt_core/adapter/hold.hpp"
#include "takt_core/executor.hpp"
#include "takt_host/audited_function.hpp"
#include "takt_rcl/timer.hpp"
#include "timer_state.hpp"

namespace takt_rcl
{

struct Timer::Shared
{
  Function function;
  TimerOptions options;
  std::shared_ptr<Clock> clock;  // nullptr: the monotonic clock, by the executor
  std::weak_ptr<Timer> handle;
  std::shared_ptr<TimerState> state;  // on the monotonic clock
  SimTimer sim;                       // on simulated time

  takt_host::FunctionMemory function_memory() const { return {&function, sizeof function, true}; }
};

/// The core callback on the monotonic clock.
class Timer::Run : public takt_core::Callback, public takt_host::AuditedFunction
{
public:
  Run(takt_core::CallbackOptions options, std::shared_ptr<Shared> shared)
  : Callback(std::move(options)),
    state_(shared->state),
    shared_(std::move(shared))
  {
  }

  bool take(const takt_core::Run &) override
  {
    if (shared_.acquire()) {
      return true;
    }
    state_->lose();  // picked before the timer left its executor, but too late to begin
    return false;
  }
  void run(const takt_core::Run & run) override
  {
    const takt_core::adapter::Hold<Shared>::Releasing releasing(shared_);
    // Holds the handle: a callback may release the user's last one.
    if (const auto timer = shared_->handle.lock(); timer != nullptr) {
      const TimerInfo info{
        Time(takt_rt::to_ns(run.release)), Time(takt_rt::to_ns(run.start)), run.skipped};
      shared_->function(*timer, info);
    }
  }

  void close() noexcept { shared_.release(); }

  takt_host::FunctionMemory function_memory() const override { return shared_->function_memory(); }

private:
  const std::shared_ptr<TimerState> state_;
  takt_core::adapter::Hold<Shared> shared_;
};

/// The core callback on simulated time: the clock releases it.
class Timer::SimRun : public takt_core::adapter::AnnouncedCallback,
                      public takt_host::AuditedFunction
{
public:
  SimRun(takt_core::CallbackOptions options, std::shared_ptr<Shared> shared)
  : AnnouncedCallback(std::move(options)),
    shared_(std::move(shared))
  {
  }

  bool take(const takt_core::Run &) override
  {
    if (!begin(shared_)) {
      return false;
    }
    if (shared_->clock->cancelled(shared_->sim)) {
      shared_.release();
      return false;
    }
    return true;
  }
  void close() noexcept { shared_.release(); }

  takt_host::FunctionMemory function_memory() const override { return shared_->function_memory(); }

  void run(const takt_core::Run &) override
  {
    const takt_core::adapter::Hold<Shared>::Releasing releasing(shared_);
    const std::uint64_t skipped = shared_->sim.skipped.load(std::memory_order_relaxed);
    const TimerInfo info{
      Time(shared_->sim.expected.load(std::memory_order_relaxed)), shared_->clock->now(),
      skipped - skipped_.exchange(skipped, std::memory_order_relaxed)};
    if (const auto timer = shared_->handle.lock(); timer != nullptr) {
      shared_->function(*timer, info);
    }
  }

private:
  takt_core::adapter::Hold<Shared> shared_;
  std::atomic<std::uint64_t> skipped_{0};
};

}  // namespace takt_rcl

#endif  // TIMER_RUN_HPP_
