// Exercises 2-1 to 2-3: a real-time controller shares data with a thread that is not real-time.
#ifndef TAKT_BENCH__SRC__WORKSHOP__SHARING_HPP_
#define TAKT_BENCH__SRC__WORKSHOP__SHARING_HPP_

#include <memory>

#include "takt_rt/result.hpp"
#include "workshop/found.hpp"
#include "workshop/setting.hpp"

namespace takt_bench::workshop
{

/// The controller of an inverted pendulum at 1 kHz under SCHED_FIFO 80, and a SCHED_OTHER thread that uses the same data, both on
/// the first core. The variants differ in how they share it. Blocks for the duration.
takt_rt::Result<std::unique_ptr<Found>> run_sharing(const Setting & setting);

}  // namespace takt_bench::workshop

#endif  // TAKT_BENCH__SRC__WORKSHOP__SHARING_HPP_
