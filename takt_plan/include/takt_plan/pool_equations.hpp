// Response-time equations of callbacks that may run on any of several threads, on plain numbers.
//
// pool_bounds.hpp applies them to a system. Each task has a set of threads that may run it; sets
// may overlap in part. A free thread takes the most urgent waiting task that it may run, and runs
// it to its end. A task whose exclusive group is busy is parked. When a task leaves the group, the
// group goes to its most urgent waiting member.
//
// Theorem. Take a run: tasks k1 ... kn with the same M threads, each started only by the task
// before it (often a single task). Let k1 be activated at a, and count the whole time units from a
// until kn begins. In each of them one task of the run is the next to end, and
//
// - it runs itself, or
// - it is parked, and a member of its group (or an earlier activation of its own) runs, or
// - it waits, or is parked behind a member that waits for the same threads. Then all M threads are
//   busy, or one would take it. They are busy with tasks that go before it, or with less urgent
//   tasks that had begun before the wait: no thread prefers less urgent tasks during the wait.
//
// So if kn has not begun after v units, v <= f(v). The bound is v - 1 + C_n, where v is the least
// number with v > f(v). Sobhani, Choi and Kim (RTAS 2023) count this way.
//
//     f(v) = C_1 + ... + C_(n-1) + parked(v) + most x
//     with  M x <= sum of min(work_g(v), x) + rest(v)
//
// - work_g: of an exclusive group g, all runs of its members at least as urgent as the least urgent
//   task of the run. Members never overlap, so no group fills more than one thread: min(..., x).
// - rest: the runs of reentrant tasks of that urgency; and less urgent tasks that had begun: M when
//   k1 is activated, M - 1 when a later task of the run is (the thread that ended the task before
//   has none), and M - 1 each time that a parked task goes on waiting, because threads may begin
//   less urgent work while it is parked. Each of these times an exclusive group has only one of
//   them, which shares the group's thread with the group's more urgent work. Each time except the
//   first, one of the M threads has just ended a task: if the run does not take this thread, the
//   thread runs only more urgent work until the run takes it. So all later blocking together is at
//   most M - 1 times that work.
// - parked: runs of the group's more urgent members, and one less urgent member that had begun;
//   earlier activations of its own.
//
// A sleeping thread is not busy, but needs time to wake up. The thread that makes a task ready
// wakes one sleeping thread. The woken thread may take a more urgent task that has come meanwhile,
// and then wakes the next thread. No thread goes to sleep while the task waits. So each time the
// task waits this adds M - 1 times the longest `wake`. The task's own `wake` is part of its cost.
//
// A task begins when a thread picks it, and a thread that wakes picks when it is on its core. More
// urgent tasks that come until then go first, so v must reach to the pick. It does, because a
// thread that wakes needs at most half of `wake`: `wake` has two switches, and the second one comes
// after the run. With M > 1 threads the M wakes before the pick take M/2 wakes at most, and f(v)
// has M - 1. With M = 1 the thread sleeps at a only if no work is there that goes before k1. If
// such work comes before the pick, the thread wakes within the cost of this work. If none comes, k1
// waits only for its own wake, which is in its cost. If a member of the group runs first, on a
// thread that k does not have, the next wake is within the other half of that run's `wake`.
//
// How many runs of a task fall into the window: an activation that was released (nominally) at s
// has ended by s + B, so it matters only if a - B < s < a + v. Of two equally urgent tasks the one
// that was released first goes first; for a single task those need s <= a. Tasks that only the
// run's end starts need s <= a, too, and are not of the run's own activation.
//
// The bounds B are the unknowns. They hold for this reason: suppose that bounds are exceeded, and
// take the one that is exceeded first in time. Its window lies before that moment, and all bounds
// in its equation are of activations that had to end before; none of these is exceeded. So the
// equation holds for this bound, a contradiction. Iteration finds the least solution.
//
// Members of an exclusive group that have other threads than k (a group that spans): while k waits,
// a less urgent member may slip in before k's first turn, and each time that a more urgent member
// leaves. A more urgent member may hold the group while it waits for its own threads, so its whole
// response counts as parked. After it M less urgent tasks may block again, without the limit of
// `rest`.
//
// Broken published forms assume that every deadline holds, and count blocking once for a whole
// chain (takt_bench/src/published).
//
// Times count in whole nanoseconds, and a run as one at least. Limits, so that no numbers can make
// them hang: a million terms for each task of those that share threads or groups, and a thousand
// rounds. A bound that is not found by then counts as unbounded.
//
// Set-up only: allocates, does not block.
#ifndef TAKT_PLAN__POOL_EQUATIONS_HPP_
#define TAKT_PLAN__POOL_EQUATIONS_HPP_

#include <vector>

#include "takt_plan/executor_bounds.hpp"
#include "takt_plan/model.hpp"

namespace takt_plan
{

/// A task of the pools. Times are in ns.
struct PooledTask
{
  /// One for each source. The jitter is the longest delay of the task's activation after the
  /// nominal release of the source.
  std::vector<Arrivals> arrivals;
  Ns cost = 0;
  std::vector<Index> threads;  ///< the threads that may run it, rising; never empty
  int priority = 0;            ///< larger first; among equals the earlier release
  Index group = kNone;         ///< the number of its exclusive group; kNone: a group of its own
  bool reentrant = false;      ///< its runs may overlap; `group` is ignored
  Ns serial = 0;               ///< reentrant: the part of its cost in which no other run of it can
                               ///< begin
  Ns wake = 0;                 ///< part of its cost; a thread that wakes for it looks for work
                               ///< after at most half of this time
  /// The only task that starts it: on the same host, at its end, without delay. Both tasks have
  /// equal arrivals with different jitters.
  Index after = kNone;
  /// A task outside of this list may delay the task: then it has no bound.
  bool outside = false;
};

/// The terms of the equations. All are needed: a test of soundness notices each omitted term.
struct PoolTerms
{
  bool blocking = true;      ///< less urgent tasks that had begun
  bool again = true;         ///< the same before later tasks of a run; published forms lack it
  bool while_parked = true;  ///< the same each time after the task was parked
  bool group = true;         ///< members of the group keep the task from idle threads
  bool queued = true;        ///< earlier activations of the task itself
  bool carry_in = true;      ///< activations that were released before the window
  bool wake = true;          ///< threads that wake each other, one after another
};

/// The bound of one task.
struct PooledResponse
{
  Ns response = kUnbounded;  ///< from the task's own activation
  /// The first task of the run that gives the best bound, and the bound from the activation of that
  /// task.
  Index first = kNone;
  Ns from_first = kUnbounded;
};

/// One for each task. kUnbounded if the bound exceeds `horizon`, or at the limits above.
std::vector<PooledResponse> pooled_responses(
  const std::vector<PooledTask> & tasks, Ns horizon, const PoolTerms & terms = {});

}  // namespace takt_plan

#endif  // TAKT_PLAN__POOL_EQUATIONS_HPP_
