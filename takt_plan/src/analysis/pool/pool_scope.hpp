// Who matters to a run of tasks in a pool: what the terms of pool_equations.hpp are made of.
//
// Set-up only: allocates, does not block.
#ifndef TAKT_PLAN__SRC__POOL_SCOPE_HPP_
#define TAKT_PLAN__SRC__POOL_SCOPE_HPP_

#include <vector>

#include "takt_plan/pool_equations.hpp"

namespace takt_plan::detail
{

/// How the tasks of a pool hang together. Keeps a reference to them.
class PoolRelations
{
public:
  explicit PoolRelations(const std::vector<PooledTask> & tasks);

  /// The number of the task's exclusive group, be it of its own; kNone: it is reentrant.
  Index group(Index task) const noexcept { return group_[task]; }
  Index groups() const noexcept { return sizes_.size(); }
  /// No other task keeps it from running: it is reentrant, or its group has no other member.
  bool alone(Index task) const noexcept
  {
    return group_[task] == kNone || sizes_[group_[task]] == 1;
  }
  /// There is a thread that may run both.
  bool share_threads(Index a, Index b) const;
  /// The end of `first` starts `later`, directly or not, and nothing else does.
  bool starts(Index first, Index later) const noexcept
  {
    return first != later && entered_[first] < entered_[later] && left_[later] <= left_[first];
  }
  /// The runs that end with `task`, by their number of tasks: one to kLongestRun.
  std::vector<std::vector<Index>> runs(Index task) const;

  /// Of all, as sets of tasks that have to do with each other: a number for each.
  std::vector<Index> pools() const;

private:
  static constexpr std::size_t kLongestRun = 16;

  const std::vector<PooledTask> & tasks_;
  std::vector<Index> group_;
  std::vector<Index> sizes_;
  // When a walk through all that is started by one task only comes to a task, and leaves it.
  std::vector<Index> entered_, left_;
};

/// A task that may delay a run.
struct PoolOther
{
  Index task = kNone;
  bool equal = false;    ///< as urgent as the run's one task
  bool started = false;  ///< by the end of the run's last task and nothing else, directly or not
};

/// What one run depends on.
struct PoolScope
{
  std::vector<Index> run;
  Ns threads = 0;          ///< how many the run has
  Ns before = 0;           ///< costs of all but the last
  Ns wake = 0;             ///< the longest of all whose threads these are
  bool overtaken = false;  ///< activations may overtake each other inside of the run
  std::vector<std::vector<PoolOther>> groups;  ///< at least as urgent, each of one exclusive group
  std::vector<PoolOther> reentrant;            ///< at least as urgent
  /// Not in the run's group and less urgent, or equals; the longest first.
  std::vector<PoolOther> lower;
  // The exclusive group of a run of one task:
  std::vector<PoolOther> mates;   ///< at least as urgent, with the same threads
  std::vector<PoolOther> abroad;  ///< at least as urgent, with others
  bool spans = false;             ///< a member has other threads
  Ns mate_begun = 0;              ///< cost of a less urgent member that may have begun before
  Ns mate_slipping = 0;           ///< of one that may slip in again and again
};

/// `group`: whether members of exclusive groups are told from other tasks.
PoolScope pool_scope(
  const std::vector<PooledTask> & tasks, const PoolRelations & relations, std::vector<Index> run,
  bool group);

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__POOL_SCOPE_HPP_
