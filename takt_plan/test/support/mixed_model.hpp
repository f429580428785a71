// Random systems whose threads are of several kinds, made from those of random_model.hpp.
#ifndef TAKT_PLAN__TEST__SUPPORT__MIXED_MODEL_HPP_
#define TAKT_PLAN__TEST__SUPPORT__MIXED_MODEL_HPP_

#include <cstdint>

#include "takt_plan/model.hpp"

namespace takt_plan::test
{

/// On each core some threads may be of policy deadline, of any order and pinned to it, and some of
/// the others of order `window`; in some systems those of policy deadline may be on every core. In
/// some, threads publish at a ceiling.
Model mixed_model(std::uint64_t seed);

}  // namespace takt_plan::test

#endif  // TAKT_PLAN__TEST__SUPPORT__MIXED_MODEL_HPP_
