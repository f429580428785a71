// Random systems of pinned fifo threads for campaigns: chains, forks, joins, several cores.
#ifndef TAKT_PLAN__TEST__SUPPORT__RANDOM_MODEL_HPP_
#define TAKT_PLAN__TEST__SUPPORT__RANDOM_MODEL_HPP_

#include <cstdint>

#include "takt_plan/model.hpp"

namespace takt_plan::test
{

/// Every core is loaded below its capacity. The model has one chain per way from a release to a task
/// that starts no other, as far as there are few. Small periods keep hyperperiods short.
Model random_model(std::uint64_t seed);

/// The same tasks on one window thread for each core, which has it to itself.
Model on_window_threads(Model model);

/// The share of a core's time that its tasks and other threads need.
double utilization(const Model & model, Index core);

}  // namespace takt_plan::test

#endif  // TAKT_PLAN__TEST__SUPPORT__RANDOM_MODEL_HPP_
