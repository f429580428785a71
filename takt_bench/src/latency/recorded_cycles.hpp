// Records the latency of each cycle of a thread. Cycles that the host held up have their own
// record.
//
// Real-time safe: no allocation, no lock, no output. Its only input is the account of waiting,
// which some cycles read after taking their latency.
#ifndef TAKT_BENCH__SRC__LATENCY__RECORDED_CYCLES_HPP_
#define TAKT_BENCH__SRC__LATENCY__RECORDED_CYCLES_HPP_

#include "latency/cycle_statistics.hpp"
#include "latency/late_wake_up.hpp"
#include "takt_rt/cyclic_loop.hpp"

namespace takt_bench::latency
{

/// The work of `takt_rt::run_cycles`. `Account`: see LateWakeUp.
template <typename Account>
class RecordedCycles
{
public:
  RecordedCycles(LateWakeUp<Account> & late_wake_up, CycleStatistics & statistics) noexcept
  : late_wake_up_(late_wake_up),
    statistics_(statistics)
  {
  }

  void run(const takt_rt::Cycle & cycle) noexcept
  {
    Cycles & cycles =
      late_wake_up_.held_up(cycle.latency) ? statistics_.held_up : statistics_.ordinary;
    cycles.record(cycle.latency, cycle.missed);
  }

  void woke_early() noexcept { statistics_.early_wake_ups.add(1); }

private:
  LateWakeUp<Account> & late_wake_up_;
  CycleStatistics & statistics_;
};

}  // namespace takt_bench::latency

#endif  // TAKT_BENCH__SRC__LATENCY__RECORDED_CYCLES_HPP_
