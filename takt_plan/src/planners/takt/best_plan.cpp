#include "planners/takt/best_plan.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include "planners/context_switches.hpp"
#include "planners/late_releases.hpp"
#include "planners/planners.hpp"
#include "planners/score.hpp"
#include "planners/simulated_plan.hpp"
#include "planners/takt/annealing.hpp"
#include "planners/takt/fewer_switches.hpp"
#include "planners/takt/timer_phases.hpp"
#include "planners/waits.hpp"
#include "takt_schedule/quoted.hpp"

namespace takt_plan::detail
{
namespace
{

using takt_schedule::System;

// Percent by which missed deadlines are made longer.
constexpr std::array kLonger{5, 10, 15, 25, 50, 100};
// The search does not restart if judging has cost more, in the unit of Score::cost: about a second.
constexpr double kMostForRestarts = 1e7;
// Systems with more callbacks get no random walk: judging one plan takes too long.
constexpr Index kMostForWalks = 400;
// If the most important chains of two plans differ by less, the plans count as equally short. Then
// the number of threads decides.
constexpr double kSameStretch = 0.02;
// If a plan has more threads per core, a walk looks for plans with fewer.
constexpr Index kFewThreads = 3;
constexpr std::uint64_t kWalksForThreads = 3;  // at most
// The number of further walks if a proven plan loses messages in simulation, or makes its most
// important chains long.
constexpr std::uint64_t kOtherWalks = 2;  // at most
constexpr double kLong = 1.06;            // chains are long above this multiple of their own work
// If a plan has less slack, the search goes on, even if merging threads may use up slack.
constexpr double kWantedSlack = 0.1;
// Simulated responses whose difference is smaller count as equal.
constexpr double kSameResponse = 0.01;
// Shares of the remaining time for the steps of the search.
constexpr double kShareOfFirst = 0.15;
constexpr double kShareOfWalk = 0.6;
constexpr double kShareOfMergers = 0.3;
constexpr double kAllOfIt = 1;
// Share of the whole time, for the plan that keeps deadlines with late releases.
constexpr double kShareOfLate = 0.6;

// A plan does without at most so many mergers that cost periods, messages or deadlines in
// simulation; and all plans of a search together.
constexpr Index kMostRefusedSteps = 8;
constexpr Index kMostRefusedInAll = 40;

/// A layout with merged threads.
struct Candidate
{
  Layout layout;
  std::vector<TradePoint> trade;
  Score score;
  std::optional<SimulatedPlan> simulated;
};

/// Whether each chain with a deadline met it in simulation, the most important chain first.
std::vector<bool> met_in_simulation(const PlanProblem & problem, const SimulatedPlan & simulated)
{
  std::vector<bool> met;
  for (const Index chain : problem.chains) {
    if (problem.model.chains[chain].deadline != kUnbounded) {
      met.push_back(simulated.chains[chain].met());
    }
  }
  return met;
}

/// Compares the chains that are late in both simulations. Returns whether the most important chain
/// that differs is less late in `a`. Nothing if no chain differs.
std::optional<bool> less_late(
  const PlanProblem & problem, const SimulatedPlan & a, const SimulatedPlan & b)
{
  for (const Index chain : problem.chains) {
    const SimulatedPlan::Chain & one = a.chains[chain];
    const SimulatedPlan::Chain & other = b.chains[chain];
    if (problem.model.chains[chain].deadline == kUnbounded || one.met() || other.met()) {
      continue;
    }
    if ((one.count > 0) != (other.count > 0)) {
      return one.count > 0;
    }
    const double more = static_cast<double>(one.worst - other.worst);
    if (std::abs(more) > kSameResponse * static_cast<double>(std::max(one.worst, other.worst))) {
      return more < 0;
    }
  }
  return std::nullopt;
}

/// True if `a` is better in simulation. Nothing if one of the two was not simulated, or if they are
/// equal.
std::optional<bool> better_in_simulation(
  const PlanProblem & problem, const Candidate & a, const Candidate & b)
{
  if (!a.simulated || !b.simulated) {
    return std::nullopt;
  }
  if ((a.simulated->skipped == 0) != (b.simulated->skipped == 0)) {
    return a.simulated->skipped == 0;
  }
  const std::vector<bool> here = met_in_simulation(problem, *a.simulated);
  const std::vector<bool> there = met_in_simulation(problem, *b.simulated);
  if (here != there) {
    return here > there;
  }
  return (a.simulated->lost == 0) != (b.simulated->lost == 0)
           ? std::optional(a.simulated->lost == 0)
           : std::nullopt;
}

/// True if `a` is better. Fewer threads are worth more than slack beyond `wanted`. After a walk
/// fewer threads and short chains are worth more than slack beyond `keep`.
bool better(
  const PlanProblem & problem, const Candidate & a, const Candidate & b, double keep, double wanted)
{
  if (const auto known = better_in_simulation(problem, a, b)) {
    return *known;
  }
  Score one = a.score;
  Score other = b.score;
  const double longer =
    std::max(stretch(problem, one), kShort) - std::max(stretch(problem, other), kShort);
  const bool same = std::abs(longer) <= kSameStretch;
  const double counts = problem.keeps_short ? keep : wanted;
  one.slack = std::min(one.slack, counts);
  other.slack = std::min(other.slack, counts);
  if (one.met == other.met && a.simulated && b.simulated) {
    if (const auto known = less_late(problem, *a.simulated, *b.simulated)) {
      return *known;
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

/// The only row of the trade if the planner had to merge threads: plans with more threads are not
/// possible.
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
    point.switches += context_switches(problem, candidate.layout.on(core));
  }
  return point;
}

/// `refused` and `steps`: see merge_threads.
Candidate with_threads_merged(
  PlanProblem & problem, double keep_slack, Layout layout, double & cost,
  const std::set<Merger> & refused, std::vector<MergerStep> & steps)
{
  steps.clear();
  Candidate candidate{std::move(layout), {}, {}, {}};
  const bool by_phases = problem.by_phases;
  // If job windows give no bound for a part, they cannot show what a merger costs there.
  problem.by_phases = by_phases && score(problem, candidate.layout).missed.empty();
  candidate.trade = merge_threads(problem, keep_slack, candidate.layout, cost, refused, &steps);
  const Index wanted = candidate.layout.threads();
  merge_beyond_limit(problem, candidate.layout);
  problem.by_phases = false;
  candidate.score = score(problem, candidate.layout);
  problem.by_phases = by_phases;
  if (candidate.layout.threads() != wanted) {
    candidate.trade = {only_point(problem, candidate)};
  } else {
    // All analyses together may find smaller bounds than the analyses that judged the mergers.
    for (TradePoint & point : candidate.trade) {
      if (point.threads == wanted) {
        point.slack = only_point(problem, candidate).slack;
      }
    }
  }
  return candidate;
}

/// The simulation of the layout; nothing if it cannot be simulated.
std::optional<SimulatedPlan> simulated(
  const System & system, const PlanProblem & problem, const Layout & layout)
{
  const Assignment assignment = separated(problem, layout.assignment());
  auto found = simulate_plan(system, schedule_of(assignment, problem.model, system));
  return found ? std::optional(std::move(*found)) : std::nullopt;
}

/// The system with longer deadlines of the given chains.
System with_longer_deadlines(System system, const std::vector<Index> & chains, int percent)
{
  for (const Index chain : chains) {
    takt_rt::Duration & deadline = system.chains[chain].options.deadline;
    const Ns longer = add(deadline.count(), multiply(deadline.count() / 100, percent));
    deadline = takt_rt::Duration(longer);
  }
  return system;
}

/// A plan that gives an offset to each timer that may have one.
Layout with_all_offsets(const PlanProblem & problem)
{
  Layout layout = plan_isolated(problem);
  TimerPhases(problem).set_all(layout);
  return layout;
}

/// The phases that would be known if the schedule gave an offset to each timer that may have one.
KnownPhases knowable_phases(const PlanProblem & problem)
{
  return known_phases(problem, with_all_offsets(problem));
}

/// The reason why the planner chose no offsets, as a sentence; empty if there is no reason to give.
/// `missed`: a chain is late. If none is late, only a hyperperiod is worth a sentence: offsets of
/// the model are of no use then, either.
std::vector<std::string> no_offsets(const PlanProblem & problem, bool missed)
{
  if (problem.timers.size() < 2) {
    return {};
  }
  const UnknownPhases unknown = why_phases_are_unknown(problem, with_all_offsets(problem));
  if (unknown.why.empty() || !(missed || unknown.too_long)) {
    return {};
  }
  return {
    "takt chose no offsets, and bounds count all phases, since a part of the system has no job "
    "windows: " +
    unknown.why};
}

/// A sentence about sources whose phases no schedule sets; empty if there are no such sources.
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
    "no schedule sets the release phases of " + ids.front() +
    (ids.size() == 1 ? "" : " and " + std::to_string(ids.size() - 1) + " more") +
    ": takt assumes any phase"};
}

/// The cores that callbacks may use.
std::set<Index> usable_cores(const PlanProblem & problem)
{
  std::set<Index> cores;
  for (const Unit & unit : problem.units) {
    cores.insert(unit.cores.begin(), unit.cores.end());
  }
  return cores;
}

/// True if on each host the cores that callbacks may use have room for all of them.
bool may_fit(const PlanProblem & problem)
{
  std::vector<double> room(problem.model.hosts.size(), kLoadNoise);
  for (const Index core : usable_cores(problem)) {
    room[problem.model.cores[core].host] += std::max(problem.room[core], 0.0);
  }
  for (Index task = 0; task < problem.model.tasks.size(); ++task) {
    room[problem.model.tasks[task].host] -= problem.loads[task];
  }
  return std::all_of(room.begin(), room.end(), [](double left) { return left >= 0; });
}

/// True if walks are worth their time; only walks choose offsets.
bool small_enough_to_walk(const PlanProblem & problem)
{
  return problem.model.tasks.size() <= kMostForWalks && may_fit(problem);
}

/// Copies the layout to a problem with the same tasks and cores.
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

/// Returns a function for a part of the whole time, from share `from` to share `to`. The function
/// returns the used share of that part.
std::function<double()> part_of(const std::function<double()> & time_used, double from, double to)
{
  if (!time_used) {
    return nullptr;
  }
  if (from >= to) {
    return [] { return 1.0; };
  }
  return [=] { return std::clamp((time_used() - from) / (to - from), 0.0, 1.0); };
}

class Choice
{
public:
  Choice(
    const System & system, const PlanOptions & options, PlanProblem & problem,
    const std::function<void(const Layout &)> & show)
  : system_(system),
    options_(options),
    problem_(problem),
    show_(show),
    wanted_(std::max(options.keep_slack, kWantedSlack)),
    // Without room for all callbacks, timers skip periods in any plan, and fair threads run late.
    simulates_(options.walks && may_fit(problem)),
    known_(simulates_ && known_phases(problem, plan_isolated(problem)) == KnownPhases::all),
    walks_(simulates_ && problem.model.tasks.size() <= kMostForWalks),
    knowable_(walks_ ? knowable_phases(problem) : KnownPhases::none),
    chooses_(knowable_ != KnownPhases::none)
  {
  }

  BestPlan run()
  {
    problem_.by_phases = known_;
    problem_.brief = chooses_;
    until(kShareOfFirst);
    std::vector<Layout> first = plan_takt(problem_, wanted_, search_);
    problem_.by_phases = problem_.brief = false;
    // A walk that can choose phases begins at once with the first plan, because it usually finds a
    // better one.
    const bool at_once = chooses_ && !score(problem_, first.front()).missed.empty();
    problem_.by_phases = known_;
    if (show_ && at_once) {
      until(kShareOfFirst);
      consider(first.front());
    }
    if (at_once) {
      walk(first.front());
    }
    problem_.by_phases = known_;
    until(kAllOfIt);
    if (at_once && !best_->score.missed.empty()) {
      first = plan_takt(problem_, wanted_, search_);
    }
    for (const Layout & layout : first) {
      if (!at_once || !best_->score.missed.empty()) {
        consider(layout);
      }
    }
    problem_.by_phases = false;
    const double cost = search_ + mergers_;
    begin_again();
    if (walks_ && !at_once && !good_enough(problem_, wanted_, best_->score)) {
      walk(first.front());
    }
    if (walks_ && !chooses_) {
      const std::vector<std::string> more = no_offsets(problem_, !best_->score.missed.empty());
      notes_.insert(notes_.end(), more.begin(), more.end());
    }
    until(kAllOfIt);
    take_others_if_better();
    if (other_ && is_better(*other_, *best_)) {
      best_ = std::move(other_);
    }
    save_switches();
    PaidPeriods paid = paid_periods();
    return {
      std::move(best_->layout),
      std::move(best_->trade),
      std::move(notes_),
      std::move(paid),
      cost,
      search_ + mergers_ - cost,
      walking_};
  }

  /// Sets the cost of walks for another problem, which counts for the limit of walks.
  void walked(double cost) { walking_ = cost; }

  /// Gives the search a known plan. `run` returns it if it finds no better one, and shows only
  /// better plans.
  void knows(const Layout & layout, std::vector<TradePoint> trade)
  {
    other_ = whole(layout);
    other_->trade = std::move(trade);
    shown_ = other_;
  }

private:
  /// Gives the next step this share of the remaining time.
  void until(double share)
  {
    if (problem_.time_used) {
      const double used = problem_.time_used();
      problem_.until = used + (1 - used) * share;
    }
  }

  bool is_better(const Candidate & one, const Candidate & other) const
  {
    return better(problem_, one, other, options_.keep_slack, wanted_);
  }

  void show(const Candidate & candidate)
  {
    if (
      show_ && (!shown_ || is_better(candidate, *shown_)) &&
      too_many_threads(problem_, candidate.layout.assignment()).empty()) {
      shown_ = candidate;
      show_(candidate.layout);
    }
  }

  /// Compares as if no timer of either plan skipped a period.
  bool is_better_but_for_periods(Candidate one, Candidate other) const
  {
    one.simulated->skipped = other.simulated->skipped = 0;
    return is_better(one, other);
  }

  void consider(Candidate candidate)
  {
    if (
      candidate.simulated && candidate.simulated->skipped > 0 &&
      (!skipping_ || is_better_but_for_periods(candidate, *skipping_))) {
      skipping_ = candidate;
    }
    if (!best_ || is_better(candidate, *best_)) {
      best_ = std::move(candidate);
      show(*best_);
    }
  }

  bool late_in_simulation(const Candidate & candidate) const
  {
    if (!candidate.simulated) {
      return false;
    }
    const std::vector<bool> met = met_in_simulation(problem_, *candidate.simulated);
    return std::find(met.begin(), met.end(), false) != met.end();
  }

  /// True if in simulation a timer skips a period or a message is overwritten.
  static bool loses(const Candidate & candidate)
  {
    return candidate.simulated && candidate.simulated->skipped + candidate.simulated->lost > 0;
  }

  Candidate merged(
    const Layout & layout, const std::set<Merger> & refused, std::vector<MergerStep> & steps)
  {
    Candidate candidate =
      with_threads_merged(problem_, options_.keep_slack, layout, mergers_, refused, steps);
    if (simulates_) {
      candidate.simulated = simulated(system_, problem_, candidate.layout);
    }
    return candidate;
  }

  /// Bounds do not count skipped periods and overwritten messages, and a chain without a proof may
  /// be late in simulation only because of a shared thread. Then do without such mergers.
  /// `of_other`: the layout is that of another planner, whose own plan must not be better.
  void consider(const Layout & layout, bool of_other = false)
  {
    std::set<Merger> refused;
    std::vector<MergerStep> steps;
    Candidate candidate = merged(layout, refused, steps);
    const bool suspect = loses(candidate) || (of_other && late_in_simulation(candidate));
    if (!suspect || !too_many_threads(problem_, layout.assignment()).empty()) {
      consider(std::move(candidate));
      return;
    }
    const Candidate apart = whole(layout);
    const auto worse = [&](const Candidate & one) {
      return better_in_simulation(problem_, apart, one).value_or(false);
    };
    while (worse(candidate) && !steps.empty() && refused.size() < kMostRefusedSteps &&
           all_refused_ < kMostRefusedInAll && !problem_.time_is_up()) {
      consider(candidate);
      ++all_refused_;
      refused.insert(first_bad(steps, worse));
      candidate = merged(layout, refused, steps);
    }
    if (worse(candidate) || loses(candidate)) {
      consider(apart);
    }
    consider(std::move(candidate));
  }

  /// The merger after which the layout is bad, and before which it is not. After all mergers it is
  /// bad, and before the first one it is not.
  Merger first_bad(
    const std::vector<MergerStep> & steps, const std::function<bool(const Candidate &)> & bad) const
  {
    Index good = 0;  // so many mergers are good
    Index last = steps.size();
    while (last - good > 1) {
      const Index middle = good + (last - good) / 2;
      const Layout & after = steps[middle - 1].after;
      (bad({after, {}, {}, simulated(system_, problem_, after)}) ? last : good) = middle;
    }
    return steps[last - 1].merger;
  }

  /// A candidate with the layout as it is, without mergers.
  Candidate whole(const Layout & layout)
  {
    const bool by_phases = std::exchange(problem_.by_phases, false);
    Candidate candidate{layout, {}, score(problem_, layout), std::nullopt};
    problem_.by_phases = by_phases;
    if (simulates_) {
      candidate.simulated = simulated(system_, problem_, layout);
    }
    candidate.trade = {only_point(problem_, candidate)};
    return candidate;
  }

  void consider_walked(const Layout & first, double share, std::uint64_t turn = 0)
  {
    until(share);
    const Layout found =
      annealed(problem_, wanted_, {first, plan_isolated(problem_)}, turn, walking_);
    until(kShareOfMergers);
    consider(found);
  }

  void walk(const Layout & first)
  {
    const double before = mergers_;
    if (show_) {
      problem_.found = [&](const Layout & layout) { show(whole(layout)); };
    }
    const auto choose_phases = [&] {
      problem_.by_phases = knowable_ == KnownPhases::all;
      problem_.chooses_offsets = chooses_;
    };
    choose_phases();
    consider_walked(first, kShareOfWalk);
    if (chooses_ && best_->score.missed.size() == best_->score.slacks.size()) {
      problem_.by_phases = problem_.chooses_offsets = false;
      consider_walked(first, kShareOfWalk);
    }
    const auto goes_on = [&] {
      return chooses_ && best_->score.missed.empty() && !problem_.enough_when_proven;
    };
    const auto may_be_better = [&] {
      return goes_on() && !too_long_for_more(problem_, walking_) && best_->simulated &&
             (best_->simulated->skipped + best_->simulated->lost > 0 ||
              stretch(problem_, best_->score) > kLong);
    };
    for (std::uint64_t turn = 1; turn <= kOtherWalks && may_be_better(); ++turn) {
      choose_phases();
      consider_walked(first, kShareOfWalk, turn);
    }
    const Index few = kFewThreads * usable_cores(problem_).size();
    const auto may_be_fewer = [&] { return goes_on() && best_->layout.threads() > few; };
    for (std::uint64_t turn = 1; turn <= kWalksForThreads && may_be_fewer(); ++turn) {
      if (turn > 1 && too_long_for_more(problem_, walking_)) {
        break;
      }
      choose_phases();
      const Kept kept{
        std::min(options_.keep_slack, best_->score.slack),
        std::max(stretch(problem_, best_->score), kShort), few, std::max(best_->score.tight, 0.0)};
      until(kShareOfWalk);
      const Layout found = with_few_threads(problem_, best_->layout, kept, turn, walking_);
      until(kShareOfMergers);
      consider(found);
    }
    problem_.by_phases = problem_.chooses_offsets = false;
    problem_.found = nullptr;
    walking_ += std::exchange(mergers_, before) - before;
    notes_ = phases_left_alone(system_, problem_);
  }

  // Searches again with longer deadlines for late chains. Such a search takes other ways, and may
  // find a plan that keeps the real deadlines.
  void begin_again()
  {
    for (const int percent : kLonger) {
      if (
        !options_.restarts || best_->score.missed.empty() || search_ > kMostForRestarts ||
        problem_.time_is_up()) {
        break;
      }
      auto longer =
        plan_problem(with_longer_deadlines(system_, best_->score.missed, percent), options_);
      if (!longer) {
        break;
      }
      longer->by_phases = problem_.by_phases = known_;
      longer->until = problem_.until;
      for (const Layout & layout : plan_takt(*longer, wanted_, search_)) {
        consider(improved(problem_, wanted_, layout, search_));
      }
      problem_.by_phases = false;
    }
  }

  // Tries the plans of other planners if in the simulation a chain is late or a timer skips a
  // period.
  void take_others_if_better()
  {
    if (!best_->simulated) {
      return;
    }
    if (best_->simulated->skipped == 0 && !late_in_simulation(*best_)) {
      return;
    }
    std::vector<Layout> others{plan_isolated(problem_), plan_rate_monotonic(problem_)};
    if (auto picas = plan_picas(problem_, 0)) {
      others.push_back(std::move(*picas));
    }
    for (const Layout & layout : others) {
      if (too_many_threads(problem_, layout.assignment()).empty()) {
        consider(layout, true);
      }
    }
  }

  // Changes the best plan so that cores switch less often, and simulation shows nothing worse.
  void save_switches()
  {
    if (!walks_) {
      return;
    }
    Candidate now = *best_;
    const auto may_stay = [&](const Layout & layout, const Score & found) {
      Candidate moved{layout, {}, found, simulated(system_, problem_, layout)};
      if (
        !moved.simulated || better_in_simulation(problem_, now, moved).value_or(false) ||
        (now.simulated && less_late(problem_, *now.simulated, *moved.simulated).value_or(false))) {
        return false;
      }
      now = std::move(moved);
      return true;
    };
    Layout layout = now.layout;
    Score score = now.score;
    if (!make_fewer_switches(problem_, options_.keep_slack, may_stay, layout, score, mergers_)) {
      return;
    }
    now.trade = std::move(best_->trade);
    best_ = std::move(now);
    std::vector<TradePoint> & trade = best_->trade;
    const TradePoint point = only_point(problem_, *best_);
    const auto at = std::find_if(trade.begin(), trade.end(), [&](const TradePoint & one) {
      return one.threads <= point.threads;
    });
    if (at != trade.end() && at->threads == point.threads) {
      *at = point;
    } else {
      trade.insert(at, point);
    }
  }

  /// The price that the best plan pays so that no timer skips a period.
  PaidPeriods paid_periods() const
  {
    PaidPeriods paid;
    if (
      !skipping_ || !best_->simulated || best_->simulated->skipped > 0 ||
      !is_better_but_for_periods(*skipping_, *best_)) {
      return paid;
    }
    const auto proves = [](const Candidate & candidate, Index chain) {
      const auto & missed = candidate.score.missed;
      return !std::binary_search(missed.begin(), missed.end(), chain);
    };
    for (const Index chain : problem_.chains) {
      if (problem_.model.chains[chain].deadline == kUnbounded || proves(*best_, chain)) {
        continue;
      }
      const bool met_here = best_->simulated->chains[chain].met();
      const bool met_there = skipping_->simulated->chains[chain].met();
      if ((met_there && !met_here) || (proves(*skipping_, chain) && met_there >= met_here)) {
        paid.chains.push_back(chain);
      }
    }
    if (!paid.chains.empty()) {
      const auto & skips = skipping_->simulated->skips;
      for (Index task = 0; task < skips.size(); ++task) {
        if (skips[task] > 0) {
          paid.timers.push_back(task);
        }
      }
      paid.skipped = skipping_->simulated->skipped;
    }
    return paid;
  }

  const System & system_;
  const PlanOptions & options_;
  PlanProblem & problem_;
  const std::function<void(const Layout &)> & show_;
  const double wanted_;
  const bool simulates_;
  const bool known_;  // true if the model knows all phases
  const bool walks_;
  const KnownPhases knowable_;
  const bool chooses_;  // true if the planner may choose offsets
  double search_ = 0;   // cost of judging so far
  double mergers_ = 0;
  double walking_ = 0;
  Index all_refused_ = 0;
  std::optional<Candidate> best_;
  std::optional<Candidate> shown_;
  std::optional<Candidate> skipping_;  // the best of the plans in which timers skip periods
  std::optional<Candidate> other_;
  std::vector<std::string> notes_;
};

/// Sets the row of this layout in the trade to the bounds of the plan. The other rows count late
/// releases.
void set_own_row(
  const PlanProblem & problem, const Layout & layout, std::vector<TradePoint> & trade)
{
  const Candidate chosen{layout, {}, score(problem, layout), {}};
  for (TradePoint & point : trade) {
    if (point.threads == layout.threads()) {
      point.slack = only_point(problem, chosen).slack;
    }
  }
}

}  // namespace

BestPlan best_plan(
  const System & system, const PlanOptions & options, PlanProblem & problem,
  const std::function<void(const Layout &)> & show)
{
  if (
    !options.walks || !small_enough_to_walk(problem) ||
    knowable_phases(problem) == KnownPhases::none) {
    return Choice(system, options, problem, show).run();
  }
  const System late = with_late_releases(system);
  PlanOptions late_options = options;
  late_options.time_used = part_of(options.time_used, 0, kShareOfLate);
  auto late_problem = plan_problem(late, late_options);
  if (!late_problem) {
    return Choice(system, options, problem, show).run();
  }
  std::function<void(const Layout &)> show_late;
  if (show) {
    show_late = [&](const Layout & layout) { show(of_problem(problem, layout)); };
  }
  BestPlan found = Choice(late, late_options, *late_problem, show_late).run();
  const bool all = score(*late_problem, found.layout).missed.empty();
  found.layout = of_problem(problem, found.layout);
  set_own_row(problem, found.layout, found.trade);
  if (all) {
    return found;
  }
  PlanOptions rest = options;
  rest.time_used =
    part_of(options.time_used, options.time_used ? options.time_used() : 0, kAllOfIt);
  problem.time_used = rest.time_used;
  Choice choice(system, rest, problem, show);
  choice.walked(cost_before_second(found.walking));
  choice.knows(found.layout, std::move(found.trade));
  BestPlan best = choice.run();
  problem.time_used = options.time_used;
  best.cost_of_restarts += found.cost + found.cost_of_restarts;
  return best;
}

}  // namespace takt_plan::detail
