// A small executor for stress tests: threads and a waker around a scheduler, without attributes,
// gate or clock. So a test can start many of them, and only the scheduler can correct a lost
// wake-up.
#ifndef SUPPORT__DRIVER_HPP_
#define SUPPORT__DRIVER_HPP_

#include <atomic>
#include <chrono>
#include <functional>
#include <optional>
#include <thread>
#include <vector>

#include "takt_core/scheduler.hpp"
#include "takt_rt/futex.hpp"

namespace takt_core::test
{

using takt_rt::futex_wait;
using takt_rt::futex_wake;
using takt_rt::now;

/// Counts its runs. Callbacks of one group may share `inside`: then each counts its overlaps with
/// the others.
class Counter : public Callback
{
public:
  using Callback::Callback;
  bool take(const Run &) override
  {
    overlaps.fetch_add(taking.fetch_add(1) != 0 ? 1 : 0);
    taking.fetch_sub(1);
    return true;
  }
  void run(const Run & run) override
  {
    if (inside != nullptr) {
      overlaps.fetch_add(inside->fetch_add(1) != 0 ? 1 : 0);
    }
    if (body) {
      body(run);
    }
    if (inside != nullptr) {
      inside->fetch_sub(1);
    }
    runs.fetch_add(1);
  }

  std::function<void(const Run &)> body;
  std::atomic<int> * inside = nullptr;
  std::atomic<int> taking{0};
  std::atomic<std::uint64_t> runs{0};
  std::atomic<std::uint64_t> overlaps{0};
};

class Driver final : public Waker
{
public:
  Driver(std::uint32_t threads, Order order)
  : scheduler(SchedulerOptions{std::vector<int>(threads, 0), order, WindowTimers::snapshot}, *this),
    words_(threads)
  {
  }
  ~Driver() override { stop(); }

  void wake(std::uint32_t thread) noexcept override
  {
    words_[thread].store(1);
    futex_wake(words_[thread], 1);
  }

  void start()
  {
    scheduler.open(now());
    for (std::uint32_t t = 0; t < words_.size(); ++t) {
      threads_.emplace_back([this, t] { loop(t); });
    }
  }

  void stop()
  {
    stopped_.store(true);
    for (std::uint32_t t = 0; t < words_.size(); ++t) {
      wake(t);
    }
    for (std::thread & thread : threads_) {
      thread.join();
    }
    threads_.clear();
  }

  /// Waits for `done`; false after two minutes, which only guards against hanging.
  static bool wait_for(const std::function<bool()> & done)
  {
    const Time guard = now() + std::chrono::minutes(2);
    while (!done()) {
      if (now() > guard) {
        return false;
      }
      std::this_thread::yield();
    }
    return true;
  }

  Scheduler scheduler;

private:
  void loop(std::uint32_t thread)
  {
    Run run;
    while (!stopped_.load()) {
      if (scheduler.next(thread, now(), run)) {
        {
          const ActivationScope scope(run.activations);
          run.callback->take(run);
          scheduler.taken(run);
          if (run.callback->takes_inputs()) {
            take_inputs(run);
          }
          const SequenceScope sequence(scheduler, run);
          std::optional<WakeDeferral> deferral;
          if (run.callback->publishes_last()) {
            deferral.emplace(scheduler, thread);
          }
          run.callback->run(run);
        }
        scheduler.complete(run);
        continue;
      }
      Time wake_at = kNever;
      if (scheduler.begin_idle(thread, now(), wake_at)) {
        if (!stopped_.load()) {
          futex_wait(words_[thread], 0, wake_at);
        }
        words_[thread].store(0);
        scheduler.end_idle(thread);
      }
    }
    scheduler.leave(thread);
  }

  void take_inputs(const Run & taker)
  {
    Run run;
    scheduler.begin_inputs(taker);
    while (scheduler.next_input(taker, now(), run)) {
      run.callback->take(run);
      run.callback->run(run);
      scheduler.complete_input(taker, run);
    }
  }

  std::vector<std::atomic<std::uint32_t>> words_;
  std::vector<std::thread> threads_;
  std::atomic<bool> stopped_{false};
};

}  // namespace takt_core::test

#endif  // SUPPORT__DRIVER_HPP_
