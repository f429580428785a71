// Response-time bounds of a whole model, whose threads may be of different kinds.
//
// Theorem. Compositional analysis as in Richter, Jersak and Ernst, "A Formal Approach to MpSoC
// Performance Verification" (IEEE Computer, 2003), with releases by period and jitter: each kind of
// thread is analysed by itself. A task that another thread starts is released as late as the bound
// of its starter says. Bounds make lateness, and lateness makes bounds; iteration finds the least
// solution of all together. takt_plan/src/analysis/local_analysis.hpp has the proof that this
// solution bounds all of them at once.
//
// The kinds; the header of each says what it implements, assumes and refuses:
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
// Where at least two sources of a part of the model have known phases, `jobs` finds windows of all
// jobs of a hyperperiod besides, also of threads that may use several cores, and in pools. Each
// analysis is right by itself, so the smallest bound counts.
//
// A chain's bound is the sum of the latest release of its first part, the response of each part,
// and the delays of the messages between the parts.
//
// Callbacks that wait within a run for others (Task::waits_for) are analysed as in
// analysis/waits.hpp.
//
// A task or a chain has no bound if the analysis of its kind refuses it, or if it depends on a task
// that has no bound. It then has a sentence that says why.
//
// With `explain` each part of a chain comes with the terms of the equation that bounds it, which
// add up to its response (bound_terms.hpp). The most important chains get them first. Once there
// are `most_terms`, no further chain gets terms.
//
// Limits: those of the kinds, and a thousand rounds over all tasks.
//
// Set-up only: allocates, does not block.
#ifndef TAKT_PLAN__BOUNDS_HPP_
#define TAKT_PLAN__BOUNDS_HPP_

#include <cstddef>
#include <vector>

#include "takt_plan/analysis_kind.hpp"
#include "takt_plan/bound_terms.hpp"
#include "takt_plan/course_terms.hpp"
#include "takt_plan/executor_bounds.hpp"
#include "takt_plan/model.hpp"
#include "takt_plan/pool_equations.hpp"
#include "takt_plan/priority_bounds.hpp"
#include "takt_rt/result.hpp"

namespace takt_plan
{

/// The terms for threads' supply and for the exchange between kinds. All are needed: a test of
/// soundness notices each omitted term.
struct ThreadTerms
{
  bool lateness = true;    ///< another thread sends them, so releases may be late
  bool supply = true;      ///< a reservation is less than a core
  bool blocking = true;    ///< a less urgent task of the same thread of policy deadline may have
                           ///< begun
  bool preemption = true;  ///< more urgent threads preempt a thread of order `window`
  bool ceiling = true;     ///< less urgent threads publish at the ceiling
  bool switches = true;    ///< switches to threads of policy deadline, beyond one for each run
};

/// The terms of job windows (takt_plan/src/analysis/jobs/job_windows.hpp). All are needed: a test
/// of soundness notices each omitted term.
struct JobTerms
{
  bool windows = true;    ///< false: no job has a window
  bool blocking = true;   ///< a less urgent run of the same thread may have begun
  bool ceiling = true;    ///< less urgent threads publish at the ceiling
  bool begins = true;     ///< busy intervals may begin before the segment does
  bool latest = true;     ///< work that enters a busy interval counts from its latest release, not
                          ///< from its earliest
  bool orders = true;     ///< messages of a set may arrive in any order
  bool unphased = true;   ///< sources without known phases release at any time
  bool under_way = true;  ///< messages may be under way within busy intervals, and less urgent work
                          ///< begins meanwhile
  bool starts = true;     ///< sets may begin with any messages where processes start at any time
  bool followers = true;  ///< a run may start other work before it ends, and that work may preempt
                          ///< the run
  bool started = true;    ///< a less urgent run of the core may have started work
  bool pick = true;       ///< a thread that wakes picks a callback only when it is on its core
  bool ways = true;     ///< ends by whole ways over several cores, too; takes time, and false: ends
                        ///< are later
  bool courses = true;  ///< ends over all orders in which jobs that go back and forth between cores
                        ///< may begin, too; takes time, and false: ends are later
  CourseTerms in_courses;
  /// Callbacks of a sequence precede others as urgent that were released earlier.
  bool sequences = true;
};

/// Options of `bounds`.
struct BoundsOptions
{
  /// The analysis drops bounds above this, in ns. 0: a hundred times the longest period of the
  /// model.
  Ns horizon = 0;
  PriorityTerms priority;
  Delays delays = Delays::best;
  RoundRobinTerms window;
  bool round_robin_only = false;  ///< bounds `window` only by RTSS 2021's Theorem 2 and by sums
                                  ///< over tasks
  ThreadTerms threads;
  PoolTerms pool;
  JobTerms jobs;
  /// Uses job windows alone. Where all phases are known, this takes a fraction of the time.
  bool jobs_only = false;
  /// With `jobs_only`: a limit for each chain; empty: no limits. If a bound exceeds its limit, or
  /// if a timer may skip a period, no task of that part of the model has a bound: a search does not
  /// need it.
  std::vector<Ns> give_up_above;
  /// Also finds the terms that each bound is the sum of (SegmentBound::terms). Takes time; does not
  /// change bounds.
  bool explain = false;
  std::size_t most_terms = kMostTerms;  ///< with `explain`: when there are so many terms, no
                                        ///< further chain gets terms
};

/// The bound of one chain.
struct ChainAnswer
{
  Analysis analysis = Analysis::priority;  ///< the analysis of all parts, or `several`
  Ns bound = 0;                        ///< from the root's nominal release to the last task's end
  std::vector<SegmentBound> segments;  ///< the bound is the sum of these and of the delays between
                                       ///< them
  bool parts_rest_on_phases = false;  ///< of a chain that reads: a part of its path has job windows
};

/// The bounds of one model.
struct Bounds
{
  /// For each task: the time from the nominal release of its source to the end of the task; the
  /// largest over its sources, also indirect ones. For a task that waits for a set of messages, or
  /// that such a task starts: from the latest nominal release of the sources of the set's messages.
  /// Only bounds of chains have the time that a message waits for its set.
  std::vector<takt_rt::Result<Ns>> tasks;
  /// One for each chain. A fault gives the reason why the chain has no bound.
  std::vector<takt_rt::Result<ChainAnswer>> chains;
  /// For each task of a model with callbacks that wait for others: the longest wait of a run. 0 for
  /// tasks that do not wait, or whose wait has no bound.
  std::vector<Ns> waits;
  /// With BoundsOptions::jobs_only: the number of pairs of a task and a triggering topic for which
  /// more messages may wait than Task::depth. Otherwise 0.
  Index short_histories = 0;
};

/// Faults: those of `check` (model.hpp).
takt_rt::Result<Bounds> bounds(const Model & model, const BoundsOptions & options = {});

/// True if the chain has a bound within its deadline.
bool meets_deadline(const Chain & chain, const takt_rt::Result<ChainAnswer> & answer);

}  // namespace takt_plan

#endif  // TAKT_PLAN__BOUNDS_HPP_
