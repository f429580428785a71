// Whether a model is small enough for the analyses.
//
// They compare what runs on a core with all else that runs there, and keep what they found: time and
// memory go with the square of what is on one core. Counted are streams, the ways in which callbacks are
// started. Within the limit an analysis has some gigabyte and, where no core is nearly full, seconds.
#ifndef TAKT_PLAN__SRC__MODEL_SIZE_HPP_
#define TAKT_PLAN__SRC__MODEL_SIZE_HPP_

#include <cstdint>
#include <string>

#include "model/flow.hpp"
#include "takt_plan/model.hpp"

namespace takt_plan::detail
{

/// Pairs of what is on one core, over all cores.
inline constexpr std::uint64_t kMostPairs = 20'000'000;

/// Why the model is too large, or nothing.
std::string too_large(const Model & model, const Flow & flow);

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__MODEL_SIZE_HPP_
