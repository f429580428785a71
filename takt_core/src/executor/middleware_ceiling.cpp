#include "takt_core/middleware_ceiling.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <mutex>

#include "executor/thread_priority.hpp"
#include "takt_core/refusal.hpp"

namespace takt_core
{

namespace
{

thread_local detail::ThreadPriority t_own;
std::atomic<std::uint64_t> g_raises{0};

bool below(const OwnPriority & own, int ceiling) noexcept
{
  if (own.policy == Policy::deadline) {
    return false;
  }
  return !has_rt_priority(own.policy) || own.priority < ceiling;
}

}  // namespace

namespace detail
{

ThreadPriority & own_thread_priority() noexcept
{
  return t_own;
}

void follow(int priority) noexcept
{
  std::lock_guard lock(t_own.mutex);
  if (t_own.own.policy != Policy::fifo) {
    return;
  }
  const int taken = std::clamp(priority, 1, t_own.own.priority);
  if (set_own_priority(Policy::fifo, taken) == 0) {
    t_own.base = {Policy::fifo, taken};
  }
}

void unfollow() noexcept
{
  std::lock_guard lock(t_own.mutex);
  if (t_own.own.policy == Policy::fifo) {
    set_own_priority(Policy::fifo, t_own.own.priority);
    t_own.base = t_own.own;
  }
}

// The setter may ask a daemon, so nobody waits for it: a scope that ends meanwhile gives back what is expected, and
// whatever it did is put right below. What the setter read back may be what a scope or a callback lent the thread, so
// what was asked for counts unless it was refused.
AttributeReport change(
  ThreadPriority & thread, pid_t tid, const ThreadAttributes & attributes, AttributeSetter & setter)
{
  OwnPriority before;
  OwnPriority asked;
  bool lends = false;  // the thread has at times another priority than its own
  {
    const std::lock_guard lock(thread.mutex);
    before = thread.own;
    asked = attributes.policy == Policy::inherit
              ? before
              : OwnPriority{attributes.policy, attributes.priority};
    lends = thread.ceiling != 0 || thread.base != thread.own;
    if (thread.base == thread.own) {
      thread.base = asked;
    }
    thread.own = asked;
  }
  AttributeReport report = setter.apply(attributes, tid);
  const auto of_policy = [](const Fault & fault) {
    return fault.refusal && fault.refusal->attribute == RefusedAttribute::policy;
  };
  const bool refused =
    std::any_of(report.faults.begin(), report.faults.end(), [&](const Fault & fault) {
      return of_policy(fault) && fault.refusal->right != MissingRight::not_in_force;
    });
  const std::lock_guard lock(thread.mutex);
  const OwnPriority now = refused ? before : asked;
  const bool follows = thread.base != thread.own && now.policy == Policy::fifo;
  thread.own = now;
  thread.base =
    follows ? OwnPriority{now.policy, std::min(thread.base.priority, now.priority)} : now;
  thread.raised = thread.raised && below(thread.base, thread.ceiling);
  if (lends && !refused) {
    std::erase_if(report.faults, of_policy);
    report.granted.policy = now.policy;
    report.granted.priority = now.priority;
  }
  const int kept = thread.raised ? thread.ceiling : follows ? thread.base.priority : 0;
  if (kept != 0) {
    sched_param param{};
    param.sched_priority = kept;
    ::syscall(SYS_sched_setscheduler, tid, SCHED_FIFO, &param);
  }
  return report;
}

}  // namespace detail

void set_base_priority(OwnPriority base) noexcept
{
  std::lock_guard lock(t_own.mutex);
  t_own.own = base;
  t_own.base = base;
}
OwnPriority base_priority() noexcept
{
  std::lock_guard lock(t_own.mutex);
  return t_own.base;
}
void set_middleware_ceiling(int ceiling) noexcept
{
  t_own.ceiling = ceiling;
}
int own_middleware_ceiling() noexcept
{
  return t_own.ceiling;
}

std::uint64_t middleware_ceiling_raises() noexcept
{
  return g_raises.load(std::memory_order_relaxed);
}

MiddlewareCeilingScope::MiddlewareCeilingScope() noexcept
{
  if (t_own.ceiling == 0 || t_own.depth++ > 0) {
    return;
  }
  std::lock_guard lock(t_own.mutex);
  if (below(t_own.base, t_own.ceiling)) {
    t_own.raised = set_own_priority(Policy::fifo, t_own.ceiling) == 0;
    g_raises.fetch_add(t_own.raised ? 1 : 0, std::memory_order_relaxed);
  }
}

MiddlewareCeilingScope::~MiddlewareCeilingScope()
{
  if (t_own.ceiling == 0 || --t_own.depth > 0) {
    return;
  }
  std::lock_guard lock(t_own.mutex);
  if (t_own.raised) {
    t_own.raised = false;
    set_own_priority(t_own.base.policy, t_own.base.priority);
  }
}

}  // namespace takt_core
