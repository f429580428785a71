#include "planners/picas_nodes.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace takt_plan::detail
{

// Numbers the callbacks from the highest number down: chains by importance; within a chain its
// regular callbacks from the last to the first, then its timer. A callback of several chains keeps
// the lower number. (As in the authors' artefact.)
std::vector<int> picas_priorities(const PlanProblem & problem)
{
  const auto & tasks = problem.model.tasks;
  std::vector<int> priorities(tasks.size(), 0);
  Index count = tasks.size();  // one number per visit: a shared callback is visited several times
  for (const Chain & chain : problem.model.chains) {
    count += chain.path.size();
  }
  auto next = static_cast<int>(count);
  for (const Index chain : problem.chains) {
    std::vector<Index> path = problem.model.chains[chain].path;
    std::reverse(path.begin(), path.end());
    std::stable_partition(path.begin(), path.end(), [&](Index t) { return !tasks[t].timer; });
    for (const Index task : path) {
      priorities[task] = next--;
    }
  }
  for (auto task = problem.order.rbegin(); task != problem.order.rend(); ++task) {
    if (priorities[*task] == 0) {
      priorities[*task] = next--;
    }
  }
  return priorities;
}

std::vector<PicasNode> picas_nodes(const PlanProblem & problem, const std::vector<int> & priorities)
{
  std::vector<PicasNode> nodes;
  std::map<std::pair<Index, std::string>, Index> by_name;
  for (const Unit & unit : problem.units) {
    const std::string & id = problem.model.tasks[unit.tasks.front()].id;
    const auto [entry, fresh] =
      by_name.try_emplace({unit.executor, id.substr(0, id.find(':'))}, nodes.size());
    Index index = entry->second;
    if (!fresh && common(nodes[index].cores, unit.cores).empty()) {
      index = nodes.size();  // pinned to different cores, so they cannot stay together
    }
    if (index == nodes.size()) {
      nodes.push_back({{}, unit.cores, unit.executor, 0, 0, 0});
    }
    PicasNode & node = nodes[index];
    node.cores = common(node.cores, unit.cores);
    node.tasks.insert(node.tasks.end(), unit.tasks.begin(), unit.tasks.end());
    node.utilization += unit.utilization;
  }
  for (PicasNode & node : nodes) {
    std::sort(node.tasks.begin(), node.tasks.end(), [&](Index a, Index b) {
      return priorities[a] > priorities[b];
    });
    node.most = priorities[node.tasks.front()];
    node.least = priorities[node.tasks.back()];
  }
  std::stable_sort(nodes.begin(), nodes.end(), [](const PicasNode & a, const PicasNode & b) {
    return a.most > b.most;
  });
  return nodes;
}

std::vector<Index> common(const std::vector<Index> & a, const std::vector<Index> & b)
{
  std::vector<Index> both;
  std::copy_if(a.begin(), a.end(), std::back_inserter(both), [&](Index core) {
    return std::find(b.begin(), b.end(), core) != b.end();
  });
  return both;
}

}  // namespace takt_plan::detail
