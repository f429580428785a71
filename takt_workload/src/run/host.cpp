#include "run/host.hpp"

#include <sys/utsname.h>

#include <fstream>

#include "takt_rt/thread_attributes.hpp"

namespace takt_workload
{

namespace
{

long long number_in(const char * path, long long otherwise)
{
  std::ifstream file(path);
  long long value = otherwise;
  return file >> value ? value : otherwise;
}

}  // namespace

Host read_host()
{
  Host host;
  host.cores = takt_rt::usable_cores();
  utsname names{};
  uname(&names);
  host.kernel = std::string(names.release) + " " + names.version;
  host.realtime_allowed = takt_rt::may_use_realtime(99);
  host.autogroup = number_in("/proc/sys/kernel/sched_autogroup_enabled", 0) == 1;
  host.rt_runtime_us = number_in("/proc/sys/kernel/sched_rt_runtime_us", -1);
  host.rt_period_us = number_in("/proc/sys/kernel/sched_rt_period_us", 0);
  return host;
}

}  // namespace takt_workload
