// Checks that analyses can use a model.
//
// Set-up only: allocates, does not block.
#ifndef TAKT_PLAN__SRC__CHECK_FOR_ANALYSIS_HPP_
#define TAKT_PLAN__SRC__CHECK_FOR_ANALYSIS_HPP_

#include "takt_plan/model.hpp"
#include "takt_rt/result.hpp"

namespace takt_plan
{

/// Faults: those of `check` (model.hpp); inputs, conditions and logical execution time, which
/// `with_inputs_in_takers` (inputs.hpp) replaces or refuses; and a sequence in which a callback
/// precedes a more urgent one. Both may be ready at the end of an earlier one, and then the less
/// urgent one starts first, whatever their priorities are.
takt_rt::Status check_for_analysis(const Model & model);

}  // namespace takt_plan

#endif  // TAKT_PLAN__SRC__CHECK_FOR_ANALYSIS_HPP_
