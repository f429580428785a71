// From a system to a schedule for it: which threads there are, on which cores, with which OS
// priorities, and which callbacks each runs in what order.
//
// All planners answer with SCHED_FIFO threads pinned to cores, each with order `priority`, so that
// `priority_bounds` can bound them. The same analysis judges the plans of all planners. `takt` adds
// fair threads where cores are given more than their cap.
//
// - `takt`: a search along chains, with the analysis in the loop.
//   Attempts. An attempt places whole chains, in one of three orders: the most important chain
//   first, the chain with the largest load first, or the chain with the shortest deadline first. It
//   puts each chain on the first core on which the chain fits, or on the core that leaves the
//   largest smallest slack. On a core the chain with the shorter deadline is the more urgent one;
//   if that makes a chain miss, the attempt tries other ranks on the core. It cuts a chain that
//   fits on no core in two.
//   Moves. The search improves the best attempt. It moves chains away from the cores of the chain
//   that has the least slack. If a chain misses its deadline, it tries other ranks on the chain's
//   cores, and a thread of its own for one of the chain's callbacks.
//   Cuts. If a chain then has less than a tenth of its deadline to spare (or less than
//   `keep_slack`, if that is more), further attempts cut also chains that fit. The search keeps
//   their plan only if it is better after threads are merged.
//   Mergers. The search merges threads as long as the smallest slack allows it, and where a merger
//   makes a missed chain meet its deadline. Of mergers that leave equal slack it takes the one that
//   saves most context switches.
//   Switches. At the end, callbacks of the best plan move to the threads of callbacks that they
//   start, or that start them, where this saves context switches. As in mergers, each chain keeps
//   `keep_slack`. The most important chains become no longer.
//   Overload. On a core that is given more than its cap, callbacks that no chain needs move to a
//   thread under the fair scheduler: those without a bound, and of the others the least urgent ones
//   until the rest keeps the cap. Otherwise the kernel's RT throttling would also stop the chains.
//   Objective, the first difference decides: deadlines of chains from the most important one down;
//   chains and callbacks without a bound; cores above their cap; how late missed chains are, from
//   the most important one down; the smallest normalised slack, up to the share that "Cuts" names;
//   the fewest threads. Before it merges threads, the search looks for the largest slack.
// - `isolated`: one thread for each callback group, OS priority by deadline (that of the tightest
//   chain through it, or its period). Each chain goes as a whole to the core with the most room,
//   the chain with the largest load first. A chain that fits on no core is placed unit by unit.
// - `rate_monotonic`: the same with OS priority by period.
// - `picas`: callback and executor priorities R1 to R7 and node allocation of Choi, Xiang and Kim,
//   "PiCAS: New Design of Priority-Driven Chain-Aware Scheduling for ROS2" (RTAS 2021). An executor
//   of the paper is one thread here (one in each process whose callbacks it has). Exclusive groups
//   stay together, as their nodes do. Its cases: A, the nodes of the next chain become an executor
//   of their own; B, for systems of at most `executors` on each host: when all executors have
//   callbacks, the nodes join one on a core where they fit; C, if the rules cannot hold, the
//   executors of a core become one, and nodes that fit nowhere go to the least used core. An
//   executor stays on its core: with fewer executors than cores some cores stay empty, and a
//   callback that may only be there is refused.
// - `competition`, `competition_literal`: pseudo-code of a competition report, below.
//
// The pseudo-code. There are M executors of m threads and P cores. Chains to executors, while
// chains are left: take an empty executor, or else one that already has k chains; put the chain
// with the highest priority there until the utilisation exceeds 1; give its nodes max(1, m - k)
// threads; the rest of the chain goes to the remaining executors, none above 1. Then nodes to
// cores, executor by executor: nodes of chains with high priorities to an idle core until its
// utilisation exceeds 1, all other nodes to the least used core; without an idle core all nodes to
// the least used one.
//
// Both forms fill the gaps of the pseudo-code alike. A node is a unit: an exclusive group, or a
// callback by itself. An executor of m threads is up to m threads pinned to one core each (in each
// process whose callbacks it has), and goes to cores thread by thread; a thread of callbacks that
// are pinned to different cores is cut. M and m (`executors`, `executor_threads`) are per host. If
// no executor is empty, the least used one is taken; of equal ones the first. The remaining
// executors follow from the least used one on. Nodes that fit in none of them go to the least used
// executor of all. A chain is cut along itself into pieces of about equal load, one for each of its
// threads. A shared callback belongs to the most important chain; callbacks of no chain come last,
// each as if it were a chain. The text does not mention priorities: a callback has the priority of
// its chain, and within a chain later callbacks are more urgent. A thread has the priority of its
// most urgent callback.
//
// - `competition_literal`: the limit is 1 for executors and cores, and a plan overshoots it: the
//   node that brings the utilisation above 1 still goes there. So a plan may overload a core beside
//   an idle one (`shortfalls` says so). Only callbacks count, neither the cap nor other threads.
//   Threads are over-committed: the chain that comes after k others gets the last max(1, m - k)
//   threads. The chains before it have these threads, too, so its callbacks may run at the OS
//   priority of those chains. The rest goes to one core, chosen once for each executor.
// - `competition`: the limit of an executor is m. That of a core is the part of the cap that other
//   threads leave. No node goes beyond a limit while another executor or core has room for it. Each
//   of an executor's chains gets a thread, and the remaining threads go to the chains with the most
//   load per thread; chains beyond m share the thread with the least load.
//   The threads of all executors go to cores, those of the most important chain first. Each thread
//   goes to the core that its executor found idle if it fits there, or else to the least used core.
//
// Same input, same output. Set-up only: allocates, does not block.
#ifndef TAKT_PLAN__PLANNER_HPP_
#define TAKT_PLAN__PLANNER_HPP_

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "takt_plan/assignment.hpp"
#include "takt_plan/bounds.hpp"
#include "takt_plan/settling.hpp"
#include "takt_rt/result.hpp"
#include "takt_schedule/schedule.hpp"
#include "takt_schedule/system.hpp"

namespace takt_plan
{

/// The progress of a search.
struct PlanProgress
{
  Index plans = 0;  ///< judged plans, in all walks
  /// Chains with a bound within their deadline, in the plan that has most of them.
  Index proven = 0;
  Index chains = 0;  ///< chains with a deadline
};

/// The planners, described above.
enum class Planner
{
  takt,
  isolated,
  rate_monotonic,
  picas,
  competition,
  competition_literal
};

inline constexpr std::array kPlanners{Planner::takt,        Planner::picas,
                                      Planner::isolated,    Planner::rate_monotonic,
                                      Planner::competition, Planner::competition_literal};

/// The planner's name on the command line.
std::string_view to_string(Planner planner) noexcept;

inline constexpr int kMostExecutors = 1000;
inline constexpr int kMostExecutorThreads = 63;

struct Planned;

/// Options of `plan_schedule`.
struct PlanOptions
{
  Planner planner = Planner::takt;
  /// The numbers of the cores that a plan may use, for each host that has them. If this and
  /// `host_cpus` are empty: all cores that are not reserved.
  std::vector<int> cpus;
  std::vector<std::pair<std::string, int>> host_cpus;  ///< the same for single hosts
  /// `takt` merges threads only while each chain keeps this share of its deadline as slack. If the
  /// plan with the most threads leaves a chain less, the chain keeps that slack but for a
  /// thousandth. From 0 to 1.
  double keep_slack = 0.05;
  /// If chains are late, `takt` repeats the search with longer deadlines. Takes longer.
  bool restarts = true;
  /// If chains are late or have little slack, `takt` continues with a random walk over cores,
  /// orders and offsets of timers. It then also keeps the most important chains short, and compares
  /// plans by simulation where a deadline is not proven. Takes some ten seconds.
  bool walks = false;
  /// The random walk ends as soon as all deadlines are proven. It does not look for more slack or
  /// fewer threads.
  bool enough_when_proven = false;
  std::uint64_t seed = 1;  ///< of the random walk
  /// Returns the share of the search's time that has passed. With it, the search goes on until it
  /// finds no better plan or the share is 1. Each step gets a share of the remaining time. The
  /// search calls it often and from several threads. Without it, the result does not depend on
  /// time.
  std::function<double()> time_used;
  /// `takt` calls it with its first plan, and with each better plan, on the planning thread. The
  /// returned plan may be better than the last of them, and has fewer threads in most cases.
  std::function<void(const Planned &)> better_found;
  /// The random walk calls it from time to time, on the planning thread.
  std::function<void(const PlanProgress &)> progress;
  /// The number of executors on each host, up to kMostExecutors. 0: `picas` takes as many as it
  /// needs, `competition` one for each core. Other planners do not use it.
  int executors = 0;
  /// The number of threads of each executor of `competition`, up to kMostExecutorThreads. 0: one
  /// for each core, as in rclcpp's multi-threaded executor, or fewer if all executors together
  /// would have more than one process can have.
  int executor_threads = 0;
};

/// A row of the trade between threads and slack.
struct TradePoint
{
  Index threads = 0;
  /// The smallest (deadline - bound) / deadline of the chains that keep their deadlines; empty: no
  /// chain does.
  std::optional<double> slack;
  /// An upper bound of context switches per second: two for each run, unless a run of the same
  /// thread starts it.
  double switches = 0;
  friend bool operator==(const TradePoint &, const TradePoint &) = default;
};

/// The cost of a plan without skipped periods: the search found another plan that keeps more
/// important deadlines, but there timers skip periods in simulation.
struct PaidPeriods
{
  /// Chains whose deadline the other plan meets in simulation, or proves, and this plan does not.
  /// Most important first.
  std::vector<Index> chains;
  std::vector<Index> timers;  ///< the timers that skip periods in the other plan
  std::uint64_t skipped = 0;  ///< the periods that they skip there
};

/// A plan: the schedule and its bounds.
struct Planned
{
  Assignment assignment;
  takt_schedule::Schedule schedule;
  Model model;  ///< the system under that schedule
  Bounds bounds;
  Settling settling;              ///< of these bounds
  std::vector<Index> chains;      ///< most important first
  std::vector<TradePoint> trade;  ///< `takt` only: from the most threads to the fewest
  /// The number of threads of the plan, and of the chosen point of `trade`. All points count the
  /// fair threads that an overload adds.
  Index chosen_threads = 0;
  /// Sentences about cores above their cap, and about callbacks without a bound: their backlog may
  /// grow without end. Chains without a deadline and callbacks without a chain are among them.
  std::vector<std::string> shortfalls;
  PaidPeriods paid;  ///< `takt` only, and only with `walks`
  /// Sentences about parts of the system that the planner did not change.
  std::vector<std::string> notes;
  std::vector<double> room;  ///< per core: the part of its cap that is left to callbacks
  /// The cost of judging plans in `takt`: about proportional to time, and the same on every
  /// machine. 1e7 is about a second. Other planners: 0.
  double cost = 0;
  double cost_of_restarts = 0;  ///< in addition to `cost`
};

/// True if the chain has a deadline and no bound within it.
bool missed(const Model & model, const Bounds & bounds, Index chain);
/// The same for the plan's own model and bounds.
bool missed(const Planned & planned, Index chain);

/// True if each chain with a deadline has a bound within it. The plan may still have `shortfalls`.
bool all_met(const Planned & planned);

/// Faults, all at once: options that the planner lacks, faults of the model, constraints that
/// contradict each other, and executors that would need more threads than an executor can have. A
/// system that does not fit is not a fault: its plan misses deadlines or has shortfalls.
takt_rt::Result<Planned> plan_schedule(
  const takt_schedule::System & system, const PlanOptions & options = {});

}  // namespace takt_plan

#endif  // TAKT_PLAN__PLANNER_HPP_
