// The kernel's counters of one thread: its waiting time for a core, and its context switches.
#ifndef TAKT_RT__KERNEL_COUNTERS_HPP_
#define TAKT_RT__KERNEL_COUNTERS_HPP_

#include <sys/types.h>

#include <atomic>
#include <cstdint>

namespace takt_rt
{

/// One reading of a thread's counters.
struct KernelReading
{
  std::int64_t wait = -1;  ///< ns ready without a core since the thread began; below 0: unknown
  std::uint32_t voluntary = 0;    ///< context switches: it went to sleep
  std::uint32_t involuntary = 0;  ///< it was preempted
};

/// The thread's own access to its counters. The file stays open until the object ends, so that it
/// is never closed during a read.
class KernelCounters
{
public:
  KernelCounters() = default;
  ~KernelCounters();
  KernelCounters(const KernelCounters &) = delete;
  KernelCounters & operator=(const KernelCounters &) = delete;

  /// Opens the counters of thread `tid` of this process; does nothing if they are open. Set-up
  /// only; any thread, one at a time. If the kernel has none they stay closed.
  void open(pid_t tid);
  /// On the thread itself. Real-time safe: two system calls (0.7 us), none while closed.
  KernelReading read() const noexcept;

private:
  std::atomic<int> file_{-1};  // /proc/self/task/TID/schedstat
};

}  // namespace takt_rt

#endif  // TAKT_RT__KERNEL_COUNTERS_HPP_
