// Response-time bounds for threads of fixed OS priority, each pinned to one core, that pick by
// `priority` or `fifo`: the PiCAS family, corrected.
//
// Theorem. Busy-window analysis of a chain's segments, after Choi, Xiang and Kim, "PiCAS: New
// Design of Priority-Driven Chain-Aware Scheduling for ROS2" (RTAS 2021), whose published form is
// in takt_bench/src/published. A segment is a run of tasks on one core in which the end of each
// starts the next at once; other tasks may start them as well. Its level is that of its least
// urgent task: the OS priority of the task's thread, then the task's own priority. Let W be all
// work of the core at that level or above. While the segment is pending, some of W is pending. Let
// b be the last moment at which no W was pending on the core, counted from the nominal release of
// the analysed activation (b may be below zero). The last task of the segment begins at the latest
// s after b, and ends at the latest w after b:
//
//     s(b) = begun(b) + ceiling + own(b) - last + interference(b, s + 1)
//     w(b) = s(b) + last + late(b, w) - late(b, s + 1)
//     R    = max over b of  b + w(b)
//
// - begun: one less urgent task of the core, which was running when the window began. If it is on
//   the segment's own thread, it goes on to its end (`blocking`). Other threads cannot block: they
//   have another OS priority, so the kernel preempts them. The tasks of W that this task starts run
//   once (`once`), because it cannot run again in the window. Of the tasks that take no time, or
//   wait within a run, all may have begun.
// - ceiling: one publish or take of a less urgent thread that runs at the middleware ceiling.
// - own: every task of the segment, for each of its activations from b on up to the analysed one:
//   an activation d periods before it can come that late if J - d T >= b. Tasks before the least
//   urgent task also count for each later activation in the window, because these may overtake the
//   analysed one. `last` is the last task's part, with the work that it starts on other threads.
// - interference: each task of W as often as it can be released in the window. A task that another
//   task of W starts on the same core has the count of its starter: at the beginning of the window
//   neither is pending. Tasks that less urgent work of this core starts are in `begun`. All others
//   count ceil((w + J) / T) times; J is the bound at their own release. But see "One source".
//   Deadline threads go before all of W; the reservation of each counts, and the switches from it,
//   by the terms of takt_plan/src/analysis/deadline/reservations.hpp. The bound of a chain is the
//   root's jitter, plus R and the message's delay of each segment. Bounds and jitters depend on
//   each other across cores; the least solution is found by iteration.
// - late: only the interference that preempts the last task's thread. Once a task has begun, its
//   thread lets it end, as a CAN bus does with messages (Davis, Burns, Bril and Lukkien,
//   "Controller Area Network (CAN) schedulability analysis: Refuted, revisited and revised",
//   Real-Time Systems, 2007). The last task begins when all work that came up to that very moment
//   (s + 1) is done.
//
// One source. All activations by the source of the segment, on any way, have known distances. The
// activation d periods later is released on its way between d T and d T + J after the nominal
// release of the analysed one, and has ended by d T + its bound (for d > 0 at any time after d T,
// because T is a least distance). So it is in the window only if d T + J >= b and d T < b + w. A
// less urgent activation blocks only if it may have begun by b, and at most until it has ended.
// Work that the segment's last task starts, on any way, is in the window only for d < 0, and in
// `late` for d = 0, because the task may publish at any time. If the task starts only one other
// task, this work does not count for the time at which the task's message is there and the next
// segment is released. It is enough to examine some b: those at which one of these conditions, or
// of `own`, is about to fail, and those from which on the rest of a blocking run is less than the
// run. Between them a later b is worse. (These are offsets in a transaction, as in Tindell, "Adding
// time-offsets to schedulability analysis", 1994, without knowledge between transactions.)
//
// Messages under way. A message between two tasks of one core may have a delay, as between
// processes. Then the next task begins a segment of its own, which is released with jitter. Or the
// segment goes on: while the message is under way, the core may be idle or do less urgent work.
// This time counts as work of the sender (suspension as computation, as in Chen et al., "Many
// suspensions, many problems" (Real-Time Systems, 2019)). The window then begins when no W is
// pending, and no message is under way between two tasks of W. There are two kinds of moments in
// the window at which the core does no W. Either such a message is under way. Or it has arrived,
// and one less urgent task of the segment's thread, or one less urgent thread at the ceiling, had
// begun before and has not ended. So each such message counts its delay, `blocking` and `ceiling`.
// Work that less urgent work of this core starts may come again, and counts with its jitter. And
// later activations may overtake all tasks before the last such message of the segment. Both forms
// are right by themselves, so the smaller bound counts.
//
// Sets of newest messages (Task::newest): each message starts a run that keeps it, and for each
// complete set one of the runs also works. takt_plan/src/model/message_set.hpp says how often sets
// are complete and how long messages wait. The work that a set starts on its core begins a segment
// of its own, which is released with jitter. Or the segment of the message that completes the set
// goes on through it. Then the tasks after the set count with the complete sets in the window. At
// least one of these is the segment's own, and the work that the segment's last task starts on its
// own thread does not count for that one. Any message of the set may complete it:
// takt_plan/src/analysis/priority/through_sets.hpp has the largest bound over all of them. Both
// forms are right by themselves.
//
// Sequences (Task::sequence, takt_core/sequence.hpp). A callback of a sequence may start by direct
// call although others of its thread that are as urgent were ready earlier, and never before one
// that is strictly more urgent. No equation above uses the order of releases among equals: W has
// all work of the thread at the segment's level or above, and all work counts that comes up to the
// moment at which the last task begins. A less urgent callback starts by direct call only if no
// work of W is ready on its thread, so `begun` is one run and not the rest of a sequence. A
// callback that waits for its direct call is pending, and its thread takes it next. Activations of
// one callback keep their order, since only one message of it is announced at a time. Where a
// sequence has several threads, a callback may wait for its own while another one is idle, so pools
// refuse it.
//
// The published form has faults. This analysis differs from it in these points:
// - Segments after another core are released with jitter.
// - No task of a chain is counted twice.
// - Tasks of equal priority count as interference, because they run in the order of release.
//   Threads of equal OS priority on one core count as a whole, because the kernel does not stop the
//   running one.
// - Deadlines are arbitrary: messages queue, so several activations may be in one busy window. The
//   published form adds one period if a chain exceeds its own period, for timers that skip.
// - A chain may be started and joined anywhere, and tasks without a chain count.
//
// Assumptions. A task runs to its end on its thread, publishes each topic at most once per run at
// any time of it, and does not suspend itself. Messages without a delay are seen when the
// publisher's run ends, at the latest. Neither releases of one source nor messages of one topic
// overtake each other. Times and overheads of the model are upper bounds; nothing else runs at
// real-time priority. History depths suffice: an overwritten message starts no run, so it has no
// response time.
//
// Refused with a sentence, per task and chain: threads that are not of fixed priority, that follow,
// or that may be on several cores; tasks bound to several threads; orders other than `priority` and
// `fifo` on the segment's least urgent thread; beside the segment, threads of order `stock`,
// exclusive groups that span threads, and deadline threads that may not get their reservation;
// overload; and tasks that depend on a task without a bound.
//
// Limits, so that no model can make it hang: a million evaluations of each segment's equations (for
// each way into it), and a thousand rounds over all. A segment that needs more is refused, even if
// it has a bound: its core is nearly full, or its releases come in bursts of very many. The longest
// time of the analysis grows with the square of the tasks on a core.
//
// Set-up only: allocates, does not block.
#ifndef TAKT_PLAN__PRIORITY_BOUNDS_HPP_
#define TAKT_PLAN__PRIORITY_BOUNDS_HPP_

#include <optional>
#include <vector>

#include "takt_plan/analysis_kind.hpp"
#include "takt_plan/bound_terms.hpp"
#include "takt_plan/model.hpp"
#include "takt_plan/priority_terms.hpp"
#include "takt_rt/result.hpp"

namespace takt_plan
{

/// The analysis of messages between tasks of one core that are under way for a while, as between
/// processes.
enum class Delays
{
  best,              ///< in both ways; for each task and chain the smaller bound counts
  between_segments,  ///< the message releases the next segment, with jitter
  in_segments        ///< the message is a part of the segment
};

/// Options of `priority_bounds`.
struct PriorityOptions
{
  /// The analysis drops bounds above this, in ns. 0: a hundred times the longest period of the
  /// model.
  Ns horizon = 0;
  PriorityTerms terms;
  Delays delays = Delays::best;
  bool explain = false;  ///< also finds SegmentBound::terms
};

/// An activation of a chain that comes once in each hyperperiod.
struct PhasedActivation
{
  /// Nominal, of the chain's root, in the first hyperperiod after the instant that offsets count
  /// from.
  Ns release = 0;
  Ns hyperperiod = 0;
};

/// The part of a segment in a chain's bound. In the result of `bounds` (bounds.hpp) it may belong
/// to another kind of thread: it is then one task, or with `explain` several tasks that are bounded
/// together.
struct SegmentBound
{
  Analysis analysis = Analysis::priority;
  std::vector<Index> tasks;
  Ns released = 0;   ///< the latest release, in ns after the root's nominal release
  Ns response = 0;   ///< from `released` to the end of its last task
  Ns waiting = 0;    ///< after the response: the wait for the rest of a set of newest messages, and
                     ///< the work on the set
  BoundTerms terms;  ///< with `explain`, up to kMostTerms: the sum is `response`; otherwise empty
  std::optional<PhasedActivation>
    activation;  ///< of analysis `jobs`: the chain's that takes longest
};

/// The bound of one chain.
struct ChainBound
{
  Ns bound = 0;  ///< from the root's nominal release to the last task's end
  std::vector<SegmentBound> segments;
};

/// The bounds of one model.
struct PriorityBounds
{
  /// For each task: the time from the nominal release of its source to its end; the largest over
  /// its sources, also indirect ones. A task that waits for messages of several sources counts from
  /// the source of the last message. Behind a set of newest messages: from the source that was
  /// released last.
  std::vector<takt_rt::Result<Ns>> tasks;
  /// One per chain.
  std::vector<takt_rt::Result<ChainBound>> chains;
  Index short_histories = 0;  ///< Bounds::short_histories
};

/// Faults: those of `check` (model.hpp).
takt_rt::Result<PriorityBounds> priority_bounds(
  const Model & model, const PriorityOptions & options = {});

}  // namespace takt_plan

#endif  // TAKT_PLAN__PRIORITY_BOUNDS_HPP_
