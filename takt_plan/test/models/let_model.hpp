// Random models with groups of logical execution time, for campaigns.
#ifndef TAKT_PLAN__TEST__MODELS__LET_MODEL_HPP_
#define TAKT_PLAN__TEST__MODELS__LET_MODEL_HPP_

#include <cstdint>

#include "takt_plan/model.hpp"

namespace takt_plan::test
{

/// A random model, in which all timers of one thread have logical execution time with inputs of
/// their own; some of them read what others publish. With chains through all of it.
Model let_model(std::uint64_t seed);

}  // namespace takt_plan::test

#endif  // TAKT_PLAN__TEST__MODELS__LET_MODEL_HPP_
