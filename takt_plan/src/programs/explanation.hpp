// Describes bounds in words: a table of chains, and the terms of one chain's bound, which add up to
// it.
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

/// One line for each of `chains`, the most important first. A chain without a bound has one more
/// line with the reason. With `simulated` each line also has the simulated response, and says
/// whether the deadline is proven, met in simulation, or missed.
std::string chain_table(
  const Model & model, const Bounds & bounds, const std::vector<Index> & chains,
  const SimulatedPlan * simulated = nullptr);

/// True if simulation shows a response above the bound: either the bound or the simulation is
/// wrong.
bool above_bound(const takt_rt::Result<ChainAnswer> & answer, const SimulatedPlan::Chain & seen);

/// One line for each callback that waits within a run for others: how long it waits at most.
std::string wait_lines(const Model & model, const Bounds & bounds);

/// An empty line, and the time from which bounds that rest on phases hold. Empty: no bound rests on
/// phases.
std::string settling_line(const Model & model, const Settling & settling);

/// One line for each callback.
std::string callback_table(const Model & model, const Bounds & bounds);

/// The terms of one chain's bound. The chain must have a bound.
std::string explanation(const Model & model, Index chain, const EndToEnd & answer);

/// " No schedule can meet its deadline ...", for a chain whose callbacks alone take longer.
std::string impossible(const Chain & chain, Ns alone);

/// Of a late chain: a line that names the callbacks beside the chain whose mutually exclusive group
/// lets them delay it. Empty: there are none.
std::string group_line(const Model & model, const Chain & chain, const EndToEnd & answer);

/// Reaction times and data ages, one line for each of `chains`. Reasons are shown as in
/// `chain_table`.
std::string age_table(
  const Model & model, const EndToEndBounds & bounds, const std::vector<Index> & chains);

}  // namespace takt_plan::program

#endif  // TAKT_PLAN__SRC__PROGRAMS__EXPLANATION_HPP_
