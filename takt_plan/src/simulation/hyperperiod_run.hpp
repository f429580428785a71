// Simulates one hyperperiod with worst execution times, to show it beside the windows of the jobs.
//
// Set-up only: allocates, takes up to a second. The same input gives the same result.
#ifndef TAKT_PLAN__SRC__HYPERPERIOD_RUN_HPP_
#define TAKT_PLAN__SRC__HYPERPERIOD_RUN_HPP_

#include <utility>
#include <vector>

#include "takt_plan/hyperperiod.hpp"
#include "takt_plan/simulation_model.hpp"
#include "takt_rt/result.hpp"

namespace takt_plan
{

/// One run of a callback. Times count from the beginning of the shown hyperperiod.
struct PhasedRun
{
  Index task = kNone;
  Ns release = 0;
  Ns end = 0;
  std::vector<std::pair<Ns, Ns>> pieces;  ///< begin and end of each time on a core
};

/// The runs that are released in one hyperperiod, or end in it, sorted by task and release. The
/// hyperperiod comes after all timers have begun and all sets are in step. Faults: those of
/// `simulate`.
takt_rt::Result<std::vector<PhasedRun>> simulate_hyperperiod(
  const SimulationModel & model, const Hyperperiod & hyperperiod);

}  // namespace takt_plan

#endif  // TAKT_PLAN__SRC__HYPERPERIOD_RUN_HPP_
