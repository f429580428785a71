// Going to sleep and waking up: the scheduler's side of detail/sleepers.hpp.
#include <mutex>

#include "scheduler/scheduler_settings.hpp"

namespace takt_core
{

bool Scheduler::begin_idle(std::uint32_t thread, Time now, Time & wake_at) noexcept
{
  return sleepers_.begin(thread, now, own_sets_[thread], wake_at);
}

void Scheduler::end_idle(std::uint32_t thread) noexcept
{
  sleepers_.end(thread);
}

void Scheduler::set_urgency(std::uint32_t thread, int urgency)
{
  std::lock_guard setup(setup_mutex_);
  sleepers_.set_urgency(thread, urgency);
}

bool Scheduler::try_set_urgency(std::uint32_t thread, int urgency) noexcept
{
  const std::unique_lock setup(setup_mutex_, std::try_to_lock);
  if (setup.owns_lock()) {
    sleepers_.set_urgency(thread, urgency);
  }
  return setup.owns_lock();
}

bool Scheduler::attends_timers(std::uint32_t thread) const noexcept
{
  const ThreadSets & own = own_sets_[thread];
  const std::uint32_t count = own.size();
  for (std::uint32_t i = 0; i < count; ++i) {
    if (own[i].timer_waiter.load(std::memory_order_seq_cst) == thread) {
      return true;
    }
  }
  return false;
}

void Scheduler::leave(std::uint32_t thread) noexcept
{
  if (thread != visitor()) {
    const detail::DispatchStepScope step(step_of(thread));
    end_walk(thread, kNoThread);
  }
  const ThreadSets & own = own_sets_[thread];
  const std::uint32_t count = own.size();
  for (std::uint32_t i = 0; i < count; ++i) {
    ThreadSet & set = own[i];
    std::lock_guard lock(set.mutex);
    sleepers_.give_up_timers(set, thread);
  }
  sleepers_.pass_on(own, 0);
}

}  // namespace takt_core
