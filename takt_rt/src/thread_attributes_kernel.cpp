// Requests to the kernel: apply, read back, try.
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <system_error>
#include <thread>

#include "affinity.hpp"
#include "sched_attr.hpp"
#include "takt_rt/application/thread_name.hpp"
#include "takt_rt/refusal.hpp"
#include "takt_rt/thread_attributes.hpp"

namespace takt_rt
{
namespace
{

using detail::SchedAttr;

/// Works for any thread id, not only a process's first.
std::string comm_path(pid_t tid)
{
  return "/proc/" + std::to_string(tid) + "/comm";
}

std::string read_name(pid_t tid)
{
  if (tid == 0) {
    std::array<char, kLongestThreadName + 1> name{};
    ::prctl(PR_GET_NAME, name.data());
    return name.data();
  }
  std::ifstream file(comm_path(tid));
  std::string name;
  std::getline(file, name);
  return name;
}

/// Returns 0 or an errno.
int write_name(pid_t tid, const std::string & name)
{
  const std::string kept = name.substr(0, kLongestThreadName);
  if (tid == 0) {
    return ::prctl(PR_SET_NAME, kept.c_str()) == 0 ? 0 : errno;
  }
  const int file = ::open(comm_path(tid).c_str(), O_WRONLY | O_CLOEXEC);
  if (file < 0) {
    return errno;
  }
  const int error = ::write(file, kept.data(), kept.size()) < 0 ? errno : 0;
  ::close(file);
  return error;
}

/// The kernel keeps it also under policies that ignore it.
int read_nice(pid_t tid)
{
  return ::getpriority(PRIO_PROCESS, static_cast<id_t>(tid));  // of a thread, on Linux
}

SchedAttr to_kernel(const ThreadAttributes & attributes, pid_t tid)
{
  SchedAttr attr;
  attr.policy = detail::to_kernel(attributes.policy);
  if (has_rt_priority(attributes.policy)) {
    attr.priority = static_cast<std::uint32_t>(std::max(attributes.priority, 0));
  } else if (attributes.policy == Policy::deadline) {
    attr.runtime = static_cast<std::uint64_t>(attributes.runtime.count());
    attr.deadline = static_cast<std::uint64_t>(attributes.deadline.count());
    attr.period = static_cast<std::uint64_t>(attributes.period.count());
  } else {
    attr.nice = attributes.nice.value_or(read_nice(tid));
  }
  return attr;
}

/// Leaves SCHED_DEADLINE, because its threads may not change their cores.
void leave_deadline(pid_t tid)
{
  SchedAttr attr;
  if (detail::sched_getattr(tid, attr) == 0 && attr.policy == detail::kSchedDeadline) {
    const sched_param none{};
    ::syscall(SYS_sched_setscheduler, tid, SCHED_OTHER, &none);  // keeps nice
  }
}

/// Keeps reset-on-fork (clearing it needs a right of its own), but sets it for a SCHED_DEADLINE
/// thread: without it the kernel refuses every thread that such a thread creates.
std::uint64_t choose_flags(Policy policy, pid_t tid)
{
  if (policy == Policy::deadline) {
    return detail::kResetOnFork;
  }
  SchedAttr now;
  if (detail::sched_getattr(tid, now) != 0 || now.policy == detail::kSchedDeadline) {
    return 0;
  }
  return now.flags & detail::kResetOnFork;
}

bool has_policy(const ThreadAttributes & granted, const ThreadAttributes & asked)
{
  return granted.policy == asked.policy && granted.priority == asked.priority &&
         (!asked.nice || granted.nice == asked.nice) && granted.runtime == asked.runtime &&
         granted.deadline == asked.deadline && granted.period == asked.period;
}

Refusal not_in_force(RefusedAttribute attribute, const ThreadAttributes & asked, pid_t tid)
{
  Refusal refusal;
  refusal.attribute = attribute;
  refusal.right = MissingRight::not_in_force;
  refusal.tid = tid;
  refusal.asked = asked;
  refusal.granted = read_attributes(tid);
  return refusal;
}

void apply_cores(const ThreadAttributes & asked, pid_t tid, Faults & faults)
{
  if (asked.cores.empty()) {
    return;
  }
  if (const int error = detail::write_affinity(tid, asked.cores); error != 0) {
    faults.push_back(make_refusal(RefusedAttribute::cores, asked, error, tid));
    return;
  }
  const auto cores = detail::read_affinity(tid);
  if (cores.empty()) {  // the thread has ended meanwhile: every thread has cores
    faults.push_back(make_refusal(RefusedAttribute::cores, asked, ESRCH, tid));
    return;
  }
  if (format_cores(asked.cores) != format_cores(cores)) {
    faults.push_back(not_in_force(RefusedAttribute::cores, asked, tid));
  }
}

void apply_policy(const ThreadAttributes & asked, pid_t tid, Faults & faults)
{
  if (asked.policy == Policy::inherit) {
    if (asked.nice && ::setpriority(PRIO_PROCESS, static_cast<id_t>(tid), *asked.nice) != 0) {
      const int error = errno == EACCES ? EPERM : errno;  // too small a value for this user
      faults.push_back(make_refusal(RefusedAttribute::nice, asked, error, tid));
    }
    return;
  }
  SchedAttr attr = to_kernel(asked, tid);
  attr.flags = choose_flags(asked.policy, tid);
  if (const int error = detail::sched_setattr(tid, attr); error != 0) {
    faults.push_back(make_refusal(RefusedAttribute::policy, asked, error, tid));
  } else if (const ThreadAttributes granted = read_attributes(tid); granted.cores.empty()) {
    // The thread has ended meanwhile.
    faults.push_back(make_refusal(RefusedAttribute::policy, asked, ESRCH, tid));
  } else if (!has_policy(granted, asked)) {
    faults.push_back(not_in_force(RefusedAttribute::policy, asked, tid));
  }
}

}  // namespace

AttributeReport apply(const ThreadAttributes & attributes, pid_t tid)
{
  AttributeReport report;
  report.asked = attributes;
  if (!attributes.name.empty()) {
    if (const int error = write_name(tid, attributes.name); error != 0) {
      report.faults.push_back(make_refusal(RefusedAttribute::name, attributes, error, tid));
    } else if (attributes.name.size() > kLongestThreadName) {
      report.faults.push_back(not_in_force(RefusedAttribute::name, attributes, tid));
    }
  }
  const bool leaves = attributes.policy != Policy::deadline && attributes.policy != Policy::inherit;
  if (!attributes.cores.empty() && leaves) {
    leave_deadline(tid);
  }
  apply_cores(attributes, tid, report.faults);
  apply_policy(attributes, tid, report.faults);
  report.granted = read_attributes(tid);
  report.granted.stack_size = attributes.stack_size;
  for (Fault & fault : report.faults) {
    fault.refusal->thread = attributes.name.empty() ? report.granted.name : attributes.name;
  }
  return report;
}

ThreadAttributes read_attributes(pid_t tid)
{
  ThreadAttributes attributes;
  SchedAttr attr;
  if (detail::sched_getattr(tid, attr) != 0) {
    return attributes;
  }
  attributes.policy = detail::from_kernel(attr.policy);
  if (has_rt_priority(attributes.policy)) {
    attributes.priority = static_cast<int>(attr.priority);
  } else if (attributes.policy == Policy::deadline) {
    attributes.runtime = Duration{static_cast<std::int64_t>(attr.runtime)};
    attributes.deadline = Duration{static_cast<std::int64_t>(attr.deadline)};
    attributes.period = Duration{static_cast<std::int64_t>(attr.period)};
  } else if (attributes.policy != Policy::idle) {
    attributes.nice = attr.nice;
  }
  attributes.cores = detail::read_affinity(tid);
  attributes.name = read_name(tid);
  return attributes;
}

std::optional<OwnPriority> own_priority() noexcept
{
  detail::SchedAttr attr;
  if (detail::sched_getattr(0, attr) != 0) {
    return std::nullopt;
  }
  return OwnPriority{detail::from_kernel(attr.policy), static_cast<int>(attr.priority)};
}

int own_urgency() noexcept
{
  SchedAttr now;
  ThreadAttributes own;
  if (detail::sched_getattr(0, now) == 0) {
    own.policy = detail::from_kernel(now.policy);
    own.priority = static_cast<int>(now.priority);
    own.nice = now.nice;
  }
  return urgency(own);
}

int set_own_priority(Policy policy, int priority) noexcept
{
  // The old system call on purpose: without a nice field it keeps the thread's nice value, which
  // sched_setattr would reset when a thread returns from fifo to other. It requires priority 0 for
  // policies without one and refuses deadline, both with EINVAL.
  sched_param param{};
  param.sched_priority = priority;
  const auto kernel_policy = static_cast<int>(detail::to_kernel(policy));
  return ::syscall(SYS_sched_setscheduler, 0, kernel_policy, &param) == 0 ? 0 : errno;
}

bool may_use_realtime(int priority)
{
  int error = EAGAIN;
  try {
    std::thread([&error, priority] { error = set_own_priority(Policy::fifo, priority); }).join();
  } catch (const std::system_error &) {
    return false;  // no thread can be created, so no real-time one either
  }
  return error == 0;
}

}  // namespace takt_rt
