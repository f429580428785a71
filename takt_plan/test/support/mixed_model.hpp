// Random systems whose threads are of several kinds, made from those of random_model.hpp.
#ifndef TAKT_PLAN__TEST__SUPPORT__MIXED_MODEL_HPP_
#define TAKT_PLAN__TEST__SUPPORT__MIXED_MODEL_HPP_

#include <cstdint>

#include "takt_plan/model.hpp"

namespace takt_plan::test
{

/// Each core has threads of fixed priority, some of them of order `window`, or threads of policy
/// deadline, of any order and each pinned to it; in some systems all are of policy deadline and may be
/// on every core. In some, threads publish at a ceiling.
Model mixed_model(std::uint64_t seed);

}  // namespace takt_plan::test

#endif  // TAKT_PLAN__TEST__SUPPORT__MIXED_MODEL_HPP_
