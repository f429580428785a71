// Detects when the host takes a core away, by one thread of top priority per core that should never
// wait.
//
// Each thread wakes every 10 ms under SCHED_FIFO 99, and so runs before other threads of its core.
// If it runs late by more than 0.3 ms, there are two causes. Its wake-up came late: the hypervisor
// or an interrupt storm had the core, which is a stall of the host. Or it was awake and waited,
// because the kernel ran others: real-time throttling and its successor, the fair server, stop FIFO
// 99 too, and SCHED_DEADLINE and other threads of priority 99 go first. The kernel counts how long
// the thread waited while ready; this distinguishes the two. A stall is taken to begin at the
// previous wake-up, so the marked time is up to one period too long. Its length is counted from the
// planned time of the wake-up.
//
// The period is a compromise. A stall shorter than the period is detected with probability length /
// period (and within work always, as an overrun). Each wake-up takes some 15 µs from the preempted
// work, and 60 µs if a preempted thread may move to another core. At 1 ms this alone made the
// reference system's hot path 2 to 5 % longer, at 4 ms 0.4 %.
#ifndef TAKT_TRACE__STALL_WITNESS_HPP_
#define TAKT_TRACE__STALL_WITNESS_HPP_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "takt_rt/fault.hpp"
#include "takt_rt/ready_time.hpp"
#include "takt_trace/periodic_thread.hpp"
#include "takt_trace/stall.hpp"

namespace takt_trace
{

/// The threads that detect stalls of their cores.
class StallWitness
{
public:
  /// Time between two wake-ups.
  static constexpr takt_rt::Duration kPeriod = std::chrono::milliseconds(10);
  /// A wake-up that is later than this counts as a stall.
  static constexpr takt_rt::Duration kLate = std::chrono::microseconds(300);
  static constexpr int kPriority = 99;

  /// When the threads wake, and from which lateness on a wake-up counts as a stall.
  struct Grid
  {
    takt_rt::Time first{};  ///< of all threads; default: one period from now
    takt_rt::Duration period = kPeriod;
    takt_rt::Duration late = kLate;
  };

  /// Called on the thread of a core when a stall of the core is over. Calls for one core do not
  /// overlap.
  using Told = std::function<void(const Stall & stall)>;

  /// Starts one thread on each of `cores`. With `told` the witness stores no stalls. Set-up only.
  explicit StallWitness(const std::vector<int> & cores, Told told = {})
  : StallWitness(cores, std::move(told), Grid{})
  {
  }
  /// The same on another grid: threads that are due together with a measured thread decide whether
  /// the host made that thread late. Set-up only.
  StallWitness(const std::vector<int> & cores, Told told, const Grid & grid);
  /// Ends the threads; waits up to one period.
  ~StallWitness();
  StallWitness(const StallWitness &) = delete;
  StallWitness & operator=(const StallWitness &) = delete;

  /// Why it cannot distinguish a stall from ordinary load; nothing if it can. Without real-time
  /// rights the threads are late for many reasons, so no stalls are recorded.
  const std::optional<takt_rt::Fault> & blind() const noexcept { return blind_; }

  /// The cause of a witness's lateness, if the witness was ready for `waited` of this time.
  static Stall::Source blame(takt_rt::Duration late, takt_rt::Duration waited) noexcept
  {
    return takt_rt::waited_for_others(late, waited) ? Stall::Source::throttled
                                                    : Stall::Source::witness;
  }

  /// Ends the threads. Returns the stored stalls by time. Set-up only; waits up to one period.
  std::vector<Stall> stop();
  /// The number of stalls that did not fit.
  std::uint64_t unrecorded() const noexcept;

private:
  struct Core;
  void end_threads();

  std::vector<std::unique_ptr<Core>> cores_;
  std::optional<takt_rt::Fault> blind_{};
};

}  // namespace takt_trace

#endif  // TAKT_TRACE__STALL_WITNESS_HPP_
