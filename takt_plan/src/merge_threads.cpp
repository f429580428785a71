// Fewer threads: what each merger costs, and how far to go.
#include <algorithm>
#include <optional>
#include <utility>

#include "planners.hpp"
#include "score.hpp"

namespace takt_plan::detail
{
namespace
{

/// The block at `upper` with what the one at `lower` runs below its own tasks.
std::vector<Block> merged(std::vector<Block> blocks, Index upper, Index lower)
{
  std::vector<Index> & tasks = blocks[upper].tasks;
  tasks.insert(tasks.end(), blocks[lower].tasks.begin(), blocks[lower].tasks.end());
  blocks.erase(blocks.begin() + static_cast<std::ptrdiff_t>(lower));
  return blocks;
}

struct Step
{
  std::vector<Block> blocks;  ///< of its core
  double slack = 0;           ///< of that core and those it shares messages with
};

class Merging
{
public:
  Merging(const PlanProblem & problem, Layout layout)
  : problem_(problem),
    layout_(std::move(layout)),
    start_(score(problem, layout_))
  {
  }

  std::vector<TradePoint> run(double keep_slack, Layout & chosen)
  {
    const double floor = std::min(keep_slack, start_.slack);
    std::vector<TradePoint> trade{{layout_.threads(), start_.slack}};
    chosen = layout_;
    std::vector<std::optional<Step>> next(layout_.cores());
    for (Index core = 0; core < next.size(); ++core) {
      next[core] = best_on(core);
    }
    double least = start_.slack;
    while (true) {
      const auto best = std::max_element(
        next.begin(), next.end(),
        [](const auto & a, const auto & b) { return !b ? false : !a || a->slack < b->slack; });
      if (best == next.end() || !*best) {
        return trade;
      }
      const auto core = static_cast<Index>(best - next.begin());
      const double promised = (*best)->slack;
      const std::vector<Block> before = layout_.on(core);
      layout_.set(core, std::move((*best)->blocks));
      const Score found = score(problem_, layout_, {core});
      // What another core has changed meanwhile may matter here.
      if (found.no_worse_than(start_) && found.slack >= promised) {
        least = std::min(least, found.slack);
        trade.push_back({layout_.threads(), least});
        if (least >= floor) {
          chosen = layout_;
        }
      } else {
        layout_.set(core, before);
      }
      next[core] = best_on(core);
    }
  }

private:
  // The merger on a core that leaves the most slack; none that misses more than is missed anyway.
  std::optional<Step> best_on(Index core)
  {
    std::optional<Step> best;
    const std::vector<Block> blocks = layout_.on(core);
    for (Index upper = 0; upper < blocks.size(); ++upper) {
      for (Index lower = upper + 1; lower < blocks.size(); ++lower) {
        if (blocks[lower].executor != blocks[upper].executor) {
          continue;
        }
        layout_.set(core, merged(blocks, upper, lower));
        const Score found = score(problem_, layout_, {core});
        if (found.no_worse_than(start_) && (!best || found.slack > best->slack)) {
          best = Step{layout_.on(core), found.slack};
        }
        break;  // only the next one of the same executor
      }
    }
    layout_.set(core, blocks);
    return best;
  }

  const PlanProblem & problem_;
  Layout layout_;
  const Score start_;
};

}  // namespace

std::vector<TradePoint> merge_threads(
  const PlanProblem & problem, double keep_slack, Layout & layout)
{
  return Merging(problem, layout).run(keep_slack, layout);
}

}  // namespace takt_plan::detail
