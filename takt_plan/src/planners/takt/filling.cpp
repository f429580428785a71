#include "planners/takt/filling.hpp"

#include <algorithm>

namespace takt_plan::detail
{
namespace
{

// Limits for a chain that fits on no core: the number of cuts, and the pairs of cores for each cut.
constexpr Index kMostCuts = 8;
constexpr int kMostTries = 64;
// Slacks whose difference is smaller count as equal.
constexpr double kFillNoise = 1e-9;

}  // namespace

Attempt Filling::place_all(const std::vector<Index> & order, Fit fit) const
{
  Attempt attempt{Layout(problem_), {}};
  std::vector<char> seen(clusters_.size(), 0);
  for (const Index cluster : order) {
    place_with_sources(cluster, fit, seen, attempt);
  }
  attempt.score = search_.judged(attempt.layout, {});
  return attempt;
}

// Places the sources of the cluster's callbacks first, because otherwise the cluster would be
// judged without a part of its load.
void Filling::place_with_sources(
  Index first, Fit fit, std::vector<char> & seen, Attempt & attempt) const
{
  // True: the cluster's sources are placed.
  std::vector<std::pair<Index, bool>> open{{first, false}};
  while (!open.empty()) {
    const auto [cluster, ready] = open.back();
    open.pop_back();
    if (ready) {
      place(cluster, fit, attempt);
      continue;
    }
    if (seen[cluster]) {
      continue;
    }
    seen[cluster] = 1;
    open.emplace_back(cluster, true);
    for (const Index source : search_.sources()[cluster]) {
      open.emplace_back(source, false);
    }
  }
}

void Filling::place(Index cluster, Fit fit, Attempt & attempt) const
{
  const Cluster & one = clusters_[cluster];
  if (search_.exhausted()) {
    for (const Index unit : one.units) {
      search_.insert_by_deadline(
        attempt.layout, cluster, {unit}, search_.emptiest(attempt.layout, unit));
    }
    return;
  }
  if (const auto spot = whole(attempt, cluster, fit)) {
    const bool cut = fit == Fit::cut && spot->slack < search_.wanted() &&
                     split_better(attempt, cluster, spot->slack);
    if (!cut) {
      attempt.layout.insert(spot->core, spot->place, spot->blocks);
    }
  } else if (!split(attempt, cluster, fit)) {
    make_do(cluster, attempt);
  }
}

std::optional<Filling::Spot> Filling::whole(Attempt & attempt, Index cluster, Fit fit) const
{
  const Cluster & one = clusters_[cluster];
  std::optional<Spot> best;
  for (const Index core : search_.candidates(attempt.layout, one.units, one.utilization, fit)) {
    const auto found = on_core(attempt.layout, cluster, one.units, core, attempt.score);
    if (found && (!best || found->slack > best->slack)) {
      best = found;
    }
    if (best && !compares(fit)) {
      break;
    }
  }
  return best;
}

// Cuts the cluster in two and puts the parts on two cores. Returns false if no cut fits.
bool Filling::split(Attempt & attempt, Index cluster, Fit fit) const
{
  for (const auto & [first, second] : cuts(cluster)) {
    if (on_two(attempt.layout, cluster, first, second, fit, attempt.score)) {
      return true;
    }
  }
  return false;
}

// Cuts the cluster in two if a cut leaves more slack than `whole`, the best slack without a cut.
// Returns false if no cut leaves more.
bool Filling::split_better(Attempt & attempt, Index cluster, double whole) const
{
  std::optional<Layout> best;
  double most = whole + kFillNoise;
  for (const auto & [first, second] : cuts(cluster)) {
    Layout tried = attempt.layout;
    const auto slack = on_two(tried, cluster, first, second, Fit::cut, attempt.score);
    if (slack && *slack > most) {
      most = *slack;
      best = std::move(tried);
    }
  }
  if (best) {
    attempt.layout = std::move(*best);
  }
  return best.has_value();
}

// The cuts, those near the middle first.
std::vector<Filling::Cut> Filling::cuts(Index cluster) const
{
  const std::vector<Index> & units = clusters_[cluster].units;
  std::vector<Cut> result;
  const Index most = search_.tired() ? 1 : kMostCuts;
  for (Index i = 0; i < units.size() && result.size() < most; ++i) {
    const Index half = units.size() / 2;
    const Index away = (i + 1) / 2;
    const Index cut = i % 2 == 0 ? half + away : half - std::min(half, away);
    if (cut > 0 && cut < units.size()) {
      const auto middle = units.begin() + static_cast<std::ptrdiff_t>(cut);
      result.push_back({{units.begin(), middle}, {middle, units.end()}});
    }
  }
  return result;
}

// The first place on the core where the units harm no other chain. Tries the place by deadline
// first, then its neighbours.
std::optional<Filling::Spot> Filling::on_core(
  Layout & layout, Index cluster, const std::vector<Index> & units, Index core,
  const Score & known) const
{
  const std::vector<Block> before = layout.on(core);
  const std::vector<Block> added = search_.blocks(cluster, units);
  for (const Index place : search_.places(before, clusters_[cluster].deadline)) {
    layout.insert(core, place, added);
    const Score found = search_.judged_place(layout, {core}, known);
    layout.set(core, before);
    if (found.no_worse_than(known)) {
      return Spot{core, place, added, found.slack};
    }
  }
  return std::nullopt;
}

// Puts both parts on their cores and returns the slack; if that fails, restores the layout and
// returns nothing.
std::optional<double> Filling::on_two(
  Layout & layout, Index cluster, const std::vector<Index> & first,
  const std::vector<Index> & second, Fit fit, const Score & known) const
{
  int pairs = 0;
  for (const Index a : search_.candidates(layout, first, search_.load_of(first), fit)) {
    for (const Index b : search_.candidates(layout, second, search_.load_of(second), fit)) {
      if (a == b) {
        continue;
      }
      if (++pairs > (search_.tired() ? 1 : kMostTries)) {
        return std::nullopt;
      }
      const std::vector<Block> on_a = layout.on(a);
      const std::vector<Block> on_b = layout.on(b);
      search_.insert_by_deadline(layout, cluster, first, a);
      search_.insert_by_deadline(layout, cluster, second, b);
      const Score found = search_.judged_place(layout, {a, b}, known);
      if (found.no_worse_than(known)) {
        return found.slack;
      }
      layout.set(a, on_a);
      layout.set(b, on_b);
    }
  }
  return std::nullopt;
}

std::vector<Index> Filling::cores_of(Index cluster, const Layout & layout) const
{
  std::vector<Index> cores;
  for (const Index unit : clusters_[cluster].units) {
    cores.push_back(layout.core_of(problem_.units[unit].tasks.front()));
  }
  return cores;
}

}  // namespace takt_plan::detail
