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
constexpr int kMostMoves = 64;

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

  Attempt place_all(const Order & order, Fit fit)
  {
    Attempt attempt{Layout(problem_), {}};
    for (const Index cluster : order) {
      place(cluster, fit, attempt);
    }
    attempt.score = score(problem_, attempt.layout.assignment(problem_));
    return attempt;
  }

  double room(const Layout & layout, Index core) const
  {
    return problem_.room[core] - layout.load(problem_, core);
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

  static Layout with(
    const Layout & layout, Index core, Index place, const std::vector<Block> & blocks)
  {
    Layout result = layout;
    auto & there = result.cores[core];
    there.insert(there.begin() + static_cast<std::ptrdiff_t>(place), blocks.begin(), blocks.end());
    return result;
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

  // What the touched cores miss as they are.
  Score before(const Layout & layout, const std::vector<Index> & touched) const
  {
    return score(problem_, layout.assignment(problem_), touched);
  }

  // The layout with the units on the core where they do no harm, or nothing.
  std::optional<std::pair<Layout, double>> on_core(
    const Layout & layout, Index cluster, const std::vector<Index> & units, Index core,
    const Score & known) const
  {
    const std::vector<Block> added = blocks(cluster, units);
    std::optional<std::pair<Layout, double>> best;
    for (const Index place : places(layout.cores[core], clusters_[cluster].deadline)) {
      Layout tried = with(layout, core, place, added);
      const Score found = score(problem_, tried.assignment(problem_), {core});
      if (!found.no_worse_than(known)) {
        continue;
      }
      if (!best || found.slack > best->second) {
        best.emplace(std::move(tried), found.slack);
      }
      break;  // the first place that is good enough: by deadline it mostly is the best one
    }
    return best;
  }

  void place(Index cluster, Fit fit, Attempt & attempt)
  {
    const Cluster & one = clusters_[cluster];
    const Score known = attempt.score;
    if (auto found = whole(attempt.layout, cluster, one.units, one.utilization, fit, known)) {
      attempt.layout = std::move(found->first);
      return;
    }
    if (auto found = split(attempt.layout, cluster, fit, known)) {
      attempt.layout = std::move(*found);
      return;
    }
    give_up(cluster, attempt);
  }

  std::optional<std::pair<Layout, double>> whole(
    const Layout & layout, Index cluster, const std::vector<Index> & units, double load, Fit fit,
    const Score & known) const
  {
    std::optional<std::pair<Layout, double>> best;
    for (const Index core : candidates(layout, units, load, fit)) {
      auto found = on_core(layout, cluster, units, core, known);
      if (found && (!best || found->second > best->second)) {
        best = std::move(found);
      }
      if (best && fit != Fit::slack) {
        break;
      }
    }
    return best;
  }

  // The cluster cut in two, on two cores.
  std::optional<Layout> split(
    const Layout & layout, Index cluster, Fit fit, const Score & known) const
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
      if (
        auto found =
          on_two(layout, cluster, {units.begin(), middle}, {middle, units.end()}, fit, known)) {
        return found;
      }
    }
    return std::nullopt;
  }

  double load_of(const std::vector<Index> & units) const
  {
    return std::accumulate(units.begin(), units.end(), 0.0, [&](double sum, Index unit) {
      return sum + problem_.units[unit].utilization;
    });
  }

  std::optional<Layout> on_two(
    const Layout & layout, Index cluster, const std::vector<Index> & first,
    const std::vector<Index> & second, Fit fit, const Score & known) const
  {
    for (const Index a : candidates(layout, first, load_of(first), fit)) {
      for (const Index b : candidates(layout, second, load_of(second), fit)) {
        if (a == b) {
          continue;
        }
        const auto at = [&](const Layout & where, Index core, const std::vector<Index> & units) {
          return with(
            where, core, place_by_deadline(where.cores[core], clusters_[cluster].deadline),
            blocks(cluster, units));
        };
        Layout tried = at(at(layout, a, first), b, second);
        if (score(problem_, tried.assignment(problem_), {a, b}).no_worse_than(known)) {
          return tried;
        }
      }
    }
    return std::nullopt;
  }

  // It fits nowhere: where there is most room, below all others if it would harm them.
  void give_up(Index cluster, Attempt & attempt)
  {
    for (const Index unit : clusters_[cluster].units) {
      const std::vector<Index> & cores = problem_.units[unit].cores;
      const Index core = *std::max_element(cores.begin(), cores.end(), [&](Index a, Index b) {
        return room(attempt.layout, a) < room(attempt.layout, b);
      });
      const std::vector<Block> added = blocks(cluster, {unit});
      const auto & there = attempt.layout.cores[core];
      Layout tried =
        with(attempt.layout, core, place_by_deadline(there, clusters_[cluster].deadline), added);
      Score known = attempt.score;
      const Score found = score(problem_, tried.assignment(problem_), {core});
      forgive(cluster, known);
      if (!found.no_worse_than(known)) {
        tried = with(attempt.layout, core, there.size(), added);
      }
      attempt.layout = std::move(tried);
    }
    attempt.score = before(attempt.layout, {});
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
    for (auto * list : {&known.missed, &known.unbounded}) {
      std::sort(list->begin(), list->end());
      list->erase(std::unique(list->begin(), list->end()), list->end());
    }
  }

  // Moves clusters off the core of the chain with the least slack for as long as that helps.
  void improve(Attempt & attempt)
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

  bool improved(Attempt & attempt)
  {
    for (Index core = 0; core < attempt.layout.cores.size(); ++core) {
      const Score here = before(attempt.layout, {core});
      if (here.slack > attempt.score.slack + 1e-9 && here.missed.empty()) {
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
    for (const Block & block : layout.cores[core]) {
      if (std::find(result.begin(), result.end(), block.cluster) == result.end()) {
        result.push_back(block.cluster);
      }
    }
    return result;
  }

  bool move_away(Index cluster, Index from, Attempt & attempt)
  {
    Layout without = attempt.layout;
    for (auto & blocks : without.cores) {
      std::erase_if(blocks, [&](const Block & block) { return block.cluster == cluster; });
    }
    const Cluster & one = clusters_[cluster];
    for (const Index core : candidates(without, one.units, one.utilization, Fit::worst)) {
      if (core == from) {
        continue;
      }
      Layout tried = with(
        without, core, place_by_deadline(without.cores[core], one.deadline),
        blocks(cluster, one.units));
      Score found = score(problem_, tried.assignment(problem_));
      const bool more_slack = found.met == attempt.score.met &&
                              found.unbounded.size() == attempt.score.unbounded.size() &&
                              found.slack <= attempt.score.slack + 1e-9;
      if (!more_slack && found.better_than(attempt.score)) {
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
