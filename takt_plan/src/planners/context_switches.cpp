#include "planners/context_switches.hpp"

#include <algorithm>
#include <unordered_map>

namespace takt_plan::detail
{

double context_switches(const PlanProblem & problem, const std::vector<Block> & blocks)
{
  std::unordered_map<Index, Index> block_of;
  for (Index block = 0; block < blocks.size(); ++block) {
    for (const Index task : blocks[block].tasks) {
      block_of[task] = block;
    }
  }
  const auto goes_on = [&](Index task, Index block) {
    const std::vector<Link> & triggers = problem.model.tasks[task].triggers;
    return !problem.model.tasks[task].release &&
           std::all_of(triggers.begin(), triggers.end(), [&](const Link & link) {
             const auto from = block_of.find(link.from);
             return !link.call && from != block_of.end() && from->second == block;
           });
  };
  double runs = 0;
  for (Index block = 0; block < blocks.size(); ++block) {
    for (const Index task : blocks[block].tasks) {
      runs += goes_on(task, block) ? 0 : problem.rates[task];
    }
  }
  constexpr double kSecond = 1e9;
  return 2 * runs * kSecond;
}

}  // namespace takt_plan::detail
