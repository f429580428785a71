// Runs that wait, for the runs of others, as for a service's answer, or by sleeping: how long at
// most.
//
// A run of W sleeps for `Task::sleep`, starts the tasks of `Task::waits_for` by calls, one after
// the other, and waits until the last one has ended. Its thread then runs nothing else; its core is
// free.
//
// Theorem. Let S be the sum, over the calls of a run of W, of the call's delay, of the longest time
// from an activation of the called task to its end, and of one section at the middleware ceiling of
// W's core; for a sleep, of its time and one such section. If W is on a thread of fixed priority
// that picks by `priority` or `fifo`, all bounds hold with S added to what W takes from its core:
// the suspension-oblivious analysis, safe for fixed priorities on one core (Chen et al., "Many
// suspensions, many problems: a review of self-suspending tasks in real-time systems", Real-Time
// Systems 2019). Reason: count the time for which W waits as work of W's priority. Then W is
// released and runs without a pause. Less urgent work gets no more of the core than it really does,
// and work that is as urgent is delayed by no more than is counted. One thing is not counted: a
// section at the ceiling that a less urgent thread began while W slept, once for each time that W
// wakes. S has it.
//
// The called task is activated within the run, so between the nominal release of W's source and the
// latest end of W: a stream of W's period with that jitter, as behind any other sender. It does not
// continue W's segment.
//
// S and the bounds depend on each other. Both rise with each other from S = 0, and the least
// solution is right for the reason that local_analysis.hpp gives: take the first moment at which a
// run or a wait exceeds the solution.
//
// No bound, with a sentence: W is on a thread of another kind, or in a pool; a called task is on
// W's own thread, or on a thread of the same core that is not more urgent: then S would be part of
// itself.
//
// Set-up only: allocates, does not block.
#ifndef TAKT_PLAN__SRC__ANALYSIS__WAITS_HPP_
#define TAKT_PLAN__SRC__ANALYSIS__WAITS_HPP_

#include <optional>
#include <string>
#include <vector>

#include "takt_plan/model.hpp"

namespace takt_plan::detail
{

class PrioritySolver;

/// True if some task waits for others or sleeps.
bool any_waits(const Model & model);

/// Sets `Task::no_wait` for the waits that have no bound because of their threads. No wait has a
/// time yet.
void begin_waits(Model & model);

/// Sets the waits that follow from the results of `solver`, which must be for this model. False: no
/// wait changed.
bool update_waits(const PrioritySolver & solver, Model & model);

/// Sets `Task::no_wait` for the waits that still rise.
void give_up_waits(const PrioritySolver & solver, Model & model);

/// The reason why waits without a bound leave the task without one: its own wait, or that of a task
/// that may delay it. Empty: there is no such wait.
std::string refuse_waits(const Model & model, Index task);

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__ANALYSIS__WAITS_HPP_
