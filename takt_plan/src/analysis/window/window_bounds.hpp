// Response-time bounds for threads that pick by `window`: ROS 2's polling points.
//
// Theorem: RTSS 2021, by the smaller bound of Theorem 2 (round robin) and Theorem 3 (busy window),
// for each task from its own activation; executor_bounds.hpp has the equations. The timer rule
// decides which tasks are polled:
//
// - `snapshot`: timers wait for the polling point as everything else does, so every task is polled;
// - `immediate`: timers need not wait; they are not polled, and bound as non-preemptive work of the
//   highest priority. Among timers any order is assumed.
//
// Up to sixteen tasks of the thread that start each other at once are bounded as a run, if that
// bound is smaller than the sum of their bounds: `run_bound` of executor_bounds.hpp. The bound of a
// run is the lateness of the tasks that the run starts, on any thread. Lateness counts as jitter
// there.
//
// Threads of the same core that are at least as urgent, and less urgent threads at the middleware
// ceiling, take from the time that the thread gets (takt_plan/src/analysis/thread_service.hpp has
// the proof).
//
// Assumptions. Those of priority_bounds.hpp. The model does not know the order of registration, so
// the analysis assumes any order.
//
// Refused with a sentence, per task and chain: threads of another order; threads without a fixed
// priority and a core of their own; tasks on several threads; exclusive groups that span threads;
// cores with deadline threads, following threads, or more urgent threads that may also use other
// cores; overload; and tasks that depend on a task without a bound.
//
// `window_bounds` examines only these threads: a task that another thread starts has no bound, and
// more urgent threads must be of order `window`, too. `bounds` (bounds.hpp) examines threads of all
// kinds together.
//
// Limits, so that no model can make it hang: a million evaluations for each task of a thread,
// shared by its tasks, and a thousand rounds over all. A thread that needs more is refused, also if
// its tasks have bounds: it is nearly full, or released in bursts of very many.
//
// Set-up only: allocates, does not block.
#ifndef TAKT_PLAN__SRC__WINDOW_BOUNDS_HPP_
#define TAKT_PLAN__SRC__WINDOW_BOUNDS_HPP_

#include <vector>

#include "takt_plan/executor_bounds.hpp"
#include "takt_plan/model.hpp"
#include "takt_rt/result.hpp"

namespace takt_plan
{

struct WindowOptions
{
  /// The analysis drops bounds above this, in ns. 0: a hundred times the longest period of the
  /// model.
  Ns horizon = 0;
  /// The terms of round robin. If one is omitted, or with `round_robin_only`, the analysis uses
  /// round robin alone.
  RoundRobinTerms terms;
  bool round_robin_only = false;
};

struct WindowBounds
{
  /// For each task: the time from the nominal release of its source to its end; the largest over
  /// its sources. A task that waits for messages of several sources counts from the last one.
  std::vector<takt_rt::Result<Ns>> tasks;
  std::vector<takt_rt::Result<Ns>> chains;
};

/// Faults: those of `check` (model.hpp).
takt_rt::Result<WindowBounds> window_bounds(
  const Model & model, const WindowOptions & options = {});

}  // namespace takt_plan

#endif  // TAKT_PLAN__SRC__WINDOW_BOUNDS_HPP_
