// Response-time equations of a single thread that runs tasks to their end, on plain numbers.
//
// Three theorems:
//
// - Non-preemptive work, after Casini, Blaß, Lütkebohle and Brandenburg, "Response-Time Analysis of
//   ROS 2 Processing Chains Under Reservation-Based Scheduling" (ECRTS 2019), in the common form of
//   its lemmas for event sources, timers, polled tasks and chains: for every offset A in the busy
//   window the least R with
//
//       sbf(A + R) >= own(A + 1) + sum of interferers(A + R - C + 1) + blocking
//
//   The caller gives the interferers and the blocking. The lemma for polled tasks has known faults,
//   and serves only as a cross-check.
//
// - Round robin, after Blaß, Casini, Bozhko and Brandenburg, "A ROS 2 Response-Time Analysis
//   Exploiting Starvation Freedom and Execution-Time Variance" (RTSS 2021), Theorem 2, with scalar
//   times and unknown order: between two polling points each polled task runs at most once. With
//   assumed bounds R of all tasks, found by iteration:
//
//       K    = arrivals(R)                                    most polling points that it meets
//       n_x  = arrivals_x(S + R_x - 1), for polled x at most K + 1
//       S*   = least S with sbf(S) >= 1 + sum of C_x n_x + C (arrivals(S + R - 1) - 1)
//       R*   = least t with sbf(t) >= sbf(S*) - 1 + C
//
//   For a run of tasks that start each other, K is the sum over the run, and all else is that of
//   the last task: work counts once for the run, not once for each of its tasks.
//
// - Busy window, from the same paper, Theorem 3: the thread had no work before time 0. So all work
//   that may delay an activation at time A was released at 0 or later, however late its releases
//   may be in general. K is that of Theorem 2:
//
//       n_x  = arrivals_x(S), for polled x at most arrivals_x(A) + K + 1
//       S*   = least S with sbf(S) >= 1 + sum of C_x n_x + C (arrivals(A + 1) - 1)
//       F*   = least t with sbf(t) >= sbf(S*) - 1 + C
//       R*   = the largest F* - A over all A of the busy window
//
//   From A, the activation of the last task of a run, the activation of the run is not known; the
//   theorem takes 0. Here the earlier tasks of the run are known to end by some `prefix` after the
//   run's activation. So A - prefix is closer, and K is that of the last task alone.
//
// Neither of the theorems 2 and 3 is always below the other. Both hold for any bounds R that hold,
// so each may use the smaller bounds of both.
//
// The timer rule decides which tasks are polled: under `snapshot` all tasks; under `immediate` all
// but timers.
//
// The theorems do not have work that takes the thread's core away. It is subtracted from the
// supply: for each sbf(t) >= x of the theorems, the condition here is sbf(t) >= x + taken(t) +
// once. `taken(t)` is the most time that is taken in any interval of length t. The difference is a
// supply again: the thread gets at least sbf(t) - taken(t) - once in an interval in which it has
// work. The analysed run is exposed to such work up to its end.
//
// Limits, so that no numbers can make them hang: a million evaluations for each task, and a
// thousand rounds over all tasks. A bound that is not found by then counts as unbounded; real
// systems need thousands of evaluations. If the bound of one task still grows after a thousand
// rounds, the other tasks keep theirs.
//
// Set-up only: allocates, does not block.
#ifndef TAKT_PLAN__EXECUTOR_BOUNDS_HPP_
#define TAKT_PLAN__EXECUTOR_BOUNDS_HPP_

#include <utility>
#include <vector>

#include "takt_plan/nanoseconds.hpp"
#include "takt_plan/supply.hpp"

namespace takt_plan
{

/// At most one release in each `period`, each up to `jitter` late.
struct Arrivals
{
  Ns period = 1;
  Ns jitter = 0;

  friend bool operator==(const Arrivals &, const Arrivals &) = default;
};

/// A task, or several tasks that always run together.
struct Demand
{
  std::vector<Arrivals> arrivals;  ///< of each of its sources
  Ns cost = 0;                     ///< for each release

  /// The largest number of releases in an interval of `length` ns, without its end.
  Ns releases(Ns length) const;
  /// The longest time of these releases in ns.
  Ns work(Ns length) const { return multiply(releases(length), cost); }

  friend bool operator==(const Demand &, const Demand &) = default;
};

/// The time that a thread gets of its core or cores.
struct Service
{
  Service(Supply of) : supply(std::move(of)) {}  // NOLINT(google-explicit-constructor)

  Supply supply;
  std::vector<Demand> taken;  ///< threads that the kernel prefers at any time take it
  Ns once = 0;                ///< by less urgent work, once while the thread has work

  /// The most time taken from the thread in an interval of `length` in which it has work.
  Ns taken_in(Ns length) const;
};

/// kUnbounded if the bound exceeds `horizon`, or at the limits above.
Ns nonpreemptive_bound(
  const Service & service, const Demand & own, const std::vector<Demand> & interferers, Ns blocking,
  Ns horizon);

/// A task of the thread.
struct ExecutorTask
{
  Demand demand;
  /// False: it does not wait for a polling point, and precedes all polled tasks.
  bool polled = true;
  /// Releases of its sources in an interval that begins when the thread has no work. If the end of
  /// another task of the thread starts this task, it is released as often as that task. Empty: as
  /// in any other interval.
  std::vector<Arrivals> in_window = {};
};

/// Terms of the equations that are easily forgotten. All are needed: a test of soundness notices
/// each omitted term.
struct RoundRobinTerms
{
  bool queued = true;    ///< earlier activations of the task itself
  bool extra = true;     ///< one run more than there are polling points: + 1
  bool blocking = true;  ///< tasks that are not polled block

  friend bool operator==(const RoundRobinTerms &, const RoundRobinTerms &) = default;
};

/// The same for Theorem 3. A simulation notices only the first three: the large count K hides the
/// others.
struct BusyWindowTerms
{
  bool queued = true;  ///< earlier activations of the task itself
  bool later = true;   ///< activations after the beginning of the window
  bool points = true;  ///< the number K of polling points
  bool extra = true;   ///< one run more than there are polling points: + 1
  bool before = true;  ///< runs before the task's activation: arrivals_x(A)
};

/// One bound for each task, from its release. Tasks that are not polled get theirs from
/// `nonpreemptive_bound`: all other tasks that are not polled interfere, and one polled task
/// blocks.
std::vector<Ns> round_robin_bounds(
  const Service & service, const std::vector<ExecutorTask> & tasks, Ns horizon,
  const RoundRobinTerms & terms = {});

/// The same by Theorem 3, for polled tasks.
std::vector<Ns> busy_window_bounds(
  const Service & service, const std::vector<ExecutorTask> & tasks, Ns horizon,
  const BusyWindowTerms & terms = {});

/// The smaller bound of both theorems. Each theorem uses the smaller bounds of all tasks.
std::vector<Ns> round_robin_or_busy_window_bounds(
  const Service & service, const std::vector<ExecutorTask> & tasks, Ns horizon);

/// Positions of tasks; not empty. Each task but the first is polled. Each end of the task before
/// starts it at once; other tasks may start it, too.
using TaskRun = std::vector<std::size_t>;

/// From the activation of the first task to the end of the last, given a bound of each task, by
/// Theorem 2.
Ns round_robin_run_bound(
  const Service & service, const std::vector<ExecutorTask> & tasks, const TaskRun & run,
  const std::vector<Ns> & bounds, Ns horizon, const RoundRobinTerms & terms = {});

/// The same by Theorem 3, as printed in the paper.
Ns busy_window_run_bound(
  const Service & service, const std::vector<ExecutorTask> & tasks, const TaskRun & run,
  const std::vector<Ns> & bounds, Ns horizon, const BusyWindowTerms & terms = {});

/// The smallest of three bounds: by Theorem 2; by Theorem 3, with the bound of the run without its
/// last task as `prefix`; and that bound plus the bound of the last task.
Ns run_bound(
  const Service & service, const std::vector<ExecutorTask> & tasks, const TaskRun & run,
  const std::vector<Ns> & bounds, Ns horizon, const BusyWindowTerms & terms = {});

}  // namespace takt_plan

#endif  // TAKT_PLAN__EXECUTOR_BOUNDS_HPP_
