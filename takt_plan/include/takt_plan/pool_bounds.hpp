// Response-time bounds for callbacks that may run on any of several threads (pools), for proofs.
//
// Theorem: that of pool_equations.hpp, for each task from its own activation, and for runs of tasks
// in which only the task before starts each task. The jitter of a task is the bound of its starter:
// its activation is late by at most that time. Iteration finds the least solution of all together.
// A chain's bound is that of its last task on the ways that go along the chain.
//
// The assumptions of the equations about the scheduler, and the places that fulfil them in
// takt_core (scheduler.cpp, group.cpp, precedence.hpp):
// - A free thread takes the most urgent head of the ready queues of all its thread sets
//   (`best_set`), by priority, then release, timers by their nominal one (`Precedence::before`).
// - No task waits in a queue while a thread that may run it sleeps. The thread that makes a task
//   ready wakes one such thread (`put_in`, `pass_on`). A thread that goes to sleep announces its
//   sleep first, and then looks at the queues once more (`begin_idle`).
// - A task whose group is busy is parked and never dropped (`Group::enter`). When a task leaves the
//   group, its best parked member gets the group (`hand_over`); only a better member takes it from
//   there.
// - The next message of an exclusive task competes with parked members (`finish`). A reentrant task
//   may start on another thread once the run before has taken its message (`taken`).
// - A callback of a graph (takt_core/sequence.hpp) becomes ready when the callback that made it
//   ready returns, which the model takes for the time of its message. Among equals it has the place
//   of its iteration, which is no later than its own message and no earlier than the release of its
//   source. So an activation goes before an equal one at a only if its source was released by a, as
//   the equations count it. A thread that goes on with a graph's callback by direct call compares
//   it with the heads of its ready queues first (`start_in_turn`).
//
// Assumptions. A task runs to its end on its thread, publishes each topic at most once, at any time
// of a run, and does not suspend itself. Messages without a delay are seen when the publisher's run
// ends, at the latest. Messages of one topic do not overtake each other in the middleware. Times
// and overheads of the model are upper bounds; nothing else runs at real-time priority. Publishing
// and taking take `middleware` together: a reentrant task takes for no longer than its overheads,
// and a thread that is woken looks for work within the `dispatch` of each task that it may run.
// History depths suffice: an overwritten message starts no run, so it has no response time.
//
// Refused with a sentence, per task and chain: threads of another order than `priority` and `fifo`,
// or of both; threads without a fixed priority and a core of their own; threads beside other
// threads that are at least as urgent on the same core; exclusive groups with a member on such
// threads; overload; and tasks that a task without a bound may delay.
//
// Single threads are pools of one here. priority_bounds.hpp has smaller bounds for them, because it
// knows which threads share a core.
//
// Limits as in pool_equations.hpp. The longest time of the analysis grows with the square of the
// tasks that share threads.
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
