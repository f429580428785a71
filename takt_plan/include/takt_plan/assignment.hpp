// What a planner decides: which threads there are, where, how urgent, and which tasks each runs.
//
// Planners make assignments; analysis sees one in the model (`assign`), executors in the schedule
// (`schedule_of`), and both say the same. Set-up only: allocates, does not block.
#ifndef TAKT_PLAN__ASSIGNMENT_HPP_
#define TAKT_PLAN__ASSIGNMENT_HPP_

#include <vector>

#include "takt_plan/model.hpp"
#include "takt_schedule/schedule.hpp"
#include "takt_schedule/system.hpp"

namespace takt_plan
{

/// A thread pinned to one core; of order `priority`.
struct AssignedThread
{
  Index executor = kNone;
  Index core = kNone;
  int priority = 0;          ///< of SCHED_FIFO, 1 to 99; 0: it runs under the fair scheduler
  std::vector<Index> tasks;  ///< most urgent first; never empty
  friend bool operator==(const AssignedThread &, const AssignedThread &) = default;
};

/// The first release of a timer, from the start of its process.
struct AssignedOffset
{
  Index task = kNone;
  Ns offset = 0;
  friend bool operator==(const AssignedOffset &, const AssignedOffset &) = default;
};

struct Assignment
{
  std::vector<AssignedThread> threads;
  std::vector<AssignedOffset> offsets;  ///< of timers; all others keep the offsets of the model
  friend bool operator==(const Assignment &, const Assignment &) = default;
};

/// What the threads of each executor publish and take at (takt_core::ceiling_to_ask).
std::vector<int> ceilings_of(const Assignment & assignment, Index executors);

/// Puts the tasks of `model` where the assignment has them: its threads replace those of the model, its
/// offsets those of the timers. Every task must be in exactly one thread, on a core of its host. `ceilings`: per executor.
void assign(const Assignment & assignment, const std::vector<int> & ceilings, Model & model);

/// The same as a schedule file says it, with the chains of the system. Threads are called after the
/// most important chain they serve. `model`: of that system. Stable: no order but that of the
/// assignment and the system.
takt_schedule::Schedule schedule_of(
  const Assignment & assignment, const Model & model, const takt_schedule::System & system);

}  // namespace takt_plan

#endif  // TAKT_PLAN__ASSIGNMENT_HPP_
