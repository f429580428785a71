#include "planners/clusters.hpp"

#include <algorithm>
#include <utility>

namespace takt_plan::detail
{
namespace
{

Index host_of(const PlanProblem & problem, Index unit)
{
  return problem.model.cores[problem.units[unit].cores.front()].host;
}

void add_cluster(
  const PlanProblem & problem, const std::vector<Index> & units, Ns deadline,
  std::vector<Cluster> & to)
{
  std::vector<Index> hosts;
  for (const Index unit : units) {
    const Index host = host_of(problem, unit);
    if (std::find(hosts.begin(), hosts.end(), host) == hosts.end()) {
      hosts.push_back(host);
    }
  }
  for (const Index host : hosts) {
    Cluster cluster;
    cluster.deadline = deadline;
    for (const Index unit : units) {
      if (host_of(problem, unit) == host) {
        cluster.units.push_back(unit);
        cluster.utilization += problem.units[unit].utilization;
      }
    }
    to.push_back(std::move(cluster));
  }
}

}  // namespace

std::vector<Cluster> clusters(const PlanProblem & problem)
{
  std::vector<Cluster> result;
  std::vector<char> taken(problem.units.size(), 0);
  const auto take = [&](Index task, std::vector<Index> & units) {
    const Index unit = problem.unit_of[task];
    if (!taken[unit]) {
      taken[unit] = 1;
      units.push_back(unit);
    }
  };
  for (const Index index : problem.chains) {
    const Chain & chain = problem.model.chains[index];
    std::vector<Index> units;
    for (const Index task : with_awaited(problem.model, chain.path)) {
      take(task, units);
    }
    // Chains without a deadline precede callbacks without a chain.
    add_cluster(problem, units, std::min(chain.deadline, kUnbounded - 1), result);
  }
  for (const Index task : problem.order) {
    std::vector<Index> units;
    take(task, units);
    add_cluster(problem, units, kUnbounded, result);
  }
  return result;
}

std::vector<Index> common_cores(const PlanProblem & problem, const std::vector<Index> & units)
{
  std::vector<Index> cores = problem.units[units.front()].cores;
  for (const Index unit : units) {
    const std::vector<Index> & allowed = problem.units[unit].cores;
    std::erase_if(cores, [&](Index core) {
      return !std::binary_search(allowed.begin(), allowed.end(), core);  // `allowed` is sorted
    });
  }
  return cores;
}

}  // namespace takt_plan::detail
