// Random models whose timers have known phases.
#ifndef TAKT_PLAN__TEST__SUPPORT__PHASED_MODEL_HPP_
#define TAKT_PLAN__TEST__SUPPORT__PHASED_MODEL_HPP_

#include <cstdint>

#include "takt_plan/model.hpp"

namespace takt_plan::test
{

/// One of random_model.hpp whose timers have offsets on one epoch; some of its callbacks wait for sets of newest messages.
Model phased_model(std::uint64_t seed);

}  // namespace takt_plan::test

#endif  // TAKT_PLAN__TEST__SUPPORT__PHASED_MODEL_HPP_
