// A random walk over whole plans: cores and order of units, and offsets of timers.
//
// Simulated annealing (Kirkpatrick, Gelatt and Vecchi, Science 220, 1983), with the analysis as
// judge. A plan has one thread for each unit. A step makes one or two of these changes: move a unit
// to another core or place, exchange two units, move all units of a chain to one core, change the
// order of a unit's tasks, change a timer's phase (at random, by a little, or to the end of a
// chain). The walk accepts a worse plan with a probability that falls with the plan's cost and with
// time.
//
// Two walkers run on a thread each, in turns of a fixed number of plans. So the result depends on
// the seed, and not on the machine or its speed, unless the time is up.
//
// A walk for few threads starts with a plan of merged threads. Its steps also move a unit into the
// thread above it, or give a unit its own thread again.
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

/// The best plan that walks from `starts` find, never worse than the best start. Each start must be
/// complete. `wanted`: the share of its deadline that each chain should keep as slack. `turn`:
/// different turns give different walks. `cost`: the cost of earlier walks, which counts for the
/// limit; adds the cost of judging.
Layout annealed(
  const PlanProblem & problem, double wanted, const std::vector<Layout> & starts,
  std::uint64_t turn, double & cost);

/// A plan with fewer threads that keeps all deadlines and `kept`. If the walk finds none, returns
/// `start`, which keeps them. `turn`: different turns give different walks. Adds the cost of
/// judging to `cost`.
Layout with_few_threads(
  const PlanProblem & problem, const Layout & start, const Kept & kept, std::uint64_t turn,
  double & cost);

/// True if walks cost `cost` so far, and one more walk would take too long for a plan that keeps
/// all deadlines already.
bool too_long_for_more(const PlanProblem & problem, double cost);

/// The `cost` with which walks for a second problem begin, after walks for the first problem cost
/// `cost` and did not suffice.
double cost_before_second(double cost);

/// True if the plan needs no annealing: no chain is late, each chain has the slack `wanted`, and
/// the most important chains take hardly longer than their own work.
bool good_enough(const PlanProblem & problem, double wanted, const Score & score);

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__PLANNERS__TAKT__ANNEALING_HPP_
