// A planner's decision: the threads, their cores and priorities, and the tasks of each thread.
//
// Planners make assignments. The analysis gets an assignment in the model (`assign`), executors get
// it in the schedule (`schedule_of`), and both are equal. Set-up only: allocates, does not block.
#ifndef TAKT_PLAN__ASSIGNMENT_HPP_
#define TAKT_PLAN__ASSIGNMENT_HPP_

#include <vector>

#include "takt_plan/model.hpp"
#include "takt_schedule/schedule.hpp"
#include "takt_schedule/system.hpp"

namespace takt_plan
{

/// A thread that is pinned to one core and has the order `priority`.
struct AssignedThread
{
  Index executor = kNone;
  Index core = kNone;
  int priority = 0;               ///< of SCHED_FIFO, 1 to 99; 0: the thread runs under the fair
                                  ///< scheduler
  std::vector<Index> tasks;       ///< most urgent first; never empty
  bool above_middleware = false;  ///< more urgent than the host's threads of the middleware
  friend bool operator==(const AssignedThread &, const AssignedThread &) = default;
};

/// The first release of a timer, in ns from the start of its process.
struct AssignedOffset
{
  Index task = kNone;
  Ns offset = 0;
  friend bool operator==(const AssignedOffset &, const AssignedOffset &) = default;
};

/// A planner's decision for one system.
struct Assignment
{
  std::vector<AssignedThread> threads;
  std::vector<AssignedOffset> offsets;  ///< timers that are not listed keep the model's offsets
  friend bool operator==(const Assignment &, const Assignment &) = default;
};

/// The middleware ceiling of each executor's threads (takt_core::ceiling_to_ask).
std::vector<int> ceilings_of(const Assignment & assignment, Index executors);

/// Replaces the threads of `model` by those of the assignment, and the offsets of its timers. Each
/// task must be in exactly one thread, on a core of its host. `ceilings`: per executor.
void assign(const Assignment & assignment, const std::vector<int> & ceilings, Model & model);

/// The assignment as a schedule file, with the chains of the system. Each thread has the name of
/// the most important chain that it serves. `model`: of that system. Stable: the order depends only
/// on the assignment and the system.
takt_schedule::Schedule schedule_of(
  const Assignment & assignment, const Model & model, const takt_schedule::System & system);

}  // namespace takt_plan

#endif  // TAKT_PLAN__ASSIGNMENT_HPP_
