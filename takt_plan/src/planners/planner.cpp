#include "takt_plan/planner.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "model/percent.hpp"
#include "planners/background.hpp"
#include "planners/context_switches.hpp"
#include "planners/late_releases.hpp"
#include "planners/planners.hpp"
#include "planners/score.hpp"
#include "planners/takt/annealing.hpp"
#include "planners/takt/timer_phases.hpp"
#include "planners/waits.hpp"
#include "takt_plan/end_to_end.hpp"
#include "takt_plan/simulated_plan.hpp"
#include "takt_schedule/core_options.hpp"
#include "takt_schedule/quoted.hpp"

namespace takt_plan
{
namespace
{

using detail::Layout;
using detail::PlanProblem;
using takt_core::Faults;
using takt_core::Result;
using takt_schedule::System;

// Percent of deadlines that are missed.
constexpr std::array kLonger{5, 10, 15, 25, 50, 100};
// Where judging has cost more, in the unit of Score::cost, the search does not begin again: a second or so.
constexpr double kMostForRestarts = 1e7;
// Systems of more callbacks are not improved by a random walk: judging one plan takes too long.
constexpr Index kMostForWalks = 400;
// The most important chains may become so much longer before threads count.
constexpr double kSameStretch = 0.02;
// With more threads than so many for each core a walk looks for plans with fewer.
constexpr Index kFewThreads = 3;

// Where less of a deadline is to spare the search goes on for more, whatever threads may give away.
constexpr double kWantedSlack = 0.1;

/// With its threads merged.
struct Candidate
{
  Layout layout;
  std::vector<TradePoint> trade;
  detail::Score score;
  /// Where a deadline is not proven.
  std::optional<SimulatedPlan> simulated;
};

/// Which chains with a deadline met it in simulation, most important first; and whether no period was skipped.
std::vector<bool> met_in_simulation(const PlanProblem & problem, const SimulatedPlan & simulated)
{
  std::vector<bool> met;
  for (const Index chain : problem.chains) {
    if (problem.model.chains[chain].deadline != kUnbounded) {
      met.push_back(simulated.chains[chain].met());
    }
  }
  met.push_back(simulated.skipped == 0);
  return met;
}

/// Slack beyond `wanted` is worth less than fewer threads; after a walk that beyond `keep` is, and less than short chains.
bool better(
  const PlanProblem & problem, const Candidate & a, const Candidate & b, double keep, double wanted)
{
  // A promise for one chain is not worth periods that timers skip.
  if (a.simulated && b.simulated && (a.simulated->skipped == 0) != (b.simulated->skipped == 0)) {
    return a.simulated->skipped == 0;
  }
  detail::Score one = a.score;
  detail::Score other = b.score;
  const double longer = std::max(stretch(problem, one), detail::kShort) -
                        std::max(stretch(problem, other), detail::kShort);
  const bool same = std::abs(longer) <= kSameStretch;
  const double counts = problem.keeps_short ? keep : wanted;
  one.slack = std::min(one.slack, counts);
  other.slack = std::min(other.slack, counts);
  if (one.met == other.met && a.simulated && b.simulated) {
    const std::vector<bool> here = met_in_simulation(problem, *a.simulated);
    const std::vector<bool> there = met_in_simulation(problem, *b.simulated);
    if (here != there) {
      return here > there;
    }
  }
  if (one.better_than(other) || other.better_than(one)) {
    return one.better_than(other);
  }
  if (!same) {
    return longer < 0;
  }
  return std::pair(a.layout.threads(), -a.score.slack) <
         std::pair(b.layout.threads(), -b.score.slack);
}

/// What is left where mergers were forced: what threads would have bought cannot be had.
TradePoint only_point(const PlanProblem & problem, const Candidate & candidate)
{
  TradePoint point{candidate.layout.threads(), std::nullopt, 0};
  for (const auto & [chain, slack] : candidate.score.slacks) {
    const auto & missed = candidate.score.missed;
    if (!std::binary_search(missed.begin(), missed.end(), chain)) {
      point.slack = std::min(point.slack.value_or(slack), slack);
    }
  }
  for (Index core = 0; core < candidate.layout.cores(); ++core) {
    point.switches += detail::context_switches(problem, candidate.layout.on(core));
  }
  return point;
}

Candidate with_threads_merged(
  PlanProblem & problem, double keep_slack, Layout layout, double & cost)
{
  Candidate candidate{std::move(layout), {}, {}, {}};
  const bool by_phases = problem.by_phases;
  // Where windows say nothing of a part, they cannot tell what a merger costs there.
  problem.by_phases = by_phases && score(problem, candidate.layout).missed.empty();
  candidate.trade = merge_threads(problem, keep_slack, candidate.layout, cost);
  const Index wanted = candidate.layout.threads();
  merge_beyond_limit(problem, candidate.layout);
  problem.by_phases = false;
  candidate.score = score(problem, candidate.layout);
  problem.by_phases = by_phases;
  if (candidate.layout.threads() != wanted) {
    candidate.trade = {only_point(problem, candidate)};
  } else if (by_phases) {
    // All analyses together may know smaller bounds.
    for (TradePoint & point : candidate.trade) {
      if (point.threads == wanted) {
        point.slack = only_point(problem, candidate).slack;
      }
    }
  }
  return candidate;
}

/// Nothing where it cannot be simulated.
std::optional<SimulatedPlan> simulated(
  const System & system, const PlanProblem & problem, const Layout & layout)
{
  const Assignment assignment = separated(problem, layout.assignment());
  auto found = simulate_plan(system, schedule_of(assignment, problem.model, system));
  return found ? std::optional(std::move(*found)) : std::nullopt;
}

/// The system with longer deadlines of some chains.
System with_longer_deadlines(System system, const std::vector<Index> & chains, int percent)
{
  for (const Index chain : chains) {
    takt_core::Duration & deadline = system.chains[chain].options.deadline;
    const Ns longer = add(deadline.count(), multiply(deadline.count() / 100, percent));
    deadline = takt_core::Duration(longer);
  }
  return system;
}

/// Whether the phases of all timers can be known: if the schedule gives each that may have one an offset.
bool phases_can_be_known(const PlanProblem & problem)
{
  Layout layout = plan_isolated(problem);
  detail::TimerPhases(problem).set_all(layout);
  return phases_known(problem, layout);
}

/// Of sources whose phases no schedule sets; one sentence, or none.
std::vector<std::string> phases_left_alone(const System & system, const PlanProblem & problem)
{
  std::vector<std::string> ids;
  for (Index task = 0; task < problem.model.tasks.size(); ++task) {
    const Task & one = problem.model.tasks[task];
    if (one.release && (one.timer ? system.callbacks[task].any_phase : !one.release->offset)) {
      ids.push_back(takt_schedule::quoted(problem.model.tasks[task].id));
    }
  }
  if (ids.empty() || problem.timers.empty()) {
    return {};
  }
  return {
    ids.front() +
    (ids.size() == 1 ? " is" : " and " + std::to_string(ids.size() - 1) + " more are") +
    " released at phases that no schedule sets: takt counts with any phase there"};
}

/// That callbacks may be on.
std::set<Index> usable_cores(const PlanProblem & problem)
{
  std::set<Index> cores;
  for (const detail::Unit & unit : problem.units) {
    cores.insert(unit.cores.begin(), unit.cores.end());
  }
  return cores;
}

/// Whether the cores that callbacks may be on have room for all of them.
bool may_fit(const PlanProblem & problem)
{
  double room = 0;
  for (const Index core : usable_cores(problem)) {
    room += std::max(problem.room[core], 0.0);
  }
  return std::accumulate(problem.loads.begin(), problem.loads.end(), 0.0) <=
         room + detail::kLoadNoise;
}

Layout plan_and_merge(
  const System & system, const PlanOptions & options, PlanProblem & problem, Planned & result)
{
  const double wanted = std::max(options.keep_slack, kWantedSlack);
  double search = 0;
  double mergers = 0;
  std::optional<Candidate> best;
  // Without room for all callbacks timers skip periods in any plan, and threads under the fair scheduler come later.
  const bool simulates = options.walks && may_fit(problem);
  const auto consider = [&](Layout layout) {
    Candidate candidate =
      with_threads_merged(problem, options.keep_slack, std::move(layout), mergers);
    if (simulates && !candidate.score.missed.empty()) {
      candidate.simulated = simulated(system, problem, candidate.layout);
    }
    if (!best || better(problem, candidate, *best, options.keep_slack, wanted)) {
      best = std::move(candidate);
    }
  };
  const auto consider_whole = [&](const Layout & layout) {
    if (!too_many_threads(problem, layout.assignment()).empty()) {
      return;
    }
    Candidate candidate{layout, {}, score(problem, layout), simulated(system, problem, layout)};
    candidate.trade = {only_point(problem, candidate)};
    if (better(problem, candidate, *best, options.keep_slack, wanted)) {
      best = std::move(candidate);
    }
  };
  const bool known = simulates && phases_known(problem, plan_isolated(problem));
  const bool walks = simulates && problem.model.tasks.size() <= kMostForWalks;
  const bool can_be_known = walks && phases_can_be_known(problem);
  problem.by_phases = known;
  problem.brief = can_be_known;
  std::vector<Layout> first = detail::plan_takt(problem, wanted, search);
  problem.by_phases = problem.brief = false;
  double walking = 0;
  const auto walk = [&] {
    const double before = mergers;
    problem.by_phases = can_be_known;
    consider(annealed(problem, wanted, {first.front(), plan_isolated(problem)}, walking));
    if (can_be_known && best->score.missed.size() == best->score.slacks.size()) {
      problem.by_phases = false;
      consider(annealed(problem, wanted, {first.front(), plan_isolated(problem)}, walking));
    }
    const Index few = kFewThreads * usable_cores(problem).size();
    if (can_be_known && best->score.missed.empty() && best->layout.threads() > few) {
      problem.by_phases = true;
      const detail::Kept kept{
        std::min(options.keep_slack, best->score.slack),
        std::max(stretch(problem, best->score), detail::kShort), few,
        std::max(best->score.tight, 0.0)};
      consider(with_few_threads(problem, best->layout, kept, walking));
    }
    problem.by_phases = false;
    walking += std::exchange(mergers, before) - before;
    result.notes = phases_left_alone(system, problem);
  };
  // A walk that can choose phases begins with the first plan. What it finds is better in most cases.
  const bool at_once = can_be_known && !score(problem, first.front()).missed.empty();
  if (at_once) {
    walk();
  }
  problem.by_phases = known;
  if (at_once && !best->score.missed.empty()) {
    first = detail::plan_takt(problem, wanted, search);
  }
  for (const Layout & layout : first) {
    if (!at_once || !best->score.missed.empty()) {
      consider(layout);
    }
  }
  problem.by_phases = false;
  result.cost = search + mergers;
  // With more time for what is late the search goes other ways, and what it finds may be in time.
  for (const int percent : kLonger) {
    if (!options.restarts || best->score.missed.empty() || search > kMostForRestarts) {
      break;
    }
    auto longer =
      detail::plan_problem(with_longer_deadlines(system, best->score.missed, percent), options);
    if (!longer) {
      break;
    }
    longer->by_phases = problem.by_phases = known;
    for (const Layout & layout : detail::plan_takt(*longer, wanted, search)) {
      consider(improved(problem, wanted, layout, search));
    }
    problem.by_phases = false;
  }
  if (walks && !at_once && !good_enough(problem, wanted, best->score)) {
    walk();
  }
  if (best->simulated) {
    const std::vector<bool> met = met_in_simulation(problem, *best->simulated);
    if (std::find(met.begin(), met.end(), false) != met.end()) {
      consider_whole(plan_isolated(problem));
      if (const auto picas = plan_picas(problem, 0)) {
        consider_whole(*picas);
      }
    }
  }
  result.cost_of_restarts = search + mergers - result.cost;
  result.trade = std::move(best->trade);
  return std::move(best->layout);
}

/// The same layout of a problem with the same tasks and cores.
Layout of_problem(const PlanProblem & problem, const Layout & other)
{
  Layout layout(problem);
  for (Index core = 0; core < other.cores(); ++core) {
    layout.set(core, other.on(core));
  }
  for (Index task = 0; task < problem.model.tasks.size(); ++task) {
    if (const auto & offset = other.offset(task)) {
      layout.set_offset(task, *offset);
    }
  }
  return layout;
}

/// By phases the plan keeps deadlines also with late releases, where the search finds such a plan.
Layout plan_for_late_releases(
  const System & system, const PlanOptions & options, PlanProblem & problem, Planned & result)
{
  if (!options.walks || !phases_can_be_known(problem)) {
    return plan_and_merge(system, options, problem, result);
  }
  const System late = detail::with_late_releases(system);
  auto late_problem = detail::plan_problem(late, options);
  if (!late_problem) {
    return plan_and_merge(system, options, problem, result);
  }
  Planned late_plan;
  const Layout found = plan_and_merge(late, options, *late_problem, late_plan);
  const bool all = score(*late_problem, found).missed.empty();
  Layout layout = of_problem(problem, found);
  if (!all) {
    Layout without = plan_and_merge(system, options, problem, result);
    const double cost = late_plan.cost + late_plan.cost_of_restarts;
    if (!score(problem, layout).better_than(score(problem, without))) {
      result.cost_of_restarts += cost;
      return without;
    }
    late_plan.cost_of_restarts += result.cost + result.cost_of_restarts;
  }
  result.cost = late_plan.cost;
  result.cost_of_restarts = late_plan.cost_of_restarts;
  result.trade = std::move(late_plan.trade);
  result.notes = std::move(late_plan.notes);
  // The plan's own row says what the plan's bounds say. The other rows count late releases.
  const Candidate chosen{layout, {}, score(problem, layout), {}};
  for (TradePoint & point : result.trade) {
    if (point.threads == layout.threads()) {
      point.slack = only_point(problem, chosen).slack;
    }
  }
  return layout;
}

/// In `result` trade and cost, of the planner that has them.
Result<Layout> layout_by(
  const System & system, const PlanOptions & options, PlanProblem & problem, Planned & result)
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
  return plan_for_late_releases(system, options, problem, result);
}

bool competes(Planner planner)
{
  return planner == Planner::competition || planner == Planner::competition_literal;
}

/// Numbers of executors and threads that nothing could be planned with, or that nobody asks for.
Faults contradictions(const PlanOptions & options)
{
  Faults faults;
  const auto check = [&](const char * what, int number, int most, bool asked, const char * who) {
    if (number < 0 || number > most) {
      faults.push_back(
        std::string("the number of ") + what + " is 1 to " + std::to_string(most) + ", and not " +
        std::to_string(number));
    } else if (number > 0 && !asked) {
      faults.push_back(std::string("a number of ") + what + " is only for " + who);
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

/// What is not as it should be, but for deadlines.
std::vector<std::string> shortfalls(
  const PlanProblem & problem, const Layout & layout, const Planned & planned)
{
  std::vector<std::string> result;
  const Model & model = planned.model;
  for (Index core = 0; core < layout.cores(); ++core) {
    if (layout.crowded(core)) {
      result.push_back(
        model.core_name(core) + " has room for " + percent(std::max(problem.room[core], 0.0)) +
        " of callbacks, and is given " + percent(layout.load(core)));
    }
  }
  std::vector<char> told(model.tasks.size(), 0);
  for (const Index index : planned.chains) {
    const auto & answer = planned.bounds.chains[index];
    for (const Index task : model.chains[index].path) {
      told[task] = 1;  // by the chain's bound, or by the reason why it has none
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
           ? " does not fit on " + model.core_name(core) + " beside what is more urgent"
           : std::string(
               " is started by a callback that does not fit on its core, or is in its group")) +
        ": it runs under the fair scheduler, without a bound");
    } else if (!planned.bounds.tasks[task] && !told[task]) {
      result.push_back(to_string(planned.bounds.tasks[task].faults().front()));
    }
  }
  return result;
}

/// Of the model under the assignment; makes the schedule of it.
Result<Bounds> assigned_bounds(const System & system, Planned & planned)
{
  const Index executors = planned.model.executors.size();
  assign(planned.assignment, ceilings_of(planned.assignment, executors), planned.model);
  planned.schedule = schedule_of(planned.assignment, planned.model, system);
  // Sentences name threads as the schedule does.
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

/// Whether no chain is late that was in time before.
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

Result<Planned> plan_schedule(const System & system, const PlanOptions & options)
{
  if (Faults faults = contradictions(options); !faults.empty()) {
    return faults;
  }
  auto problem = detail::plan_problem(system, options);
  if (!problem) {
    return problem.faults();
  }
  Planned result;
  auto planned = layout_by(system, options, *problem, result);
  if (!planned) {
    return planned.faults();
  }
  const Layout layout = std::move(*planned);
  result.assignment = separated(*problem, layout.assignment());
  if (const auto faults = too_many_threads(*problem, result.assignment); !faults.empty()) {
    return faults;
  }
  result.chains = problem->chains;
  result.room = problem->room;
  result.model = problem->model;
  result.chosen_threads = layout.threads();
  auto found = assigned_bounds(system, result);
  if (found && options.planner == Planner::takt) {
    auto assignment = separated(*problem, detail::with_background(*problem, layout, *found));
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
  result.bounds = std::move(*found);
  result.settling = settling(result.model, result.bounds);
  say(result.settling, result.model, result.schedule);
  result.shortfalls = shortfalls(*problem, layout, result);
  return result;
}

}  // namespace takt_plan
