// Figures of one run of a graph, computed from its records. Set-up only; no clock, no ROS.
#ifndef TAKT_WORKLOAD__SRC__FIGURES__FIGURES_HPP_
#define TAKT_WORKLOAD__SRC__FIGURES__FIGURES_HPP_

#include <cstdint>
#include <string>
#include <vector>

#include "figures/causality.hpp"
#include "figures/run_stalls.hpp"
#include "graph/graph.hpp"
#include "records/records.hpp"
#include "takt_trace/activation_account.hpp"

namespace takt_workload
{

/// Samples with where they are in time, and whether the host held them up.
struct Samples
{
  std::vector<std::int64_t> ns;
  std::vector<std::int64_t> at_ns;
  std::vector<char> stalled;

  void add(takt_rt::Duration value, takt_rt::Time at, bool stall)
  {
    ns.push_back(value.count());
    at_ns.push_back(takt_rt::to_ns(at));
    stalled.push_back(stall ? 1 : 0);
  }
};

struct CallbackFigures
{
  std::uint32_t callback = kNone;
  std::uint64_t skipped_periods = 0;  ///< that were due in the measured time
  std::uint64_t overwritten = 0;
  std::uint64_t lost_messages = 0;            ///< gaps in the sequence numbers it took
  std::vector<std::int64_t> start_delay_ns;   ///< start - release
  std::vector<std::int64_t> execution_ns;     ///< end - start
  std::vector<std::int64_t> response_ns;      ///< end - release
  std::vector<std::int64_t> work_cpu_ns;      ///< of runs that worked
  std::vector<std::int64_t> slept_ns;         ///< of runs that slept
  std::vector<std::int64_t> effort_ns;        ///< both together, of runs that did one of them
  std::vector<std::uint64_t> runs_on_thread;  ///< by executor thread
};

/// Every activation whose root was due in the measured time ends in exactly one of the counts.
struct ChainFigures
{
  std::uint64_t released = 0;  ///< skipped periods of the root's timer included
  std::uint64_t completed = 0;
  std::uint64_t superseded = 0;        ///< newer data replaced it in a fusion before that published
  std::uint64_t lost = 0;              ///< overwritten on its way: the reader took a later message
  std::uint64_t unfinished = 0;        ///< still under way when the run ended
  std::uint64_t skipped = 0;           ///< the root's timer skipped this period
  std::uint64_t late = 0;              ///< completed after the deadline
  std::uint64_t overdue = 0;           ///< unfinished, and the deadline had passed
  std::uint64_t missed_deadlines = 0;  ///< late, lost, overdue or skipped; 0 without a deadline
  Samples responses;                   ///< one per completed activation; `at` is its release
  /// Of each response, whether it was under way while a stall before it was being caught up with.
  std::vector<char> catching_up;
  int processes = 0;  ///< in how many its runs were seen
};

/// Where a sample's time went along the messages that led to it. They add up to the sample.
struct HotPathParts
{
  std::vector<std::int64_t> work_ns;     ///< CPU time of the work, and sleep
  std::vector<std::int64_t> held_up_ns;  ///< at it for longer than that: preempted, interrupted
  std::vector<std::int64_t>
    publishing_ns;  ///< from the end of work to the end of the run or the next one's start
  std::vector<std::int64_t> handing_over_ns;  ///< from a run's end to the next one's start
};

struct HotPathFigures
{
  Samples latency;                        ///< later root's start to the sink's start
  std::vector<std::int64_t> from_due_ns;  ///< that root's due time to the sink's start
  std::int64_t floor_ns =
    0;  ///< least median work and sleep from a root that was measured from (included) to the sink (not)
  std::uint64_t drops = 0;  ///< messages lost on the way to any of them
  HotPathParts parts;       ///< of samples whose last messages came from the later root
};

struct PlannerFigures
{
  std::vector<std::int64_t> period_ns;  ///< between one start and the next
  Samples lateness;                     ///< start - due
  std::uint64_t stale_cycles = 0;       ///< without fresh obstacle data
};

struct LoadFigures
{
  double asked = 0.0;  ///< cores
  double applied = 0.0;
  /// What may lie between them because the measured time ends somewhere in a period: one run of each
  /// callback. Much in a run of a second, nothing in one of a minute.
  double margin = 0.0;

  /// Whether work was left undone that no end of the measured time explains.
  bool overloaded() const noexcept { return applied < 0.98 * asked - margin; }
};

struct Analysis
{
  takt_rt::Time measured_from{};
  takt_rt::Time measured_to{};
  takt_rt::Time observed_to{};             ///< until then all processes ran on
  std::vector<CallbackFigures> callbacks;  ///< as the table numbers them
  std::vector<ChainFigures> chains;        ///< as the graph lists them
  HotPathFigures hot_path;
  PlannerFigures planner;
  LoadFigures load;
  std::uint64_t skipped_periods = 0;
  std::uint64_t drops = 0;
  std::uint64_t foreign_messages = 0;
  std::uint64_t unmatched_takes = 0;  ///< taken messages whose publishing run is not recorded
  std::vector<Stall> stalls;          ///< witnessed ones and overruns
};

/// Statistics cover runs that start (activations: are released) between the latest `measured_from` and
/// the earliest `measured_to` of all processes. Records with an `error` are left out.
Analysis analyse(const Graph & graph, const std::vector<ProcessRecord> & processes);

/// The runs of all processes without an `error`, with what came from outside of the graph marked.
std::vector<RunRecord> runs_of(const Graph & graph, const std::vector<ProcessRecord> & processes);

/// The parts; for tests.
/// `after`: where stalls were being caught up with. `unstarted`: of each callback of the table.
ChainFigures analyse_chain(
  const Chain & chain, const CallbackTable & table, const Causality & causality,
  const StallIndex & stalls, const StallIndex & after,
  const std::vector<takt_trace::UnstartedReleases> & unstarted, takt_rt::Time from,
  takt_rt::Time to, takt_rt::Time observed_to);
/// `callbacks`: the figures of each, as the table numbers them.
HotPathFigures analyse_hot_path(
  const Graph & graph, const CallbackTable & table, const Causality & causality,
  const StallIndex & stalls, const std::vector<CallbackFigures> & callbacks, takt_rt::Time from,
  takt_rt::Time to);

}  // namespace takt_workload

#endif  // TAKT_WORKLOAD__SRC__FIGURES__FIGURES_HPP_
