// The iteration for the published equations. Does not allocate or block.
#ifndef TAKT_BENCH__SRC__PUBLISHED__FIXED_POINT_HPP_
#define TAKT_BENCH__SRC__PUBLISHED__FIXED_POINT_HPP_

#include "takt_plan/nanoseconds.hpp"

namespace takt_bench
{

/// The least length with demand(length) <= length, searched from `start` upwards. kUnbounded above
/// `horizon`, and after a million steps. `demand` must be non-decreasing, and `start` must not
/// exceed the result.
template <typename Demand>
takt_plan::Ns fixed_point(takt_plan::Ns start, takt_plan::Ns horizon, const Demand & demand)
{
  constexpr int kMostSteps = 1'000'000;
  takt_plan::Ns length = start;
  for (int step = 0; length <= horizon && step < kMostSteps; ++step) {
    const takt_plan::Ns next = demand(length);
    if (next <= length) {
      return length;
    }
    length = next;
  }
  return takt_plan::kUnbounded;
}

}  // namespace takt_bench

#endif  // TAKT_BENCH__SRC__PUBLISHED__FIXED_POINT_HPP_
