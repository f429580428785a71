// The share of each core that the kernel's admission test leaves to threads of policy deadline.
// Set-up only: may block (reads files).
#ifndef TAKT_SCHEDULE__DEADLINE_SHARE_HPP_
#define TAKT_SCHEDULE__DEADLINE_SHARE_HPP_

#include <string>

namespace takt_schedule
{

/// The files with the kernel's limits and reservations.
struct KernelFiles
{
  std::string sysctl = "/proc/sys/kernel";
  std::string fair_server = "/sys/kernel/debug/sched/fair_server";
  std::string release = "/proc/sys/kernel/osrelease";
};

/// The share of each core for all threads of policy deadline together.
struct AdmittedShare
{
  double share = 0.0;    ///< 0: no limit
  bool assumed = false;  ///< the kernel has a fair server whose files cannot be read
};

/// The share that real-time threads may take (sched(7), sched_rt_runtime_us), less that of the
/// kernel's fair server. Since Linux 6.12 the kernel admits this server as it admits threads of
/// policy deadline, by default with a reservation of 50 ms in each second.
///
/// The function reads the fair server's files. Mostly only root may read them; then it assumes the
/// default reservation.
AdmittedShare deadline_share(const KernelFiles & files = {});

}  // namespace takt_schedule

#endif  // TAKT_SCHEDULE__DEADLINE_SHARE_HPP_
