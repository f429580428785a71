// Uses a given amount of the calling thread's CPU time.
//
// The loop runs in chunks of about 20 us (calibrated) and reads CLOCK_THREAD_CPUTIME_ID between
// them. So a clock read (a system call, 0.2 to 1 us) costs a few per cent of a chunk, and is part
// of the target itself. Preemption by other threads does not count. Time that a hypervisor steals
// may be charged to the thread; it then shows as an overrun.
#ifndef TAKT_WORKLOAD__SRC__RUN__WORK_HPP_
#define TAKT_WORKLOAD__SRC__RUN__WORK_HPP_

#include <cstdint>

#include "takt_rt/time.hpp"

namespace takt_workload
{

/// The calling thread leaves its core for at least this time. Returns the time that it took.
/// Returns at once for 0. Blocks.
takt_rt::Duration sleep_for(takt_rt::Duration time) noexcept;

class Work
{
public:
  /// Measures the loop for about 20 ms. Set-up only.
  static Work calibrate();

  /// For tests. `iterations_per_microsecond`: the speed of the loop.
  explicit Work(double iterations_per_microsecond) noexcept : speed_(iterations_per_microsecond) {}

  struct Done
  {
    takt_rt::Duration cpu{};   ///< the CPU time that it used; at least the target
    std::uint64_t result = 0;  ///< of the loop: store it, so that the compiler keeps the loop
  };

  /// Real-time safe. Reads no clock for a target of 0.
  Done use(takt_rt::Duration cpu_time) const noexcept;

  double iterations_per_microsecond() const noexcept { return speed_; }

  /// CPU time beyond the target by more than a chunk and a clock read is not measurement noise, but
  /// lost time.
  static constexpr takt_rt::Duration kChunk = std::chrono::microseconds(20);
  static constexpr takt_rt::Duration kOverrun = std::chrono::microseconds(200);

private:
  double speed_;
};

}  // namespace takt_workload

#endif  // TAKT_WORKLOAD__SRC__RUN__WORK_HPP_
