// Random systems with threads of several kinds, made from those of random_model.hpp.
#ifndef TAKT_PLAN__TEST__SUPPORT__MIXED_MODEL_HPP_
#define TAKT_PLAN__TEST__SUPPORT__MIXED_MODEL_HPP_

#include <cstdint>

#include "takt_plan/model.hpp"

namespace takt_plan::test
{

/// On each core, some threads may have policy deadline, with any order, and be pinned to it. Some
/// of the others may have the order `window`. In some systems the threads of policy deadline may
/// use every core. In some, threads publish at a ceiling.
Model mixed_model(std::uint64_t seed);

}  // namespace takt_plan::test

#endif  // TAKT_PLAN__TEST__SUPPORT__MIXED_MODEL_HPP_
