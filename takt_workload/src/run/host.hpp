// The properties of this machine that matter for measurements. Set-up only; may block.
#ifndef TAKT_WORKLOAD__SRC__RUN__HOST_HPP_
#define TAKT_WORKLOAD__SRC__RUN__HOST_HPP_

#include <string>
#include <vector>

namespace takt_workload
{

struct Host
{
  std::vector<int> cores;         ///< the cores that this process may use
  std::string kernel;             ///< "6.1.0-18-amd64 #1 SMP PREEMPT_DYNAMIC ..."
  bool realtime_allowed = false;  ///< this process may use SCHED_FIFO 99
  bool autogroup = false;         ///< nice values have no effect between terminal sessions
  long long rt_runtime_us = -1;   ///< the kernel throttles real-time threads that use more; -1:
                                  ///< never
  long long rt_period_us = 0;
};

Host read_host();

}  // namespace takt_workload

#endif  // TAKT_WORKLOAD__SRC__RUN__HOST_HPP_
