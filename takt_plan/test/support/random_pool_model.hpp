// Random systems of pools for campaigns: shared and own threads, groups of both kinds, chains.
#ifndef TAKT_PLAN__TEST__SUPPORT__RANDOM_POOL_MODEL_HPP_
#define TAKT_PLAN__TEST__SUPPORT__RANDOM_POOL_MODEL_HPP_

#include <cstdint>

#include "takt_plan/model.hpp"

namespace takt_plan::test
{

/// One to three pools of two to four threads, each on a core of its own. Tasks may run on all threads
/// of their pool, on some or on one. Nothing is overloaded, also if a task has only what is left of its
/// threads by all that may run on one of them. One chain for each way from a release to a task, as far
/// as there are few. Small periods keep hyperperiods short. Some systems, with offsets, are made so that
/// what is rare by chance happens often.
Model random_pool_model(std::uint64_t seed);

}  // namespace takt_plan::test

#endif  // TAKT_PLAN__TEST__SUPPORT__RANDOM_POOL_MODEL_HPP_
