// Random systems with known phases.
#ifndef TAKT_PLAN__TEST__SUPPORT__PHASED_MODEL_HPP_
#define TAKT_PLAN__TEST__SUPPORT__PHASED_MODEL_HPP_

#include <cstdint>

#include "support/overheads.hpp"
#include "takt_plan/model.hpp"

namespace takt_plan::test
{

/// A random system whose timers have offsets on one epoch; some of its callbacks wait for sets of
/// newest messages.
Model phased_model(std::uint64_t seed);

/// The same with some sources on their own clocks, so their phases are unknown. `model` has
/// possible offsets of them, and the possible slowness of their clocks.
struct PartlyPhased
{
  Model model;
  Model known;
};
PartlyPhased partly_phased_model(std::uint64_t seed);

/// The model for an analysis.
Model analysed_model(const Model & model, const Overheads & overheads);

}  // namespace takt_plan::test

#endif  // TAKT_PLAN__TEST__SUPPORT__PHASED_MODEL_HPP_
