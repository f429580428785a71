// The first release of each source of a run.
#ifndef TAKT_PLAN__SRC__PHASES_HPP_
#define TAKT_PLAN__SRC__PHASES_HPP_

#include "simulation/simulation_run.hpp"

namespace takt_plan::detail
{

/// The phases of run number `run`. Set-up only: allocates.
Offsets phases_of(
  const SimulationModel & model, const SimulationOptions & options, std::uint64_t run);

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__PHASES_HPP_
