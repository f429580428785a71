// The tasks that matter to a run of tasks in a pool, for the terms of pool_equations.hpp.
//
// Set-up only: allocates, does not block.
#ifndef TAKT_PLAN__SRC__POOL_SCOPE_HPP_
#define TAKT_PLAN__SRC__POOL_SCOPE_HPP_

#include <vector>

#include "takt_plan/pool_equations.hpp"

namespace takt_plan::detail
{

/// The relations between the tasks of a pool. Keeps a reference to the tasks.
class PoolRelations
{
public:
  explicit PoolRelations(const std::vector<PooledTask> & tasks);

  /// The number of the task's exclusive group, also if the group has only this task; kNone: the
  /// task is reentrant.
  Index group(Index task) const noexcept { return group_[task]; }
  Index groups() const noexcept { return sizes_.size(); }
  /// No other task keeps it from running: it is reentrant, or its group has no other member.
  bool alone(Index task) const noexcept
  {
    return group_[task] == kNone || sizes_[group_[task]] == 1;
  }
  /// True if some thread may run both.
  bool share_threads(Index a, Index b) const;
  /// True if the end of `first` starts `later`, directly or not, and no other task does.
  bool starts(Index first, Index later) const noexcept
  {
    return first != later && entered_[first] < entered_[later] && left_[later] <= left_[first];
  }
  /// The runs that end with `task`, by their number of tasks: one to kLongestRun.
  std::vector<std::vector<Index>> runs(Index task) const;

  /// Groups all tasks into pools: tasks with the same number share threads or groups, directly or
  /// not.
  std::vector<Index> pools() const;

private:
  static constexpr std::size_t kLongestRun = 16;

  const std::vector<PooledTask> & tasks_;
  std::vector<Index> group_;
  std::vector<Index> sizes_;
  // The time at which a depth-first walk along single starters enters and leaves each task.
  std::vector<Index> entered_, left_;
};

/// A task that may delay a run.
struct PoolOther
{
  Index task = kNone;
  bool equal = false;    ///< as urgent as the run's one task
  bool started = false;  ///< only the end of the run's last task starts it, directly or not
};

/// The tasks and costs on which one run depends.
struct PoolScope
{
  std::vector<Index> run;
  Ns threads = 0;          ///< number of threads of the run
  Ns before = 0;           ///< costs of all tasks but the last
  Ns wake = 0;             ///< longest `wake` of all tasks of these threads
  bool overtaken = false;  ///< activations may overtake each other within the run
  std::vector<std::vector<PoolOther>> groups;  ///< at least as urgent, one list for each exclusive
                                               ///< group
  std::vector<PoolOther> reentrant;            ///< at least as urgent
  /// Less urgent or equally urgent, and not in the run's group; the longest first.
  std::vector<PoolOther> lower;
  // The exclusive group of a run with one task:
  std::vector<PoolOther> mates;   ///< at least as urgent, with the same threads
  std::vector<PoolOther> abroad;  ///< at least as urgent, with other threads
  bool spans = false;             ///< some member has other threads
  Ns mate_begun = 0;              ///< cost of a less urgent member that may have begun before
  Ns mate_slipping = 0;           ///< of a less urgent member that may slip in repeatedly
};

/// `group`: true if members of exclusive groups are distinguished from other tasks.
PoolScope pool_scope(
  const std::vector<PooledTask> & tasks, const PoolRelations & relations, std::vector<Index> run,
  bool group);

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__POOL_SCOPE_HPP_
