#include "executor/crew.hpp"

#include <utility>

#include "takt_rt/futex.hpp"
#include "takt_rt/tai_clock.hpp"

namespace takt_core
{

using takt_rt::futex_wake;
using takt_rt::tai_ahead;

namespace
{

SchedulerOptions scheduler_options(
  const ExecutorOptions & executor, const std::vector<ExecutorThreadOptions> & threads,
  Phases * phases)
{
  SchedulerOptions result;
  result.order = executor.order;
  result.window_timers = executor.window_timers;
  result.epoch = executor.epoch;
  result.clock_ahead = executor.epoch == Epoch::tai ? &tai_ahead : nullptr;
  result.phases = phases;
  for (const ExecutorThreadOptions & thread : threads) {
    result.thread_urgencies.push_back(urgency(thread.attributes));
  }
  return result;
}

}  // namespace

Crew::Crew(
  const ExecutorOptions & executor, std::vector<ExecutorThreadOptions> own, std::uint32_t first,
  ExecutorThread & visitor, Phases * phases, Crew * main)
: first(first),
  threads(std::make_unique<ExecutorThread[]>(own.size())),
  visitor(visitor),
  options(std::move(own)),
  words(scheduler, size(), *this),
  scheduler(
    scheduler_options(executor, options, phases), *this,
    main == nullptr ? nullptr : &main->scheduler)
{
}

void Crew::wake(std::uint32_t thread) noexcept
{
  ExecutorThread & woken = thread < size() ? threads[thread] : visitor;
  woken.wake.store(1, std::memory_order_seq_cst);
  futex_wake(woken.wake, 1);
}

}  // namespace takt_core
