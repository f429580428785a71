// Random systems whose chains go back and forth between cores.
#ifndef TAKT_PLAN__TEST__MODELS__CROSSING_MODEL_HPP_
#define TAKT_PLAN__TEST__MODELS__CROSSING_MODEL_HPP_

#include <cstdint>

#include "takt_plan/model.hpp"

namespace takt_plan::test
{

/// Two or three chains of timers over two or three cores with one to two threads each. With
/// `phases` all timers have offsets on one epoch; otherwise any phase is possible.
Model crossing_model(std::uint64_t seed, bool phases);

}  // namespace takt_plan::test

#endif  // TAKT_PLAN__TEST__MODELS__CROSSING_MODEL_HPP_
