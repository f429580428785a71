// From a system to a schedule for it: which threads there are, on which cores, with which OS
// priorities, and which callbacks each runs in what order.
//
// All planners answer with SCHED_FIFO threads pinned to cores, each with order `priority`, which
// `priority_bounds` can bound. What they decide is judged by that analysis, the same for all.
//
// - `takt`: chain-aware search with the analysis in the loop. Chains are placed whole, most important
//   first, most loading first, or most urgent first, each on the core where it fits first, or where
//   the smallest slack stays largest; the best of these attempts is improved by moving what has the
//   least slack. What fits on no core is split along the chain. Urgency on a core goes by deadline,
//   or another place is looked for. Then threads are merged for as long as the smallest slack allows.
//   Objective: deadlines of chains from the most important one down, callbacks without a bound, the
//   smallest normalised slack up to `keep_slack`, the fewest threads.
// - `isolated`: one thread for each callback group, OS priority by deadline (that of the tightest
//   chain through it, or its period). Chains are placed whole on the core with the most room, the most
//   loading first; those that fit on none, unit by unit.
// - `rate_monotonic`: the same with OS priority by period.
// - `picas`: callback and executor priorities R1 to R7 and node allocation of Choi, Xiang and Kim,
//   "PiCAS: New Design of Priority-Driven Chain-Aware Scheduling for ROS2" (RTAS 2021), one executor
//   of theirs being one thread here. Exclusive groups stay together, as their nodes do.
//
// Same input, same output. Set-up only: allocates, does not block.
#ifndef TAKT_PLAN__PLANNER_HPP_
#define TAKT_PLAN__PLANNER_HPP_

#include <array>
#include <string>
#include <vector>

#include "takt_core/result.hpp"
#include "takt_plan/assignment.hpp"
#include "takt_plan/bounds.hpp"
#include "takt_schedule/schedule.hpp"
#include "takt_schedule/system.hpp"

namespace takt_plan
{

enum class Planner
{
  takt,
  isolated,
  rate_monotonic,
  picas
};

inline constexpr std::array kPlanners{
  Planner::takt, Planner::picas, Planner::isolated, Planner::rate_monotonic};

struct PlanOptions
{
  Planner planner = Planner::takt;
  std::vector<int> cpus;  ///< cores that may be used, by number; empty: all that are not reserved
  /// `takt` merges threads as long as each chain keeps this share of its deadline to spare, or what it
  /// has in the plan with the most threads, if that is less. From 0 to 1.
  double keep_slack = 0.1;
};

/// What fewer threads cost.
struct TradePoint
{
  Index threads = 0;
  double slack = 0;  ///< the smallest (deadline - bound) / deadline of the chains that are met
  friend bool operator==(const TradePoint &, const TradePoint &) = default;
};

struct Planned
{
  Assignment assignment;
  takt_schedule::Schedule schedule;
  Model model;  ///< of the system under that schedule
  Bounds bounds;
  std::vector<Index> chains;      ///< most important first
  std::vector<TradePoint> trade;  ///< `takt` only: from the most threads to the fewest
  /// Sentences: cores above their cap; chains without a deadline, and callbacks of no chain, that have
  /// no bound, so that their backlog may grow without end.
  std::vector<std::string> shortfalls;
};

/// Whether the chain has a deadline and no bound within it.
bool missed(const Planned & planned, Index chain);

/// Whether every chain with a deadline has a bound within it. Not all there is: `shortfalls`.
bool all_met(const Planned & planned);

/// Faults, all at once: those of the model, constraints that contradict each other, executors that would
/// need more threads than one can have. A system that does not fit is no fault: its plan misses
/// deadlines or has shortfalls.
takt_core::Result<Planned> plan_schedule(
  const takt_schedule::System & system, const PlanOptions & options = {});

}  // namespace takt_plan

#endif  // TAKT_PLAN__PLANNER_HPP_
