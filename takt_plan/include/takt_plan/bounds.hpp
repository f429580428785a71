// Response-time bounds of a whole model, whose threads may be of different kinds.
//
// Theorem. Compositional analysis as in Richter, Jersak and Ernst, "A Formal Approach to MpSoC
// Performance Verification" (IEEE Computer, 2003), with releases by period and jitter: each kind of
// thread is analysed by itself, and what one sends to another is released as late as the first
// one's bound says. Bounds make lateness, and lateness makes bounds; the least solution of all
// together is found by iteration. takt_plan/src/analysis/local_analysis.hpp has the proof that this
// solution bounds all of them at once.
//
// The kinds, whose headers say what they implement, assume and refuse:
//
// - `priority`: threads of fixed OS priority that pick by `priority` or `fifo`, by segments of
//   several tasks (priority_bounds.hpp);
// - `window`: threads of fixed OS priority that pick by `window`, task by task
//   (src/analysis/window/window_bounds.hpp);
// - `pool`: threads of fixed OS priority that share an executor's callbacks, task by task
//   (pool_bounds.hpp);
// - `deadline`: threads of policy deadline, task by task, whatever their order
//   (src/analysis/deadline/reservations.hpp).
//
// Where at least two sources of a part of the model have known phases, `jobs` finds windows of all jobs of a
// hyperperiod besides. All solutions are right by themselves, so that the smallest bound counts.
//
// A chain's bound is the sum over its parts: of the first one's latest release, then of each part's
// response and the delay of the message to the next.
//
// Callbacks that wait within a run for others (Task::waits_for) are analysed as in analysis/waits.hpp.
//
// A task or a chain has no bound if the analysis of its kind refuses it, or if it depends on a task that
// has no bound. It then has a sentence that says why.
//
// With `explain` each part of a chain comes with the terms of the equation that bounds it, which add up
// to its response (bound_terms.hpp). The most important chains get them first, and none does once there
// are `most_terms`.
//
// Limits: those of the kinds, and a thousand rounds over all.
//
// Set-up only: allocates, does not block.
#ifndef TAKT_PLAN__BOUNDS_HPP_
#define TAKT_PLAN__BOUNDS_HPP_

#include <cstddef>
#include <vector>

#include "takt_plan/analysis_kind.hpp"
#include "takt_plan/bound_terms.hpp"
#include "takt_plan/executor_bounds.hpp"
#include "takt_plan/model.hpp"
#include "takt_plan/pool_equations.hpp"
#include "takt_plan/priority_bounds.hpp"
#include "takt_rt/result.hpp"

namespace takt_plan
{

/// The terms of what threads get and of how kinds work together. All are needed: leaving one out
/// shows that a test of soundness would notice.
struct ThreadTerms
{
  bool lateness = true;    ///< of what another thread sends
  bool supply = true;      ///< a reservation is less than a core
  bool blocking = true;    ///< by a less urgent task of the same thread of policy deadline
  bool preemption = true;  ///< by what is more urgent than a thread of order `window`
  bool ceiling = true;     ///< by less urgent threads that publish at the ceiling
  bool switches = true;    ///< to threads of policy deadline, beyond one per run
};

/// The terms of job windows (takt_plan/src/analysis/jobs/job_windows.hpp). All are needed. Tests of soundness notice each
/// that is left out.
struct JobTerms
{
  bool windows = true;    ///< there are any
  bool blocking = true;   ///< by a less urgent run of the same thread
  bool ceiling = true;    ///< by less urgent threads that publish at the ceiling
  bool begins = true;     ///< busy intervals that begin before the segment does
  bool latest = true;     ///< what enters counts from its latest release, not from its earliest
  bool orders = true;     ///< all orders in which messages of a set may arrive
  bool unphased = true;   ///< sources without known phases are released at any time
  bool under_way = true;  ///< messages within busy intervals, and what begins meanwhile
  bool starts = true;     ///< sets may begin with any messages, where processes start at any moment
  bool followers = true;  ///< what a run starts before it ends may preempt it
  bool started = true;    ///< work that a less urgent run of the core had started
};

struct BoundsOptions
{
  /// Bounds beyond this count as none. 0: a hundred times the longest period of the model.
  Ns horizon = 0;
  PriorityTerms priority;
  Delays delays = Delays::best;
  RoundRobinTerms window;
  bool round_robin_only = false;  ///< `window` by RTSS 2021's Theorem 2 and sums over tasks alone
  ThreadTerms threads;
  PoolTerms pool;
  JobTerms jobs;
  /// By job windows alone: a fraction of the time, where all phases are known.
  bool jobs_only = false;
  /// With `jobs_only`, per chain; empty: none. Once a bound is known to be above it, nothing in its part of the model has a
  /// bound: it is not looked for any more. Nor has anything where a timer may skip a period: a search wants no such plan.
  std::vector<Ns> give_up_above;
  /// What bounds are the sum of: SegmentBound::terms. Takes time; changes no bound.
  bool explain = false;
  std::size_t most_terms = kMostTerms;  ///< with `explain`: beyond them no other chain gets any
};

struct ChainAnswer
{
  Analysis analysis = Analysis::priority;  ///< of all its parts, or `several`
  Ns bound = 0;                        ///< from the root's nominal release to the last task's end
  std::vector<SegmentBound> segments;  ///< what the bound is the sum of, with delays between
};

struct Bounds
{
  /// One per task: from the nominal release of the source that started it, at any distance, to its
  /// end; the largest over its sources. Behind a set: from the latest nominal release of the sources of the
  /// set's messages. Only bounds of chains have the time that a message waits for its set.
  std::vector<takt_rt::Result<Ns>> tasks;
  /// One per chain; a fault is a sentence that says why there is no bound.
  std::vector<takt_rt::Result<ChainAnswer>> chains;
  /// One per task of a model with callbacks that wait for others: how long a run waits for them at most; 0 where
  /// there is no such bound, and of all others.
  std::vector<Ns> waits;
  /// With BoundsOptions::jobs_only: pairs of a task and a topic that starts it of which more messages than Task::depth may
  /// wait. 0 without it.
  Index short_histories = 0;
};

/// Faults: those of `check` (model.hpp).
takt_rt::Result<Bounds> bounds(const Model & model, const BoundsOptions & options = {});

/// Whether a chain has a bound and it is within the chain's deadline.
bool meets_deadline(const Chain & chain, const takt_rt::Result<ChainAnswer> & answer);

}  // namespace takt_plan

#endif  // TAKT_PLAN__BOUNDS_HPP_
