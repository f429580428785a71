// How deep histories must be so that no message is overwritten before it is taken.
//
// Theorem. A message waits in the history of its topic from when it arrives until the run that
// takes it begins. On each way on which messages of the topic reach a callback, the message of a
// release at n arrives no earlier than n, and is taken by n + B - C: B bounds that way's response,
// and a run of at most C that begins later could end too late. So messages that wait at a time t
// were released at t - (B - C) or later, and releases on a way are at least its period T apart:
//
//     depth = sum over the ways by which the topic's messages come of  floor((B - C) / T) + 1
//
// Where the phases of all timers are known, each job of a hyperperiod has a window; then the depth
// is the largest number of messages that may wait at once
// (takt_plan/src/analysis/jobs/job_depths.hpp), if that is less.
//
// All busy-window analyses count arrivals in an interval in this way; Teper et al. (RTCSA 2023) and
// Li et al. (RTSS 2022) bound buffers of default executors and of message filters like this. The
// argument has no circle: if a message were overwritten, the bounds would hold until then.
//
// Where one message of each topic starts the callback, and all of them come of one release, each
// topic counts as above, since all are taken together. The callback's own messages from outside of
// the model are a topic of their own, and come by one way. A topic that is only read needs a depth
// of one: the reader wants the latest message, so it loses nothing if newer messages replace older
// ones.
//
// Inputs of groups with logical execution time. A message waits until the next release of the
// group's timer, at most its period P, and until that run takes it, at most the timer's bound B.
// Messages that come meanwhile must not replace it, also not those that the run leaves to the next
// run. On a way whose messages come at most J after their releases, as many as
//
//     depth = sum over the ways of  floor((P + B + J) / T) + 1
//
// arrive in that time. With `keep: k` only the newest k that had come by the release are wanted, so
// k and those that arrive in B are enough. Topics that such a timer only reads need depth for the
// same reason: of the messages that had come by the release the timer wants the newest one, so one
// and those that arrive in B are enough. The depth of the timer's callback in the model is that of
// these topics.
//
// Assumptions. Those of `bounds`; each publisher sends one message of a topic per run.
//
// Refused with a sentence, per topic: callbacks without a bound, and callbacks that wait for
// messages of unrelated sources, because the messages of the more frequent source pile up.
//
// Limits: those of `bounds`, and a hundred thousand callbacks on all ways together; beyond that a
// callback's largest bound stands for those of its ways, and depths are larger than need be.
//
// Set-up only: allocates, does not block.
#ifndef TAKT_PLAN__SRC__HISTORY_DEPTH_HPP_
#define TAKT_PLAN__SRC__HISTORY_DEPTH_HPP_

#include <vector>

#include "takt_plan/model.hpp"
#include "takt_rt/result.hpp"

namespace takt_plan
{

/// The depth for one topic that starts a task, or that a timer with logical execution time reads.
struct HistoryDepth
{
  Index task = kNone;
  Index topic = kNone;  ///< position in the task's `triggers`, of a timer in its `reads`; kNone:
                        ///< messages from outside of the model
  takt_rt::Result<Ns> needed = 0;  ///< a number of messages, at least one
};

/// One entry for each topic of each task, in the order of tasks; timers without logical execution
/// time have none, nor have inputs whose takers take the newest messages. Faults: those of `check`
/// (model.hpp).
takt_rt::Result<std::vector<HistoryDepth>> history_depths(const Model & model);

}  // namespace takt_plan

#endif  // TAKT_PLAN__SRC__HISTORY_DEPTH_HPP_
