// The least solution of pool_equations.hpp, for callers whose jitters depend on it in turn.
//
// Set-up only: allocates, does not block.
#ifndef TAKT_PLAN__SRC__POOL_SOLVER_HPP_
#define TAKT_PLAN__SRC__POOL_SOLVER_HPP_

#include <vector>

#include "limits.hpp"
#include "pool_scope.hpp"

namespace takt_plan::detail
{

class PoolSolver
{
public:
  /// `horizon` below kUnbounded.
  PoolSolver(std::vector<PooledTask> tasks, Ns horizon, const PoolTerms & terms);
  PoolSolver(const PoolSolver &) = delete;
  PoolSolver & operator=(const PoolSolver &) = delete;

  /// Jitters must not fall.
  void set_jitter(Index task, Index source, Ns jitter);
  /// Raises the bounds of all tasks once; true if one was raised. `round` counts the calls.
  bool sweep(int round);

  PooledResponse response(Index task) const;
  /// After the nominal release of that source; kUnbounded for none.
  Ns end(Index task, Index source) const;
  /// True if the steps of the tasks around this one ran out.
  bool given_up(Index task) const noexcept { return steps_[pool_[task]].none(); }

private:
  struct Bound
  {
    std::vector<Index> run;
    Ns response = 0;
  };
  struct Sums;
  struct Blocking;

  Ns bound_of(const Bound & bound, Steps & steps);
  Ns delay(const PoolScope & scope, Ns length, Steps & steps);
  void add_own(const PoolScope & scope, Ns length, Sums & sums) const;
  void add_mates(const PoolScope & scope, Ns length, Sums & sums, Steps & steps) const;
  Ns waiting_of(const PoolScope & scope, Ns length, const Sums & sums, Steps & steps);
  Blocking blocking(
    const PoolScope & scope, Ns length, Ns most, Ns each, bool equals, Steps & steps);
  Ns runs_of(const PoolScope & scope, const PoolOther & other, Ns length, Steps & steps) const;
  Ns released_before(Index task) const;
  Ns released_within(Index task, Ns length) const;

  std::vector<PooledTask> tasks_;
  const PoolTerms terms_;
  const Ns horizon_;
  const PoolRelations relations_;
  const std::vector<Index> pool_;
  std::vector<Steps> steps_;
  std::vector<std::vector<Bound>> bounds_;  // of each task, by run
  // Scratch of one evaluation.
  std::vector<Ns> work_;   // of each exclusive group in the way
  std::vector<Ns> left_;   // of each exclusive group, how many more runs may block
  std::vector<Ns> lower_;  // of each exclusive group, how long they block
};

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__POOL_SOLVER_HPP_
