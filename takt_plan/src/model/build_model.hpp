// Makes the analysis model of a system under a schedule.
//
// Which rule decides for a callback is asked of the schedule's own resolver, so analysis sees the
// threads and priorities that a running executor would use. Set-up only: allocates, does not block.
//
// How the overheads of a host become numbers of a task:
// - `dispatch` once per run, and `context_switch` twice: a run causes at most one wake-up or
//   preemption when it begins and one switch back when it ends. On a thread of policy rr that shares
//   its priority and a core with another one also twice for each quantum of its time that it begins:
//   the other may go first then;
// - `middleware` once for each message a run takes (none for timers, also one from outside of the
//   model, one of each topic where all of them start it) and once for each it publishes. The model
//   does not say how it divides between the two sides, so each side is charged in full.
#ifndef TAKT_PLAN__SRC__BUILD_MODEL_HPP_
#define TAKT_PLAN__SRC__BUILD_MODEL_HPP_

#include "takt_plan/model.hpp"
#include "takt_rt/result.hpp"
#include "takt_schedule/schedule.hpp"
#include "takt_schedule/system.hpp"

namespace takt_plan
{

/// Chains are those of the system, and those of the schedule whose names the system does not use.
/// Faults, all at once: executors the schedule lacks, rules that tie, cores the host does not have
/// or keeps for others, cores a callback may not use, chains that are no paths, and what `check`
/// (model.hpp) finds.
takt_rt::Result<Model> build_model(
  const takt_schedule::System & system, const takt_schedule::Schedule & schedule);

}  // namespace takt_plan

#endif  // TAKT_PLAN__SRC__BUILD_MODEL_HPP_
