// The iteration that the equations of all analyses have in common. Neither allocates nor blocks.
#ifndef TAKT_PLAN__SRC__FIXED_POINT_HPP_
#define TAKT_PLAN__SRC__FIXED_POINT_HPP_

#include "analysis/limits.hpp"

namespace takt_plan::detail
{

/// The least length from `start` up with demand(length) <= length; kUnbounded beyond `horizon` and
/// without steps. `demand` must not fall, and `start` must not be above the least one.
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
