// Limits of a simulation, so that no model can make it hang.
//
// Limits count events, not time: the same model gives the same answer on every machine.
#ifndef TAKT_PLAN__SRC__SIMULATION_LIMITS_HPP_
#define TAKT_PLAN__SRC__SIMULATION_LIMITS_HPP_

#include <cstdint>

#include "takt_plan/simulate.hpp"
#include "takt_rt/result.hpp"

namespace takt_plan::detail
{

/// Faults: histories that do not fit into memory, and releases that would take hours.
takt_rt::Faults too_large_to_simulate(
  const SimulationModel & model, const SimulationOptions & options);

/// Limit of runs of callbacks in one run of the simulation. The runs caused by one release end at
/// some time. But in a graph that doubles its messages at each step, that would take longer than
/// any user can wait.
std::uint64_t most_jobs(const SimulationModel & model, const SimulationOptions & options);

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__SIMULATION_LIMITS_HPP_
