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

/// Samples with their times, and with a mark for those that the host held up.
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
  std::uint64_t skipped_periods = 0;  ///< periods that were due in the measured time
  std::uint64_t overwritten = 0;
  std::uint64_t lost_messages = 0;            ///< gaps in the sequence numbers of the messages that
                                              ///< it took
  std::vector<std::int64_t> start_delay_ns;   ///< start - release
  std::vector<std::int64_t> execution_ns;     ///< end - start
  std::vector<std::int64_t> response_ns;      ///< end - release
  std::vector<std::int64_t> work_cpu_ns;      ///< of runs that worked
  std::vector<std::int64_t> slept_ns;         ///< of runs that slept
  std::vector<std::int64_t> effort_ns;        ///< work and sleep together, of runs that did at
                                              ///< least one of them
  std::vector<std::uint64_t> runs_on_thread;  ///< by executor thread
};

/// Each activation whose root was due in the measured time counts in exactly one of these counts.
struct ChainFigures
{
  std::uint64_t released = 0;  ///< including the skipped periods of the root's timer
  std::uint64_t completed = 0;
  std::uint64_t superseded = 0;        ///< newer data replaced it in a fusion before the fusion
                                       ///< published
  std::uint64_t lost = 0;              ///< a history overwrote it: the reader took a later message
  std::uint64_t unfinished = 0;        ///< in progress when the run ended
  std::uint64_t skipped = 0;           ///< its root's timer skipped the period
  std::uint64_t late = 0;              ///< completed after the deadline
  std::uint64_t overdue = 0;           ///< unfinished, and the deadline had passed
  std::uint64_t missed_deadlines = 0;  ///< late, lost, overdue or skipped; 0 without a deadline
  Samples responses;                   ///< one for each completed activation; `at` is its release
  /// For each response: true if the activation was in progress while runs caught up with a stall
  /// before it.
  std::vector<char> catching_up;
  int processes = 0;  ///< number of processes with runs of the chain
};

/// The parts of a sample's time, along the messages that led to it. They add up to the sample.
struct HotPathParts
{
  std::vector<std::int64_t> work_ns;        ///< CPU time of the work, and sleep
  std::vector<std::int64_t> held_up_ns;     ///< time of the work beyond that: another thread or an
                                            ///< interrupt had the core
  std::vector<std::int64_t> publishing_ns;  ///< from the end of work to the end of the run, or to
                                            ///< the start of the next run if that is earlier
  std::vector<std::int64_t> handing_over_ns;  ///< from a run's end to the next one's start
};

struct HotPathFigures
{
  Samples latency;                        ///< from the start of the later root to the start of the
                                          ///< sink
  std::vector<std::int64_t> from_due_ns;  ///< from the due time of that root to the start of the
                                          ///< sink
  /// The least sum of median work and sleep from a root with samples (included) to the sink
  /// (excluded).
  std::int64_t floor_ns = 0;
  std::uint64_t drops = 0;  ///< messages lost on the way to the sink
  HotPathParts parts;       ///< for samples whose messages lead back to the later root
};

struct PlannerFigures
{
  std::vector<std::int64_t> period_ns;  ///< between two starts
  Samples lateness;                     ///< start - due
  std::uint64_t stale_cycles = 0;       ///< cycles without fresh obstacle data
};

struct LoadFigures
{
  double asked = 0.0;  ///< in cores
  double applied = 0.0;
  /// The difference between the two that the end of the measured time can cause: one run of each
  /// callback. It is large for a run of a second, and negligible for a run of a minute.
  double margin = 0.0;

  /// True if less work was done than asked for, by more than the end of the measured time can
  /// cause.
  bool overloaded() const noexcept { return applied < 0.98 * asked - margin; }
};

struct Analysis
{
  takt_rt::Time measured_from{};
  takt_rt::Time measured_to{};
  takt_rt::Time observed_to{};             ///< all processes ran until then
  std::vector<CallbackFigures> callbacks;  ///< in the order of the table
  std::vector<ChainFigures> chains;        ///< in the order of the graph
  HotPathFigures hot_path;
  PlannerFigures planner;
  LoadFigures load;
  std::uint64_t skipped_periods = 0;
  std::uint64_t drops = 0;
  std::uint64_t foreign_messages = 0;
  std::uint64_t unmatched_takes = 0;  ///< taken messages whose publishing run is not recorded
  std::vector<Stall> stalls;          ///< stalls that the witness saw, and overruns
};

/// Statistics cover runs that start (and activations that are released) between the latest
/// `measured_from` and the earliest `measured_to` of all processes. Omits records with an `error`.
Analysis analyse(const Graph & graph, const std::vector<ProcessRecord> & processes);

/// The runs of all processes without an `error`. Marks messages from outside of the graph.
std::vector<RunRecord> runs_of(const Graph & graph, const std::vector<ProcessRecord> & processes);

/// The parts of `analyse`, for tests. `after`: times in which runs caught up with stalls.
/// `unstarted`: one for each callback of the table.
ChainFigures analyse_chain(
  const Chain & chain, const CallbackTable & table, const Causality & causality,
  const StallIndex & stalls, const StallIndex & after,
  const std::vector<takt_trace::UnstartedReleases> & unstarted, takt_rt::Time from,
  takt_rt::Time to, takt_rt::Time observed_to);
/// `callbacks`: the figures of each callback of the table.
HotPathFigures analyse_hot_path(
  const Graph & graph, const CallbackTable & table, const Causality & causality,
  const StallIndex & stalls, const std::vector<CallbackFigures> & callbacks, takt_rt::Time from,
  takt_rt::Time to);

}  // namespace takt_workload

#endif  // TAKT_WORKLOAD__SRC__FIGURES__FIGURES_HPP_
