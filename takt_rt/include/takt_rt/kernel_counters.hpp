// What the kernel counts for one thread: how long it waited for a core, and its context switches.
#ifndef TAKT_RT__KERNEL_COUNTERS_HPP_
#define TAKT_RT__KERNEL_COUNTERS_HPP_

#include <sys/types.h>

#include <atomic>
#include <cstdint>

namespace takt_rt
{

struct KernelReading
{
  std::int64_t wait =
    -1;  ///< ns that the thread was ready and had no core, since it began; below 0: not known
  std::uint32_t voluntary = 0;    ///< context switches: it went to sleep
  std::uint32_t involuntary = 0;  ///< it was preempted
};

/// The thread's own view of its counters. They stay open until the object ends, so that nothing closes the file while
/// the thread reads it.
class KernelCounters
{
public:
  KernelCounters() = default;
  ~KernelCounters();
  KernelCounters(const KernelCounters &) = delete;
  KernelCounters & operator=(const KernelCounters &) = delete;

  /// The counters of thread `tid` of this process; does nothing if they are open. Set-up only; any thread, one at a
  /// time. Where the kernel has none they stay closed.
  void open(pid_t tid);
  /// On the thread itself. Real-time safe: two system calls (0.7 us), none while they are closed.
  KernelReading read() const noexcept;

private:
  std::atomic<int> file_{-1};  // /proc/self/task/TID/schedstat
};

}  // namespace takt_rt

#endif  // TAKT_RT__KERNEL_COUNTERS_HPP_
