// Requests thread attributes from the kernel and reads back the granted ones.
//
// Set-up only, except where a function says otherwise. Sources: sched(7), sched_setattr(2),
// pthread_setaffinity_np(3).
#ifndef TAKT_RT__THREAD_ATTRIBUTES_HPP_
#define TAKT_RT__THREAD_ATTRIBUTES_HPP_

#include <sys/types.h>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "takt_rt/attributes.hpp"
#include "takt_rt/result.hpp"

namespace takt_rt
{

/// Every fault in `attributes` that is visible without a request to the kernel: ranges, fields of
/// another policy, a name too long, cores that this machine or this process does not have, and
/// deadline together with cores (for which the kernel needs cpusets).
Faults validate(const ThreadAttributes & attributes);

/// As above for a thread of another process, which may use `usable` cores (ascending).
Faults validate(const ThreadAttributes & attributes, const std::vector<int> & usable);

/// The requested attributes, and those that the thread has.
struct AttributeReport
{
  ThreadAttributes asked;
  ThreadAttributes granted;  ///< read back, never `inherit`; stack_size as requested
  Faults faults;             ///< one per refusal, with its `refusal`
  /// True if the kernel refused no attribute. Real-time safe.
  bool granted_all() const noexcept { return faults.empty(); }
};

/// Applies name, affinity, then policy to thread `tid` (0: the caller), if requested, and reads all
/// back. Affinity comes before policy so that a thread never runs with real-time priority on a
/// wrong core. Continues after a refusal. A name that Linux cuts is one.
AttributeReport apply(const ThreadAttributes & attributes, pid_t tid = 0);

/// The present attributes of thread `tid` (0: the caller). `inherit` only for an unknown thread.
ThreadAttributes read_attributes(pid_t tid = 0);

/// `attributes` with absent ones taken from `starter`: the same thread before any request, or the
/// thread that starts it. A nice level without a policy means fair scheduling. Real-time safe
/// except the lists of cores.
ThreadAttributes filled_in(ThreadAttributes attributes, const ThreadAttributes & starter);

/// The part of a thread's attributes that the thread itself can change in a real-time safe way.
struct OwnPriority
{
  Policy policy = Policy::other;
  int priority = 0;

  /// All members. The binding does not compile if one is missing.
  auto members() const
  {
    const auto & [policy_, priority_] = *this;
    return std::tie(policy_, priority_);
  }
  friend bool operator==(const OwnPriority & left, const OwnPriority & right)
  {
    return left.members() == right.members();
  }
  friend bool operator!=(const OwnPriority & left, const OwnPriority & right)
  {
    return !(left == right);
  }
};

/// Policy and real-time priority of the calling thread, as the kernel has them now; empty if the
/// kernel does not answer. Real-time safe: one system call, no allocation.
std::optional<OwnPriority> own_priority() noexcept;

/// Sets only policy and real-time priority of the calling thread; its nice value stays, also over a
/// change to fifo and back. `priority` is 0 for policies without one. Returns 0 or an errno: EPERM
/// without the right, EINVAL for a priority outside the policy's range and for deadline. Real-time
/// safe: one system call, no allocation. For following pools and the ceiling.
int set_own_priority(Policy policy, int priority) noexcept;

/// The order in which the kernel prefers threads, as one number: deadline above fifo/rr by priority
/// above other/batch by nice above idle. `inherit` counts as other with nice 0, because the
/// thread's policy is not known before its start. Real-time safe.
int urgency(const ThreadAttributes & attributes) noexcept;

/// The urgency of the calling thread, as the kernel has it now. Real-time safe: one system call.
int own_urgency() noexcept;

/// Cores that this process may use (its affinity mask).
std::vector<int> usable_cores();
/// Replaces the result of `usable_cores` by the cores with which the process was started, as read
/// before takt was loaded: threads may have pinned themselves before a late load. Call once, before
/// takt starts threads.
void set_usable_cores(const std::vector<int> & cores);

/// Attributes of a thread that works beside the program's: fair scheduling on all usable cores,
/// whatever the starting thread has. `name`: at most 15 characters.
ThreadAttributes background_attributes(std::string name);

/// True if this process may set real-time policies up to `priority` (tried on a short-lived thread,
/// so that the kernel itself judges limits, capabilities and containers).
bool may_use_realtime(int priority);

}  // namespace takt_rt

#endif  // TAKT_RT__THREAD_ATTRIBUTES_HPP_
