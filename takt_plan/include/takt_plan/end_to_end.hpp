// End to end: responses of chains whose path reads, maximum reaction time, and data age.
//
// A path is cut before each callback that only reads the messages of the callback before it. Each
// part begins with a callback that samples (the root or a reader), and goes on by triggers;
// `bounds` gives the time of the part. This file adds the time that a message waits for the run
// that uses it.
//
// Theorem. A reader is started on one or several ways. Way j begins at a source; if that is a
// timer, T_j is its period, and B_j bounds the time from its nominal release to the end of the
// part. The first run of the reader that begins after t uses a message that is there at t. On each
// way the reader's run before that had begun by t, and so had the timer's run behind it. A timer is
// due again at most T_j after its last run began, whatever its policy for missed periods is. The
// next run of the timer starts a run of the reader that also begins after t, and that has gone
// through the part by t + T_j + B_j. Runs do not overtake each other. So the message has been used,
// and the part has ended, by
//
//     t + W,    W = min over the ways j that begin at timers of  T_j + B_j
//
// With parts 0 ... n, let D_p be the longest time for which the message that part p reads is under
// way. B without j is the largest B_j over all ways. Then
//
//     response       = B_0 + sum over p = 1 ... n of (D_p + W_p)
//     reaction time  = W_0 + sum over p = 1 ... n of (D_p + W_p)
//     data age       = the same
//     age at output  = W_0 + sum over p = 1 ... n - 1 of (D_p + W_p) + D_n + B_n;  B_0 if n = 0
//
// For timers alone these are Davare et al., "Period Optimization for Hard Real-time Distributed
// Automotive Systems" (DAC 2007), and the last-to-first and last-to-last path delays of Feiertag et
// al., "A Compositional Framework for End-to-End Path Delay Calculation of Automotive Systems"
// (CRTS 2008). The cut at sampling callbacks is that of Teper et al., "End-To-End Timing Analysis
// in ROS2" (RTSS 2022), with `bounds` in place of a sum over the executor. Reaction time and data
// age have one bound since they are equal: Günzel et al., "On the Equivalence of Maximum Reaction
// Time and Maximum Data Age for Cause-Effect Chains" (ECRTS 2023).
//
// Logical execution time (Task::border). A timer of such a group is a part by itself. The path
// after it begins with its border task (src/analysis/inputs/let.hpp), exactly one period T after
// the timer's release: in the sums B of that timer is T, and W of the part after it is the bound of
// that part from the border on. One case is shorter: all timers that take the message there have
// logical execution time in the same executor, and only border tasks of this executor publish the
// messages that they take. Then the message is there at the border itself, because at a border
// outputs come before inputs. So the border task takes no time, and with known phases T_j is the
// longest time from such a border to a release.
//
// Definitions, after Günzel et al., "Compositional Timing Analysis of Asynchronized Distributed
// Cause-Effect Chains" (ACM TECS 2023):
// - response: from the nominal release of the chain's root to the end of the first run of the last
//   callback that uses the result. A message that is overwritten before it is read has no
//   response.
// - reaction time: from any event outside to the end of the first run of the last callback whose
//   input was sampled after it. The root samples when its run begins, and the event may have just
//   been missed. If the root's messages come from outside of the model, they are the events: no
//   sampling is needed, and the reaction time is the response.
// - data age: from the moment at which the root sampled the data of an output to the moment at
//   which the next output with newer data replaces it. An output is the end of a run of the last
//   callback.
// - age at output: from the sampling only to the output itself, also if an earlier output used the
//   same data.
//
// Assumptions. Those of `bounds`. When a run begins, it reads the latest message that is there;
// messages of one topic and publisher do not overtake each other. All processes are up. A timer
// with an offset from the start of its process may have its first release after the message is
// there: if that wait is longer than T_j, the response has it in place of T_j. For reaction time
// and ages all timers of the path have been released. Clocks of hosts run equally fast; they need
// not agree. A callback that reads messages of the callback before it, and is also started by it,
// counts as started.
//
// Refused with a sentence: chains of which `bounds` refuses a part; readers that no timer starts,
// directly or through others, because messages from outside come at most once per period, and
// perhaps never; readers after a set of newest messages (Task::newest), because not each release
// completes a set. Reaction time and ages are also refused if the path goes through such a set, and
// if messages of other callbacks may always replace the path's messages before they are read
// (src/analysis/end_to_end/replaced.hpp). Data age is also refused if the root's messages come from
// outside: the next one may never come.
//
// Limits: those of `bounds`, and a hundred thousand callbacks on all examined ways.
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
    answer;  ///< from that release to the end of the part, by the way with the smallest sum
  /// Present with logical execution time, in place of the bound of `answer`. The part of a timer
  /// ends this long after its release: then its messages go out. The part of a border task takes no
  /// time before a timer that publishes due messages itself.
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

/// Faults: those of `check` (model.hpp). `explain`: as in BoundsOptions; for a model with one chain
/// it gives all terms. If a chain reads, the analysis runs twice.
takt_rt::Result<EndToEndBounds> end_to_end(
  const Model & model, const EndToEndTerms & terms = EndToEndTerms(), bool explain = false);

/// Only `EndToEndBounds::bounds`. If no chain reads, it takes as long as `bounds`.
takt_rt::Result<Bounds> bounds_through_reads(const Model & model);

/// True if job windows bound a segment of the chain, or of a part of its path if it reads: then the
/// bound holds only while phases do. Does not allocate.
bool rests_on_phases(const ChainAnswer & chain);

/// True if the task `before` does not start `task`, which only reads a message of `before`.
bool only_reads(const Task & task, Index before);
/// True if the chain's path has such a task.
bool reads(const Model & model, const Chain & chain);

}  // namespace takt_plan

#endif  // TAKT_PLAN__END_TO_END_HPP_
