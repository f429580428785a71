// What the kernel is asked to give a thread, and what it granted.
//
// Set-up only, except where a function says otherwise. Sources: sched(7), sched_setattr(2),
// pthread_setaffinity_np(3).
#ifndef TAKT_CORE__THREAD_ATTRIBUTES_HPP_
#define TAKT_CORE__THREAD_ATTRIBUTES_HPP_

#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "takt_core/result.hpp"
#include "takt_core/time.hpp"

namespace takt_core
{

/// Kernel scheduling policies.
enum class Policy
{
  inherit,  ///< only asked for, never granted: what the thread has is left alone
  other,
  batch,
  idle,
  fifo,
  rr,
  deadline
};

/// Lower-case name as the schedule file spells it ("fifo", "deadline", ...); see names.hpp.
std::string_view to_string(Policy policy) noexcept;

/// True for fifo and rr, whose `priority` is 1 to 99.
constexpr bool has_rt_priority(Policy policy) noexcept
{
  return policy == Policy::fifo || policy == Policy::rr;
}

/// True for the policies under which a nice level may be asked for.
constexpr bool has_nice(Policy policy) noexcept
{
  return policy == Policy::inherit || policy == Policy::other || policy == Policy::batch;
}

/// The attributes of one OS thread. What is not given is not touched: a thread begins with what its
/// creator has.
struct ThreadAttributes
{
  Policy policy = Policy::inherit;
  int priority = 0;  ///< fifo and rr only: 1 to 99, larger is more urgent
  /// Inherit, other and batch only: -20 to 19, smaller is more urgent. Absent: left as it is.
  std::optional<int> nice{};
  Duration runtime{};          ///< deadline only: budget in each period
  Duration deadline{};         ///< deadline only: relative deadline
  Duration period{};           ///< deadline only
  std::vector<int> cores{};    ///< allowed cores; empty: left as inherited
  std::string name{};          ///< OS name; the kernel keeps the first 15 characters
  std::size_t stack_size = 0;  ///< bytes; 0: the system's default

  friend bool operator==(const ThreadAttributes &, const ThreadAttributes &) = default;
};

/// Every fault in `attributes` that can be seen without asking the kernel to apply them: ranges,
/// fields of another policy, cores this machine or this process does not have, and deadline
/// together with cores (the kernel needs cpusets for that).
Faults validate(const ThreadAttributes & attributes);

/// What was asked of the kernel and what the thread really has.
struct AttributeReport
{
  ThreadAttributes asked;
  ThreadAttributes granted;  ///< read back from the kernel, never `inherit`; stack_size as asked
  Faults faults;             ///< one per refusal, with the right that is missing and how to get it
  bool granted_all() const noexcept { return faults.empty(); }
};

/// Applies name, affinity, then policy to thread `tid` (0: the caller), each only if it was asked for,
/// and reads all of it back.
/// Affinity comes before policy so that a thread never runs with real-time priority on a core it
/// was not meant for. Tries everything even after a refusal.
AttributeReport apply(const ThreadAttributes & attributes, pid_t tid = 0);

/// The attributes thread `tid` (0: the caller) has now. `inherit` only if there is no such thread.
ThreadAttributes read_attributes(pid_t tid = 0);

/// Sets only policy and real-time priority of the calling thread; its nice value stays, also on the
/// way to fifo and back. `priority` is 0 for policies without one. Returns 0 or an errno: EPERM
/// without the right, EINVAL for a priority the policy has not and for deadline.
/// Real-time safe: one system call, no allocation. For following pools and the ceiling.
int set_own_priority(Policy policy, int priority) noexcept;

/// The order in which the kernel prefers threads, as one number: deadline above fifo/rr by
/// priority above other/batch by nice above idle. What is inherited counts as other with nice 0,
/// because it is not known before the thread is there. Real-time safe.
int urgency(const ThreadAttributes & attributes) noexcept;

/// Cores that this process may use (its affinity mask).
std::vector<int> usable_cores();

/// True if this process may set real-time policies up to `priority` (tried on a short-lived
/// thread, so that limits, capabilities and containers are all judged by the kernel itself).
bool may_use_realtime(int priority);

}  // namespace takt_core

#endif  // TAKT_CORE__THREAD_ATTRIBUTES_HPP_
