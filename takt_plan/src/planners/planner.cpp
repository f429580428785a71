#include "takt_plan/planner.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>

#include "model/percent.hpp"
#include "planners/background.hpp"
#include "planners/planners.hpp"
#include "planners/takt/best_plan.hpp"
#include "planners/waits.hpp"
#include "takt_plan/end_to_end.hpp"
#include "takt_schedule/core_options.hpp"
#include "takt_schedule/quoted.hpp"

namespace takt_plan
{
namespace
{

using detail::Layout;
using detail::PlanProblem;
using takt_rt::Faults;
using takt_rt::Result;
using takt_schedule::System;

/// The layout by a planner whose only result is a layout.
Result<Layout> layout_by(const PlanOptions & options, const PlanProblem & problem)
{
  switch (options.planner) {
    case Planner::isolated:
      return plan_isolated(problem);
    case Planner::rate_monotonic:
      return plan_rate_monotonic(problem);
    case Planner::picas:
      return plan_picas(problem, options.executors);
    case Planner::competition:
      return plan_competition(problem, options);
    case Planner::competition_literal:
      return plan_competition_literal(problem, options);
    case Planner::takt:
      break;
  }
  return Layout(problem);
}

bool competes(Planner planner)
{
  return planner == Planner::competition || planner == Planner::competition_literal;
}

/// Faults: numbers of executors or threads that allow no plan, or that the planner does not use.
Faults contradictions(const PlanOptions & options)
{
  Faults faults;
  const auto check = [&](const char * what, int number, int most, bool asked, const char * who) {
    if (number < 0 || number > most) {
      faults.push_back(
        std::string("the number of ") + what + " must be 1 to " + std::to_string(most) + ", not " +
        std::to_string(number));
    } else if (number > 0 && !asked) {
      faults.push_back(std::string("a number of ") + what + " works only with " + who);
    }
  };
  const bool competition = competes(options.planner);
  check(
    "executors", options.executors, kMostExecutors,
    competition || options.planner == Planner::picas,
    "the planners picas, competition and competition-literal");
  check(
    "threads of an executor", options.executor_threads, kMostExecutorThreads, competition,
    "the planners competition and competition-literal");
  return faults;
}

/// The faults of a plan other than missed deadlines.
std::vector<std::string> shortfalls(
  const PlanProblem & problem, const Layout & layout, const Planned & planned)
{
  std::vector<std::string> result;
  const Model & model = planned.model;
  for (Index core = 0; core < layout.cores(); ++core) {
    if (layout.crowded(core)) {
      result.push_back(
        model.core_name(core) + " has room for a load of " +
        percent(std::max(problem.room[core], 0.0)) + ", and its callbacks load it by " +
        percent(layout.load(core)));
    }
  }
  std::vector<char> told(model.tasks.size(), 0);
  for (const Index index : planned.chains) {
    const auto & answer = planned.bounds.chains[index];
    for (const Index task : model.chains[index].path) {
      told[task] = 1;  // the chain's bound, or the reason for its absence, covers the task
    }
    if (!answer && model.chains[index].deadline == kUnbounded) {
      result.push_back(
        model.chains[index].name + " has no bound: " + to_string(answer.faults().front()));
    }
  }
  for (Index task = 0; task < model.tasks.size(); ++task) {
    const Thread & thread = model.threads[model.tasks[task].threads.front()];
    if (thread.kind == ThreadClass::fair) {
      const Index core = thread.cores.front();
      result.push_back(
        takt_schedule::quoted(model.tasks[task].id) +
        (layout.crowded(core)
           ? " does not fit on " + model.core_name(core) + " with the more urgent callbacks there"
           : std::string(" is in the group of a callback that does not fit on its core, or is "
                         "started by one")) +
        ": it runs under the fair scheduler, without a bound");
    } else if (!planned.bounds.tasks[task] && !told[task]) {
      result.push_back(to_string(planned.bounds.tasks[task].faults().front()));
    }
  }
  return result;
}

/// Analyses the model under the assignment, and makes its schedule.
Result<Bounds> assigned_bounds(const System & system, Planned & planned)
{
  const Index executors = planned.model.executors.size();
  assign(planned.assignment, ceilings_of(planned.assignment, executors), planned.model);
  planned.schedule = schedule_of(planned.assignment, planned.model, system);
  // Name threads as the schedule does, for messages.
  for (Index executor = 0; executor < executors; ++executor) {
    const auto options = takt_schedule::core_options(planned.schedule.executors[executor]);
    auto named = options.threads.begin();
    for (Index i = 0; i < planned.assignment.threads.size(); ++i) {
      if (planned.assignment.threads[i].executor == executor) {
        planned.model.threads[i].name = (named++)->attributes.name;
      }
    }
  }
  return bounds_through_reads(planned.model);
}

/// True if each chain that was in time before is still in time.
bool keeps_deadlines(const Planned & planned, const Bounds & before, const Bounds & after)
{
  return std::none_of(planned.chains.begin(), planned.chains.end(), [&](Index chain) {
    return !missed(planned.model, before, chain) && missed(planned.model, after, chain);
  });
}

}  // namespace

std::string_view to_string(Planner planner) noexcept
{
  switch (planner) {
    case Planner::isolated:
      return "isolated";
    case Planner::rate_monotonic:
      return "rate-monotonic";
    case Planner::picas:
      return "picas";
    case Planner::competition:
      return "competition";
    case Planner::competition_literal:
      return "competition-literal";
    case Planner::takt:
      break;
  }
  return "takt";
}

bool missed(const Model & model, const Bounds & bounds, Index chain)
{
  const Chain & one = model.chains[chain];
  return one.deadline != kUnbounded && !meets_deadline(one, bounds.chains[chain]);
}

bool missed(const Planned & planned, Index chain)
{
  return missed(planned.model, planned.bounds, chain);
}

bool all_met(const Planned & planned)
{
  return std::none_of(planned.chains.begin(), planned.chains.end(), [&](Index chain) {
    return missed(planned, chain);
  });
}

namespace
{

/// Counts the threads that the assignment has beside those of the layout, as under an overload: in
/// each row of the trade, because a plan with other mergers would have them, too.
void count_all_threads(Index of_layout, Planned & planned)
{
  planned.chosen_threads = planned.assignment.threads.size();
  const Index fewer = of_layout - std::min(of_layout, planned.chosen_threads);
  std::erase_if(planned.trade, [&](const TradePoint & point) { return point.threads <= fewer; });
  for (TradePoint & point : planned.trade) {
    point.threads = point.threads + planned.chosen_threads - of_layout;
  }
}

/// The finished plan: the layout with its bounds. Under `takt`, cores that are loaded above their
/// cap get a fair thread.
Result<Planned> finished(
  const System & system, const PlanOptions & options, const PlanProblem & problem,
  const Layout & layout, Planned result)
{
  result.assignment = separated(problem, layout.assignment());
  if (const auto faults = too_many_threads(problem, result.assignment); !faults.empty()) {
    return faults;
  }
  result.chains = problem.chains;
  result.room = problem.room;
  result.model = problem.model;
  auto found = assigned_bounds(system, result);
  if (found && options.planner == Planner::takt) {
    auto assignment = separated(problem, detail::with_background(problem, layout, *found));
    if (assignment != result.assignment) {
      Planned spared = result;
      spared.assignment = std::move(assignment);
      auto bounds = assigned_bounds(system, spared);
      if (bounds && keeps_deadlines(result, *found, *bounds)) {
        result = std::move(spared);
        found = std::move(bounds);
      }
    }
  }
  if (!found) {
    return found.faults();
  }
  count_all_threads(layout.threads(), result);
  result.bounds = std::move(*found);
  result.settling = settling(result.model, result.bounds);
  say(result.settling, result.model, result.schedule);
  result.shortfalls = shortfalls(problem, layout, result);
  return result;
}

}  // namespace

namespace
{

/// The options with another `progress`: it reports the plans of all walks together, and the most
/// chains that one of the walks proved.
PlanOptions with_sums(PlanOptions options)
{
  if (options.progress) {
    // Searches copy the function, so the copies share the sums.
    options.progress = [tell = options.progress,
                        shared = std::make_shared<PlanProgress>()](const PlanProgress & now) {
      PlanProgress & sum = *shared;
      sum = {sum.plans + now.plans, std::max(sum.proven, now.proven), now.chains};
      tell(sum);
    };
  }
  return options;
}

}  // namespace

Result<Planned> plan_schedule(const System & system, const PlanOptions & given)
{
  const PlanOptions options = with_sums(given);
  if (Faults faults = contradictions(options); !faults.empty()) {
    return faults;
  }
  auto problem = detail::plan_problem(system, options);
  if (!problem) {
    return problem.faults();
  }
  if (options.planner != Planner::takt) {
    const auto layout = layout_by(options, *problem);
    return layout ? finished(system, options, *problem, *layout, {}) : layout.faults();
  }
  std::function<void(const Layout &)> show;
  if (options.better_found) {
    show = [&](const Layout & layout) {
      if (const auto shown = finished(system, options, *problem, layout, {})) {
        options.better_found(*shown);
      }
    };
  }
  detail::BestPlan best = detail::best_plan(system, options, *problem, show);
  Planned result;
  result.trade = std::move(best.trade);
  result.notes = std::move(best.notes);
  result.paid = std::move(best.paid);
  result.cost = best.cost;
  result.cost_of_restarts = best.cost_of_restarts;
  return finished(system, options, *problem, best.layout, std::move(result));
}

}  // namespace takt_plan
