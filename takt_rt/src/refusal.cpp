#include "takt_rt/refusal.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <system_error>

#include "takt_rt/readable.hpp"

namespace takt_rt
{
namespace
{

/// One limit serves all schedules; threads of the kernel have 99.
constexpr int kMostOfSchedules = 98;
constexpr std::int64_t kUnlimited = -1;

bool has_cap_sys_nice()
{
  constexpr int kCapSysNice = 23;
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind("CapEff:", 0) == 0) {
      return ((std::stoull(line.substr(7), nullptr, 16) >> kCapSysNice) & 1U) != 0;
    }
  }
  return false;
}

std::string read_line(const char * path)
{
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line.empty() ? "unknown" : line;
}

std::optional<std::int64_t> read_number(const char * path)
{
  std::ifstream file(path);
  std::int64_t value = 0;
  return file >> value ? std::optional(value) : std::nullopt;
}

/// The soft limit that applies: the target's, which prlimit shows to its owner and to root.
std::optional<std::int64_t> soft_limit(__rlimit_resource resource, pid_t tid)
{
  rlimit limit{};
  if (::prlimit(tid, resource, nullptr, &limit) != 0) {
    return std::nullopt;
  }
  return limit.rlim_cur == RLIM_INFINITY ? kUnlimited : static_cast<std::int64_t>(limit.rlim_cur);
}

void find_realtime_right(Refusal & refusal)
{
  refusal.limit = soft_limit(RLIMIT_RTPRIO, refusal.tid);
  const bool enough = refusal.limit && (*refusal.limit == kUnlimited ||
                                        *refusal.limit >= std::max(refusal.asked.priority, 0));
  if (has_cap_sys_nice() || (enough && refusal.tid == 0)) {
    refusal.right = MissingRight::realtime_runtime;
    refusal.limit = read_number("/proc/sys/kernel/sched_rt_runtime_us");
  } else {
    refusal.right = enough ? MissingRight::other_users_thread : MissingRight::rlimit_rtprio;
  }
}

void find_policy_right(Refusal & refusal)
{
  switch (refusal.error) {
    case ESRCH:
      refusal.right = MissingRight::no_such_thread;
      break;
    case EBUSY:
      refusal.right = MissingRight::deadline_admission;
      refusal.limit = read_number("/proc/sys/kernel/sched_rt_runtime_us");
      refusal.limit_of = read_number("/proc/sys/kernel/sched_rt_period_us");
      break;
    case EINVAL:
      refusal.right = MissingRight::invalid;
      if (refusal.asked.policy == Policy::deadline) {
        refusal.limit = read_number("/proc/sys/kernel/sched_deadline_period_min_us");
        refusal.limit_of = read_number("/proc/sys/kernel/sched_deadline_period_max_us");
      }
      break;
    case EPERM:
      if (refusal.asked.policy == Policy::deadline) {
        refusal.right = has_cap_sys_nice() ? MissingRight::root_domain : MissingRight::cap_sys_nice;
      } else if (has_rt_priority(refusal.asked.policy)) {
        find_realtime_right(refusal);
      } else {
        refusal.right = MissingRight::rlimit_nice;
        refusal.limit = soft_limit(RLIMIT_NICE, refusal.tid);
      }
      break;
    default:
      break;
  }
}

void find_cores_right(Refusal & refusal)
{
  switch (refusal.error) {
    case ESRCH:
      refusal.right = MissingRight::no_such_thread;
      break;
    case EINVAL:
      refusal.right = MissingRight::invalid;
      refusal.online = read_line("/sys/devices/system/cpu/online");
      break;
    case EPERM:
      refusal.right = MissingRight::other_users_thread;
      break;
    case EBUSY:
      refusal.right = MissingRight::root_domain;
      break;
    default:
      break;
  }
}

void find_name_right(Refusal & refusal)
{
  if (refusal.error == ENOENT || refusal.error == ESRCH) {
    refusal.right = MissingRight::no_such_thread;
  } else if (refusal.error == EINVAL) {
    refusal.right = MissingRight::invalid;
  }
}

std::string printed(const std::optional<std::int64_t> & limit, const char * unknown)
{
  return limit ? std::to_string(*limit) : unknown;
}

std::string printed_limit(const std::optional<std::int64_t> & limit)
{
  return limit == kUnlimited ? "unlimited" : printed(limit, "not readable");
}

/// How a program is granted CAP_SYS_NICE. Not by `setcap`: the loader of a program with file
/// capabilities ignores LD_PRELOAD, and LD_LIBRARY_PATH, by which programs find the libraries of
/// ROS 2.
std::string grant(const Refusal & refusal)
{
  const std::string program = refusal.program.empty() ? "the program" : refusal.program;
  return "(AmbientCapabilities=CAP_SYS_NICE in the systemd unit that starts " + program +
         "; docker --cap-add=SYS_NICE)";
}

/// How to get a right that only CAP_SYS_NICE or a resource limit grants.
std::string remedy(const Refusal & refusal, const char * item)
{
  int number = *refused_number(refusal);
  if (has_rt_priority(refusal.asked.policy)) {
    number = std::max(number, kMostOfSchedules);
  }
  return "; add '- " + std::string(item) + " " + std::to_string(number) +
         "' for this user in /etc/security/limits.d and log in again, or grant CAP_SYS_NICE " +
         grant(refusal);
}

std::string nice_reason(const Refusal & refusal)
{
  std::string seen = printed_limit(refusal.limit);
  // RLIMIT_NICE counts from 1 (nice 19) to 40 (nice -20); with 0 no thread may lower the value.
  if (refusal.limit && *refusal.limit >= 1 && *refusal.limit <= 40) {
    seen += " (down to nice " + std::to_string(20 - *refusal.limit) + ")";
  }
  return "CAP_SYS_NICE is missing and RLIMIT_NICE is " + seen + remedy(refusal, "nice");
}

std::string invalid_reason(const Refusal & refusal)
{
  switch (refusal.attribute) {
    case RefusedAttribute::name:
      return "only a thread of the same process may name it";
    case RefusedAttribute::cores:
      return "none of them is online and in the process's cpuset; cores online: " + refusal.online;
    case RefusedAttribute::policy:
    case RefusedAttribute::nice:
      break;
  }
  if (refusal.asked.policy == Policy::deadline) {
    const auto duration = [](const std::optional<std::int64_t> & us) {
      return us ? exactly(std::chrono::microseconds(*us)) : std::string("unknown");
    };
    return "needs 1024 ns <= runtime <= deadline <= period, and a period from " +
           duration(refusal.limit) + " to " + duration(refusal.limit_of);
  }
  return has_rt_priority(refusal.asked.policy) ? "priority must be 1 to 99"
                                               : "nice must be -20 to 19";
}

std::string root_domain_reason(const Refusal & refusal)
{
  return refusal.attribute == RefusedAttribute::cores
           ? "SCHED_DEADLINE threads must keep all cores of their root domain"
           : "its cores must be all cores of the root domain; omit 'cores' and do not start the "
             "process under taskset, or give it an exclusive cpuset";
}

std::string not_in_force_reason(RefusedAttribute attribute)
{
  switch (attribute) {
    case RefusedAttribute::name:
      return "Linux keeps 15 bytes of a thread's name";
    case RefusedAttribute::cores:
      return "the others are offline or outside the process's cpuset";
    case RefusedAttribute::policy:
    case RefusedAttribute::nice:
      break;
  }
  return {};
}

std::string granted_thing(const Refusal & refusal)
{
  switch (refusal.attribute) {
    case RefusedAttribute::name:
      return "'" + refusal.granted.name + "'";
    case RefusedAttribute::cores:
      return format_cores(refusal.granted.cores);
    case RefusedAttribute::policy:
    case RefusedAttribute::nice:
      break;
  }
  return format_policy(refusal.granted);
}

std::string no_configurator_reason(const Refusal & refusal)
{
  return "this process has no right to it, and the configurator daemon does not help: " +
         refusal.detail + "; start takt-configurator, or grant CAP_SYS_NICE " + grant(refusal);
}

}  // namespace

Refusal make_refusal(
  RefusedAttribute attribute, const ThreadAttributes & asked, int error, pid_t tid)
{
  Refusal refusal;
  refusal.attribute = attribute;
  refusal.error = error;
  refusal.tid = tid;
  refusal.asked = asked;
  switch (attribute) {
    case RefusedAttribute::name:
      find_name_right(refusal);
      break;
    case RefusedAttribute::cores:
      find_cores_right(refusal);
      break;
    case RefusedAttribute::policy:
    case RefusedAttribute::nice:
      find_policy_right(refusal);
      break;
  }
  return refusal;
}

std::optional<int> refused_number(const Refusal & refusal)
{
  const bool of_policy =
    refusal.attribute == RefusedAttribute::policy || refusal.attribute == RefusedAttribute::nice;
  if (of_policy && has_rt_priority(refusal.asked.policy)) {
    return refusal.asked.priority;
  }
  return of_policy && has_nice(refusal.asked.policy) ? refusal.asked.nice : std::nullopt;
}

std::string refused_thing(const Refusal & refusal, bool with_number)
{
  if (refusal.attribute == RefusedAttribute::name) {
    return "name '" + refusal.asked.name + "'";
  }
  if (refusal.attribute == RefusedAttribute::cores) {
    return cores_words(refusal.asked.cores);
  }
  std::string text = format_policy(refusal.asked);
  if (const auto number = refused_number(refusal); number && !with_number) {
    text.resize(text.size() - std::to_string(*number).size() - 1);  // it ends the text
  }
  return text;
}

std::string reason(const Refusal & refusal)
{
  switch (refusal.right) {
    case MissingRight::cap_sys_nice:
      return "CAP_SYS_NICE is missing and no resource limit grants SCHED_DEADLINE; grant it " +
             grant(refusal);
    case MissingRight::rlimit_rtprio:
      return "CAP_SYS_NICE is missing and RLIMIT_RTPRIO is " + printed_limit(refusal.limit) +
             remedy(refusal, "rtprio");
    case MissingRight::rlimit_nice:
      return nice_reason(refusal);
    case MissingRight::realtime_runtime:
      return "the rights are there, but its control group has no real-time runtime "
             "(RT_GROUP_SCHED: give the group cpu.rt_runtime_us > 0, or run it in the root group; "
             "kernel.sched_rt_runtime_us is " +
             printed(refusal.limit, "unknown") + ")";
    case MissingRight::deadline_admission:
      return "its bandwidth does not fit: the sum of runtime/period of all SCHED_DEADLINE threads "
             "must stay below the real-time throttling share (kernel.sched_rt_runtime_us = " +
             printed(refusal.limit, "unknown") +
             " of kernel.sched_rt_period_us = " + printed(refusal.limit_of, "unknown") +
             ") of every core; lower runtime, raise period, or end other SCHED_DEADLINE threads";
    case MissingRight::root_domain:
      return root_domain_reason(refusal);
    case MissingRight::other_users_thread:
      return "CAP_SYS_NICE is missing and the thread belongs to another user" +
             (refused_number(refusal) ? remedy(refusal, "rtprio") : std::string());
    case MissingRight::no_such_thread:
      return "there is no such thread";
    case MissingRight::invalid:
      return invalid_reason(refusal);
    case MissingRight::not_in_force:
      return not_in_force_reason(refusal.attribute);
    case MissingRight::configurator_policy:
      return "the configurator's policy forbids it: " + refusal.detail;
    case MissingRight::configurator:
      return "the configurator refused it: " + refusal.detail;
    case MissingRight::no_configurator:
      return no_configurator_reason(refusal);
    case MissingRight::unknown:
      break;
  }
  return std::generic_category().message(refusal.error);
}

std::string to_string(const Refusal & refusal)
{
  if (refusal.right == MissingRight::not_in_force) {
    const bool cores = refusal.attribute == RefusedAttribute::cores;
    const std::string why = reason(refusal);
    return refused_thing(refusal) + (cores ? " were" : " was") +
           " asked for but the kernel granted " + granted_thing(refusal) +
           (why.empty() ? "" : "; ") + why;
  }
  const std::string whom =
    refusal.tid == 0 ? "this thread" : "thread " + std::to_string(refusal.tid);
  return refused_thing(refusal) + " refused for " + whom + ": " + reason(refusal);
}

}  // namespace takt_rt
