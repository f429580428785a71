// What a simulation does not begin, and where it stops, so that no model can make it hang.
//
// Counted, not timed: the same model has the same answer on every machine.
#ifndef TAKT_PLAN__SRC__SIMULATION_LIMITS_HPP_
#define TAKT_PLAN__SRC__SIMULATION_LIMITS_HPP_

#include <cstdint>

#include "takt_plan/simulate.hpp"
#include "takt_rt/result.hpp"

namespace takt_plan::detail
{

/// Histories that do not fit into memory; releases that would take hours.
takt_rt::Faults too_large_to_simulate(
  const SimulationModel & model, const SimulationOptions & options);

/// Runs of callbacks that one run of the simulation has at most. What one release starts ends at some
/// time, but in a graph that doubles its messages at each step nobody lives to see it.
std::uint64_t most_jobs(const SimulationModel & model, const SimulationOptions & options);

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__SIMULATION_LIMITS_HPP_
