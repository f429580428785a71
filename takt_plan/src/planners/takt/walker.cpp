#include "planners/takt/walker.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "takt_plan/end_to_end.hpp"
#include "takt_plan/simulate.hpp"

namespace takt_plan::detail
{
namespace
{

// Of a core. Where a timer may be late by a period, nothing is known of phases.
constexpr double kBrief = 0.01;
constexpr double kAny = std::numeric_limits<double>::infinity();
// A simulation has about so many runs of callbacks, and so many of the longest period at least.
constexpr double kSimulatedJobs = 600;
constexpr Ns kLeastTurns = 2;
constexpr double kMostJobsToSimulate = 5'000;
// With fewer callbacks bounds are found sooner than a simulation ends.
constexpr Index kLeastToSimulate = 12;
constexpr double kCostOfSimulation = 1e4;  // in the unit of Score::cost
constexpr double kEffortOfSimulation = 0.1;
// Moves that are refused without a judgement, for each judgement.
constexpr Index kMostRefused = 50;
// Weights of a plan's faults, in the unit of the walk's heat.
constexpr double kMissed = 5;        // a chain that is late
constexpr double kLateness = 20;     // times its lateness, as a share of its deadline
constexpr double kMostLateness = 9;  // it counts up to that; without a bound it is that
constexpr double kWithoutBound = 1;  // a callback
constexpr double kStretch = 7;  // what the most important chains wait, as a share of their work
constexpr double kMostStretch = 3;
constexpr double kLeastToSpare = 0.5;  // the largest share of a deadline that a bound takes
constexpr double kAboveRoom = 300;     // the share of a core above its room
constexpr double kLateTimers = 20;     // their sum, as shares of their periods
constexpr double kEarlyTimer =
  0.4;  // a timer that has ended by then is not late: no bound is known if one may skip
constexpr double kNearDeadline =
  10;  // in a walk by simulation, a chain that takes more than the share below
constexpr double kFarFromDeadline = 0.75;
constexpr double kSkips = 10;         // a simulation in which timers skip periods
constexpr double kOverloaded = 1000;  // a core that has more than it can do

}  // namespace

bool Walked::better_than(const Walked & other) const
{
  Score one = score;
  Score two = other.score;
  one.slack = two.slack = 0;
  if (one.met == two.met && met_in_simulation != other.met_in_simulation) {
    return met_in_simulation;
  }
  if (one.better_than(two) || two.better_than(one)) {
    return one.better_than(two);
  }
  return cost < other.cost;
}

Walker::Walker(
  const PlanProblem & problem, const TimerPhases * phases, const std::vector<Cluster> & clusters,
  std::uint64_t seed)
: problem_(problem),
  phases_(phases),
  clusters_(clusters),
  draw_(seed)
{
  double rate = 0;  // of runs
  Ns longest = 0;
  for (Index task = 0; task < problem.model.tasks.size(); ++task) {
    const auto & release = problem.model.tasks[task].release;
    rate += problem.rates[task];
    longest = std::max(longest, release ? release->period : 0);
  }
  for (const Unit & unit : problem.units) {
    const bool timers = std::all_of(unit.tasks.begin(), unit.tasks.end(), [&](Index task) {
      return problem.model.tasks[task].timer;
    });
    brief_.push_back(timers && unit.utilization < kBrief);
  }
  for (const Index chain : problem.chains) {
    if (problem.model.chains[chain].deadline != kUnbounded) {
      chains_.push_back(chain);
    }
  }
  Ns start = 0;
  for (Index group = 0; phases != nullptr && group < phases->groups().size(); ++group) {
    start = std::max(start, phases->groups()[group].start);
  }
  if (rate > 0 && problem.model.tasks.size() >= kLeastToSimulate) {
    simulated_for_ =
      add(start, std::max(static_cast<Ns>(kSimulatedJobs / rate), multiply(longest, kLeastTurns)));
    simulated_for_ =
      static_cast<double>(simulated_for_) * rate > kMostJobsToSimulate ? 0 : simulated_for_;
  }
}

Index Walker::pick(Index count)
{
  return static_cast<Index>(draw_.between(0, static_cast<Ns>(count) - 1));
}

double Walker::chance()
{
  constexpr Ns kParts = Ns{1} << 53;
  return (static_cast<double>(draw_.between(0, kParts - 1)) + 0.5) / static_cast<double>(kParts);
}

Layout Walker::layout(const Genome & genome) const
{
  Layout result(problem_);
  std::vector<std::vector<Block>> cores(result.cores());
  for (const bool brief : {true, false}) {
    for (const Index unit : genome.order) {
      if (brief_[unit] == static_cast<char>(brief)) {
        cores[genome.cores[unit]].push_back(genome.blocks[unit]);
      }
    }
  }
  for (Index core = 0; core < cores.size(); ++core) {
    result.set(core, std::move(cores[core]));
  }
  for (Index group = 0; group < genome.phases.size(); ++group) {
    phases_->set(result, group, genome.phases[group]);
  }
  return result;
}

void Walker::start(const Layout & layout, bool by_simulation)
{
  by_simulation_ = by_simulation && simulated_for_ > 0;
  Genome genome;
  const Index units = problem_.units.size();
  genome.blocks.resize(units);
  genome.cores.resize(units);
  // In turns over the cores, so that places on different cores are comparable.
  std::vector<std::pair<double, Index>> order;
  for (Index core = 0; core < layout.cores(); ++core) {
    const std::vector<Block> & blocks = layout.on(core);
    for (Index place = 0; place < blocks.size(); ++place) {
      for (const Index task : blocks[place].tasks) {
        const Index unit = problem_.unit_of[task];
        Block & block = genome.blocks[unit];
        if (block.tasks.empty()) {
          block.executor = blocks[place].executor;
          block.deadline = blocks[place].deadline;
          block.cluster = blocks[place].cluster;
          genome.cores[unit] = core;
          order.emplace_back(static_cast<double>(place) / static_cast<double>(blocks.size()), unit);
        }
        block.tasks.push_back(task);
      }
    }
  }
  std::stable_sort(
    order.begin(), order.end(), [](const auto & a, const auto & b) { return a.first < b.first; });
  for (const auto & [place, unit] : order) {
    genome.order.push_back(unit);
  }
  for (Index group = 0; phases_ != nullptr && group < phases_->groups().size(); ++group) {
    genome.phases.push_back(phases_->phase(layout, group));
  }
  start(*judge(std::move(genome), kAny));
}

void Walker::start(const Walked & walked)
{
  current_ = walked;
  if (by_simulation_) {
    shown_ = walked;
  } else if (best_.genome.order.empty() || walked.better_than(best_)) {
    best_ = walked;
  }
}

void Walker::go_by_bounds()
{
  if (std::exchange(by_simulation_, false)) {
    start(*judge(shown_.genome, kAny));
  }
}

Score Walker::as_score(const Layout & layout, const Seen & seen) const
{
  Score score;
  for (Index i = 0; i < chains_.size(); ++i) {
    score.slacks.emplace_back(chains_[i], 1 - seen.taken[i]);
    score.slack = std::min(score.slack, 1 - seen.taken[i]);
    score.met.push_back(seen.taken[i] <= 1);
    if (!score.met.back()) {
      score.missed.push_back(chains_[i]);
    }
  }
  for (Index core = 0; core < layout.cores(); ++core) {
    score.crowded += layout.crowded(core) ? 1 : 0;
  }
  std::sort(score.missed.begin(), score.missed.end());
  return score;
}

double Walker::cost_of(
  const Layout & layout, const std::vector<double> & taken, Index unbounded, double stretch) const
{
  double cost = kStretch * (std::min(stretch, kMostStretch) - 1) +
                kWithoutBound * static_cast<double>(unbounded);
  double largest = 0;
  for (Index i = 0; i < taken.size(); ++i) {
    const double weight = 2 - static_cast<double>(i) / static_cast<double>(taken.size());
    const double share = std::min(taken[i], 1 + kMostLateness);
    largest = std::max(largest, share);
    if (share > 1) {
      cost += weight * (kMissed + kLateness * (share - 1));
    }
  }
  cost += kLeastToSpare * largest;
  for (Index core = 0; core < layout.cores(); ++core) {
    cost += kAboveRoom * std::max(layout.load(core) - problem_.room[core] - kLoadNoise, 0.0);
  }
  return cost;
}

double Walker::cost_of(const Seen & seen)
{
  double cost = (seen.skipped > 0 ? kSkips : 0) + kLateTimers * seen.late_timers;
  for (const double taken : seen.taken) {
    cost += taken > 1 ? kMissed + kLateness * std::min(taken - 1, kMostLateness) : 0;
  }
  return cost;
}

Walker::Seen Walker::simulated(const Layout & layout) const
{
  Seen seen;
  seen.taken.assign(chains_.size(), 0);
  const auto model = simulated_for_ > 0
                       ? simulation_model(placed(problem_, layout))
                       : takt_core::Result<SimulationModel>(takt_core::Faults{"too many jobs"});
  if (!model) {
    return seen;
  }
  SimulationOptions options;
  options.duration = simulated_for_;
  const auto found = simulate(*model, options);
  if (!found) {
    return seen;
  }
  for (Index i = 0; i < chains_.size(); ++i) {
    const Chain & chain = problem_.model.chains[chains_[i]];
    const Responses & responses = found->chains[chains_[i]].responses;
    if (responses.count > 0 && !reads(problem_.model, chain)) {
      seen.taken[i] =
        static_cast<double>(responses.worst.time()) / static_cast<double>(chain.deadline);
    }
  }
  for (Index task = 0; task < found->tasks.size(); ++task) {
    seen.skipped += found->tasks[task].skipped;
    const Responses & responses = found->tasks[task].responses;
    if (problem_.model.tasks[task].timer && responses.count > 0) {
      const double share = static_cast<double>(responses.worst.time()) /
                           static_cast<double>(problem_.model.tasks[task].release->period);
      seen.late_timers += std::max(share - kEarlyTimer, 0.0);
    }
  }
  return seen;
}

std::optional<Walked> Walker::judge(Genome genome, double most)
{
  Walked result;
  const Layout made = layout(genome);
  result.genome = std::move(genome);
  ++tried_;
  effort_ += kEffortOfSimulation;
  spent_ += simulated_for_ > 0 ? kCostOfSimulation : 0;
  const Seen seen = simulated(made);
  result.score = as_score(made, seen);
  const double by_simulation = cost_of(seen);
  result.met_in_simulation = seen.skipped == 0 && result.score.missed.empty();
  result.cost = cost_of(made, seen.taken, 0, stretch(problem_, result.score)) + by_simulation;
  // No bound is below what a simulation shows.
  if (result.cost > most) {
    return std::nullopt;
  }
  if (by_simulation_) {
    // Bounds are somewhat larger.
    for (const double taken : seen.taken) {
      result.cost += kNearDeadline * std::max(taken - kFarFromDeadline, 0.0);
    }
    return result;
  }
  result.score = score(problem_, made);
  spent_ += result.score.cost;
  effort_ += 1;
  std::vector<double> taken;
  for (const auto & [chain, slack] : result.score.slacks) {
    taken.push_back(1 - slack);
  }
  result.cost =
    cost_of(made, taken, result.score.unbounded.size(), stretch(problem_, result.score)) +
    by_simulation;
  return result;
}

void Walker::walk(Index plans, double heat)
{
  effort_ = 0;
  for (Index moves = 0; effort_ < static_cast<double>(plans) && moves < plans * kMostRefused;
       ++moves) {
    if (problem_.time_is_up && problem_.time_is_up()) {
      return;
    }
    Genome genome = current_.genome;
    change(genome);
    if (pick(2) == 0) {
      change(genome);
    }
    const double most = current_.cost - heat * std::log(chance());
    std::vector<double> load(problem_.room.size(), 0);
    for (Index unit = 0; unit < genome.cores.size(); ++unit) {
      load[genome.cores[unit]] += problem_.units[unit].utilization;
    }
    double least = 0;  // that it costs
    for (Index core = 0; core < load.size(); ++core) {
      least += kAboveRoom * std::max(load[core] - problem_.room[core] - kLoadNoise, 0.0) +
               kOverloaded * std::max(load[core] - 1, 0.0);
    }
    if (least > most) {
      continue;
    }
    std::optional<Walked> next = judge(std::move(genome), most);
    if (!next) {
      continue;
    }
    Walked & best = by_simulation_ ? shown_ : best_;
    if (next->better_than(best)) {
      best = *next;
    }
    if (next->cost <= most) {
      current_ = std::move(*next);
    }
  }
}

void Walker::change(Genome & genome)
{
  const bool phases = !genome.phases.empty();
  if (phases && pick(3) == 0) {
    change_phase(genome);
  } else {
    change_place(genome);
  }
}

void Walker::change_place(Genome & genome)
{
  switch (pick(10)) {
    case 0:
    case 1:
      return to_another_core(genome);
    case 2:
    case 3:
      return swap_cores(genome);
    case 4:
    case 5:
      return swap_places(genome);
    case 6:
      return gather_chain(genome);
    case 7:
      return change_tasks(genome);
    default:
      return insert_elsewhere(genome);
  }
}

bool Walker::may_be_on(Index unit, Index core) const
{
  const std::vector<Index> & cores = problem_.units[unit].cores;
  return std::binary_search(cores.begin(), cores.end(), core);
}

void Walker::to_another_core(Genome & genome)
{
  const Index unit = pick(genome.cores.size());
  const std::vector<Index> & cores = problem_.units[unit].cores;
  genome.cores[unit] = cores[pick(cores.size())];
}

void Walker::swap_cores(Genome & genome)
{
  const Index one = pick(genome.cores.size());
  const Index other = pick(genome.cores.size());
  if (may_be_on(one, genome.cores[other]) && may_be_on(other, genome.cores[one])) {
    std::swap(genome.cores[one], genome.cores[other]);
  }
}

void Walker::swap_places(Genome & genome)
{
  const Index one = pick(genome.order.size());
  const Index core = genome.cores[genome.order[one]];
  std::vector<Index> others;
  for (Index place = 0; place < genome.order.size(); ++place) {
    if (place != one && genome.cores[genome.order[place]] == core) {
      others.push_back(place);
    }
  }
  if (!others.empty()) {
    std::swap(genome.order[one], genome.order[others[pick(others.size())]]);
  }
}

void Walker::insert_elsewhere(Genome & genome)
{
  const auto from = genome.order.begin() + static_cast<std::ptrdiff_t>(pick(genome.order.size()));
  const Index unit = *from;
  genome.order.erase(from);
  genome.order.insert(
    genome.order.begin() + static_cast<std::ptrdiff_t>(pick(genome.order.size() + 1)), unit);
}

// All units of a chain on the core of one of them.
void Walker::gather_chain(Genome & genome)
{
  const std::vector<Index> & units = clusters_[pick(clusters_.size())].units;
  const Index core = genome.cores[units[pick(units.size())]];
  for (const Index unit : units) {
    if (may_be_on(unit, core)) {
      genome.cores[unit] = core;
    }
  }
}

void Walker::change_tasks(Genome & genome)
{
  std::vector<Index> several;
  for (Index unit = 0; unit < genome.blocks.size(); ++unit) {
    if (genome.blocks[unit].tasks.size() > 1) {
      several.push_back(unit);
    }
  }
  if (several.empty()) {
    return insert_elsewhere(genome);
  }
  std::vector<Index> & tasks = genome.blocks[several[pick(several.size())]].tasks;
  std::swap(tasks[pick(tasks.size())], tasks[pick(tasks.size())]);
}

void Walker::change_phase(Genome & genome)
{
  const Index group = pick(genome.phases.size());
  const TimerPhases::Group & of = phases_->groups()[group];
  Ns & phase = genome.phases[group];
  constexpr Ns kFarthest = 10;  // steps
  switch (pick(5)) {
    case 0:
    case 1:
      phase = draw_.between(0, (of.period - 1) / of.step) * of.step;
      return;
    case 2:
    case 3: {
      const Ns by = draw_.between(1, kFarthest) * of.step * (pick(2) == 0 ? 1 : -1);
      phase = ((phase + by) % of.period + of.period) % of.period;
      return;
    }
    default:
      phase = behind_a_chain(genome) % of.period;
  }
}

// When some chain has ended at the latest.
Ns Walker::behind_a_chain(const Genome & genome)
{
  const auto & slacks = current_.score.slacks;
  if (slacks.empty()) {
    return 0;
  }
  const auto & [index, slack] = slacks[pick(slacks.size())];
  const Chain & chain = problem_.model.chains[index];
  const double taken = std::max(std::min(1 - slack, 1 + kMostLateness), 0.0);
  const Ns bound = static_cast<Ns>(taken * static_cast<double>(chain.deadline));
  for (Index group = 0; group < genome.phases.size(); ++group) {
    const std::vector<Index> & timers = phases_->groups()[group].timers;
    if (std::find(timers.begin(), timers.end(), chain.path.front()) != timers.end()) {
      return genome.phases[group] + bound;
    }
  }
  return bound;
}

}  // namespace takt_plan::detail
