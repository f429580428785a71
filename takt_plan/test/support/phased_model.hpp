// Random systems whose phases are known.
#ifndef TAKT_PLAN__TEST__SUPPORT__PHASED_MODEL_HPP_
#define TAKT_PLAN__TEST__SUPPORT__PHASED_MODEL_HPP_

#include <cstdint>

#include "support/overheads.hpp"
#include "takt_plan/model.hpp"

namespace takt_plan::test
{

/// A random system whose timers have offsets on one epoch; some of its callbacks wait for sets of newest messages.
Model phased_model(std::uint64_t seed);

/// The same where some sources are on clocks of their own, so that nobody knows their phases: `model` has offsets that they may
/// have, and how slow their clocks may be.
struct PartlyPhased
{
  Model model;
  Model known;
};
PartlyPhased partly_phased_model(std::uint64_t seed);

/// What an analysis takes of it.
Model analysed_model(const Model & model, const Overheads & overheads);

}  // namespace takt_plan::test

#endif  // TAKT_PLAN__TEST__SUPPORT__PHASED_MODEL_HPP_
