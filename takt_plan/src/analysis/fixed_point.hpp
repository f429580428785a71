// The iteration for the equations of all analyses. Does not allocate or block.
#ifndef TAKT_PLAN__SRC__FIXED_POINT_HPP_
#define TAKT_PLAN__SRC__FIXED_POINT_HPP_

#include "analysis/limits.hpp"

namespace takt_plan::detail
{

/// The least length with demand(length) <= length, searched from `start` upwards. kUnbounded above
/// `horizon`, or if no steps are left. `demand` must be non-decreasing, and `start` must not exceed
/// the result.
template <typename Demand>
Ns fixed_point(Ns start, Ns horizon, Steps & steps, const Demand & demand)
{
  Ns length = start;
  while (length <= horizon && steps.take()) {
    const Ns next = demand(length);
    if (next <= length) {
      return length;
    }
    length = next;
  }
  return kUnbounded;
}

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__FIXED_POINT_HPP_
