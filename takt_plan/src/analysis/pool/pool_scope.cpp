#include "analysis/pool/pool_scope.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace takt_plan::detail
{

PoolRelations::PoolRelations(const std::vector<PooledTask> & tasks)
: tasks_(tasks),
  group_(tasks.size(), kNone),
  entered_(tasks.size(), 0),
  left_(tasks.size(), 0)
{
  std::map<Index, Index> numbers;
  for (Index task = 0; task < tasks.size(); ++task) {
    if (tasks[task].reentrant) {
      continue;
    }
    const bool own = tasks[task].group == kNone;
    const auto known = own ? numbers.end() : numbers.find(tasks[task].group);
    if (known != numbers.end()) {
      group_[task] = known->second;
      ++sizes_[known->second];
      continue;
    }
    group_[task] = sizes_.size();
    if (!own) {
      numbers.emplace(tasks[task].group, sizes_.size());
    }
    sizes_.push_back(1);
  }

  std::vector<std::vector<Index>> started(tasks.size());
  for (Index task = 0; task < tasks.size(); ++task) {
    if (tasks[task].after != kNone) {
      started[tasks[task].after].push_back(task);
    }
  }
  Index time = 0;
  std::vector<std::pair<Index, Index>> way;  // a task, and how many of its next tasks were visited
  for (Index root = 0; root < tasks.size(); ++root) {
    if (tasks[root].after != kNone) {
      continue;
    }
    entered_[root] = ++time;
    way.emplace_back(root, 0);
    while (!way.empty()) {
      auto & [task, walked] = way.back();
      if (walked == started[task].size()) {
        left_[task] = ++time;
        way.pop_back();
        continue;
      }
      const Index next = started[task][walked++];
      entered_[next] = ++time;
      way.emplace_back(next, 0);
    }
  }
}

bool PoolRelations::share_threads(Index a, Index b) const
{
  const std::vector<Index> & one = tasks_[a].threads;
  const std::vector<Index> & other = tasks_[b].threads;
  for (auto i = one.begin(), j = other.begin(); i != one.end() && j != other.end();) {
    if (*i == *j) {
      return true;
    }
    *i < *j ? ++i : ++j;
  }
  return false;
}

std::vector<std::vector<Index>> PoolRelations::runs(Index task) const
{
  std::vector<std::vector<Index>> result{{task}};
  while (result.size() < kLongestRun) {
    const std::vector<Index> & last = result.back();
    const Index before = tasks_[last.front()].after;
    const bool goes_on = before != kNone && !tasks_[before].outside && alone(before) &&
                         alone(task) && tasks_[before].threads == tasks_[task].threads &&
                         std::find(last.begin(), last.end(), before) == last.end();
    if (!goes_on) {
      break;
    }
    std::vector<Index> longer{before};
    longer.insert(longer.end(), last.begin(), last.end());
    result.push_back(std::move(longer));
  }
  return result;
}

std::vector<Index> PoolRelations::pools() const
{
  std::vector<Index> parent(tasks_.size());
  std::iota(parent.begin(), parent.end(), Index{0});
  const auto find = [&](Index task) {
    while (parent[task] != task) {
      task = parent[task] = parent[parent[task]];
    }
    return task;
  };
  std::map<std::pair<bool, Index>, Index> first;  // the first task of each thread and each group
  const auto meet = [&](std::pair<bool, Index> place, Index task) {
    const auto [at, added] = first.try_emplace(place, task);
    if (!added) {
      parent[find(task)] = find(at->second);
    }
  };
  for (Index task = 0; task < tasks_.size(); ++task) {
    for (const Index thread : tasks_[task].threads) {
      meet({false, thread}, task);
    }
    if (group_[task] != kNone) {
      meet({true, group_[task]}, task);
    }
  }
  std::vector<Index> result;
  for (Index task = 0; task < tasks_.size(); ++task) {
    result.push_back(find(task));
  }
  return result;
}

namespace
{

class Scoping
{
public:
  Scoping(
    const std::vector<PooledTask> & tasks, const PoolRelations & relations, std::vector<Index> run)
  : tasks_(tasks),
    relations_(relations)
  {
    scope_.run = std::move(run);
    const PooledTask & last = tasks[scope_.run.back()];
    level_ = last.priority;
    scope_.threads = static_cast<Ns>(last.threads.size());
    for (const Index task : scope_.run) {
      scope_.wake = std::max(scope_.wake, tasks[task].wake);
      level_ = std::min(level_, tasks[task].priority);
      if (task != scope_.run.back()) {
        scope_.before = add(scope_.before, tasks[task].cost);
        scope_.overtaken = scope_.overtaken || tasks[task].reentrant;
      }
    }
  }

  PoolScope look(bool group)
  {
    const Index own = group ? relations_.group(scope_.run.back()) : kNone;
    std::map<Index, Index> places;  // positions of exclusive groups in scope_.groups
    for (Index task = 0; task < tasks_.size(); ++task) {
      if (std::find(scope_.run.begin(), scope_.run.end(), task) != scope_.run.end()) {
        continue;
      }
      const bool shares = relations_.share_threads(task, scope_.run.back());
      scope_.wake = std::max(scope_.wake, shares ? tasks_[task].wake : 0);
      if (own != kNone && relations_.group(task) == own) {
        add_mate(task);
      } else if (shares) {
        add_other(task, places);
      }
    }
    std::stable_sort(
      scope_.lower.begin(), scope_.lower.end(), [&](const PoolOther & a, const PoolOther & b) {
        return tasks_[a.task].cost > tasks_[b.task].cost;
      });
    return std::move(scope_);
  }

private:
  PoolOther other(Index task) const
  {
    return {
      task, scope_.run.size() == 1 && tasks_[task].priority == level_,
      relations_.starts(scope_.run.back(), task)};
  }

  void add_mate(Index task)
  {
    const bool elsewhere = tasks_[task].threads != tasks_[scope_.run.back()].threads;
    const PoolOther mate = other(task);
    const Ns cost = tasks_[task].cost;
    scope_.spans = scope_.spans || elsewhere;
    if (tasks_[task].priority >= level_) {
      (elsewhere ? scope_.abroad : scope_.mates).push_back(mate);
    } else {
      scope_.mate_begun = std::max(scope_.mate_begun, cost);
    }
    if (elsewhere && tasks_[task].priority <= level_) {
      scope_.mate_slipping = std::max(scope_.mate_slipping, cost);
    }
  }

  void add_other(Index task, std::map<Index, Index> & places)
  {
    const PoolOther found = other(task);
    if (tasks_[task].priority < level_ || found.equal) {
      scope_.lower.push_back(found);
    }
    if (tasks_[task].priority < level_) {
      return;
    }
    const Index group = relations_.group(task);
    if (group == kNone) {
      scope_.reentrant.push_back(found);
      return;
    }
    const auto [place, added] = places.try_emplace(group, scope_.groups.size());
    if (added) {
      scope_.groups.emplace_back();
    }
    scope_.groups[place->second].push_back(found);
  }

  const std::vector<PooledTask> & tasks_;
  const PoolRelations & relations_;
  int level_ = 0;
  PoolScope scope_;
};

}  // namespace

PoolScope pool_scope(
  const std::vector<PooledTask> & tasks, const PoolRelations & relations, std::vector<Index> run,
  bool group)
{
  return Scoping(tasks, relations, std::move(run)).look(group);
}

}  // namespace takt_plan::detail
