// A random walk over whole plans: cores and order of units, and offsets of timers.
//
// Simulated annealing (Kirkpatrick, Gelatt and Vecchi, Science 220, 1983), with the analysis as judge. A plan has one
// thread for each unit. A step moves one or two of: a unit to another core or place, two units for each other, all units
// of a chain to one core, the tasks of a unit, a timer's phase (anywhere, a little, or to where a chain has ended). The
// walk goes on from a worse plan with a probability that falls with the plan's cost and with time.
//
// Two walkers go in turns of a fixed number of plans, each on a thread of its own. So the result depends on the seed, and
// neither on the machine nor on how fast it is; unless the time is up before.
//
// A walk for few threads goes on from a plan whose threads are merged. Its steps also join units with the thread above
// them, and take them out again.
//
// Set-up only: allocates, starts threads and waits for them.
#ifndef TAKT_PLAN__SRC__PLANNERS__TAKT__ANNEALING_HPP_
#define TAKT_PLAN__SRC__PLANNERS__TAKT__ANNEALING_HPP_

#include <cstdint>
#include <vector>

#include "planners/layout.hpp"
#include "planners/score.hpp"
#include "planners/takt/walker.hpp"

namespace takt_plan::detail
{

/// The best plan that was found from any of `starts`, which are complete; never a worse one than the best of them.
/// `wanted`: the share of its deadline that each chain should have to spare. `turn`: other walks for other turns. What
/// judging cost is added to `cost`.
Layout annealed(
  const PlanProblem & problem, double wanted, const std::vector<Layout> & starts,
  std::uint64_t turn, double & cost);

/// A plan with fewer threads that keeps all deadlines and `kept`; `start`, which does, where none was found.
/// `turn`: other walks for other turns.
Layout with_few_threads(
  const PlanProblem & problem, const Layout & start, const Kept & kept, std::uint64_t turn,
  double & cost);

/// Whether annealing has nothing to look for: no chain is late, each has `wanted` to spare, and the most important ones
/// take hardly longer than their own work.
bool good_enough(const PlanProblem & problem, double wanted, const Score & score);

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__PLANNERS__TAKT__ANNEALING_HPP_
