// Places clusters that fit on no core within their deadlines.
#include <algorithm>
#include <optional>
#include <utility>

#include "planners/takt/filling.hpp"

namespace takt_plan::detail
{

// Places a cluster that fits on no core with room within its deadline. Tries in this order: the
// whole cluster on any allowed core, if no chain misses a deadline; late on cores with room, whole
// or cut in two, with the least lateness; each unit by itself.
void Filling::make_do(Index cluster, Attempt & attempt) const
{
  Layout & layout = attempt.layout;
  const std::vector<Index> & units = clusters_[cluster].units;
  std::vector<Index> full = common_cores(problem_, units);
  std::stable_sort(full.begin(), full.end(), [&](Index a, Index b) {
    // Crowded cores come first. Among crowded cores, and among the others, the core with most room
    // is first.
    return std::pair(!layout.crowded(a), -search_.room(layout, a)) <
           std::pair(!layout.crowded(b), -search_.room(layout, b));
  });
  for (const Index core : full) {
    if (const auto spot = on_core(layout, cluster, units, core, attempt.score)) {
      layout.insert(spot->core, spot->place, spot->blocks);
      return;
    }
  }
  Score forgiving = attempt.score;
  forgive(cluster, forgiving);
  std::optional<Layout> best;
  double most = 0;
  const auto consider = [&](const Layout & tried, double slack) {
    if (!best || slack > most) {
      best = tried;
      most = slack;
    }
  };
  for (const Index core :
       search_.candidates(layout, units, clusters_[cluster].utilization, Fit::worst)) {
    if (const auto spot = on_core(layout, cluster, units, core, forgiving)) {
      Layout tried = layout;
      tried.insert(spot->core, spot->place, spot->blocks);
      consider(tried, spot->slack);
    }
  }
  for (const auto & [first, second] : cuts(cluster)) {
    Layout tried = layout;
    if (const auto slack = on_two(tried, cluster, first, second, Fit::worst, forgiving)) {
      consider(tried, *slack);
    }
  }
  if (best) {
    layout = std::move(*best);
  } else {
    scatter(cluster, layout, forgiving);
  }
  attempt.score.add_missing(search_.judged(layout, cores_of(cluster, layout)));
}

// Puts each unit on the core with most room: at its place by deadline or, if it would harm the
// units there, below all of them.
void Filling::scatter(Index cluster, Layout & layout, const Score & forgiving) const
{
  for (const Index unit : clusters_[cluster].units) {
    const Index core = search_.emptiest(layout, unit);
    const std::vector<Block> before = layout.on(core);
    search_.insert_by_deadline(layout, cluster, {unit}, core);
    if (!search_.judged_place(layout, {core}, forgiving).no_worse_than(forgiving)) {
      layout.set(core, before);
      layout.insert(core, before.size(), search_.blocks(cluster, {unit}));
    }
  }
}

// Adds the cluster's tasks and all chains through them to the misses of `known`, so that these
// misses are accepted.
void Filling::forgive(Index cluster, Score & known) const
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

}  // namespace takt_plan::detail
