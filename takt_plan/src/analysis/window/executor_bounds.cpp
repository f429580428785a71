#include "takt_plan/executor_bounds.hpp"

#include <algorithm>

#include "analysis/fixed_point.hpp"
#include "analysis/window/round_robin.hpp"

namespace takt_plan
{
namespace
{

using detail::Steps;

/// The time until no work is pending any more. Unbounded beyond the horizon, and if the steps run
/// out.
Ns busy_length(
  const Service & service, const Demand & own, const std::vector<Demand> & interferers, Ns blocking,
  Ns horizon, Steps & steps)
{
  return detail::fixed_point(1, horizon, steps, [&](Ns length) {
    Ns demand = add(blocking, own.work(length));
    for (const Demand & other : interferers) {
      demand = add(demand, other.work(length));
    }
    return service.supply.time_for(add(demand, service.taken_in(length)));
  });
}

/// The shortest interval from the window's beginning in which all earlier work is done.
Ns end_after(
  const Service & service, Ns fixed, Ns cost, const std::vector<Demand> & interferers, Ns horizon,
  Steps & steps)
{
  return detail::fixed_point(service.supply.time_for(fixed), horizon, steps, [&](Ns end) {
    Ns demand = fixed;
    for (const Demand & other : interferers) {
      demand = add(demand, other.work(end - cost + 1));
    }
    return service.supply.time_for(add(demand, service.taken_in(end)));
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

Ns Service::taken_in(Ns length) const
{
  Ns sum = once;
  for (const Demand & demand : taken) {
    sum = add(sum, demand.work(length));
  }
  return sum;
}

Ns nonpreemptive_bound(
  const Service & service, const Demand & own, const std::vector<Demand> & interferers, Ns blocking,
  Ns horizon)
{
  Steps steps;
  return detail::nonpreemptive_bound(
    service, own, interferers, blocking, std::min(horizon, kUnbounded - 1), steps);
}

detail::WorstCase detail::nonpreemptive_worst_case(
  const Service & service, const Demand & own, const std::vector<Demand> & interferers, Ns blocking,
  Ns horizon, Steps & steps)
{
  const Ns length = busy_length(service, own, interferers, blocking, horizon, steps);
  if (length == kUnbounded) {
    return {};
  }
  if (own.releases(length) > steps.left()) {  // each release takes a step, and memory
    steps.give_up();
    return {};
  }
  WorstCase worst{0};
  for (const Ns offset : steps_of(own, length)) {
    const Ns end = end_after(
      service, add(own.work(offset + 1), blocking), own.cost, interferers, horizon, steps);
    if (end == kUnbounded) {
      return {};
    }
    if (end - offset > worst.response) {
      worst = {end - offset, offset, end - own.cost + 1, end};
    }
  }
  return worst;
}

}  // namespace takt_plan
