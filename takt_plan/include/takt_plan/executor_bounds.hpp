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
//   What interferes and blocks is the caller's to say. The lemma for polled tasks is known to be off
//   in places and serves as a cross-check only.
//
// - Round robin, after Blaß, Casini, Bozhko and Brandenburg, "A ROS 2 Response-Time Analysis
//   Exploiting Starvation Freedom and Execution-Time Variance" (RTSS 2021), Theorem 2, with scalar
//   times and unknown order: between two polling points each polled task runs at most once. With
//   assumed bounds R of all tasks, found by iteration:
//
//       K    = arrivals(R)                                    polling points it meets at most
//       n_x  = arrivals_x(S + R_x - 1), for polled x at most K + 1
//       S*   = least S with sbf(S) >= 1 + sum of C_x n_x + C (arrivals(S + R - 1) - 1)
//       R*   = least t with sbf(t) >= sbf(S*) - 1 + C
//
//   For a run of tasks that start each other, K is the sum over the run, and the rest is the last
//   task's: work is counted once for the run, not once for each of its tasks.
//
// - Busy window, from the same paper, Theorem 3: the thread had nothing to do before time 0, so what
//   may delay an activation at time A was released at 0 or later, however late it may be in general.
//   K is that of Theorem 2:
//
//       n_x  = arrivals_x(S), for polled x at most arrivals_x(A) + K + 1
//       S*   = least S with sbf(S) >= 1 + sum of C_x n_x + C (arrivals(A + 1) - 1)
//       F*   = least t with sbf(t) >= sbf(S*) - 1 + C
//       R*   = the largest F* - A over all A of the busy window
//
//   Where a run of tasks was activated is not known from A, the activation of its last task; the
//   theorem takes 0. Here the run's tasks before the last are known to end by some `prefix` after the
//   run's activation, so that A - prefix is nearer, and K is the last task's alone.
//
// Neither of the theorems 2 and 3 is always below the other. Both hold for whatever bounds R hold, so
// the smaller one may be put into both.
//
// Which timer rule: under `snapshot` every task is polled; under `immediate` timers are not.
//
// What takes the thread's core away is not part of the theorems. It is taken off the supply:
// wherever they ask for sbf(t) >= x, here it is sbf(t) >= x + taken(t) + once, with `taken(t)` the
// most that is taken in any interval of length t. That is a supply again, for sbf(t) - taken(t) -
// once is what the thread gets at least in an interval in which it has work; the run that is looked
// at is exposed to it up to its end.
//
// Limits, so that no numbers can make them hang: a million evaluations for each task, and a thousand
// rounds over all tasks. What is not found by then counts as unbounded; real systems need thousands.
// A task whose bound still grows after the thousand rounds does not take the others' from them.
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

/// Releases at most one per `period`, each up to `jitter` late.
struct Arrivals
{
  Ns period = 1;
  Ns jitter = 0;

  friend bool operator==(const Arrivals &, const Arrivals &) = default;
};

/// A task, or work that is always done together.
struct Demand
{
  std::vector<Arrivals> arrivals;  ///< of each of its sources
  Ns cost = 0;                     ///< per release

  /// Releases in any interval of `length`, its end not included.
  Ns releases(Ns length) const;
  Ns work(Ns length) const { return multiply(releases(length), cost); }

  friend bool operator==(const Demand &, const Demand &) = default;
};

/// What a thread gets of its core or cores.
struct Service
{
  Service(Supply of) : supply(std::move(of)) {}  // NOLINT(google-explicit-constructor)

  Supply supply;
  std::vector<Demand> taken;  ///< by what the kernel prefers to the thread, at any time
  Ns once = 0;                ///< by what is less urgent, once while the thread has work

  /// In any interval of `length` in which the thread has work, at most.
  Ns taken_in(Ns length) const;
};

/// kUnbounded beyond `horizon` and beyond the limits above.
Ns nonpreemptive_bound(
  const Service & service, const Demand & own, const std::vector<Demand> & interferers, Ns blocking,
  Ns horizon);

struct ExecutorTask
{
  Demand demand;
  bool polled = true;  ///< false: need not wait for a polling point, and goes before all that do
  /// Releases of its sources in an interval that begins when the thread had nothing to do. What the
  /// end of another of its tasks starts at once is released as often as that one, whenever that one
  /// ends. Empty: the same as in any other interval.
  std::vector<Arrivals> in_window = {};
};

/// The terms of the equations that are easily forgotten. All are needed: leaving one out shows that a
/// test of soundness would notice.
struct RoundRobinTerms
{
  bool queued = true;    ///< earlier activations of the task itself
  bool extra = true;     ///< one run more than polling points: + 1
  bool blocking = true;  ///< of tasks that are not polled

  friend bool operator==(const RoundRobinTerms &, const RoundRobinTerms &) = default;
};

/// The same for Theorem 3. A simulation notices only the first three: K is counted so generously that
/// it covers for the others.
struct BusyWindowTerms
{
  bool queued = true;  ///< earlier activations of the task itself
  bool later = true;   ///< activations after the window's beginning
  bool points = true;  ///< polling points that it meets: K
  bool extra = true;   ///< one run more than polling points: + 1
  bool before = true;  ///< runs before its activation: arrivals_x(A)
};

/// One bound per task, from its release; those of tasks that are not polled by
/// `nonpreemptive_bound`, with all others of their kind interfering and one polled task blocking.
std::vector<Ns> round_robin_bounds(
  const Service & service, const std::vector<ExecutorTask> & tasks, Ns horizon,
  const RoundRobinTerms & terms = {});

/// The same by Theorem 3 for those that are polled.
std::vector<Ns> busy_window_bounds(
  const Service & service, const std::vector<ExecutorTask> & tasks, Ns horizon,
  const BusyWindowTerms & terms = {});

/// The same by the smaller one of both theorems, each with the smaller bounds.
std::vector<Ns> round_robin_or_busy_window_bounds(
  const Service & service, const std::vector<ExecutorTask> & tasks, Ns horizon);

/// Tasks of which each but the first is polled and started by every end of the one before, at once, and
/// perhaps by others. Positions among the tasks; not empty.
using TaskRun = std::vector<std::size_t>;

/// From the activation of the first to the end of the last, with a bound of each task; Theorem 2.
Ns round_robin_run_bound(
  const Service & service, const std::vector<ExecutorTask> & tasks, const TaskRun & run,
  const std::vector<Ns> & bounds, Ns horizon, const RoundRobinTerms & terms = {});

/// The same by Theorem 3, as it is printed.
Ns busy_window_run_bound(
  const Service & service, const std::vector<ExecutorTask> & tasks, const TaskRun & run,
  const std::vector<Ns> & bounds, Ns horizon, const BusyWindowTerms & terms = {});

/// The least that can be said of a run: by Theorem 2, by Theorem 3 with the bound of the run without
/// its last task as `prefix`, or that bound and the last task's.
Ns run_bound(
  const Service & service, const std::vector<ExecutorTask> & tasks, const TaskRun & run,
  const std::vector<Ns> & bounds, Ns horizon, const BusyWindowTerms & terms = {});

}  // namespace takt_plan

#endif  // TAKT_PLAN__EXECUTOR_BOUNDS_HPP_
