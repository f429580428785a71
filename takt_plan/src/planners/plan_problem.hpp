// The planners' input: a system's tasks, the units that must share a thread, and the cores that
// these may use.
//
// Set-up only: allocates, does not block.
#ifndef TAKT_PLAN__SRC__PLAN_PROBLEM_HPP_
#define TAKT_PLAN__SRC__PLAN_PROBLEM_HPP_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "planners/talking.hpp"
#include "takt_plan/model.hpp"
#include "takt_plan/planner.hpp"
#include "takt_rt/result.hpp"
#include "takt_schedule/system.hpp"

namespace takt_plan::detail
{

/// Tasks that must run on one thread: an exclusive group, or a single task.
struct Unit
{
  std::vector<Index> tasks;  ///< in trigger order
  Index executor = kNone;
  std::vector<Index> cores;  ///< every task of the unit may run on these; never empty
  double utilization = 0;
  Ns period = kUnbounded;  ///< the shortest period that starts a task of the unit
  /// The shortest deadline of a chain through it; without a chain its period.
  Ns deadline = kUnbounded;
  /// The depth of waits. 0: no task of the unit waits for others; 1: one waits; 2: the tasks that
  /// it waits for wait, too; and so on.
  int waits = 0;
  bool awaited = false;  ///< some task waits for one of its tasks
  int importance = -1;   ///< priority of the most important chain through it; -1: none
};

class Layout;

struct PlanProblem
{
  /// The model without placement, which `assign` (assignment.hpp) adds.
  Model model;
  std::vector<Unit> units;
  std::vector<Index> unit_of;            ///< per task
  std::vector<Index> order;              ///< tasks in trigger order
  std::vector<Index> position;           ///< of each task in `order`
  std::vector<std::vector<Index>> next;  ///< per task: the tasks that it starts
  /// Per task: the tasks right before and after it on the path of a chain, if one of the two reads
  /// the other's messages.
  std::vector<std::vector<Index>> beside_by_reading;
  std::vector<Index> chains;  ///< most important first; if equal, the shorter deadline first
  std::vector<Ns> deadlines;  ///< per task: the shortest deadline of a chain through it
  std::vector<double> loads;  ///< per task: share of a core
  std::vector<double> rates;  ///< per task: runs per ns
  std::vector<double> room;   ///< per core: the share that the model may use beside other threads
  std::vector<Band> bands;    ///< per host: the OS priorities of plans
  std::vector<bool> talks;    ///< per executor: see talking.hpp
  /// Timers to which a schedule may give offsets.
  std::vector<Index> timers;
  /// `score` judges by job windows only.
  bool by_phases = false;
  bool chooses_offsets = false;  ///< a walk chooses offsets
  /// The search for a first plan is short, because a walk follows.
  bool brief = false;
  bool keeps_short = false;         ///< plans should keep the most important chains short
  bool enough_when_proven = false;  ///< see PlanOptions
  std::uint64_t seed = 1;
  std::function<double()> time_used;  ///< see PlanOptions
  double until = 1;  ///< the share of the time after which the current step must end
  /// See PlanOptions, but `plans` counts the plans since the call before.
  std::function<void(const PlanProgress &)> progress;
  /// A random walk calls it with each plan that keeps more deadlines than the plans before.
  std::function<void(const Layout &)> found;

  double utilization(Index task) const;
  /// True if the current step must end. Any thread.
  bool time_is_up() const { return time_used && time_used() >= until; }
};

/// A chain's path, and all tasks that its runs wait for, directly or not.
std::vector<Index> with_awaited(const Model & model, std::vector<Index> path);

/// True if plans may use core `number` of the host.
bool usable(const takt_schedule::HostModel & host, int number, const PlanOptions & options);

/// Makes the planners' input. `options`: only the usable cores matter. Faults: those of the model,
/// cores that no host has, hosts without usable cores, and groups whose callbacks have no core in
/// common.
takt_rt::Result<PlanProblem> plan_problem(
  const takt_schedule::System & system, const PlanOptions & options);

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__PLAN_PROBLEM_HPP_
