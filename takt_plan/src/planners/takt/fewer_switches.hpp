// Moves callbacks to other threads, so that the cores switch less often.
//
// A search chooses cores by bounds, and bounds do not show switches. So a timer may stand on one
// core, and the only callback that it starts on another core: each message then wakes a thread
// there. On one thread the callback starts without a switch.
//
// Set-up only: allocates, does not block.
#ifndef TAKT_PLAN__SRC__PLANNERS__TAKT__FEWER_SWITCHES_HPP_
#define TAKT_PLAN__SRC__PLANNERS__TAKT__FEWER_SWITCHES_HPP_

#include <functional>

#include "planners/layout.hpp"
#include "planners/plan_problem.hpp"
#include "planners/score.hpp"

namespace takt_plan::detail
{

/// Moves units (PlanProblem::units) to threads of callbacks that they start, or that start them, as
/// long as the switches become fewer (context_switches.hpp). A move keeps all deadlines, and the
/// slack that mergers of threads keep; the most important chains do not become longer. `may_stay`:
/// returns true if a layout with such a score is acceptable otherwise, too. `score`: that of
/// `layout`, by all analyses; it becomes that of the result. Adds the cost of judging to `cost`.
/// Returns true if it moved a unit.
bool make_fewer_switches(
  const PlanProblem & problem, double keep_slack,
  const std::function<bool(const Layout &, const Score &)> & may_stay, Layout & layout,
  Score & score, double & cost);

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__PLANNERS__TAKT__FEWER_SWITCHES_HPP_
