// Notices when the host takes a core away: one top-priority thread per core that should never wait.
//
// Each wakes every 10 ms under SCHED_FIFO 99 and so runs before everything else on its core. If it
// runs late by more than 0.3 ms, either its wake-up came late, because something that is not a thread of
// this machine had the core (the hypervisor, or an interrupt storm): that is a stall of the host. Or it
// was awake and waited, because the kernel ran others: real-time throttling and its successor, the
// fair server, stop FIFO 99 like any real-time thread, and SCHED_DEADLINE and other threads of
// priority 99 go before it. The kernel's account of how long the thread waited while ready tells the two
// apart. A stall is taken to begin at the wake-up before, which marks up to one period too much rather
// than too little; how long it was is told from the moment at which the wake-up was due.
//
// The period is a compromise: a stall shorter than it is noticed with probability length / period
// (those inside work are noticed besides, as overruns), while each wake-up takes some 15 µs from what
// it preempts, and 60 µs where a preempted thread may move to another core. At 1 ms that alone made
// the reference system's hot path 2 to 5 % longer, at 4 ms 0.4 %.
#ifndef TAKT_TRACE__STALL_WITNESS_HPP_
#define TAKT_TRACE__STALL_WITNESS_HPP_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "takt_rt/fault.hpp"
#include "takt_rt/ready_time.hpp"
#include "takt_trace/periodic_thread.hpp"
#include "takt_trace/stall.hpp"

namespace takt_trace
{

class StallWitness
{
public:
  static constexpr takt_rt::Duration kPeriod = std::chrono::milliseconds(10);
  static constexpr takt_rt::Duration kLate = std::chrono::microseconds(300);
  static constexpr int kPriority = 99;

  /// Runs on the thread of a core when a stall of the core is over. No two calls of one core overlap.
  using Told = std::function<void(const Stall & stall)>;

  /// Starts one thread on each of `cores`. With `told` the witness keeps no stalls itself. Set-up only.
  explicit StallWitness(const std::vector<int> & cores, Told told = {});
  /// Stops the threads; waits up to one period.
  ~StallWitness();
  StallWitness(const StallWitness &) = delete;
  StallWitness & operator=(const StallWitness &) = delete;

  /// Why it cannot tell a stall from ordinary load; nothing if it can. Without real-time rights the
  /// threads are late for many reasons, so nothing is recorded then.
  const std::optional<takt_rt::Fault> & blind() const noexcept { return blind_; }

  /// Who had the core while a witness was late, if it was ready for `waited` of that.
  static Stall::Source blame(takt_rt::Duration late, takt_rt::Duration waited) noexcept
  {
    return takt_rt::waited_for_others(late, waited) ? Stall::Source::throttled
                                                    : Stall::Source::witness;
  }

  /// Stops the threads; what they saw and kept, by time. Set-up only; waits up to one period.
  std::vector<Stall> stop();
  /// Stalls that did not fit.
  std::uint64_t unrecorded() const noexcept;

private:
  struct Core;
  void end_threads();

  std::vector<std::unique_ptr<Core>> cores_;
  std::optional<takt_rt::Fault> blind_{};
};

}  // namespace takt_trace

#endif  // TAKT_TRACE__STALL_WITNESS_HPP_
