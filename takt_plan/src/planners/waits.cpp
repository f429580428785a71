#include "planners/waits.hpp"

#include <algorithm>
#include <climits>
#include <map>
#include <utility>

namespace takt_plan::detail
{
namespace
{

const Unit & unit_of(const PlanProblem & problem, Index task)
{
  return problem.units[problem.unit_of[task]];
}

bool awaited_beside_waiting(
  const PlanProblem & problem, const std::vector<Index> & some, const std::vector<Index> & others)
{
  return std::any_of(some.begin(), some.end(), [&](Index a) {
    return unit_of(problem, a).awaited && std::any_of(others.begin(), others.end(), [&](Index b) {
             return unit_of(problem, b).waits > 0 && problem.unit_of[a] != problem.unit_of[b];
           });
  });
}

}  // namespace

bool may_share(
  const PlanProblem & problem, const std::vector<Index> & some, const std::vector<Index> & others)
{
  return !awaited_beside_waiting(problem, some, others) &&
         !awaited_beside_waiting(problem, others, some);
}

std::vector<std::vector<Index>> separated(
  const PlanProblem & problem, const std::vector<Index> & tasks)
{
  if (may_share(problem, tasks, tasks)) {
    return {tasks};
  }
  // Order of the parts: awaited tasks that do not wait; awaited tasks that wait, by the depth of
  // their waits; all other tasks.
  std::map<std::pair<int, Index>, std::vector<Index>> parts;
  for (const Index task : tasks) {
    const Unit & unit = unit_of(problem, task);
    const std::pair<int, Index> key = !unit.awaited ? std::pair(INT_MAX, Index{0})
                                      : unit.waits > 0
                                        ? std::pair(unit.waits, problem.unit_of[task])
                                        : std::pair(0, Index{0});
    parts[key].push_back(task);
  }
  std::vector<std::vector<Index>> result;
  for (auto & [key, part] : parts) {
    result.push_back(std::move(part));
  }
  return result;
}

std::vector<Block> separated(const PlanProblem & problem, const std::vector<Block> & blocks)
{
  std::vector<Block> result;
  for (const Block & block : blocks) {
    for (std::vector<Index> & part : separated(problem, block.tasks)) {
      result.push_back({block.executor, std::move(part), block.deadline, block.cluster});
    }
  }
  return result;
}

Assignment separated(const PlanProblem & problem, const Assignment & assignment)
{
  Assignment result;
  result.offsets = assignment.offsets;
  for (const AssignedThread & thread : assignment.threads) {
    auto parts = separated(problem, thread.tasks);
    const Index host = problem.model.cores[thread.core].host;
    int above = static_cast<int>(parts.size());
    for (std::vector<Index> & part : parts) {
      AssignedThread one = thread;
      --above;
      if (thread.priority > 0) {
        one.priority =
          std::max(thread.priority, std::min(thread.priority + above, problem.bands[host].most));
      }
      one.tasks = std::move(part);
      result.threads.push_back(std::move(one));
    }
  }
  return result;
}

}  // namespace takt_plan::detail
