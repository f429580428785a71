// One cyclic thread of the measurement, on the real kernel.
#ifndef TAKT_BENCH__SRC__LATENCY__CYCLIC_THREAD_HPP_
#define TAKT_BENCH__SRC__LATENCY__CYCLIC_THREAD_HPP_

#include <atomic>

#include "latency/cycle_statistics.hpp"
#include "takt_rt/memory_lock.hpp"
#include "takt_rt/small_thread.hpp"
#include "takt_rt/start_gate.hpp"
#include "takt_rt/thread_attributes.hpp"

namespace takt_bench::latency
{

/// The data that all cyclic threads of a measurement share. The times are written before the gate
/// opens.
struct Run
{
  takt_rt::StartGate gate;
  takt_rt::Time first{};  ///< release of each thread
  takt_rt::Time end{};    ///< no thread has a release from then on
  takt_rt::Duration interval{};
  std::atomic<bool> stop{false};
  std::atomic<std::uint32_t> ended{0};  ///< number of threads whose cycles have ended
};

class CyclicThread
{
public:
  /// Starts the thread. It asks the kernel for its attributes, reads them back, and waits at the
  /// gate. Set-up only: allocates; throws std::system_error if the kernel refuses a thread.
  CyclicThread(const takt_rt::ThreadAttributes & asked, Run & run);

  /// The requested and granted attributes. Valid when the thread waits at the gate.
  const takt_rt::AttributeReport & report() const noexcept { return report_; }

  /// Any thread, at any time. Real-time safe.
  const CycleStatistics & statistics() const noexcept { return statistics_; }

  /// Valid when `Run::ended` counts this thread: the attributes that the thread itself read after
  /// its last cycle, and its page faults from the first cycle to the last.
  const takt_rt::ThreadAttributes & at_end() const noexcept { return at_end_; }
  const takt_rt::PageFaults & page_faults() const noexcept { return page_faults_; }

private:
  void work(const takt_rt::ThreadAttributes & asked, Run & run);

  takt_rt::AttributeReport report_;
  CycleStatistics statistics_;
  takt_rt::ThreadAttributes at_end_;
  takt_rt::PageFaults page_faults_;
  takt_rt::SmallThread thread_;  // last, so that the thread ends before the other members
};

}  // namespace takt_bench::latency

#endif  // TAKT_BENCH__SRC__LATENCY__CYCLIC_THREAD_HPP_
