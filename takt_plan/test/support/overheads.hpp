// Overheads for both sides: an analysis adds them to a model's costs, and a simulation spends them.
#ifndef TAKT_PLAN__TEST__SUPPORT__OVERHEADS_HPP_
#define TAKT_PLAN__TEST__SUPPORT__OVERHEADS_HPP_

#include <cstdint>

#include "takt_plan/simulation_model.hpp"

namespace takt_plan::test
{

struct Overheads
{
  Ns dispatch = 0;
  Ns context_switch = 0;
};

/// Every second round of a campaign has none. Rounds with close releases (close_releases.hpp) have
/// dispatch and switches of up to 20.
Overheads some_overheads(std::uint64_t round);
/// Those of a seed with close releases; of another one `otherwise`.
Overheads some_overheads_or(const Overheads & otherwise, std::uint64_t seed);

/// Adds the overheads to a model's costs, as `build_model` does.
Model with_overheads(Model model, const Overheads & overheads);

/// Adds overheads to a simulation of the model without them. Execution times then begin at zero.
void vary(const Overheads & overheads, SimulationModel & simulation);

}  // namespace takt_plan::test

#endif  // TAKT_PLAN__TEST__SUPPORT__OVERHEADS_HPP_
