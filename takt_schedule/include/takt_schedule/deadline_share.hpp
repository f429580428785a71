// What the kernel's admission test leaves to threads of policy deadline. Set-up only: may block (reads
// files).
#ifndef TAKT_SCHEDULE__DEADLINE_SHARE_HPP_
#define TAKT_SCHEDULE__DEADLINE_SHARE_HPP_

#include <string>

namespace takt_schedule
{

/// Where a kernel says what it reserves.
struct KernelFiles
{
  std::string sysctl = "/proc/sys/kernel";
  std::string fair_server = "/sys/kernel/debug/sched/fair_server";
  std::string release = "/proc/sys/kernel/osrelease";
};

/// The share of each core that threads of policy deadline can have together: what real-time threads may
/// take (sched(7), sched_rt_runtime_us) less what the kernel's fair server has, which is admitted in the
/// same way, as a reservation of 50 ms in each second, since Linux 6.12. 0: not limited.
///
/// The fair server's own files are believed first; mostly nobody may read them.
double deadline_share(const KernelFiles & files = {});

}  // namespace takt_schedule

#endif  // TAKT_SCHEDULE__DEADLINE_SHARE_HPP_
