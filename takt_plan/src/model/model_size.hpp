// Checks that a model is small enough for the analyses.
//
// The analyses compare all pairs of streams on a core, and store the results: time and memory grow
// with the square of the number of streams on a core. (Streams are the ways in which callbacks are
// started.) Within the limit an analysis needs about a gigabyte and, if no core is nearly full,
// seconds.
#ifndef TAKT_PLAN__SRC__MODEL_SIZE_HPP_
#define TAKT_PLAN__SRC__MODEL_SIZE_HPP_

#include <cstdint>
#include <string>

#include "model/flow.hpp"
#include "takt_plan/model.hpp"

namespace takt_plan::detail
{

/// Pairs of streams on one core, summed over all cores.
inline constexpr std::uint64_t kMostPairs = 20'000'000;

/// The reason why the model is too large; empty: it is not.
std::string too_large(const Model & model, const Flow & flow);

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__MODEL_SIZE_HPP_
