#include "kernel.hpp"

#include <algorithm>
#include <cerrno>

namespace takt_configurator
{

takt_rt::AttributeReport LinuxKernel::apply(const takt_rt::ThreadAttributes & attributes, pid_t tid)
{
  return takt_rt::apply(attributes, tid);
}

takt_rt::ThreadAttributes LinuxKernel::read(pid_t tid) const
{
  return takt_rt::read_attributes(tid);
}

int LinuxKernel::nice(pid_t tid) const
{
  errno = 0;
  const int nice = ::getpriority(PRIO_PROCESS, static_cast<id_t>(tid));  // of a thread, on Linux
  return errno == 0 ? nice : 0;
}

int LinuxKernel::raise_rtprio_limit(pid_t pid, int priority, rlimit & before)
{
  rlimit now{};
  if (::prlimit(pid, RLIMIT_RTPRIO, nullptr, &now) != 0) {
    return errno;
  }
  const auto wanted = static_cast<rlim_t>(std::max(priority, 0));
  const rlimit raised{std::max(now.rlim_cur, wanted), std::max(now.rlim_max, wanted)};
  return ::prlimit(pid, RLIMIT_RTPRIO, &raised, &before) == 0 ? 0 : errno;
}

void LinuxKernel::set_rtprio_limit(pid_t pid, const rlimit & limit)
{
  ::prlimit(pid, RLIMIT_RTPRIO, &limit, nullptr);
}

}  // namespace takt_configurator
