// Random systems of pools for campaigns: shared and own threads, groups of both kinds, chains.
#ifndef TAKT_PLAN__TEST__SUPPORT__RANDOM_POOL_MODEL_HPP_
#define TAKT_PLAN__TEST__SUPPORT__RANDOM_POOL_MODEL_HPP_

#include <cstdint>

#include "takt_plan/model.hpp"

namespace takt_plan::test
{

/// One to three pools of two to four threads, each on its own core. Tasks may run on all threads of
/// their pool, on some, or on one. No thread is overloaded, even if a task gets only the time that
/// other tasks leave on its threads. One chain for each way from a release to a task, up to a
/// limit. Small periods keep hyperperiods short. Some systems, with offsets, are made so that rare
/// events happen often.
Model random_pool_model(std::uint64_t seed);

}  // namespace takt_plan::test

#endif  // TAKT_PLAN__TEST__SUPPORT__RANDOM_POOL_MODEL_HPP_
