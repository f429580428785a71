// The planners, one function each; planner.hpp says what they do.
//
// Set-up only: allocates, does not block.
#ifndef TAKT_PLAN__SRC__PLANNERS_HPP_
#define TAKT_PLAN__SRC__PLANNERS_HPP_

#include <vector>

#include "planners/layout.hpp"
#include "takt_plan/planner.hpp"

namespace takt_plan::detail
{

Layout plan_isolated(const PlanProblem & problem);
Layout plan_rate_monotonic(const PlanProblem & problem);
Layout plan_competition(const PlanProblem & problem, const PlanOptions & options);
Layout plan_competition_literal(const PlanProblem & problem, const PlanOptions & options);
/// Fault: a callback may only be where none of the `executors` is; 0: there is always another one.
takt_rt::Result<Layout> plan_picas(const PlanProblem & problem, int executors);
/// The best; and where that leaves less than `wanted` of a deadline to spare also the best with chains cut in
/// two that fit on one core. Which of them is the better one shows when their threads are merged. What
/// judging cost (score.hpp) is added to `cost`.
std::vector<Layout> plan_takt(const PlanProblem & problem, double wanted, double & cost);

/// What `plan_takt` found for a problem with other deadlines, with the moves by which it improves plans.
Layout improved(const PlanProblem & problem, double wanted, const Layout & other, double & cost);

/// Merges threads of one executor and core, as planner.hpp says; what each merger costs. What
/// judging cost is added to `cost`.
std::vector<TradePoint> merge_threads(
  const PlanProblem & problem, double keep_slack, Layout & layout, double & cost);

/// Merges the least urgent threads of executors that have more than an executor can have, whatever
/// that costs; of one core where there are several, else of two.
void merge_beyond_limit(const PlanProblem & problem, Layout & layout);

/// "executor 'main' would need 80 threads ..." for each such executor.
takt_rt::Faults too_many_threads(const PlanProblem & problem, const Assignment & assignment);

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__PLANNERS_HPP_
