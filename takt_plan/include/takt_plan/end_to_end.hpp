// End to end: responses of chains whose path reads, maximum reaction time, and data age.
//
// A path is cut where a callback only reads what the one before publishes. Each part begins with a
// callback that samples, the root or a reader, and goes on by triggers; `bounds` says how long it
// takes. What is new here is how long a message waits for the run that uses it.
//
// Theorem. A reader is started on one or several ways. Way j begins at a source; if that is a timer, T_j
// is its period, and B_j bounds the time from its nominal release to the end of the part. A message
// that is there at t is used by the first run of the reader that begins behind t. On each way the run
// before had begun by t; so had the timer's, and a timer is due again at most T_j after its last run
// began, whatever its policy for missed periods is. The run that this starts begins behind t, too, and
// has gone through the part by t + T_j + B_j; the first one is not overtaken. So the message has been
// used, and the part has ended, by
//
//     t + W,    W = min over the ways j that begin at timers of  T_j + B_j
//
// With parts 0 ... n, D_p the longest time that the message read by part p is under way, and B over all
// ways where no j is given:
//
//     response       = B_0 + sum over p = 1 ... n of (D_p + W_p)
//     reaction time  = W_0 + sum over p = 1 ... n of (D_p + W_p)
//     data age       = the same
//     age at output  = W_0 + sum over p = 1 ... n - 1 of (D_p + W_p) + D_n + B_n;  B_0 if n = 0
//
// For timers alone these are Davare et al., "Period Optimization for Hard Real-time Distributed
// Automotive Systems" (DAC 2007), and the last-to-first and last-to-last path delays of Feiertag et al.,
// "A Compositional Framework for End-to-End Path Delay Calculation of Automotive Systems" (CRTS 2008).
// The cut at sampling callbacks is that of Teper et al., "End-To-End Timing Analysis in ROS2" (RTSS
// 2022), with `bounds` in place of a sum over the executor. Reaction time and data age have one bound
// since they are equal: Günzel et al., "On the Equivalence of Maximum Reaction Time and Maximum Data
// Age for Cause-Effect Chains" (ECRTS 2023).
//
// Logical execution time (Task::border). A timer of such a group is a part by itself, and what goes on from it begins with its
// border task (src/analysis/inputs/let.hpp), exactly one period T after the timer's release: in the sums B of that timer is T,
// and W of the part behind it is the bound of that part from the border on. Where all timers that take it there
// have logical execution time, too, in the same executor, and only border tasks of this executor publish what they take, the
// message is there at the border itself, since at a border outputs come before inputs: the border task takes no time, and with
// known phases T_j is the longest distance of these borders and the releases.
//
// Definitions, after Günzel et al., "Compositional Timing Analysis of Asynchronized Distributed
// Cause-Effect Chains" (ACM TECS 2023):
// - response: from the nominal release of the chain's root to the end of the run of its last callback
//   that was the first to use what came of it. What is overwritten before it is read has none.
// - reaction time: from any event outside to the end of the first run of the last callback whose input
//   was sampled after it. The root samples when its run begins, and the event may have just been
//   missed. Where the root's messages come from outside of the model they are the events: no sampling,
//   the reaction time is the response.
// - data age: from when the root sampled what an output is made of to when the next output that is made
//   of something newer replaces it. An output is the end of a run of the last callback.
// - age at output: only to the output itself, also if the same data was used before.
//
// Assumptions. Those of `bounds`. A run reads when it begins, the latest message that is there; messages
// of one topic and publisher do not overtake each other. All processes are up. Timers with offsets from the
// start of their process may be released for the first time after the message is there: the response then has
// that wait in place of T_j, where it is longer. For reaction time and ages all timers of the path have been
// released. Clocks of hosts run equally fast; they need not agree.
// A callback that both reads and is started by the one before is taken to be started by it.
//
// Refused with a sentence: chains of which `bounds` refuses a part; readers that no timer starts, at
// whatever distance, since messages from outside come at most once per period, and perhaps never; nor
// does each release complete a set of newest messages (Task::newest). Reaction time and ages also where
// the path goes through such a set, and where messages of others may always replace the path's before
// they are read (src/analysis/end_to_end/replaced.hpp). Data age where the root's messages come from outside: the
// next one may never come.
//
// Limits: those of `bounds`, and a hundred thousand callbacks on all the ways to be looked at.
//
// Set-up only: allocates, does not block.
#ifndef TAKT_PLAN__END_TO_END_HPP_
#define TAKT_PLAN__END_TO_END_HPP_

#include <optional>
#include <vector>

#include "takt_plan/bounds.hpp"
#include "takt_plan/model.hpp"
#include "takt_rt/result.hpp"

namespace takt_plan
{

/// The terms of the equations. All are needed: a test of soundness notices each omitted term.
struct EndToEndTerms
{
  bool period = true;     ///< T_j: the time until the sampling callback is released again
  bool late = true;       ///< the part of B_j beyond the execution times of the part
  bool under_way = true;  ///< D: messages that are read are under way
  bool border = true;     ///< the messages of logical execution time wait for the end of the period
};

/// The part of a path from a sampling callback to the last callback that it starts.
struct PathPart
{
  std::vector<Index> tasks;
  Ns under_way = 0;  ///< of the message that the part's first callback reads; 0 for the root
  Ns next = 0;       ///< from that message's arrival to the release of the source of the run that
                     ///< uses it; 0 for the root
  ChainAnswer
    answer;  ///< from there to the end of the part, by the way of which the sum is smallest
  /// With logical execution time, in place of the bound of `answer`: a timer's part ends this long after its release, when its
  /// messages go out; the part of a border task takes no time before a timer that itself publishes what is due.
  std::optional<Ns> border = {};

  /// From the release to the end of the part.
  Ns time() const noexcept { return border.value_or(answer.bound); }
};

/// The end-to-end bounds of one chain in ns.
struct EndToEnd
{
  std::vector<PathPart> parts;  ///< `response` is the sum over the parts
  Ns response = 0;
  takt_rt::Result<Ns> reaction_time = 0;
  takt_rt::Result<Ns> data_age = 0;
  takt_rt::Result<Ns> age_at_output = 0;
};

/// The end-to-end bounds of one model.
struct EndToEndBounds
{
  /// As `bounds`. Chains whose path reads have a response, too, and no segments of their own.
  Bounds bounds;
  /// One for each chain. A fault gives the reason why the chain has no response bound.
  std::vector<takt_rt::Result<EndToEnd>> chains;
};

/// Faults: those of `check` (model.hpp). `explain`: as in BoundsOptions; for a model with one chain it gives all terms.
/// If a chain reads, the analysis runs twice.
takt_rt::Result<EndToEndBounds> end_to_end(
  const Model & model, const EndToEndTerms & terms = EndToEndTerms(), bool explain = false);

/// Only `EndToEndBounds::bounds`. If no chain reads, it takes as long as `bounds`.
takt_rt::Result<Bounds> bounds_through_reads(const Model & model);

/// True if job windows bound a segment of the chain, or of a part of its path where it reads: the bound then holds
/// while phases do. Does not allocate.
bool rests_on_phases(const ChainAnswer & chain);

/// True if the task `before` does not start `task`, which only reads a message of `before`.
bool only_reads(const Task & task, Index before);
/// True if the chain's path has such a task.
bool reads(const Model & model, const Chain & chain);

}  // namespace takt_plan

#endif  // TAKT_PLAN__END_TO_END_HPP_
