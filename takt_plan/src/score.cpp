#include "score.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace takt_plan::detail
{
namespace
{

constexpr double kNoBound = -1e9;

/// Cores that have to be looked at together: whose tasks start each other.
class Islands
{
public:
  explicit Islands(Index cores) : parent_(cores) { std::iota(parent_.begin(), parent_.end(), 0); }

  Index find(Index core)
  {
    while (parent_[core] != core) {
      core = parent_[core] = parent_[parent_[core]];
    }
    return core;
  }
  void join(Index a, Index b) { parent_[find(a)] = find(b); }

private:
  std::vector<Index> parent_;
};

std::vector<Index> cores_of(const PlanProblem & problem, const Assignment & assignment)
{
  std::vector<Index> core(problem.model.tasks.size(), kNone);
  for (const AssignedThread & thread : assignment.threads) {
    for (const Index task : thread.tasks) {
      core[task] = thread.core;
    }
  }
  return core;
}

/// The part of the model that is placed and stands on the islands of `touched`.
class Part
{
public:
  Part(
    const PlanProblem & problem, const Assignment & assignment, const std::vector<Index> & touched)
  : problem_(problem)
  {
    core_ = cores_of(problem, assignment);
    Islands islands(problem.model.cores.size());
    for (Index task = 0; task < core_.size(); ++task) {
      for (const Link & link : problem.model.tasks[task].triggers) {
        if (core_[task] != kNone && core_[link.from] != kNone) {
          islands.join(core_[task], core_[link.from]);
        }
      }
    }
    looked_at_.assign(problem.model.cores.size(), touched.empty());
    for (const Index core : touched) {
      for (Index other = 0; other < looked_at_.size(); ++other) {
        looked_at_[other] = looked_at_[other] || islands.find(other) == islands.find(core);
      }
    }
    extract(assignment);
  }

  Score judge() const;

private:
  void extract(const Assignment & assignment)
  {
    const Model & whole = problem_.model;
    model_.hosts = whole.hosts;
    model_.executors = whole.executors;
    model_.cores = whole.cores;
    model_.groups = whole.groups;
    for (const OtherLoad & other : whole.others) {
      const bool here = std::any_of(
        other.cores.begin(), other.cores.end(), [&](Index core) { return looked_at_[core]; });
      if (here) {
        model_.others.push_back(other);
      }
    }
    std::vector<Index> to(whole.tasks.size(), kNone);
    for (const Index task : problem_.order) {
      add_task(task, to);
    }
    Assignment there;
    for (const AssignedThread & thread : assignment.threads) {
      AssignedThread one = thread;
      one.tasks.clear();
      for (const Index task : thread.tasks) {
        if (to[task] != kNone) {
          one.tasks.push_back(to[task]);
        }
      }
      there.threads.push_back(std::move(one));  // also empty: the ceiling depends on all threads
    }
    assign(there, model_);
    for (const Index index : problem_.chains) {
      Chain chain = whole.chains[index];
      for (Index & task : chain.path) {
        task = to[task];
      }
      if (std::find(chain.path.begin(), chain.path.end(), kNone) == chain.path.end()) {
        chains_.push_back(index);
        model_.chains.push_back(std::move(chain));
      }
    }
  }

  void add_task(Index index, std::vector<Index> & to)
  {
    Task task = problem_.model.tasks[index];
    if (core_[index] == kNone || !looked_at_[core_[index]]) {
      return;
    }
    for (auto * links : {&task.triggers, &task.reads}) {
      std::erase_if(*links, [&](const Link & link) { return to[link.from] == kNone; });
      for (Link & link : *links) {
        link.from = to[link.from];
      }
    }
    if (task.triggers.empty() && !task.release) {
      return;  // what starts it is not placed yet
    }
    to[index] = model_.tasks.size();
    tasks_.push_back(index);
    model_.tasks.push_back(std::move(task));
  }

  const PlanProblem & problem_;
  std::vector<Index> core_;
  std::vector<char> looked_at_;
  Model model_;
  std::vector<Index> tasks_;   // of the problem
  std::vector<Index> chains_;  // of the problem, most important first
};

Score Part::judge() const
{
  Score result;
  const auto found = bounds(model_);
  for (Index i = 0; i < chains_.size(); ++i) {
    const Chain & chain = model_.chains[i];
    if (chain.deadline == kUnbounded) {
      continue;
    }
    const bool met = found && meets_deadline(chain, found->chains[i]);
    result.met.push_back(met);
    if (!met) {
      result.missed.push_back(chains_[i]);
    }
    result.slack = std::min(result.slack, found ? slack_of(chain, found->chains[i]) : kNoBound);
  }
  for (Index i = 0; i < tasks_.size(); ++i) {
    if (!found || !found->tasks[i]) {
      result.unbounded.push_back(tasks_[i]);
    }
  }
  std::sort(result.missed.begin(), result.missed.end());
  std::sort(result.unbounded.begin(), result.unbounded.end());
  return result;
}

bool all_in(const std::vector<Index> & some, const std::vector<Index> & all)
{
  return std::includes(all.begin(), all.end(), some.begin(), some.end());
}

}  // namespace

bool Score::no_worse_than(const Score & other) const
{
  return all_in(missed, other.missed) && all_in(unbounded, other.unbounded);
}

bool Score::better_than(const Score & other) const
{
  if (met != other.met) {
    return std::lexicographical_compare(other.met.begin(), other.met.end(), met.begin(), met.end());
  }
  if (unbounded.size() != other.unbounded.size()) {
    return unbounded.size() < other.unbounded.size();
  }
  return slack > other.slack;
}

double slack_of(const Chain & chain, const takt_core::Result<ChainAnswer> & answer)
{
  if (!answer) {
    return kNoBound;
  }
  const auto deadline = static_cast<double>(chain.deadline);
  return chain.deadline == kUnbounded ? 1 : 1 - static_cast<double>(answer->bound) / deadline;
}

Score score(
  const PlanProblem & problem, const Assignment & assignment, const std::vector<Index> & touched)
{
  return Part(problem, assignment, touched).judge();
}

}  // namespace takt_plan::detail
