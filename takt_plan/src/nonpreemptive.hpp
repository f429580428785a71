// nonpreemptive_bound of executor_bounds.hpp for callers that repeat it and limit the whole.
//
// Set-up only: allocates, does not block.
#ifndef TAKT_PLAN__SRC__NONPREEMPTIVE_HPP_
#define TAKT_PLAN__SRC__NONPREEMPTIVE_HPP_

#include <vector>

#include "limits.hpp"
#include "takt_plan/executor_bounds.hpp"

namespace takt_plan::detail
{

/// kUnbounded also for what is not found before `steps` run out.
Ns nonpreemptive(
  const Supply & supply, const Demand & own, const std::vector<Demand> & interferers, Ns blocking,
  Ns horizon, Steps & steps);

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__NONPREEMPTIVE_HPP_
