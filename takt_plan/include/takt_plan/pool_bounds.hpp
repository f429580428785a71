// Response-time bounds for callbacks that may run on any of several threads (pools), for proofs.
//
// Theorem: that of pool_equations.hpp, for each task from its own activation and for runs of tasks in
// which each is started by nothing but the one before. A task's activation is late by at most the
// bound of what starts it, which is its jitter; the least solution of all together is found by
// iteration. A chain's bound is that of its last task on the ways that go along the chain.
//
// What the equations assume of the scheduler, and where it is so in takt_core (scheduler.cpp, group.cpp,
// precedence.hpp):
// - A free thread takes the most urgent head of the ready queues of all thread sets it belongs to
//   (`best_set`), by priority, then release, timers by their nominal one (`Precedence::before`).
// - No task waits in a queue while a thread that may run it sleeps. The thread that makes a task ready
//   wakes one such thread (`put_in`, `pass_on`). A thread that goes to sleep announces its sleep first,
//   and then looks at the queues once more (`begin_idle`).
// - A task that finds its group busy is parked and never dropped (`Group::enter`); a group that is left
//   goes to its best parked member (`hand_over`), from which only a better one takes it.
// - The next message of an exclusive task competes with what is parked (`finish`); a reentrant one may
//   start elsewhere once the run before has taken its message (`taken`).
//
// Assumptions. A task runs to its end on its thread, publishes each topic at most once per run at
// any time of it, and does not suspend itself. Messages without a delay are seen when the publisher's
// run ends, at the latest. Messages of one topic do not overtake each other in the middleware. Times
// and overheads of the model are upper bounds; nothing else runs at real-time priority. Publishing and
// taking take `middleware` together: a reentrant task takes for no longer than its overheads, and a
// thread that is woken looks for work within the `dispatch` of each task that it may run. History
// depths suffice: an overwritten message starts no run, so it has no response time.
//
// Refused with a sentence, per task and chain: threads of another order than `priority` and `fifo`, or
// of both; threads without a fixed priority of their own core; anything at least as urgent on such a
// core; exclusive groups with a member on threads like these; overload, and whatever may be delayed by
// something without a bound.
//
// Single threads are pools of one here. priority_bounds.hpp is tighter for them, as it knows what
// shares a core.
//
// Limits as in pool_equations.hpp. The time this takes at most grows with the square of the tasks that
// share threads.
//
// Set-up only: allocates, does not block.
#ifndef TAKT_PLAN__POOL_BOUNDS_HPP_
#define TAKT_PLAN__POOL_BOUNDS_HPP_

#include <vector>

#include "takt_plan/model.hpp"
#include "takt_plan/pool_equations.hpp"
#include "takt_rt/result.hpp"

namespace takt_plan
{

/// Options of `pool_bounds`.
struct PoolOptions
{
  /// The analysis drops bounds above this, in ns. 0: a hundred times the longest period of the
  /// model.
  Ns horizon = 0;
  PoolTerms terms;
};

/// The bounds of one model.
struct PooledBounds
{
  /// For each task: the time from the nominal release of its source to its end; the largest over
  /// its sources. A task that waits for messages of several sources counts from the last one.
  std::vector<takt_rt::Result<Ns>> tasks;
  std::vector<takt_rt::Result<Ns>> chains;
};

/// Faults: those of `check` (model.hpp).
takt_rt::Result<PooledBounds> pool_bounds(const Model & model, const PoolOptions & options = {});

}  // namespace takt_plan

#endif  // TAKT_PLAN__POOL_BOUNDS_HPP_
