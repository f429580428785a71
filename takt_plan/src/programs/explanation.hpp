// What bounds say to people: a table of chains, and one chain's bound as a sum that can be followed.
#ifndef TAKT_PLAN__SRC__PROGRAMS__EXPLANATION_HPP_
#define TAKT_PLAN__SRC__PROGRAMS__EXPLANATION_HPP_

#include <string>
#include <vector>

#include "planners/simulated_plan.hpp"
#include "takt_plan/bounds.hpp"
#include "takt_plan/end_to_end.hpp"
#include "takt_plan/settling.hpp"

namespace takt_plan::program
{

/// One line for each of `chains`, most important first; why there is no bound on a line of its own.
/// With `simulated` also what simulation shows, and whether the deadline is proven, met there, or late.
std::string chain_table(
  const Model & model, const Bounds & bounds, const std::vector<Index> & chains,
  const SimulatedPlan * simulated = nullptr);

/// Whether simulation shows a response above the bound: the bound is wrong, or the simulation is.
bool above_bound(const takt_rt::Result<ChainAnswer> & answer, const SimulatedPlan::Chain & seen);

/// How long callbacks wait at most within a run for others; a line each.
std::string wait_lines(const Model & model, const Bounds & bounds);

/// When bounds that rest on phases hold, behind an empty line; empty: there are none.
std::string settling_line(const Model & model, const Settling & settling);

/// One line for each callback.
std::string callback_table(const Model & model, const Bounds & bounds);

/// The bound of one chain, which has one, term by term.
std::string explanation(const Model & model, Index chain, const EndToEnd & answer);

/// Reaction times and data ages, one line for each of `chains`; reasons as in `chain_table`.
std::string age_table(
  const Model & model, const EndToEndBounds & bounds, const std::vector<Index> & chains);

}  // namespace takt_plan::program

#endif  // TAKT_PLAN__SRC__PROGRAMS__EXPLANATION_HPP_
