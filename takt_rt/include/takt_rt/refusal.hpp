// What the kernel, or the configurator daemon, refused a thread, as a value: its sentence is made when it
// is printed.
//
// Set-up only: holds strings and allocates.
#ifndef TAKT_RT__REFUSAL_HPP_
#define TAKT_RT__REFUSAL_HPP_

#include <sys/types.h>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>

#include "takt_rt/attributes.hpp"

namespace takt_rt
{

/// Which attribute of a thread was refused.
enum class RefusedAttribute
{
  name,
  cores,
  policy,  ///< with its priority, nice value or deadline parameters
  nice     ///< alone, under the policy that the thread had
};

/// What is missing. In brackets: what `limit` and `limit_of` say, if anything.
enum class MissingRight
{
  unknown,             ///< `error` is all there is to say
  cap_sys_nice,        ///< and no resource limit grants it
  rlimit_rtprio,       ///< or CAP_SYS_NICE (the soft limit)
  rlimit_nice,         ///< or CAP_SYS_NICE (the soft limit)
  realtime_runtime,    ///< of the control group (kernel.sched_rt_runtime_us)
  deadline_admission,  ///< bandwidth (kernel.sched_rt_runtime_us of sched_rt_period_us)
  root_domain,         ///< a SCHED_DEADLINE thread must have all cores of its root domain
  other_users_thread,  ///< only CAP_SYS_NICE gives a right to it
  no_such_thread,
  invalid,       ///< no value that there is (period in us of a SCHED_DEADLINE thread, from and to)
  not_in_force,  ///< the kernel took it, and the thread has something else: `granted`
  // Refused by the configurator daemon, or for want of one; `detail` says why.
  configurator_policy,  ///< its policy file forbids it (`detail`: the rule, its line and its bounds)
  configurator,         ///< the daemon refused it for another reason than its policy
  no_configurator       ///< no daemon answers, or none answers in time (`detail`: where, and why)
};

/// One attribute that one thread was refused.
struct Refusal
{
  RefusedAttribute attribute = RefusedAttribute::policy;
  int error = 0;  ///< errno; 0: not in force although no call failed
  MissingRight right = MissingRight::unknown;
  pid_t tid = 0;                           ///< 0: the thread that asked for it
  std::string thread{};                    ///< OS name; empty: of no thread that lives on
  ThreadAttributes asked{};                ///< of which only what belongs to `attribute` counts
  ThreadAttributes granted{};              ///< for `not_in_force`
  std::optional<std::int64_t> limit{};     ///< that was seen; -1: unlimited; absent: not readable
  std::optional<std::int64_t> limit_of{};  ///< its other half
  std::string online{};                    ///< cores that are online, as the kernel lists them
  std::string program{};  ///< to grant the right to, quoted for a shell; may be empty
  std::string detail{};   ///< of the configurator daemon, to be printed only

  /// All members. The binding does not compile if one is missing.
  auto members() const
  {
    const auto & [attribute_, error_, right_, tid_, thread_, asked_, granted_, limit_, limit_of_, online_, program_, detail_] =
      *this;
    return std::tie(
      attribute_, error_, right_, tid_, thread_, asked_, granted_, limit_, limit_of_, online_,
      program_, detail_);
  }
  friend bool operator==(const Refusal & left, const Refusal & right)
  {
    return left.members() == right.members();
  }
  friend bool operator!=(const Refusal & left, const Refusal & right) { return !(left == right); }
};

/// Reads from the kernel what is missing. `error`: errno of the refused call on thread `tid` (0: the
/// caller). May block: reads /proc.
Refusal make_refusal(
  RefusedAttribute attribute, const ThreadAttributes & asked, int error, pid_t tid);

/// The priority or nice value that was asked for; nothing where there is no such number.
std::optional<int> refused_number(const Refusal & refusal);

/// "SCHED_FIFO priority 60", or without the number "SCHED_FIFO priority".
std::string refused_thing(const Refusal & refusal, bool with_number = true);

/// What is missing and how to get it: "CAP_SYS_NICE is missing and RLIMIT_RTPRIO is 0; add ...".
std::string reason(const Refusal & refusal);

/// "SCHED_FIFO priority 60 refused for thread 7: " and the reason.
std::string to_string(const Refusal & refusal);

}  // namespace takt_rt

#endif  // TAKT_RT__REFUSAL_HPP_
