// What planners start from: a system's tasks, those of them that must share a thread, and where they
// may be.
//
// Set-up only: allocates, does not block.
#ifndef TAKT_PLAN__SRC__PLAN_PROBLEM_HPP_
#define TAKT_PLAN__SRC__PLAN_PROBLEM_HPP_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "takt_plan/model.hpp"
#include "takt_plan/planner.hpp"
#include "takt_rt/result.hpp"
#include "takt_schedule/system.hpp"

namespace takt_plan::detail
{

/// Tasks that one thread must run: an exclusive group, or one task by itself.
struct Unit
{
  std::vector<Index> tasks;  ///< in trigger order
  Index executor = kNone;
  std::vector<Index> cores;  ///< each of its tasks may be there; never empty
  double utilization = 0;
  Ns period = kUnbounded;    ///< the shortest with which something starts one of them
  Ns deadline = kUnbounded;  ///< the shortest of the chains through it; without chains its period
  int waits =
    0;  ///< how deep: 1 if one of its tasks waits for others, 2 if those wait, too; 0: none waits
  bool awaited = false;  ///< some task waits for one of its tasks
  int importance = -1;   ///< priority of the most important chain through it; -1: none
};

class Layout;

struct PlanProblem
{
  /// Placement left open: what `assign` (assignment.hpp) puts in.
  Model model;
  std::vector<Unit> units;
  std::vector<Index> unit_of;            ///< per task
  std::vector<Index> order;              ///< tasks in trigger order
  std::vector<Index> position;           ///< of each task in that
  std::vector<std::vector<Index>> next;  ///< per task: those it starts
  /// Per task: those beside it on a chain's path where one reads what the other publishes.
  std::vector<std::vector<Index>> beside_by_reading;
  std::vector<Index> chains;  ///< most important first; of equals the one with the shorter deadline
  std::vector<Ns> deadlines;  ///< per task: the shortest of the chains through it
  std::vector<double> loads;  ///< per task: share of a core
  std::vector<double> rates;  ///< per task: how often it runs, per ns
  std::vector<double> room;   ///< per core: what the model may use of it, other threads apart
  struct Band
  {
    int least = 1;
    int most = 90;
  };
  std::vector<Band> bands;  ///< of OS priorities, per host
  /// Timers that a schedule may give an offset.
  std::vector<Index> timers;
  /// `score` judges by job windows alone.
  bool by_phases = false;
  bool chooses_offsets = false;     ///< a walk does
  bool brief = false;               ///< the search for a first plan is short: a walk follows
  bool keeps_short = false;         ///< what the most important chains wait counts
  bool enough_when_proven = false;  ///< PlanOptions
  std::uint64_t seed = 1;
  std::function<double()> time_used;  ///< PlanOptions
  double until = 1;  ///< the share of the time at which what is at work takes what is there
  std::function<void(const PlanProgress &)> progress;  ///< PlanOptions
  /// Called by a random walk with each plan that keeps more deadlines than those before.
  std::function<void(const Layout &)> found;

  double utilization(Index task) const;
  /// Any thread.
  bool time_is_up() const { return time_used && time_used() >= until; }
};

/// A chain's path, and the tasks that its runs wait for, at whatever distance.
std::vector<Index> with_awaited(const Model & model, std::vector<Index> path);

/// Whether plans may use the host's core of that number.
bool usable(const takt_schedule::HostModel & host, int number, const PlanOptions & options);

/// `options`: of these, the cores that may be used. Faults: those of the model, cores that no host has,
/// hosts that have none of the cores, and groups whose callbacks have no core in common.
takt_rt::Result<PlanProblem> plan_problem(
  const takt_schedule::System & system, const PlanOptions & options);

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__PLAN_PROBLEM_HPP_
