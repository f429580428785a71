// Random systems in which threads may use several cores, and pools of threads have callbacks.
#ifndef TAKT_PLAN__TEST__MODELS__CLUSTERED_MODEL_HPP_
#define TAKT_PLAN__TEST__MODELS__CLUSTERED_MODEL_HPP_

#include <cstdint>

#include "takt_plan/model.hpp"

namespace takt_plan::test
{

/// The model with some cores more, on which some of its threads may run as well, and with pools in
/// place of some threads. Sets of cores may overlap in part; threads of a pool have the same cores
/// or none in common. Some callbacks of one pool exclude each other.
Model clustered(Model model, std::uint64_t seed);

/// A system of random_pool_model in which all timers have known phases, each callback may run on
/// all threads of its pool, and these have one priority. Pools may share cores.
Model phased_pools(std::uint64_t seed);

}  // namespace takt_plan::test

#endif  // TAKT_PLAN__TEST__MODELS__CLUSTERED_MODEL_HPP_
