// Overheads on both sides: as analysis charges them to a model, and as simulation spends them.
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

/// None in every second round of a campaign.
Overheads some_overheads(std::uint64_t round);

/// What overheads cost, as `build_model` charges them to an analysis model.
Model with_overheads(Model model, const Overheads & overheads);

/// Of a model without them: they are spent, and execution times begin at zero.
void vary(const Overheads & overheads, SimulationModel & simulation);

}  // namespace takt_plan::test

#endif  // TAKT_PLAN__TEST__SUPPORT__OVERHEADS_HPP_
