#include "planners/takt/search.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace takt_plan::detail
{
namespace
{

// With more tasks each attempt stops at the first place that is good enough.
constexpr Index kLarge = 400;
// Limit of the cost of judging, in the unit of Score::cost: some seconds. Then the search ends with
// its best plan.
constexpr double kMostSearch = 1e8;
// The share of kMostSearch if a walk follows, because a walk finds more in the same time.
constexpr double kShareBeforeWalks = 0.05;
// The share of kMostSearch if there are many jobs: a judgement by job windows takes several times
// longer than its cost suggests.
constexpr double kShareWithManyJobs = 0.1;
// The limit once the search has a plan that fits: it spends less time on finding a better one.
constexpr double kMostForBetter = kMostSearch / 2;
// Beyond this cost the search judges not even one place of each cluster.
constexpr double kExhausted = 2 * kMostSearch;
// Limit of places that are tried for a chain on a core.
constexpr Index kMostPlaces = 8;

}  // namespace

Search::Search(const PlanProblem & problem, double wanted)
: problem_(problem),
  wanted_(wanted),
  large_(problem.model.tasks.size() > kLarge),
  share_(problem.brief ? kShareBeforeWalks : 1),
  clusters_(detail::clusters(problem)),
  judging_(problem)
{
  find_sources();
}

bool Search::exhausted() const
{
  return problem_.time_is_up() || spent() > kExhausted * share();
}

void Search::find_sources()
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

std::vector<Block> Search::by_cluster(const std::vector<Block> & blocks) const
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

std::vector<Block> Search::by_unit(const std::vector<Block> & blocks) const
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

double Search::share() const
{
  return judging_.many_jobs() ? std::min(share_, kShareWithManyJobs) : share_;
}

bool Search::tired() const
{
  return problem_.time_is_up() || spent() > (fits_ ? kMostForBetter : kMostSearch) * share();
}

double Search::room(const Layout & layout, Index core) const
{
  return problem_.room[core] - layout.load(core);
}

std::vector<Index> Search::candidates(
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

std::vector<Block> Search::blocks(Index cluster, const std::vector<Index> & units) const
{
  std::vector<Block> result = blocks_of(problem_, units, Urgency::later_first);
  for (Block & block : result) {
    block.cluster = cluster;
    block.deadline = clusters_[cluster].deadline;
  }
  return result;
}

Index Search::place_by_deadline(const std::vector<Block> & there, Ns deadline)
{
  const auto place = std::find_if(
    there.begin(), there.end(), [&](const Block & block) { return block.deadline > deadline; });
  return static_cast<Index>(place - there.begin());
}

std::vector<Index> Search::places(const std::vector<Block> & there, Ns deadline) const
{
  const Index natural = place_by_deadline(there, deadline);
  std::vector<Index> result{natural};
  const auto between = [&](Index place) {
    return place == 0 || place == there.size() || there[place - 1].cluster != there[place].cluster;
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

double Search::load_of(const std::vector<Index> & units) const
{
  return std::accumulate(units.begin(), units.end(), 0.0, [&](double sum, Index unit) {
    return sum + problem_.units[unit].utilization;
  });
}

void Search::insert_by_deadline(
  Layout & layout, Index cluster, const std::vector<Index> & units, Index core) const
{
  layout.insert(
    core, place_by_deadline(layout.on(core), clusters_[cluster].deadline), blocks(cluster, units));
}

Index Search::emptiest(const Layout & layout, Index unit) const
{
  const std::vector<Index> & cores = problem_.units[unit].cores;
  return *std::max_element(cores.begin(), cores.end(), [&](Index a, Index b) {
    return room(layout, a) < room(layout, b);
  });
}

std::vector<Index> Search::clusters_on(const Layout & layout, Index core)
{
  std::vector<Index> result;
  for (const Block & block : layout.on(core)) {
    if (std::find(result.begin(), result.end(), block.cluster) == result.end()) {
      result.push_back(block.cluster);
    }
  }
  return result;
}

bool Search::same(const std::vector<Block> & some, const std::vector<Block> & others)
{
  return std::equal(
    some.begin(), some.end(), others.begin(), others.end(),
    [](const Block & a, const Block & b) { return a.tasks == b.tasks; });
}

}  // namespace takt_plan::detail
