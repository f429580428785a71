// Random systems of pinned fifo threads for campaigns: chains, forks, joins, several cores.
#ifndef TAKT_PLAN__TEST__SUPPORT__RANDOM_MODEL_HPP_
#define TAKT_PLAN__TEST__SUPPORT__RANDOM_MODEL_HPP_

#include <cstdint>

#include "takt_plan/model.hpp"

namespace takt_plan::test
{

/// The load of each core is below its capacity. The model has one chain for each way from a release
/// to a task that starts no other, up to a limit. Small periods keep hyperperiods short.
Model random_model(std::uint64_t seed);

/// The same tasks, with one window thread on each core and no other thread.
Model on_window_threads(Model model);

/// The share of a core's time that its tasks and other threads need.
double utilization(const Model & model, Index core);

}  // namespace takt_plan::test

#endif  // TAKT_PLAN__TEST__SUPPORT__RANDOM_MODEL_HPP_
