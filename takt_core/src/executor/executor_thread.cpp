// What an executor thread does: attributes, gate, then pick, take, run until cancelled.
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "executor/executor_impl.hpp"
#include "scheduler/removal_wait.hpp"
#include "takt_core/futex.hpp"
#include "takt_core/memory_lock.hpp"
#include "takt_core/middleware_ceiling.hpp"
#include "takt_core/wake_deferral.hpp"

namespace takt_core
{

namespace
{

thread_local Executor * t_executor = nullptr;

// Enough for deep user callbacks; the rest of the stack is touched when it is needed. Of a smaller
// stack all there is.
constexpr std::size_t kPrefaultedStack = 256 * 1024;

}  // namespace

Executor * current_executor() noexcept
{
  return t_executor;
}
const Run * current_run() noexcept
{
  const detail::RunFrame * const frame = detail::RunFrame::current();
  return frame == nullptr ? nullptr : &frame->run();
}

void Executor::Impl::wake(std::uint32_t thread) noexcept
{
  threads[thread].wake.store(1, std::memory_order_seq_cst);
  futex_wake(threads[thread].wake, 1);
}

void Executor::Impl::thread_main(std::uint32_t index)
{
  set_up_thread(index, options.threads[index].attributes);
  while (gate.load(std::memory_order_seq_cst) == static_cast<std::uint32_t>(Gate::closed)) {
    futex_wait(gate, static_cast<std::uint32_t>(Gate::closed));
  }
  if (gate.load() == static_cast<std::uint32_t>(Gate::open)) {
    run_thread(index);
  }
  threads[index].tid.store(0);
}

void Executor::Impl::set_up_thread(std::uint32_t index, const ThreadAttributes & attributes)
{
  ExecutorThread & self = threads[index];
  self.tid.store(static_cast<pid_t>(::syscall(SYS_gettid)));
  self.report = apply(attributes);
  if (options.lock_memory) {
    const Status status = prefault_stack(std::min(kPrefaultedStack, stack_to_prefault()));
    self.report.faults.insert(
      self.report.faults.end(), status.faults().begin(), status.faults().end());
  }
  const ThreadAttributes & granted = self.report.granted;
  set_base_priority({granted.policy, granted.priority});
  set_middleware_ceiling(ceiling.load(std::memory_order_relaxed));
  for (const auto & observer : observers) {
    observer->on_thread(index, self.report);
  }

  arrived.fetch_add(1, std::memory_order_seq_cst);
  futex_wake(arrived, 1);
}

void Executor::Impl::run_thread(std::uint32_t index)
{
  // The caller of `spin_on_caller` may be inside a callback of another executor.
  Executor * const outer = std::exchange(t_executor, &owner);
  loop(index);
  t_executor = outer;
}

void Executor::Impl::loop(std::uint32_t index)
{
  ExecutorThread & self = threads[index];
  const bool follows = options.threads[index].follow;
  Run run;
  while (!cancelled()) {
    if (scheduler.next(index, now(), run)) {
      if (follows) {
        follow(index, *run.callback);
      }
      execute(run);
      if (follows) {
        unfollow(index);
      }
      continue;
    }
    Time wake_at = kNever;
    if (!scheduler.begin_idle(index, now(), wake_at)) {
      continue;
    }
    if (!cancelled()) {
      futex_wait(self.wake, 0, wake_at);
    }
    self.wake.store(0, std::memory_order_seq_cst);
    scheduler.end_idle(index);
  }
  scheduler.leave(index);
}

// Two system calls per dispatch; what they buy is the kernel's preemption between callbacks of one
// pool.
void Executor::Impl::follow(std::uint32_t index, const Callback & callback) noexcept
{
  const ThreadAttributes & own = threads[index].report.granted;
  if (own.policy != Policy::fifo) {
    return;  // refused and reported at start
  }
  const int priority = std::clamp(scheduler.priority(callback), 1, own.priority);
  if (set_own_priority(Policy::fifo, priority) == 0) {
    set_base_priority({Policy::fifo, priority});
  }
}

void Executor::Impl::unfollow(std::uint32_t index) noexcept
{
  const ThreadAttributes & own = threads[index].report.granted;
  if (own.policy == Policy::fifo) {
    set_own_priority(Policy::fifo, own.priority);
    set_base_priority({Policy::fifo, own.priority});
  }
}

void Executor::Impl::execute(Run & run) noexcept
{
  bool took = false;
  bool told = false;
  bool threw = false;
  std::optional<detail::RunFrame> frame(run);
  for (const auto & observer : observers) {
    observer->on_picked(run);
  }
  try {
    const ActivationScope scope(run.activations);
    took = run.callback->take(run);
    scheduler.taken(run);
    told = true;
    if (took) {
      for (const auto & observer : observers) {
        observer->on_start(run);
      }
      std::optional<WakeDeferral> deferral;
      // A visitor may not come again, and a follower runs at its callback's priority, which may be
      // below that of what it made ready.
      if (
        run.callback->publishes_last() && run.thread != scheduler.visitor() &&
        !options.threads[run.thread].follow) {
        deferral.emplace(scheduler, run.thread);
      }
      run.callback->run(run);
    }
  } catch (...) {
    if (!told) {
      scheduler.taken(run);
    }
    threw = true;
    failed(run);
  }
  if (!observers.empty()) {
    const Time end = took ? now() : Time{};
    for (const auto & observer : observers) {
      if (took) {
        observer->on_end(run, end);
      } else if (!threw) {
        observer->on_empty_take(run);
      }
    }
  }
  frame.reset();
  scheduler.complete(run);
}

// In a catch block.
void Executor::Impl::failed(const Run & run) noexcept
{
  exceptions.fetch_add(1, std::memory_order_relaxed);
  const std::exception_ptr current = std::current_exception();
  for (const auto & observer : observers) {
    observer->on_exception(run, current);
  }
  if (options.on_exception == ExceptionPolicy::stop) {
    {
      std::lock_guard lock(told_mutex);
      if (exception == nullptr) {
        exception = current;
      }
    }
    owner.cancel();
  }
}

}  // namespace takt_core
