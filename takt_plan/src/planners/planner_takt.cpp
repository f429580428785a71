// `takt`: where each chain goes, by the analysis.
#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <optional>
#include <utility>

#include "planners/clusters.hpp"
#include "planners/planners.hpp"
#include "planners/score.hpp"

namespace takt_plan::detail
{
namespace
{

// More tasks than this, and each attempt stops at the first place that is good enough.
constexpr Index kLarge = 400;
// What is spent on judging, in the unit of Score::cost: some seconds. Then what is there is taken.
constexpr double kMostCost = 1e8;
// The same where there is a plan that fits: a better one is worth less.
constexpr double kMostForBetter = kMostCost / 2;
// After that much more not even one place of each cluster is judged.
constexpr double kExhausted = 2 * kMostCost;
// Places of a chain on a core, and cuts of one that fits nowhere, that are tried at most.
constexpr Index kMostPlaces = 8;
constexpr Index kMostCuts = 8;
constexpr int kMostPairs = 64;
constexpr int kMostMoves = 64;
constexpr int kMostRescues = 4;
// Slacks that differ by less are the same.
constexpr double kNoise = 1e-9;

enum class Fit
{
  first,  ///< the fullest core on which it fits
  worst,  ///< the emptiest one
  slack,  ///< the one that leaves the largest smallest slack
  cut     ///< the same; and of less than is wanted, cut in two where that leaves more
};

/// Whether all places are compared, not the first one taken that will do.
constexpr bool compares(Fit fit)
{
  return fit == Fit::slack || fit == Fit::cut;
}

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
  std::vector<Block> blocks;  ///< what stands there
  double slack = 0;           ///< with it there
};

class Search
{
public:
  Search(const PlanProblem & problem, double wanted)
  : problem_(problem),
    wanted_(wanted),
    large_(problem.model.tasks.size() > kLarge),
    clusters_(clusters(problem))
  {
    find_sources();
  }

  std::vector<Layout> best()
  {
    std::optional<Attempt> best;
    for (const auto & [order, fit] : attempts({Fit::worst, Fit::slack, Fit::first})) {
      take_if_better(place_all(order, fit), best);
      fits_ = fits(best->score);
      if (tired() || (large_ && complete(best->score))) {
        break;
      }
    }
    improve(*best);
    fits_ = fits(best->score);
    std::vector<Layout> result{std::move(best->layout)};
    if (enough(best->score)) {
      return result;
    }
    // Last: what a cut gains for one chain may be missing for the next.
    std::optional<Attempt> cut;
    for (const auto & [order, fit] : attempts({Fit::cut})) {
      if (tired() || (cut && enough(cut->score))) {
        break;
      }
      Attempt attempt = place_all(order, fit);
      if (!fits_ || complete(attempt.score)) {
        improve(attempt);
      }
      take_if_better(std::move(attempt), cut);
    }
    if (cut && fits_ && !complete(cut->score)) {
      improve(*cut);  // only the best of them: to mend one takes long, and none is needed
    }
    if (cut) {
      result.push_back(std::move(cut->layout));
    }
    return result;
  }

  /// What another search found, with moves that are better here.
  Layout improved_here(const Layout & other)
  {
    Attempt attempt{Layout(problem_), {}};
    for (Index core = 0; core < other.cores(); ++core) {
      attempt.layout.set(core, by_cluster(other.on(core)));
    }
    attempt.score = judged(attempt.layout, {});
    improve(attempt);
    return std::move(attempt.layout);
  }

  double spent() const noexcept { return spent_; }

private:
  using Order = std::vector<Index>;

  static bool complete(const Score & found)
  {
    return found.missed.empty() && found.unbounded.empty();
  }

  static bool fits(const Score & found) { return complete(found) && found.crowded == 0; }

  bool enough(const Score & found) const { return complete(found) && found.slack >= wanted_; }

  static void take_if_better(Attempt attempt, std::optional<Attempt> & best)
  {
    if (!best || attempt.score.better_than(best->score)) {
      best = std::move(attempt);
    }
  }

  std::vector<std::pair<Order, Fit>> attempts(const std::vector<Fit> & fits) const
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
    const Order by_load =
      sorted([](const Cluster & a, const Cluster & b) { return a.utilization > b.utilization; });
    const Order by_deadline =
      sorted([](const Cluster & a, const Cluster & b) { return a.deadline < b.deadline; });
    std::vector<std::pair<Order, Fit>> result;
    for (const Fit fit : fits) {
      if (compares(fit) && large_) {
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
    std::vector<char> seen(clusters_.size(), 0);
    for (const Index cluster : order) {
      place_with_sources(cluster, fit, seen, attempt);
    }
    attempt.score = judged(attempt.layout, {});
    return attempt;
  }

  // What starts a cluster's callbacks is placed before, or it would be judged by part of its load.
  void place_with_sources(Index first, Fit fit, std::vector<char> & seen, Attempt & attempt) const
  {
    std::vector<std::pair<Index, bool>> open{{first, false}};  // and whether its sources are there
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
      for (const Index source : sources_[cluster]) {
        open.emplace_back(source, false);
      }
    }
  }

  void find_sources()
  {
    cluster_of_.resize(problem_.units.size(), kNone);
    for (Index cluster = 0; cluster < clusters_.size(); ++cluster) {
      for (const Index unit : clusters_[cluster].units) {
        cluster_of_[unit] = cluster;
      }
    }
    sources_.resize(clusters_.size());
    for (Index cluster = 0; cluster < clusters_.size(); ++cluster) {
      for (const Index unit : clusters_[cluster].units) {
        for (const Index task : problem_.units[unit].tasks) {
          for (const Link & link : problem_.model.tasks[task].triggers) {
            sources_[cluster].push_back(cluster_of_[problem_.unit_of[link.from]]);
          }
        }
      }
    }
  }

  // The same order of urgency, with blocks of one cluster each.
  std::vector<Block> by_cluster(const std::vector<Block> & blocks) const
  {
    std::vector<Block> result;
    for (const Block & block : blocks) {
      const Index first = result.size();
      for (const Index task : block.tasks) {
        const Index cluster = cluster_of_[problem_.unit_of[task]];
        const auto own = std::find_if(
          result.begin() + static_cast<std::ptrdiff_t>(first), result.end(),
          [&](const Block & one) { return one.cluster == cluster; });
        if (own == result.end()) {
          result.push_back({block.executor, {task}, clusters_[cluster].deadline, cluster});
        } else {
          own->tasks.push_back(task);
        }
      }
    }
    return result;
  }

  Score judged(const Layout & layout, const std::vector<Index> & touched) const
  {
    Score found = score(problem_, layout, touched);
    spent_ += found.cost;
    return found;
  }

  bool tired() const { return spent_ > (fits_ ? kMostForBetter : kMostCost); }

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

  std::vector<Block> blocks(
    Index cluster, const std::vector<Index> & units, Urgency urgency = Urgency::later_first) const
  {
    std::vector<Block> result = blocks_of(problem_, units, urgency);
    for (Block & block : result) {
      block.cluster = cluster;
      block.deadline = clusters_[cluster].deadline;
    }
    return result;
  }

  // The ways in which the tasks of a cluster may stand: one mostly, as its callbacks are on one chain.
  std::vector<std::vector<Block>> forms(Index cluster, const std::vector<Index> & units) const
  {
    std::vector<std::vector<Block>> result{blocks(cluster, units)};
    std::vector<Block> by_deadline = blocks(cluster, units, Urgency::deadline);
    if (!same(by_deadline, result.front())) {
      result.push_back(std::move(by_deadline));
    }
    return result;
  }

  static bool same(const std::vector<Block> & some, const std::vector<Block> & others)
  {
    return std::equal(
      some.begin(), some.end(), others.begin(), others.end(),
      [](const Block & a, const Block & b) { return a.tasks == b.tasks; });
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
    const Index most = tired() ? 1 : kMostPlaces;
    for (Index distance = 1; distance <= there.size() && result.size() < most; ++distance) {
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
    const std::vector<Block> before = layout.on(core);
    for (const std::vector<Block> & form : forms(cluster, units)) {
      for (const Index place : places(before, clusters_[cluster].deadline)) {
        layout.insert(core, place, form);
        const Score found = judged(layout, {core});
        layout.set(core, before);
        if (found.no_worse_than(known)) {
          return Spot{core, place, form, found.slack};
        }
      }
    }
    return std::nullopt;
  }

  void place(Index cluster, Fit fit, Attempt & attempt) const
  {
    const Cluster & one = clusters_[cluster];
    if (spent_ > kExhausted) {
      for (const Index unit : one.units) {
        insert_by_deadline(attempt.layout, cluster, {unit}, emptiest(attempt.layout, unit));
      }
      return;
    }
    if (const auto spot = whole(attempt, cluster, fit)) {
      const bool cut =
        fit == Fit::cut && spot->slack < wanted_ && split_better(attempt, cluster, spot->slack);
      if (!cut) {
        attempt.layout.insert(spot->core, spot->place, spot->blocks);
      }
    } else if (!split(attempt, cluster, fit)) {
      make_do(cluster, attempt);
    }
  }

  // Cut in two where that leaves more slack than `whole`, the most there is; false if no cut does.
  bool split_better(Attempt & attempt, Index cluster, double whole) const
  {
    std::optional<Layout> best;
    double most = whole + kNoise;
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

  std::optional<Spot> whole(Attempt & attempt, Index cluster, Fit fit) const
  {
    const Cluster & one = clusters_[cluster];
    std::optional<Spot> best;
    for (const Index core : candidates(attempt.layout, one.units, one.utilization, fit)) {
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

  // The cluster cut in two, on two cores; false if that does not do either.
  bool split(Attempt & attempt, Index cluster, Fit fit) const
  {
    for (const auto & [first, second] : cuts(cluster)) {
      if (on_two(attempt.layout, cluster, first, second, fit, attempt.score)) {
        return true;
      }
    }
    return false;
  }

  using Cut = std::pair<std::vector<Index>, std::vector<Index>>;

  // Around the middle first.
  std::vector<Cut> cuts(Index cluster) const
  {
    const std::vector<Index> & units = clusters_[cluster].units;
    std::vector<Cut> result;
    const Index most = tired() ? 1 : kMostCuts;
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

  // The slack that is left, and both there; or nothing, and the layout as it was.
  std::optional<double> on_two(
    Layout & layout, Index cluster, const std::vector<Index> & first,
    const std::vector<Index> & second, Fit fit, const Score & known) const
  {
    int pairs = 0;
    for (const Index a : candidates(layout, first, load_of(first), fit)) {
      for (const Index b : candidates(layout, second, load_of(second), fit)) {
        if (a == b) {
          continue;
        }
        if (++pairs > (tired() ? 1 : kMostPairs)) {
          return std::nullopt;
        }
        const std::vector<Block> on_a = layout.on(a);
        const std::vector<Block> on_b = layout.on(b);
        insert_by_deadline(layout, cluster, first, a);
        insert_by_deadline(layout, cluster, second, b);
        const Score found = judged(layout, {a, b});
        if (found.no_worse_than(known)) {
          return found.slack;
        }
        layout.set(a, on_a);
        layout.set(b, on_b);
      }
    }
    return std::nullopt;
  }

  // It fits nowhere within its deadline where there is room. In this order: on a full core where nobody
  // misses a deadline; late where there is room, whole or cut in two, as little late as can be; unit by
  // unit.
  void make_do(Index cluster, Attempt & attempt) const
  {
    Layout & layout = attempt.layout;
    const std::vector<Index> & units = clusters_[cluster].units;
    std::vector<Index> full = common_cores(problem_, units);
    std::stable_sort(full.begin(), full.end(), [&](Index a, Index b) {
      // What is too full already stays so; else where least is missing.
      return std::pair(!layout.crowded(a), -room(layout, a)) <
             std::pair(!layout.crowded(b), -room(layout, b));
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
    for (const Index core : candidates(layout, units, clusters_[cluster].utilization, Fit::worst)) {
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
    attempt.score.add_missing(judged(layout, cores_of(cluster, layout)));
  }

  std::vector<Index> cores_of(Index cluster, const Layout & layout) const
  {
    std::vector<Index> cores;
    for (const Index unit : clusters_[cluster].units) {
      cores.push_back(layout.core_of(problem_.units[unit].tasks.front()));
    }
    return cores;
  }

  Index emptiest(const Layout & layout, Index unit) const
  {
    const std::vector<Index> & cores = problem_.units[unit].cores;
    return *std::max_element(cores.begin(), cores.end(), [&](Index a, Index b) {
      return room(layout, a) < room(layout, b);
    });
  }

  // Where there is most room, below all others if it would harm them.
  void scatter(Index cluster, Layout & layout, const Score & forgiving) const
  {
    for (const Index unit : clusters_[cluster].units) {
      const Index core = emptiest(layout, unit);
      const std::vector<Block> before = layout.on(core);
      insert_by_deadline(layout, cluster, {unit}, core);
      if (!judged(layout, {core}).no_worse_than(forgiving)) {
        layout.set(core, before);
        layout.insert(core, before.size(), blocks(cluster, {unit}));
      }
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

  // As long as it helps: other orders on a core and threads of their own for chains that are missed,
  // other cores for what shares one with the chain that has the least slack.
  void improve(Attempt & attempt) const
  {
    for (int move = 0; move < kMostMoves && !tired(); ++move) {
      if (!rescued(attempt) && (large_ || !improved(attempt))) {
        return;
      }
    }
  }

  bool rescued(Attempt & attempt) const
  {
    int chains = 0;
    for (const Index chain : problem_.chains) {
      const auto & missed = attempt.score.missed;
      if (!std::binary_search(missed.begin(), missed.end(), chain)) {
        continue;
      }
      if (++chains > kMostRescues || tired()) {
        return false;
      }
      std::vector<Index> cores;
      for (const Index task : problem_.model.chains[chain].path) {
        cores.push_back(attempt.layout.core_of(task));
      }
      std::sort(cores.begin(), cores.end());
      cores.erase(std::unique(cores.begin(), cores.end()), cores.end());
      for (const Index core : cores) {
        if (reordered(core, attempt) || singled_out(chain, core, attempt)) {
          return true;
        }
      }
    }
    return false;
  }

  // Takes the blocks for what is on the core where that is better.
  bool taken_if_better(Index core, std::vector<Block> blocks, Attempt & attempt) const
  {
    std::vector<Block> before = attempt.layout.on(core);
    attempt.layout.set(core, std::move(blocks));
    Score found = judged(attempt.layout, {});
    if (found.better_than(attempt.score)) {
      attempt.score = std::move(found);
      return true;
    }
    attempt.layout.set(core, std::move(before));
    return false;
  }

  // The blocks at each place among the others.
  bool placed_among(
    const std::vector<Block> & blocks, const std::vector<Block> & others,
    const std::vector<Index> & places, Index core, Attempt & attempt) const
  {
    for (const Index place : places) {
      if (tired()) {
        return false;
      }
      std::vector<Block> all = others;
      all.insert(all.begin() + static_cast<std::ptrdiff_t>(place), blocks.begin(), blocks.end());
      if (taken_if_better(core, std::move(all), attempt)) {
        return true;
      }
    }
    return false;
  }

  // Each cluster on the core at each other place, as it is or by deadlines, and in one thread for each
  // unit.
  bool reordered(Index core, Attempt & attempt) const
  {
    const std::vector<Block> before = attempt.layout.on(core);
    for (const Index cluster : clusters_on(attempt.layout, core)) {
      std::vector<Block> own;
      std::vector<Block> rest;
      for (const Block & block : before) {
        (block.cluster == cluster ? own : rest).push_back(block);
      }
      std::vector<Block> sorted = own;
      for (Block & block : sorted) {
        sort_by(problem_, Urgency::deadline, block.tasks);
      }
      std::vector<std::vector<Block>> forms;
      for (std::vector<Block> & form : std::array{own, by_unit(own), sorted, by_unit(sorted)}) {
        const bool known = std::any_of(
          forms.begin(), forms.end(), [&](const auto & one) { return same(one, form); });
        if (!known) {
          forms.push_back(std::move(form));
        }
      }
      const std::vector<Index> where = places(rest, clusters_[cluster].deadline);
      for (const std::vector<Block> & form : forms) {
        if (placed_among(form, rest, where, core, attempt)) {
          return true;
        }
      }
    }
    return false;
  }

  // What the chain has on the core, unit by unit in a thread of its own or first in the one it shares.
  bool singled_out(Index chain, Index core, Attempt & attempt) const
  {
    std::vector<Index> units;
    for (const Index task : problem_.model.chains[chain].path) {
      const Index unit = problem_.unit_of[task];
      if (
        attempt.layout.core_of(task) == core &&
        std::find(units.begin(), units.end(), unit) == units.end()) {
        units.push_back(unit);
      }
    }
    for (const Index unit : units) {
      const auto mine = [&](Index task) { return problem_.unit_of[task] == unit; };
      std::vector<Block> rest = attempt.layout.on(core);
      const auto shared = std::find_if(rest.begin(), rest.end(), [&](const Block & block) {
        return std::any_of(block.tasks.begin(), block.tasks.end(), mine);
      });
      const auto first = static_cast<Index>(shared - rest.begin());
      Block single = *shared;
      std::erase_if(single.tasks, [&](Index task) { return !mine(task); });
      std::erase_if(shared->tasks, mine);
      if (shared->tasks.empty()) {
        continue;
      }
      std::vector<Index> every(rest.size() + 1);
      std::iota(every.begin(), every.end(), Index{0});
      if (placed_among({single}, rest, every, core, attempt)) {
        return true;
      }
      rest[first].tasks.insert(rest[first].tasks.begin(), single.tasks.begin(), single.tasks.end());
      if (!tired() && taken_if_better(core, std::move(rest), attempt)) {
        return true;
      }
    }
    return false;
  }

  // The same order of urgency, one block for each unit.
  std::vector<Block> by_unit(const std::vector<Block> & blocks) const
  {
    std::vector<Block> result;
    for (const Block & block : blocks) {
      const Index first = result.size();
      for (const Index task : block.tasks) {
        const Index unit = problem_.unit_of[task];
        const auto same = std::find_if(
          result.begin() + static_cast<std::ptrdiff_t>(first), result.end(),
          [&](const Block & one) { return problem_.unit_of[one.tasks.front()] == unit; });
        if (same == result.end()) {
          result.push_back({block.executor, {task}, block.deadline, block.cluster});
        } else {
          same->tasks.push_back(task);
        }
      }
    }
    return result;
  }

  bool improved(Attempt & attempt) const
  {
    for (Index core = 0; core < attempt.layout.cores(); ++core) {
      const Score here = judged(attempt.layout, {core});
      if (here.slack > attempt.score.slack + kNoise && here.missed.empty()) {
        continue;  // not the one that is short
      }
      for (const Index cluster : clusters_on(attempt.layout, core)) {
        if (move_away(cluster, core, attempt)) {
          return true;
        }
        if (tired()) {
          return false;
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
      Score found = judged(tried, {});
      if (found.better_than(attempt.score)) {
        attempt = {std::move(tried), std::move(found)};
        return true;
      }
    }
    return false;
  }

  const PlanProblem & problem_;
  const double wanted_;
  const bool large_;
  const std::vector<Cluster> clusters_;
  std::vector<Index> cluster_of_;            // per unit
  std::vector<std::vector<Index>> sources_;  // per cluster: those that start its callbacks
  bool fits_ = false;                        // what was found misses nothing and keeps the caps
  mutable double spent_ = 0;
};

}  // namespace

std::vector<Layout> plan_takt(const PlanProblem & problem, double wanted, double & cost)
{
  Search search(problem, wanted);
  std::vector<Layout> best = search.best();
  cost += search.spent();
  return best;
}

Layout improved(const PlanProblem & problem, double wanted, const Layout & other, double & cost)
{
  Search search(problem, wanted);
  Layout layout = search.improved_here(other);
  cost += search.spent();
  return layout;
}

}  // namespace takt_plan::detail
