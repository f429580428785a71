// `takt`: where each chain goes, by the analysis.
#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <utility>

#include "clusters.hpp"
#include "planners.hpp"
#include "score.hpp"

namespace takt_plan::detail
{
namespace
{

// More tasks than this, and each attempt stops at the first place that is good enough.
constexpr Index kLarge = 400;
// Places of a chain on a core, and cuts of one that fits nowhere, that are tried at most.
constexpr Index kMostPlaces = 8;
constexpr Index kMostCuts = 8;
constexpr int kMostPairs = 64;
constexpr int kMostMoves = 64;
// Slacks that differ by less are the same.
constexpr double kNoise = 1e-9;

enum class Fit
{
  first,  ///< the fullest core on which it fits
  worst,  ///< the emptiest one
  slack   ///< the one that leaves the largest smallest slack
};

/// One layout while it is made, with what it misses already.
struct Attempt
{
  Layout layout;
  Score score;
};

/// Where something does no harm.
struct Spot
{
  Index core = kNone;
  Index place = 0;
  double slack = 0;  ///< with it there
};

class Search
{
public:
  explicit Search(const PlanProblem & problem)
  : problem_(problem),
    large_(problem.model.tasks.size() > kLarge),
    clusters_(clusters(problem))
  {
  }

  Layout best()
  {
    std::optional<Attempt> best;
    for (const auto & [order, fit] : attempts()) {
      Attempt attempt = place_all(order, fit);
      if (!best || attempt.score.better_than(best->score)) {
        best = std::move(attempt);
      }
      if (large_ && best->score.missed.empty() && best->score.unbounded.empty()) {
        break;
      }
    }
    improve(*best);
    return std::move(best->layout);
  }

private:
  using Order = std::vector<Index>;

  std::vector<std::pair<Order, Fit>> attempts() const
  {
    Order by_rank(clusters_.size());
    std::iota(by_rank.begin(), by_rank.end(), Index{0});
    const auto sorted = [&](const auto & before) {
      Order order = by_rank;
      std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
        return before(clusters_[a], clusters_[b]);
      });
      return order;
    };
    // Chains of callbacks that are placed first must not wait for others that start them: a chain
    // that shares its root with a more important one is judged once both are there.
    const Order by_load =
      sorted([](const Cluster & a, const Cluster & b) { return a.utilization > b.utilization; });
    const Order by_deadline =
      sorted([](const Cluster & a, const Cluster & b) { return a.deadline < b.deadline; });
    std::vector<std::pair<Order, Fit>> result;
    for (const Fit fit : {Fit::worst, Fit::slack, Fit::first}) {
      if (fit == Fit::slack && large_) {
        continue;
      }
      for (const Order & order :
           {std::cref(std::as_const(by_rank)), std::cref(by_load), std::cref(by_deadline)}) {
        result.emplace_back(order, fit);
      }
    }
    return result;
  }

  Attempt place_all(const Order & order, Fit fit) const
  {
    Attempt attempt{Layout(problem_), {}};
    for (const Index cluster : order) {
      place(cluster, fit, attempt);
    }
    attempt.score = score(problem_, attempt.layout);
    return attempt;
  }

  double room(const Layout & layout, Index core) const
  {
    return problem_.room[core] - layout.load(core);
  }

  // Of the cores, those with room for the load; the ones to try first in front.
  std::vector<Index> candidates(
    const Layout & layout, const std::vector<Index> & units, double load, Fit fit) const
  {
    std::vector<std::pair<double, Index>> found;
    for (const Index core : common_cores(problem_, units)) {
      const double left = room(layout, core);
      if (load <= left + 1e-12) {
        found.emplace_back(fit == Fit::first ? left : -left, core);
      }
    }
    std::stable_sort(found.begin(), found.end());
    std::vector<Index> cores;
    for (const auto & [key, core] : found) {
      cores.push_back(core);
    }
    return cores;
  }

  std::vector<Block> blocks(Index cluster, const std::vector<Index> & units) const
  {
    std::vector<Block> result = blocks_of(problem_, units);
    for (Block & block : result) {
      block.cluster = cluster;
      block.deadline = clusters_[cluster].deadline;
    }
    return result;
  }

  static Index place_by_deadline(const std::vector<Block> & there, Ns deadline)
  {
    const auto place = std::find_if(
      there.begin(), there.end(), [&](const Block & block) { return block.deadline > deadline; });
    return static_cast<Index>(place - there.begin());
  }

  // Places between clusters: the one by deadline first, then those around it.
  std::vector<Index> places(const std::vector<Block> & there, Ns deadline) const
  {
    const Index natural = place_by_deadline(there, deadline);
    std::vector<Index> result{natural};
    const auto between = [&](Index place) {
      return place == 0 || place == there.size() ||
             there[place - 1].cluster != there[place].cluster;
    };
    for (Index distance = 1; distance <= there.size() && result.size() < kMostPlaces; ++distance) {
      if (distance <= natural && between(natural - distance)) {
        result.push_back(natural - distance);
      }
      if (natural + distance <= there.size() && between(natural + distance)) {
        result.push_back(natural + distance);
      }
    }
    return result;
  }

  // The first place on the core where the units do no harm: the one by deadline mostly is the best.
  std::optional<Spot> on_core(
    Layout & layout, Index cluster, const std::vector<Index> & units, Index core,
    const Score & known) const
  {
    const std::vector<Block> added = blocks(cluster, units);
    const std::vector<Block> before = layout.on(core);
    std::optional<Spot> result;
    for (const Index place : places(before, clusters_[cluster].deadline)) {
      layout.insert(core, place, added);
      const Score found = score(problem_, layout, {core});
      layout.set(core, before);
      if (found.no_worse_than(known)) {
        result = Spot{core, place, found.slack};
        break;
      }
    }
    return result;
  }

  void place(Index cluster, Fit fit, Attempt & attempt) const
  {
    const Cluster & one = clusters_[cluster];
    if (const auto spot = whole(attempt, cluster, fit)) {
      attempt.layout.insert(spot->core, spot->place, blocks(cluster, one.units));
    } else if (!split(attempt, cluster, fit)) {
      give_up(cluster, attempt);
    }
  }

  std::optional<Spot> whole(Attempt & attempt, Index cluster, Fit fit) const
  {
    const Cluster & one = clusters_[cluster];
    std::optional<Spot> best;
    for (const Index core : candidates(attempt.layout, one.units, one.utilization, fit)) {
      const auto found = on_core(attempt.layout, cluster, one.units, core, attempt.score);
      if (found && (!best || found->slack > best->slack)) {
        best = found;
      }
      if (best && fit != Fit::slack) {
        break;
      }
    }
    return best;
  }

  // The cluster cut in two, on two cores; false if that does not do either.
  bool split(Attempt & attempt, Index cluster, Fit fit) const
  {
    const std::vector<Index> & units = clusters_[cluster].units;
    for (Index i = 0; i + 1 < std::min(units.size(), kMostCuts + 1); ++i) {
      // Around the middle first.
      const Index half = units.size() / 2;
      const Index away = (i + 1) / 2;
      const Index cut = i % 2 == 0 ? half + away : half - std::min(half, away);
      if (cut == 0 || cut >= units.size()) {
        continue;
      }
      const auto middle = units.begin() + static_cast<std::ptrdiff_t>(cut);
      if (on_two(attempt, cluster, {units.begin(), middle}, {middle, units.end()}, fit)) {
        return true;
      }
    }
    return false;
  }

  double load_of(const std::vector<Index> & units) const
  {
    return std::accumulate(units.begin(), units.end(), 0.0, [&](double sum, Index unit) {
      return sum + problem_.units[unit].utilization;
    });
  }

  void insert_by_deadline(
    Layout & layout, Index cluster, const std::vector<Index> & units, Index core) const
  {
    layout.insert(
      core, place_by_deadline(layout.on(core), clusters_[cluster].deadline),
      blocks(cluster, units));
  }

  bool on_two(
    Attempt & attempt, Index cluster, const std::vector<Index> & first,
    const std::vector<Index> & second, Fit fit) const
  {
    Layout & layout = attempt.layout;
    int pairs = 0;
    for (const Index a : candidates(layout, first, load_of(first), fit)) {
      for (const Index b : candidates(layout, second, load_of(second), fit)) {
        if (a == b) {
          continue;
        }
        if (++pairs > kMostPairs) {
          return false;
        }
        const std::vector<Block> on_a = layout.on(a);
        const std::vector<Block> on_b = layout.on(b);
        insert_by_deadline(layout, cluster, first, a);
        insert_by_deadline(layout, cluster, second, b);
        if (score(problem_, layout, {a, b}).no_worse_than(attempt.score)) {
          return true;
        }
        layout.set(a, on_a);
        layout.set(b, on_b);
      }
    }
    return false;
  }

  // It fits nowhere: where there is most room, below all others if it would harm them.
  void give_up(Index cluster, Attempt & attempt) const
  {
    Layout & layout = attempt.layout;
    Score forgiving = attempt.score;
    forgive(cluster, forgiving);
    for (const Index unit : clusters_[cluster].units) {
      const std::vector<Index> & cores = problem_.units[unit].cores;
      const Index core = *std::max_element(cores.begin(), cores.end(), [&](Index a, Index b) {
        return room(layout, a) < room(layout, b);
      });
      const std::vector<Block> before = layout.on(core);
      insert_by_deadline(layout, cluster, {unit}, core);
      Score found = score(problem_, layout, {core});
      if (!found.no_worse_than(forgiving)) {
        layout.set(core, before);
        layout.insert(core, before.size(), blocks(cluster, {unit}));
        found = score(problem_, layout, {core});
      }
      attempt.score.add_missing(found);
      forgiving.add_missing(found);
    }
  }

  // What only this cluster has to do with may be missed.
  void forgive(Index cluster, Score & known) const
  {
    std::vector<char> mine(problem_.model.tasks.size(), 0);
    for (const Index unit : clusters_[cluster].units) {
      for (const Index task : problem_.units[unit].tasks) {
        mine[task] = 1;
        known.unbounded.push_back(task);
      }
    }
    for (const Index chain : problem_.chains) {
      const std::vector<Index> & path = problem_.model.chains[chain].path;
      if (std::any_of(path.begin(), path.end(), [&](Index task) { return mine[task] != 0; })) {
        known.missed.push_back(chain);
      }
    }
    known.add_missing({});
  }

  // Moves clusters off the core of the chain with the least slack for as long as that helps.
  void improve(Attempt & attempt) const
  {
    if (large_) {
      return;
    }
    for (int move = 0; move < kMostMoves; ++move) {
      if (!improved(attempt)) {
        return;
      }
    }
  }

  bool improved(Attempt & attempt) const
  {
    for (Index core = 0; core < attempt.layout.cores(); ++core) {
      const Score here = score(problem_, attempt.layout, {core});
      if (here.slack > attempt.score.slack + kNoise && here.missed.empty()) {
        continue;  // not the one that is short
      }
      for (const Index cluster : clusters_on(attempt.layout, core)) {
        if (move_away(cluster, core, attempt)) {
          return true;
        }
      }
    }
    return false;
  }

  static std::vector<Index> clusters_on(const Layout & layout, Index core)
  {
    std::vector<Index> result;
    for (const Block & block : layout.on(core)) {
      if (std::find(result.begin(), result.end(), block.cluster) == result.end()) {
        result.push_back(block.cluster);
      }
    }
    return result;
  }

  bool move_away(Index cluster, Index from, Attempt & attempt) const
  {
    Layout without = attempt.layout;
    for (Index core = 0; core < without.cores(); ++core) {
      std::vector<Block> blocks = without.on(core);
      std::erase_if(blocks, [&](const Block & block) { return block.cluster == cluster; });
      without.set(core, std::move(blocks));
    }
    const Cluster & one = clusters_[cluster];
    for (const Index core : candidates(without, one.units, one.utilization, Fit::worst)) {
      if (core == from) {
        continue;
      }
      Layout tried = without;
      insert_by_deadline(tried, cluster, one.units, core);
      Score found = score(problem_, tried);
      const bool as_good = found.met == attempt.score.met &&
                           found.unbounded.size() == attempt.score.unbounded.size() &&
                           found.slack <= attempt.score.slack + kNoise;
      if (!as_good && found.better_than(attempt.score)) {
        attempt = {std::move(tried), std::move(found)};
        return true;
      }
    }
    return false;
  }

  const PlanProblem & problem_;
  const bool large_;
  const std::vector<Cluster> clusters_;
};

}  // namespace

Layout plan_takt(const PlanProblem & problem)
{
  return Search(problem).best();
}

}  // namespace takt_plan::detail
