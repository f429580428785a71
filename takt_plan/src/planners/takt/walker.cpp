#include "planners/takt/walker.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "planners/waits.hpp"

namespace takt_plan::detail
{
namespace
{

// A unit of timers that uses less than this share of a core is brief, and runs first. Otherwise
// such a timer might be late by a period, and its phase would not tell when it runs.
constexpr double kBrief = 0.01;
// For each judgement the walk may refuse this many moves without judging them.
constexpr Index kMostRefusedPerPlan = 50;
// Weights of a plan's faults, in the unit of the walk's heat. Each comment names the fault that the
// weight multiplies.
constexpr double kMissed = 5;     // each late chain
constexpr double kLateness = 20;  // the lateness of a late chain, as a share of its deadline
// Not a weight: the largest lateness that counts, also for a chain without a bound.
constexpr double kMostLateness = 9;
constexpr double kWithoutBound = 1;  // each callback without a bound
// The waits of the most important chains, as a share of their work.
constexpr double kStretch = 7;
constexpr double kMostStretch = 3;
constexpr double kLeastToSpare = 0.5;  // the largest share of a deadline that a bound takes
constexpr double kAboveRoom = 300;     // the share of a core above its room
constexpr double kTight = 50;          // the share of a core above its calm load
constexpr double kShortHistory = 0.1;  // each history that may overwrite messages
constexpr double kLateTimer = 0.5;     // each timer that may skip a period
constexpr double kOverloaded = 1000;   // the load of a core above 1
constexpr double kThread = 0.3;        // each thread, if few threads are wanted
constexpr double kNotKept = 20;        // the missing share of a deadline or of a chain's work

constexpr double kAny = 1e18;  // no limit of the cost

// The weight of a chain. `i`: the number of more important chains.
double weight_of(Index i, std::size_t chains)
{
  return 2 - static_cast<double>(i) / static_cast<double>(chains);
}

}  // namespace

bool Walked::better_than(const Walked & other) const
{
  Score one = score;
  Score two = other.score;
  one.slack = two.slack = 0;
  if (one.better_than(two) || two.better_than(one)) {
    return one.better_than(two);
  }
  return cost < other.cost;
}

bool Walked::better_with_few_threads_than(const Walked & other) const
{
  return std::tuple(!keeps, threads, cost) < std::tuple(!other.keeps, other.threads, other.cost);
}

Walker::Walker(
  const PlanProblem & problem, const TimerPhases * phases, const std::vector<Cluster> & clusters,
  std::uint64_t seed)
: problem_(problem),
  phases_(phases),
  clusters_(clusters),
  draw_(seed)
{
  for (const Unit & unit : problem.units) {
    const bool timers = std::all_of(unit.tasks.begin(), unit.tasks.end(), [&](Index task) {
      return problem.model.tasks[task].timer;
    });
    brief_.push_back(timers && unit.utilization < kBrief);
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
      if (brief_[unit] != static_cast<char>(brief)) {
        continue;
      }
      std::vector<Block> & there = cores[genome.cores[unit]];
      const Block & block = genome.blocks[unit];
      if (
        genome.joined[unit] && !there.empty() && there.back().executor == block.executor &&
        may_share(problem_, there.back().tasks, block.tasks)) {
        std::vector<Index> & tasks = there.back().tasks;
        tasks.insert(tasks.end(), block.tasks.begin(), block.tasks.end());
      } else {
        there.push_back(block);
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

void Walker::start(const Layout & layout)
{
  kept_.reset();
  begin(layout);
}

void Walker::start_with_few_threads(const Layout & layout, const Kept & kept)
{
  kept_ = kept;
  best_ = {};
  begin(layout);
}

void Walker::begin(const Layout & layout)
{
  Genome genome;
  const Index units = problem_.units.size();
  genome.blocks.resize(units);
  genome.cores.resize(units);
  genome.joined.resize(units, 0);
  // Alternate between the cores, so that places on different cores are comparable.
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
          genome.joined[unit] = kept_ && task != blocks[place].tasks.front() ? 1 : 0;
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
  current_ = judge(std::move(genome), kAny);
  if (best_.genome.order.empty() || better(current_, best_)) {
    best_ = current_;
  }
}

bool Walker::better(const Walked & one, const Walked & other) const
{
  return kept_ ? one.better_with_few_threads_than(other) : one.better_than(other);
}

double Walker::cost_of(const Layout & layout, const Score & score) const
{
  double cost = kStretch * (std::min(stretch(problem_, score), kMostStretch) - 1) +
                kWithoutBound * static_cast<double>(score.unbounded.size());
  double largest = 0;
  for (Index i = 0; i < score.slacks.size(); ++i) {
    const double weight = weight_of(i, score.slacks.size());
    const double share = std::min(1 - score.slacks[i].second, 1 + kMostLateness);
    largest = std::max(largest, share);
    if (share > 1) {
      cost += weight * (kMissed + kLateness * (share - 1));
    }
  }
  cost += kLeastToSpare * largest + kTight * score.tight +
          kShortHistory * static_cast<double>(score.short_histories) +
          kLateTimer * static_cast<double>(score.late_timers);
  for (Index core = 0; core < layout.cores(); ++core) {
    cost += kAboveRoom * std::max(layout.load(core) - problem_.room[core] - kLoadNoise, 0.0);
  }
  return cost;
}

// For each chain the largest bound with which the plan's cost can still be below `most`.
std::vector<Ns> Walker::most_of_chains(double most) const
{
  std::vector<Ns> result(problem_.model.chains.size(), kUnbounded);
  Score score;  // holds all chains with a deadline
  for (const Index chain : problem_.chains) {
    const Ns deadline = problem_.model.chains[chain].deadline;
    if (deadline != kUnbounded) {
      score.slacks.emplace_back(chain, 0);
    }
  }
  const auto share_of = [](Ns time, double share) {
    const double product = static_cast<double>(time) * share;
    return product < static_cast<double>(kUnbounded) / 2 ? static_cast<Ns>(product) + 1
                                                         : kUnbounded;
  };
  for (Index i = 0; i < score.slacks.size(); ++i) {
    const Index chain = score.slacks[i].first;
    const double weight = weight_of(i, score.slacks.size());
    const double late = std::max((most / weight - kMissed) / kLateness, 0.0);
    if (late < kMostLateness) {
      result[chain] = share_of(problem_.model.chains[chain].deadline, 1 + late);
    }
  }
  if (most < kStretch * (kMostStretch - 1)) {
    for (const auto & [chain, slack] : most_important(problem_, score)) {
      const Ns least = least_response(problem_, chain);
      result[chain] = std::min(result[chain], share_of(least, 1 + std::max(most, 0.0) / kStretch));
    }
  }
  return result;
}

Walked Walker::judge(Genome genome, double most)
{
  Walked result;
  const Layout made = layout(genome);
  result.genome = std::move(genome);
  result.threads = made.threads();
  const double threads = kept_ ? kThread * static_cast<double>(result.threads) : 0;
  result.score = problem_.by_phases
                   ? score_by_phases(problem_, made, most_of_chains(most - threads))
                   : score(problem_, made);
  result.cost = cost_of(made, result.score) + threads;
  if (kept_) {
    result.keeps = result.score.missed.empty() && result.score.unbounded.empty() &&
                   result.score.crowded == 0 && result.score.tight <= kept_->tight &&
                   result.score.slack >= kept_->slack &&
                   stretch(problem_, result.score) <= kept_->stretch;
    result.cost +=
      kNotKept * (std::clamp(kept_->slack - result.score.slack, 0.0, 1.0) +
                  std::clamp(stretch(problem_, result.score) - kept_->stretch, 0.0, 1.0));
  }
  ++tried_;
  spent_ += result.score.cost;
  return result;
}

void Walker::walk(Index plans, double heat)
{
  Index judged = 0;
  for (Index moves = 0; judged < plans && moves < plans * kMostRefusedPerPlan; ++moves) {
    if (problem_.time_is_up()) {
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
    double least = 0;  // the plan costs at least this
    for (Index core = 0; core < load.size(); ++core) {
      least += kAboveRoom * std::max(load[core] - problem_.room[core] - kLoadNoise, 0.0) +
               kOverloaded * std::max(load[core] - 1, 0.0);
    }
    if (least > most) {
      continue;
    }
    Walked next = judge(std::move(genome), most - least);
    ++judged;
    if (better(next, best_)) {
      best_ = next;
    }
    if (next.cost <= most) {
      current_ = std::move(next);
    }
  }
}

void Walker::change(Genome & genome)
{
  if (kept_ && pick(3) == 0) {
    char & joined = genome.joined[pick(genome.joined.size())];
    joined = joined ? 0 : 1;
    return;
  }
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

// Moves all units of a chain to the core of one of them.
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
  constexpr Ns kFarthest = 10;  // the farthest move, in steps
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

// A time at which the bound of a random chain has passed.
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
