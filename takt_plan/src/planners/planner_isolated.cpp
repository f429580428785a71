// One thread for each unit: `isolated` and `rate_monotonic`.
#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include "planners/clusters.hpp"
#include "planners/planners.hpp"

namespace takt_plan::detail
{
namespace
{

class OneThreadEach
{
public:
  OneThreadEach(const PlanProblem & problem, Ns Unit::*urgency)
  : problem_(problem),
    urgency_(urgency),
    room_(problem.room),
    layout_(problem)
  {
  }

  Layout plan()
  {
    std::vector<Cluster> all = clusters(problem_);
    std::stable_sort(all.begin(), all.end(), [](const Cluster & a, const Cluster & b) {
      return a.utilization > b.utilization;
    });
    for (const Cluster & cluster : all) {
      place(cluster);
    }
    sort_by_urgency();
    return std::move(layout_);
  }

private:
  void place(const Cluster & cluster)
  {
    const std::vector<Index> cores = common_cores(problem_, cluster.units);
    const Index core = cores.empty() ? kNone : emptiest(cores);
    const bool whole = core != kNone && cluster.utilization <= room_[core];
    for (const Index unit : cluster.units) {
      put(unit, whole ? core : emptiest(problem_.units[unit].cores));
    }
  }

  Index emptiest(const std::vector<Index> & cores) const
  {
    return *std::max_element(
      cores.begin(), cores.end(), [&](Index a, Index b) { return room_[a] < room_[b]; });
  }

  void put(Index unit, Index core)
  {
    room_[core] -= problem_.units[unit].utilization;
    Block block = blocks_of(problem_, {unit}, Urgency::deadline).front();
    block.deadline = problem_.units[unit].*urgency_;
    block.cluster = unit;
    layout_.insert(core, layout_.on(core).size(), {std::move(block)});
  }

  // Sorts by urgency, then by importance. If both are equal, later tasks of the chain come first.
  void sort_by_urgency()
  {
    const auto key = [&](const Block & block) {
      return std::tuple(
        block.deadline, -problem_.units[block.cluster].importance,
        -static_cast<std::int64_t>(problem_.position[block.tasks.front()]));
    };
    for (Index core = 0; core < layout_.cores(); ++core) {
      std::vector<Block> blocks = layout_.on(core);
      std::stable_sort(blocks.begin(), blocks.end(), [&](const Block & a, const Block & b) {
        return key(a) < key(b);
      });
      layout_.set(core, std::move(blocks));
    }
  }

  const PlanProblem & problem_;
  Ns Unit::*const urgency_;
  std::vector<double> room_;
  Layout layout_;
};

}  // namespace

Layout plan_isolated(const PlanProblem & problem)
{
  return OneThreadEach(problem, &Unit::deadline).plan();
}

Layout plan_rate_monotonic(const PlanProblem & problem)
{
  return OneThreadEach(problem, &Unit::period).plan();
}

}  // namespace takt_plan::detail
