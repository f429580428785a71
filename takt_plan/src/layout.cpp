#include "layout.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace takt_plan::detail
{

Assignment Layout::assignment(const PlanProblem & problem) const
{
  Assignment result;
  for (Index core = 0; core < cores.size(); ++core) {
    const PlanProblem::Band & band = problem.bands[problem.model.cores[core].host];
    int priority = band.most;
    for (const Block & block : cores[core]) {
      result.threads.push_back({block.executor, core, priority, block.tasks});
      priority = std::max(priority - 1, band.least);
    }
  }
  return result;
}

Index Layout::threads() const
{
  return std::accumulate(
    cores.begin(), cores.end(), Index{0},
    [](Index sum, const std::vector<Block> & blocks) { return sum + blocks.size(); });
}

double Layout::load(const PlanProblem & problem, Index core) const
{
  double sum = 0;
  for (const Block & block : cores[core]) {
    for (const Index task : block.tasks) {
      sum += problem.utilization(task);
    }
  }
  return sum;
}

std::vector<Block> blocks_of(const PlanProblem & problem, const std::vector<Index> & units)
{
  std::vector<Index> position(problem.order.size());
  for (Index i = 0; i < problem.order.size(); ++i) {
    position[problem.order[i]] = i;
  }
  std::vector<Index> tasks;
  for (const Index unit : units) {
    const std::vector<Index> & more = problem.units[unit].tasks;
    tasks.insert(tasks.end(), more.begin(), more.end());
  }
  std::sort(
    tasks.begin(), tasks.end(), [&](Index a, Index b) { return position[a] > position[b]; });
  std::vector<Block> blocks;
  for (const Index task : tasks) {
    const Index executor = problem.model.tasks[task].executor;
    auto block = std::find_if(
      blocks.begin(), blocks.end(), [&](const Block & one) { return one.executor == executor; });
    if (block == blocks.end()) {
      block = blocks.insert(blocks.end(), Block{executor, {}, kUnbounded, kNone});
    }
    block->tasks.push_back(task);
    block->deadline = std::min(block->deadline, problem.units[problem.unit_of[task]].deadline);
  }
  return blocks;
}

}  // namespace takt_plan::detail
