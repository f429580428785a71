#include "thread/refusal.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <optional>
#include <system_error>

namespace takt_core::detail
{
namespace
{

std::string describe(int error)
{
  return std::generic_category().message(error);
}

std::string target(pid_t tid)
{
  return tid == 0 ? "this thread" : "thread " + std::to_string(tid);
}

std::string describe(rlim_t limit)
{
  return limit == RLIM_INFINITY ? "unlimited" : std::to_string(limit);
}

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

/// The soft limit that counts: the target's, which prlimit shows to its owner and to root.
std::optional<rlim_t> soft_limit(__rlimit_resource resource, pid_t tid)
{
  rlimit limit{};
  if (::prlimit(tid, resource, nullptr, &limit) != 0) {
    return std::nullopt;
  }
  return limit.rlim_cur;
}

/// How to be granted what only CAP_SYS_NICE or a resource limit grants.
std::string remedy(const std::string & limits_entry)
{
  return "add '" + limits_entry +
         "' for this user in /etc/security/limits.d and log in again, or grant CAP_SYS_NICE "
         "(sudo setcap cap_sys_nice+ep PROGRAM; docker --cap-add=SYS_NICE)";
}

std::string explain_realtime_eperm(const ThreadAttributes & asked, pid_t tid)
{
  const std::optional<rlim_t> limit = soft_limit(RLIMIT_RTPRIO, tid);
  const auto priority = static_cast<rlim_t>(std::max(asked.priority, 0));
  if (has_cap_sys_nice() || (limit && *limit >= priority && tid == 0)) {
    return "the rights are there, but its control group has no real-time runtime "
           "(RT_GROUP_SCHED: give the group cpu.rt_runtime_us > 0, or run it in the root group; "
           "kernel.sched_rt_runtime_us is " +
           read_line("/proc/sys/kernel/sched_rt_runtime_us") + ")";
  }
  if (limit && *limit >= priority) {
    return "CAP_SYS_NICE is missing and the thread belongs to another user; " +
           remedy("- rtprio " + std::to_string(asked.priority));
  }
  return "CAP_SYS_NICE is missing and RLIMIT_RTPRIO is " +
         (limit ? describe(*limit) : std::string("not readable")) + "; " +
         remedy("- rtprio " + std::to_string(asked.priority));
}

std::string explain_nice_eperm(const ThreadAttributes & asked, pid_t tid)
{
  const std::optional<rlim_t> limit = soft_limit(RLIMIT_NICE, tid);
  std::string seen = "not readable";
  if (limit) {
    // RLIMIT_NICE counts from 1 (nice 19) to 40 (nice -20); 0 lets nobody lower the value.
    seen = describe(*limit);
    if (*limit >= 1 && *limit <= 40) {
      seen += " (down to nice " + std::to_string(20 - static_cast<int>(*limit)) + ")";
    }
  }
  return "CAP_SYS_NICE is missing and RLIMIT_NICE is " + seen + "; " +
         remedy("- nice " + std::to_string(asked.nice.value_or(0)));
}

std::string explain_deadline_eperm()
{
  if (has_cap_sys_nice()) {
    return "its cores must be all cores of the root domain; leave 'cores' away and do not start "
           "the process under taskset, or give it an exclusive cpuset";
  }
  return "CAP_SYS_NICE is missing and no resource limit grants SCHED_DEADLINE; grant it (setcap "
         "cap_sys_nice+ep PROGRAM; docker --cap-add=SYS_NICE)";
}

std::string explain_admission()
{
  return "its bandwidth does not fit: the sum of runtime/period of all SCHED_DEADLINE threads "
         "must stay below the real-time throttling share (kernel.sched_rt_runtime_us = " +
         read_line("/proc/sys/kernel/sched_rt_runtime_us") +
         " of kernel.sched_rt_period_us = " + read_line("/proc/sys/kernel/sched_rt_period_us") +
         ") of every core; lower runtime, raise period, or end other SCHED_DEADLINE threads";
}

std::string explain_invalid(const ThreadAttributes & asked)
{
  if (asked.policy == Policy::deadline) {
    return "needs 1024 ns <= runtime <= deadline <= period, and a period from " +
           read_line("/proc/sys/kernel/sched_deadline_period_min_us") + " us to " +
           read_line("/proc/sys/kernel/sched_deadline_period_max_us") + " us";
  }
  return has_rt_priority(asked.policy) ? "priority must be 1 to 99" : "nice must be -20 to 19";
}

}  // namespace

std::string explain_policy_refusal(const ThreadAttributes & asked, int error, pid_t tid)
{
  const std::string what = format_policy(asked) + " refused for " + target(tid) + ": ";
  switch (error) {
    case ESRCH:
      return what + "there is no such thread";
    case EBUSY:
      return what + explain_admission();
    case EINVAL:
      return what + explain_invalid(asked);
    case EPERM:
      if (asked.policy == Policy::deadline) {
        return what + explain_deadline_eperm();
      }
      return what + (has_rt_priority(asked.policy) ? explain_realtime_eperm(asked, tid)
                                                   : explain_nice_eperm(asked, tid));
    default:
      return what + describe(error);
  }
}

std::string explain_affinity_refusal(const std::vector<int> & cores, int error, pid_t tid)
{
  const std::string what = "cores " + format_cores(cores) + " refused for " + target(tid) + ": ";
  switch (error) {
    case ESRCH:
      return what + "there is no such thread";
    case EINVAL:
      return what + "none of them is online and in the process's cpuset; cores online: " +
             read_line("/sys/devices/system/cpu/online");
    case EPERM:
      return what + "CAP_SYS_NICE is missing and the thread belongs to another user";
    case EBUSY:
      return what + "SCHED_DEADLINE threads must keep all cores of their root domain";
    default:
      return what + describe(error);
  }
}

std::string explain_name_refusal(const std::string & name, int error, pid_t tid)
{
  const std::string what = "name '" + name + "' refused for " + target(tid) + ": ";
  switch (error) {
    case ENOENT:
    case ESRCH:
      return what + "there is no such thread";
    case EINVAL:
      return what + "only a thread of the same process may name it";
    default:
      return what + describe(error);
  }
}

std::string format_cores(const std::vector<int> & cores)
{
  std::vector<int> sorted = cores;
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  std::string text;
  for (std::size_t first = 0; first < sorted.size();) {
    std::size_t last = first;
    while (last + 1 < sorted.size() && sorted[last + 1] == sorted[last] + 1) {
      ++last;
    }
    text += (text.empty() ? "" : ",") + std::to_string(sorted[first]);
    if (last != first) {
      text += "-" + std::to_string(sorted[last]);
    }
    first = last + 1;
  }
  return text.empty() ? "(none)" : text;
}

std::string format_policy(const ThreadAttributes & attributes)
{
  const auto ns = [](Duration d) { return std::to_string(d.count()) + " ns"; };
  const std::string nice =
    attributes.nice ? " nice " + std::to_string(*attributes.nice) : std::string();
  switch (attributes.policy) {
    case Policy::fifo:
      return "SCHED_FIFO priority " + std::to_string(attributes.priority);
    case Policy::rr:
      return "SCHED_RR priority " + std::to_string(attributes.priority);
    case Policy::deadline:
      return "SCHED_DEADLINE runtime " + ns(attributes.runtime) + " deadline " +
             ns(attributes.deadline) + " period " + ns(attributes.period);
    case Policy::idle:
      return "SCHED_IDLE";
    case Policy::inherit:
      return attributes.nice ? nice.substr(1) : "the inherited policy";
    case Policy::batch:
      return "SCHED_BATCH" + nice;
    case Policy::other:
      break;
  }
  return "SCHED_OTHER" + nice;
}

}  // namespace takt_core::detail
