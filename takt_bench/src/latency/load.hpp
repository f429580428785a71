// Load: one busy thread of SCHED_OTHER on each core, like a program that never sleeps.
#ifndef TAKT_BENCH__SRC__LATENCY__LOAD_HPP_
#define TAKT_BENCH__SRC__LATENCY__LOAD_HPP_

#include <atomic>
#include <deque>
#include <vector>

#include "takt_rt/small_thread.hpp"
#include "takt_rt/start_gate.hpp"
#include "takt_rt/thread_attributes.hpp"

namespace takt_bench::latency
{

class Load
{
public:
  /// Keeps each of `cores` busy. Returns when each thread has its core and policy. Set-up only;
  /// throws std::system_error if the kernel refuses a thread.
  explicit Load(const std::vector<int> & cores);
  /// Ends the threads.
  ~Load();
  Load(const Load &) = delete;
  Load & operator=(const Load &) = delete;

  /// The kernel's refusals for the busy threads.
  const takt_rt::Faults & faults() const noexcept { return faults_; }

private:
  std::atomic<bool> stop_{false};
  takt_rt::StartGate gate_;
  std::vector<takt_rt::AttributeReport> reports_;
  takt_rt::Faults faults_;
  std::deque<takt_rt::SmallThread> threads_;  // last, so that the threads end before the other
                                              // members
};

}  // namespace takt_bench::latency

#endif  // TAKT_BENCH__SRC__LATENCY__LOAD_HPP_
