// Exercise 1: how late cyclic threads wake up.
#ifndef TAKT_BENCH__SRC__WORKSHOP__CYCLIC_HPP_
#define TAKT_BENCH__SRC__WORKSHOP__CYCLIC_HPP_

#include <memory>

#include "takt_rt/result.hpp"
#include "workshop/found.hpp"
#include "workshop/setting.hpp"

namespace takt_bench::workshop
{

/// One thread on each core at 1 kHz with 200 us of work: takt_rt's cyclic threads under SCHED_OTHER
/// or SCHED_FIFO 80. `raw_…`: a loop around clock_nanosleep without work, as cyclictest. Blocks for
/// the duration.
takt_rt::Result<std::unique_ptr<Found>> run_cyclic(const Setting & setting);

}  // namespace takt_bench::workshop

#endif  // TAKT_BENCH__SRC__WORKSHOP__CYCLIC_HPP_
