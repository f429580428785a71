// Work without system calls: a loop with a number of iterations, which does not stop to read a
// clock.
//
// All arrangements of one comparison use the same number of iterations. Preemption makes the loop
// take more time, but not more work. Units: nanoseconds of the calling thread's CPU time.
#ifndef TAKT_BENCH__SRC__ISOLATION__SPIN_HPP_
#define TAKT_BENCH__SRC__ISOLATION__SPIN_HPP_

#include <cstdint>

#include "takt_rt/time.hpp"

namespace takt_bench::isolation
{

/// Iterations of the loop per microsecond: the fastest of ten tries, because the others were
/// disturbed. Takes some 20 ms. Set-up only.
double calibrate_spin();

/// The number of iterations that take about `time` at this speed; at least one.
std::uint64_t spin_iterations(takt_rt::Duration time, double iterations_per_us) noexcept;

/// Real-time safe.
void spin(std::uint64_t iterations) noexcept;

}  // namespace takt_bench::isolation

#endif  // TAKT_BENCH__SRC__ISOLATION__SPIN_HPP_
