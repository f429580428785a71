// The planners, one function each; planner.hpp describes them.
//
// Set-up only: allocates, does not block.
#ifndef TAKT_PLAN__SRC__PLANNERS_HPP_
#define TAKT_PLAN__SRC__PLANNERS_HPP_

#include <set>
#include <utility>
#include <vector>

#include "planners/layout.hpp"
#include "takt_plan/planner.hpp"

namespace takt_plan::detail
{

Layout plan_isolated(const PlanProblem & problem);
Layout plan_rate_monotonic(const PlanProblem & problem);
Layout plan_competition(const PlanProblem & problem, const PlanOptions & options);
Layout plan_competition_literal(const PlanProblem & problem, const PlanOptions & options);
/// `executors`: the largest number of executors on each host; 0: no limit. Fault: no core that a
/// callback may use has an executor.
takt_rt::Result<Layout> plan_picas(const PlanProblem & problem, int executors);
/// Returns the best layout. If its slack is less than the share `wanted` of a deadline, also
/// returns the best layout with cut chains: a cut chain runs on two cores, although it would fit on
/// one. To find out which layout is better, the caller merges the threads of both. Adds the cost of
/// judging (score.hpp) to `cost`.
std::vector<Layout> plan_takt(const PlanProblem & problem, double wanted, double & cost);

/// Improves a layout that `plan_takt` found for a problem with other deadlines.
Layout improved(const PlanProblem & problem, double wanted, const Layout & other, double & cost);

/// A merger of two threads, by the most urgent task of each; the more urgent thread comes first.
using Merger = std::pair<Index, Index>;

/// A merger that `merge_threads` chose, and the layout after it.
struct MergerStep
{
  Merger merger;
  Layout after;
};

/// Merges threads of one executor and core as planner.hpp says. Returns the state before the first
/// merger and after each merger. Adds the cost of judging to `cost`. `refused`: mergers that are
/// not allowed. `steps`, if not null, gets the mergers up to the chosen layout.
std::vector<TradePoint> merge_threads(
  const PlanProblem & problem, double keep_slack, Layout & layout, double & cost,
  const std::set<Merger> & refused = {}, std::vector<MergerStep> * steps = nullptr);

/// If an executor has more threads than it can have, merges its least urgent threads at any cost:
/// two threads of the same core if possible, else of two cores.
void merge_beyond_limit(const PlanProblem & problem, Layout & layout);

/// Returns a fault "executor 'main' would need 80 threads ..." for each executor with too many
/// threads.
takt_rt::Faults too_many_threads(const PlanProblem & problem, const Assignment & assignment);

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__PLANNERS_HPP_
