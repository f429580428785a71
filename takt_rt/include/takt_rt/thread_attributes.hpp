// What the kernel is asked to give a thread, and what it granted.
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

/// Every fault in `attributes` that can be seen without asking the kernel to apply them: ranges,
/// fields of another policy, cores this machine or this process does not have, and deadline
/// together with cores (the kernel needs cpusets for that).
Faults validate(const ThreadAttributes & attributes);

/// The same for a thread of another process, which may use `usable` cores (ascending).
Faults validate(const ThreadAttributes & attributes, const std::vector<int> & usable);

/// What was asked of the kernel and what the thread really has.
struct AttributeReport
{
  ThreadAttributes asked;
  ThreadAttributes granted;  ///< read back from the kernel, never `inherit`; stack_size as asked
  Faults faults;             ///< one per refusal, with its `refusal`
  bool granted_all() const noexcept { return faults.empty(); }
};

/// Applies name, affinity, then policy to thread `tid` (0: the caller), each only if it was asked for,
/// and reads all of it back.
/// Affinity comes before policy so that a thread never runs with real-time priority on a core it
/// was not meant for. Tries everything even after a refusal.
AttributeReport apply(const ThreadAttributes & attributes, pid_t tid = 0);

/// The attributes thread `tid` (0: the caller) has now. `inherit` only if there is no such thread.
ThreadAttributes read_attributes(pid_t tid = 0);

/// What `attributes` leave open, as `starter` has it: the thread that is to have them, before it was asked for
/// anything, or the one that starts it. A nice level without a policy means fair scheduling. Real-time safe but for
/// the lists of cores.
ThreadAttributes filled_in(ThreadAttributes attributes, const ThreadAttributes & starter);

/// The part of a thread's attributes that it may change by itself in a real-time safe way.
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

/// Policy and real-time priority of the calling thread, as the kernel has them now; nothing if the kernel does not
/// answer. Real-time safe: one system call, no allocation.
std::optional<OwnPriority> own_priority() noexcept;

/// Sets only policy and real-time priority of the calling thread; its nice value stays, also on the
/// way to fifo and back. `priority` is 0 for policies without one. Returns 0 or an errno: EPERM
/// without the right, EINVAL for a priority the policy has not and for deadline.
/// Real-time safe: one system call, no allocation. For following pools and the ceiling.
int set_own_priority(Policy policy, int priority) noexcept;

/// The order in which the kernel prefers threads, as one number: deadline above fifo/rr by
/// priority above other/batch by nice above idle. What is inherited counts as other with nice 0,
/// because it is not known before the thread is there. Real-time safe.
int urgency(const ThreadAttributes & attributes) noexcept;

/// That of the calling thread, as the kernel has it now. Real-time safe: one system call.
int own_urgency() noexcept;

/// Cores that this process may use (its affinity mask).
std::vector<int> usable_cores();
/// `usable_cores` gives these from now on: the cores that the process was started with, where somebody read them before
/// takt was loaded. The threads that load takt late may have pinned themselves before. Once, before anything of takt
/// starts threads.
void set_usable_cores(const std::vector<int> & cores);

/// Those of a thread that works beside the program's: fair scheduling on all usable cores, whatever the thread has that
/// starts it. `name`: at most 15 characters.
ThreadAttributes background_attributes(std::string name);

/// True if this process may set real-time policies up to `priority` (tried on a short-lived
/// thread, so that limits, capabilities and containers are all judged by the kernel itself).
bool may_use_realtime(int priority);

}  // namespace takt_rt

#endif  // TAKT_RT__THREAD_ATTRIBUTES_HPP_
