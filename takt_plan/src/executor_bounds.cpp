#include "takt_plan/executor_bounds.hpp"

#include <algorithm>

#include "fixed_point.hpp"
#include "nonpreemptive.hpp"

namespace takt_plan
{
namespace
{

using detail::Steps;

/// Until nothing is pending any more; unbounded beyond the horizon and without steps.
Ns busy_length(
  const Supply & supply, const Demand & own, const std::vector<Demand> & interferers, Ns blocking,
  Ns horizon, Steps & steps)
{
  return detail::fixed_point(1, horizon, steps, [&](Ns length) {
    Ns demand = add(blocking, own.work(length));
    for (const Demand & other : interferers) {
      demand = add(demand, other.work(length));
    }
    return supply.time_for(demand);
  });
}

/// The least interval from the window's beginning in which all that goes before is done.
Ns end_after(
  const Supply & supply, Ns fixed, Ns cost, const std::vector<Demand> & interferers, Ns horizon,
  Steps & steps)
{
  return detail::fixed_point(supply.time_for(fixed), horizon, steps, [&](Ns end) {
    Ns demand = fixed;
    for (const Demand & other : interferers) {
      demand = add(demand, other.work(end - cost + 1));
    }
    return supply.time_for(demand);
  });
}

/// The offsets of [0, length) at which one more release may come: releases(A + 1) > releases(A).
std::vector<Ns> steps_of(const Demand & demand, Ns length)
{
  std::vector<Ns> steps{0};
  for (const Arrivals & source : demand.arrivals) {
    Ns first = source.period - source.jitter % source.period;
    for (; first < length; first = add(first, source.period)) {
      steps.push_back(first);
    }
  }
  return steps;
}

}  // namespace

Ns Demand::releases(Ns length) const
{
  Ns sum = 0;
  if (length > 0) {
    for (const Arrivals & source : arrivals) {
      sum = add(sum, takt_plan::arrivals(length, source.period, source.jitter));
    }
  }
  return sum;
}

Ns nonpreemptive_bound(
  const Supply & supply, const Demand & own, const std::vector<Demand> & interferers, Ns blocking,
  Ns horizon)
{
  Steps steps;
  return detail::nonpreemptive(
    supply, own, interferers, blocking, std::min(horizon, kUnbounded - 1), steps);
}

Ns detail::nonpreemptive(
  const Supply & supply, const Demand & own, const std::vector<Demand> & interferers, Ns blocking,
  Ns horizon, Steps & steps)
{
  const Ns length = busy_length(supply, own, interferers, blocking, horizon, steps);
  if (length == kUnbounded) {
    return kUnbounded;
  }
  if (own.releases(length) > steps.left()) {  // each takes one at least, and memory
    steps.give_up();
    return kUnbounded;
  }
  Ns worst = 0;
  for (const Ns offset : steps_of(own, length)) {
    const Ns end =
      end_after(supply, add(own.work(offset + 1), blocking), own.cost, interferers, horizon, steps);
    if (end == kUnbounded) {
      return kUnbounded;
    }
    worst = std::max(worst, end - offset);
  }
  return worst;
}

}  // namespace takt_plan
