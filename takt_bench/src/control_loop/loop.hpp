// A control loop of a program without ROS, which notes each of its late cycles.
//
// The loop is the callback `/controller:timer(control)` of a takt_host::CyclicProgram, so a
// schedule, the configurator daemon and takt's tools know it. Each cycle works for some CPU time. A
// cycle misses if it ends after the next release, and each release that the loop skips is another
// miss.
#ifndef TAKT_BENCH__SRC__CONTROL_LOOP__LOOP_HPP_
#define TAKT_BENCH__SRC__CONTROL_LOOP__LOOP_HPP_

#include <cstdint>
#include <memory>
#include <vector>

#include "takt_core/callback.hpp"
#include "takt_rt/histogram.hpp"
#include "takt_rt/memory_lock.hpp"
#include "takt_rt/result.hpp"
#include "takt_rt/thread_attributes.hpp"
#include "takt_rt/time.hpp"

namespace takt_bench::control_loop
{

/// Of the loop, by which the witness knows when the loop works.
constexpr takt_rt::Duration kPeriod = std::chrono::milliseconds(1);

struct LoopSetting
{
  takt_rt::Duration duration = std::chrono::seconds(10);    ///< of the measurement
  takt_rt::Duration warm_up = std::chrono::seconds(1);      ///< cycles before the measurement
  takt_rt::Duration work = std::chrono::microseconds(100);  ///< CPU time of a cycle
  /// After the measurement the loop goes on, uncounted, until SIGINT or SIGTERM is pending.
  bool stay = false;
};

/// What the kernel counted for the loop's thread from the end of one cycle to the end of the next.
struct Thread
{
  takt_rt::Duration waited{};  ///< ready, while other threads had the core
  /// Voluntary ones: one is the sleep before the cycle, more are waits for locks.
  std::uint64_t switches = 0;
};

/// A time in which the loop missed.
struct Late
{
  takt_rt::Time begin;  ///< the release of the late cycle, or of the last cycle before skipped ones
  takt_rt::Time began;  ///< of the cycle that ended late, or came after skipped ones
  takt_rt::Time end;
  std::uint64_t misses = 0;
  Thread thread{};
};

/// Counts cycles from `from` to `to`. One thread calls `cycle`; the members are valid when the loop
/// has ended.
class Account
{
public:
  /// Set-up only: allocates.
  Account(takt_rt::Time from, takt_rt::Time to);

  /// Notes a cycle that ended now. Returns false once the measurement is over. Real-time safe.
  bool cycle(
    const takt_core::Run & run, takt_rt::Time began, takt_rt::Time ended,
    const Thread & thread = {}) noexcept;

  takt_rt::LogHistogram wake_ups;   ///< from the release to the begin
  takt_rt::LogHistogram responses;  ///< from the release to the end of the work
  std::vector<Late> late;
  std::uint64_t unrecorded = 0;  ///< misses for which `late` had no room
  std::uint64_t misses = 0;
  std::uint64_t skipped = 0;      ///< of them: releases without a cycle
  takt_rt::Time first_release{};  ///< of the counted cycles
  takt_rt::Time last_release{};

private:
  void add(const Late & one) noexcept;

  const takt_rt::Time from_;
  const takt_rt::Time to_;
};

/// What a run of the loop showed.
struct Found
{
  Found(takt_rt::Time from, takt_rt::Time to) : account(from, to) {}

  Account account;
  takt_rt::ThreadAttributes attributes{};  ///< of the loop's thread at its end
  takt_rt::PageFaults page_faults{};       ///< of the loop's thread in the measured time
  takt_rt::Faults notes{};                 ///< what was refused, and what the schedule warns of
};

/// Runs the loop to the end of the measurement. With `stay` it blocks both signals on the calling
/// thread, and takes one of them, during the measurement or after it. Faults: the program cannot
/// start, or the loop threw. May block.
takt_rt::Result<std::unique_ptr<Found>> run_loop(const LoopSetting & setting);

}  // namespace takt_bench::control_loop

#endif  // TAKT_BENCH__SRC__CONTROL_LOOP__LOOP_HPP_
