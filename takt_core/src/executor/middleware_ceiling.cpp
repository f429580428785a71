#include "takt_core/middleware_ceiling.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <new>

#include "executor/thread_priority.hpp"
#include "takt_rt/refusal.hpp"

namespace takt_core
{

using takt_rt::AttributeReport;
using takt_rt::AttributeSetter;
using takt_rt::Fault;
using takt_rt::MissingRight;
using takt_rt::own_priority;
using takt_rt::Policy;
using takt_rt::RefusedAttribute;
using takt_rt::set_own_priority;
using takt_rt::ThreadAttributes;

namespace
{

// The thread's record is built in place and never destroyed: at process exit the main thread's
// thread-local objects are destroyed before static objects, which may still publish.
struct Place
{
  alignas(detail::ThreadPriority) std::byte bytes[sizeof(detail::ThreadPriority)];
  bool made = false;
};
constinit thread_local Place t_place{};
std::atomic<std::uint64_t> g_raises{0};

// If the program or another process has set the thread's priority, that priority becomes the one to
// restore. While `change` (below) sets attributes, this function does nothing: `change` decides
// which priority is the thread's own.
void follow_program(detail::ThreadPriority & thread) noexcept
{
  if (thread.changing) {
    return;
  }
  if (const auto now = own_priority(); now && *now != thread.base) {
    thread.own = *now;
    thread.base = *now;
  }
}

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
  if (!t_place.made) {
    new (t_place.bytes) ThreadPriority;
    t_place.made = true;
  }
  return *std::launder(reinterpret_cast<ThreadPriority *>(t_place.bytes));
}

void follow(int priority) noexcept
{
  ThreadPriority & thread = own_thread_priority();
  std::lock_guard lock(thread.mutex);
  if (thread.own.policy != Policy::fifo) {
    return;
  }
  const int taken = std::clamp(priority, 1, thread.own.priority);
  if (set_own_priority(Policy::fifo, taken) == 0) {
    thread.base = {Policy::fifo, taken};
  }
}

void unfollow() noexcept
{
  ThreadPriority & thread = own_thread_priority();
  std::lock_guard lock(thread.mutex);
  if (thread.own.policy == Policy::fifo) {
    set_own_priority(Policy::fifo, thread.own.priority);
    thread.base = thread.own;
  }
}

// `setter` may ask a daemon, so do not hold the lock during its call. A scope that ends meanwhile
// restores the expected priority; the code below corrects the result. The setter may read back a
// priority that a scope or a callback lent the thread, so the requested priority counts unless it
// was refused.
AttributeReport change(
  ThreadPriority & thread, pid_t tid, const ThreadAttributes & attributes, AttributeSetter & setter)
{
  OwnPriority before;
  OwnPriority asked;
  bool lends = false;  // a scope or a callback lends the thread a priority at times
  {
    const std::lock_guard lock(thread.mutex);
    before = thread.own;
    asked = attributes.policy == Policy::inherit
              ? before
              : OwnPriority{attributes.policy, attributes.priority};
    thread.changing = true;
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
  thread.changing = false;
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
  detail::ThreadPriority & thread = detail::own_thread_priority();
  std::lock_guard lock(thread.mutex);
  thread.own = base;
  thread.base = base;
}
OwnPriority base_priority() noexcept
{
  detail::ThreadPriority & thread = detail::own_thread_priority();
  std::lock_guard lock(thread.mutex);
  return thread.base;
}
void set_middleware_ceiling(int ceiling) noexcept
{
  detail::own_thread_priority().ceiling = ceiling;
}
int own_middleware_ceiling() noexcept
{
  return detail::own_thread_priority().ceiling;
}

std::uint64_t middleware_ceiling_raises() noexcept
{
  return g_raises.load(std::memory_order_relaxed);
}

MiddlewareCeilingScope::MiddlewareCeilingScope() noexcept
{
  detail::ThreadPriority & thread = detail::own_thread_priority();
  if (thread.ceiling == 0 || thread.depth++ > 0) {
    return;
  }
  std::lock_guard lock(thread.mutex);
  follow_program(thread);
  if (below(thread.base, thread.ceiling)) {
    thread.raised = set_own_priority(Policy::fifo, thread.ceiling) == 0;
    g_raises.fetch_add(thread.raised ? 1 : 0, std::memory_order_relaxed);
  }
}

MiddlewareCeilingScope::~MiddlewareCeilingScope()
{
  detail::ThreadPriority & thread = detail::own_thread_priority();
  if (thread.ceiling == 0 || --thread.depth > 0) {
    return;
  }
  std::lock_guard lock(thread.mutex);
  if (thread.raised) {
    thread.raised = false;
    set_own_priority(thread.base.policy, thread.base.priority);
  }
}

}  // namespace takt_core
