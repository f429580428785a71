// A refusal by the kernel or the configurator daemon to give a thread an attribute, as a value: its
// sentence is made when it is printed.
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

/// The refused attribute.
enum class RefusedAttribute
{
  name,
  cores,
  policy,  ///< with its priority, nice value or deadline parameters
  nice     ///< the nice value alone, with an unchanged policy
};

/// The missing right. The sentence adds `limit` and `limit_of`, if present, in brackets.
enum class MissingRight
{
  unknown,             ///< only `error` is known
  cap_sys_nice,        ///< and no resource limit grants it
  rlimit_rtprio,       ///< or CAP_SYS_NICE (the soft limit)
  rlimit_nice,         ///< or CAP_SYS_NICE (the soft limit)
  realtime_runtime,    ///< of the control group (kernel.sched_rt_runtime_us)
  deadline_admission,  ///< bandwidth (kernel.sched_rt_runtime_us of sched_rt_period_us)
  root_domain,         ///< a SCHED_DEADLINE thread must have all cores of its root domain
  other_users_thread,  ///< only CAP_SYS_NICE allows access to it
  no_such_thread,
  invalid,       ///< not a valid value (period in us of a SCHED_DEADLINE thread, from and to)
  not_in_force,  ///< the kernel accepted it, but the thread has `granted`
  // Refused by the configurator daemon, or for lack of one; `detail` says why.
  configurator_policy,  ///< its policy file forbids it (`detail`: the rule, its line and its
                        ///< bounds)
  configurator,         ///< the daemon refused it for a reason other than its policy
  no_configurator       ///< no daemon answers in time (`detail`: where, and why)
};

/// One refused attribute of one thread.
struct Refusal
{
  RefusedAttribute attribute = RefusedAttribute::policy;
  int error = 0;  ///< errno; 0: not in force although no call failed
  MissingRight right = MissingRight::unknown;
  pid_t tid = 0;                           ///< 0: the requesting thread
  std::string thread{};                    ///< OS name; empty: the thread has ended
  ThreadAttributes asked{};                ///< only the fields of `attribute` count
  ThreadAttributes granted{};              ///< for `not_in_force`
  std::optional<std::int64_t> limit{};     ///< as read; -1: unlimited; absent: unreadable
  std::optional<std::int64_t> limit_of{};  ///< the second value of the limit
  std::string online{};                    ///< the online cores, as the kernel lists them
  std::string program{};  ///< the program that needs the right, quoted for a shell; may be empty
  std::string detail{};   ///< from the configurator daemon, for printing only

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

/// Reads from the kernel which right is missing. `error`: errno of the refused call on thread `tid`
/// (0: the caller). May block: reads /proc.
Refusal make_refusal(
  RefusedAttribute attribute, const ThreadAttributes & asked, int error, pid_t tid);

/// The requested priority or nice value; empty for an attribute without such a number.
std::optional<int> refused_number(const Refusal & refusal);

/// "SCHED_FIFO priority 60", or without the number "SCHED_FIFO priority".
std::string refused_thing(const Refusal & refusal, bool with_number = true);

/// The missing right and how to get it: "CAP_SYS_NICE is missing and RLIMIT_RTPRIO is 0; add ...".
std::string reason(const Refusal & refusal);

/// "SCHED_FIFO priority 60 refused for thread 7: " and the reason.
std::string to_string(const Refusal & refusal);

}  // namespace takt_rt

#endif  // TAKT_RT__REFUSAL_HPP_
