// Solves pool_equations.hpp for callers whose jitters depend on the solution.
//
// Set-up only: allocates, does not block.
#ifndef TAKT_PLAN__SRC__POOL_SOLVER_HPP_
#define TAKT_PLAN__SRC__POOL_SOLVER_HPP_

#include <vector>

#include "analysis/limits.hpp"
#include "analysis/pool/pool_scope.hpp"
#include "takt_plan/bound_terms.hpp"

namespace takt_plan::detail
{

/// The terms of the bound of a run of tasks, without its own work.
struct PoolParts
{
  std::vector<Index> run;
  Ns end = 0;  ///< latest end, after the nominal release
  BoundTerms terms;
};

class PoolSolver
{
public:
  /// `horizon` must be below kUnbounded.
  PoolSolver(std::vector<PooledTask> tasks, Ns horizon, const PoolTerms & terms);
  PoolSolver(const PoolSolver &) = delete;
  PoolSolver & operator=(const PoolSolver &) = delete;

  /// Jitters must not fall.
  void set_jitter(Index task, Index source, Ns jitter);
  /// Raises the bounds of all tasks once; true if one was raised. `round` counts the calls.
  bool sweep(int round);

  PooledResponse response(Index task) const;
  /// The latest end after the nominal release of this source; kUnbounded: none.
  Ns end(Index task, Index source) const;
  /// After the last sweep: the terms of `response`, and those of `end`.
  PoolParts parts_of_response(Index task);
  PoolParts parts_of_end(Index task, Index source);
  /// True if the steps for the tasks of its pool ran out.
  bool given_up(Index task) const noexcept { return steps_[pool_[task]].none(); }

private:
  struct Bound
  {
    std::vector<Index> run;
    Ns response = 0;
  };
  struct Blocking;
  /// The causes in one window.
  struct Record
  {
    BoundTerms parked;
    std::vector<BusyWork> rest;  ///< work that is at least as urgent, of no exclusive group
    Ns busy = 0;                 ///< work of all threads while all are busy
  };
  /// The terms of f(v) for one window, without the groups that delay.
  struct Sums
  {
    Ns parked = 0;              ///< time
    Ns rest = 0;                ///< work
    Ns returns = 0;             ///< number of times that a parked task goes on waiting
    Record * record = nullptr;  ///< null: not wanted

    void park(Ns time, TermKind kind, Index task);
    void keep_busy(Ns work, Index task);
  };

  Ns bound_of(const Bound & bound, Steps & steps);
  Ns delay(const PoolScope & scope, Ns length, Steps & steps, BoundTerms * terms = nullptr);
  void add_own(const PoolScope & scope, Ns length, Sums & sums) const;
  void add_mates(const PoolScope & scope, Ns length, Sums & sums, Steps & steps) const;
  Ns waiting_of(const PoolScope & scope, Ns length, const Sums & sums, Steps & steps);
  Blocking blocking(
    const PoolScope & scope, Ns length, Ns most, Ns each, bool equals, Steps & steps);
  // Terms of bounds: pool_terms.cpp.
  PoolParts parts_of(const Bound & bound);
  BoundTerms recorded(
    const PoolScope & scope, Ns length, const Record & record, Ns waited, Ns woken,
    Steps & steps) const;
  Ns runs_of(const PoolScope & scope, const PoolOther & other, Ns length, Steps & steps) const;
  Ns released_before(Index task) const;
  Ns released_within(Index task, Ns length) const;

  std::vector<PooledTask> tasks_;
  const PoolTerms terms_;
  const Ns horizon_;
  const PoolRelations relations_;
  const std::vector<Index> pool_;
  std::vector<Steps> steps_;
  std::vector<std::vector<Bound>> bounds_;  // per task, by run
  // Scratch of one evaluation.
  std::vector<Ns> work_;   // per exclusive group that delays
  std::vector<Ns> left_;   // per exclusive group: further runs that may block
  std::vector<Ns> lower_;  // per exclusive group: time for which they block
};

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__POOL_SOLVER_HPP_
