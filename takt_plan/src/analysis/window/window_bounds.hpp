// Response-time bounds for threads that pick by `window`: ROS 2's polling points.
//
// Theorem: RTSS 2021, the smaller of Theorem 2 (round robin) and Theorem 3 (busy window), for each task
// from its own activation; executor_bounds.hpp has the equations. The timer rule decides what is polled:
//
// - `snapshot`: timers wait for the polling point as everything else does, so every task is polled;
// - `immediate`: timers need not wait; they are not polled, and bound as non-preemptive work of the
//   highest priority. Among timers any order is assumed.
//
// Tasks of the thread that start each other at once are bounded as a run, up to sixteen of them, where
// that is less than the sum over them: `run_bound` of executor_bounds.hpp. From one run, and from one
// thread, to the next the bound is lateness, which is jitter there.
//
// Threads of the same core that are at least as urgent, and less urgent threads at the middleware
// ceiling, take from the time that the thread gets (takt_plan/src/analysis/thread_service.hpp has the
// proof).
//
// Assumptions. Those of priority_bounds.hpp. Registration order is not known to the model, so any
// is assumed.
//
// Refused with a sentence, per task and chain: threads of another order; threads without a fixed
// priority and a core of their own; tasks on several threads; exclusive groups that span threads;
// on the core, deadline threads, following ones, and those that may be on other cores as well and
// may take it; overload, and whatever depends on something without a bound.
//
// `window_bounds` looks at these threads alone: what others start has no bound, and what is more
// urgent must be of order `window` as well. `bounds` (bounds.hpp) looks at all kinds together.
//
// Limits, so that no model can make it hang: a million evaluations for each task of a thread, shared by
// its tasks, and a thousand rounds over all. A thread that needs more is refused, also if its tasks have
// bounds: it is nearly full, or released in bursts of very many.
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
  /// Bounds beyond this count as none. 0: a hundred times the longest period of the model.
  Ns horizon = 0;
  /// Of round robin. With one left out, or `round_robin_only`, nothing else is used.
  RoundRobinTerms terms;
  bool round_robin_only = false;
};

struct WindowBounds
{
  /// One per task: from the nominal release of the source that started it to its end; the largest
  /// over its sources. For a task that waits for messages of several sources: of the last one.
  std::vector<takt_rt::Result<Ns>> tasks;
  std::vector<takt_rt::Result<Ns>> chains;
};

/// Faults: those of `check` (model.hpp).
takt_rt::Result<WindowBounds> window_bounds(
  const Model & model, const WindowOptions & options = {});

}  // namespace takt_plan

#endif  // TAKT_PLAN__SRC__WINDOW_BOUNDS_HPP_
