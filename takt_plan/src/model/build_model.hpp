// Makes the analysis model of a system under a schedule.
//
// The schedule's own resolver decides which rule applies to a callback. So the analysis has the
// threads and priorities of a running executor. Set-up only: allocates, does not block.
//
// The overheads of a host become numbers of a task:
// - `dispatch` counts once per run, and `context_switch` twice: a run causes at most one wake-up or
//   preemption when it begins, and one switch back when it ends. On a thread of policy rr that
//   shares its priority and a core with another thread, it also counts twice for each quantum that
//   the run begins, because the other thread may run after the quantum;
// - `middleware` counts once for each message that a run takes (also for messages from outside of
//   the model; not for timers; once for each topic if a message of each topic starts the run
//   together), and once for each message that it publishes. The model does not say how the cost
//   divides between publisher and reader, so each side has all of it.
#ifndef TAKT_PLAN__SRC__BUILD_MODEL_HPP_
#define TAKT_PLAN__SRC__BUILD_MODEL_HPP_

#include "takt_plan/model.hpp"
#include "takt_rt/result.hpp"
#include "takt_schedule/schedule.hpp"
#include "takt_schedule/system.hpp"

namespace takt_plan
{

/// The chains are those of the system, and those of the schedule with other names. Faults, all at
/// once: executors that the schedule lacks, rules that tie, cores that the host lacks or reserves,
/// cores that a callback may not use, chains that are not paths, and the faults of `check`
/// (model.hpp).
takt_rt::Result<Model> build_model(
  const takt_schedule::System & system, const takt_schedule::Schedule & schedule);

}  // namespace takt_plan

#endif  // TAKT_PLAN__SRC__BUILD_MODEL_HPP_
