// Random models with groups whose messages wait for a condition, for campaigns.
#ifndef TAKT_PLAN__TEST__MODELS__CONDITION_MODEL_HPP_
#define TAKT_PLAN__TEST__MODELS__CONDITION_MODEL_HPP_

#include <cstdint>

#include "takt_plan/model.hpp"

namespace takt_plan::test
{

/// A random model. Callbacks of one thread that one other callback starts are the inputs of a group
/// with a random condition, on each thread with at least two of them.
Model condition_model(std::uint64_t seed);

/// `model` with conditions for callbacks that are in no group.
Model with_conditions_added(std::uint64_t seed, Model model);

}  // namespace takt_plan::test

#endif  // TAKT_PLAN__TEST__MODELS__CONDITION_MODEL_HPP_
