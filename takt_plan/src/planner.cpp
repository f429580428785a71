#include "takt_plan/planner.hpp"

#include <algorithm>
#include <utility>

#include "planners.hpp"

namespace takt_plan
{
namespace
{

using detail::Layout;
using detail::PlanProblem;

Layout layout_by(Planner planner, const PlanProblem & problem)
{
  switch (planner) {
    case Planner::isolated:
      return plan_isolated(problem);
    case Planner::rate_monotonic:
      return plan_rate_monotonic(problem);
    case Planner::picas:
      return plan_picas(problem);
    case Planner::takt:
      break;
  }
  return plan_takt(problem);
}

}  // namespace

bool all_met(const Planned & planned)
{
  return std::all_of(planned.chains.begin(), planned.chains.end(), [&](Index chain) {
    return planned.model.chains[chain].deadline == kUnbounded ||
           meets_deadline(planned.model.chains[chain], planned.bounds.chains[chain]);
  });
}

takt_core::Result<Planned> plan_schedule(
  const takt_schedule::System & system, const PlanOptions & options)
{
  const auto problem = detail::plan_problem(system, options.cpus);
  if (!problem) {
    return problem.faults();
  }
  Layout layout = layout_by(options.planner, *problem);
  Planned result;
  if (options.planner == Planner::takt) {
    result.trade = merge_threads(*problem, options.keep_slack, layout);
  }
  result.assignment = layout.assignment();
  result.chains = problem->chains;
  result.model = problem->model;
  assign(
    result.assignment, ceilings_of(result.assignment, result.model.executors.size()), result.model);
  auto found = bounds(result.model);
  if (!found) {
    return found.faults();
  }
  result.bounds = std::move(*found);
  result.schedule = schedule_of(result.assignment, result.model, system);
  return result;
}

}  // namespace takt_plan
