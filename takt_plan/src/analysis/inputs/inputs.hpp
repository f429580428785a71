// Non-triggering callbacks in analyses: their work is part of the runs of their takers.
//
// A message for a non-triggering callback (an *input*, Task::input) starts nothing. A run of a
// taker first runs the input once for each message that waits (takt_core/non_triggering.hpp).
// `with_inputs_in_takers` makes a model that the other analyses know:
//
// - Each taker takes longer by n runs of the input, n = min(keep, depth of its history), and by a
//   dispatch and a take for each further message that it leaves out. The inputs' own arrivals
//   interfere with nothing.
// - The input itself takes no time. It reads what it got messages of, and the end of its takers
//   starts it.
//
// Why this is safe:
//
// - Demand. After it has taken its own message, a taker decides which messages of the input it
//   takes: those that wait then. They are at most the depth. All takers have one thread, so no
//   other taker takes any of them meanwhile. So the taker runs exactly those messages behind which
//   fewer than `keep` are left. They run on the taker's thread, between its take and its work, so
//   the taker's run is one run of the longer time on one thread: it keeps the thread and may be
//   preempted as before. (With takers on several threads a taker may run more than `keep`, because
//   another one may take newer messages. The analysis refuses them.)
// - Ceilings. The thread leaves the middleware ceiling between an input's end and the next run.
//   Without a break it stays there for at most the taker's take and one run of an input.
//   Task::section has this time.
// - Supply. No work is left out of any run, and a shorter run is a case of a longer one.
// - Responses of chains that end at the input. A message that is there at t is taken by the first
//   run of a taker that begins behind t, and its run ends before that of the taker does. So the
//   claim of end_to_end.hpp about readers holds, with the taker's run as the reader's. The reader
//   of this model begins at the taker's end, so its bound counts from the same release of the same
//   timer to a later end. `keep` and the history's depth drop old messages only where a newer one
//   of the topic is there, as for readers. `max_age` may leave out all messages: a chain through
//   such an input has a response, which counts for messages that run, and neither a reaction time
//   nor ages.
//
// A chain that a taker continues to its own input waits for the taker's next run: end_to_end.hpp
// and `bounds_through_reads` know that; the chains of `bounds` alone do not.
//
// Set-up only: allocates, does not block.
#ifndef TAKT_PLAN__SRC__INPUTS_HPP_
#define TAKT_PLAN__SRC__INPUTS_HPP_

#include <string>

#include "takt_plan/model.hpp"
#include "takt_rt/result.hpp"

namespace takt_plan
{

/// Makes the model for analyses. Faults, one sentence each: inputs without a taker, with takers on
/// several threads, with waits in their runs, with a history of unlimited depth, at the beginning
/// of a chain, or with messages of their own that other tasks get; and those of `with_borders`
/// (let.hpp), which this calls. Conditions stay: see `with_conditions` (conditions.hpp).
takt_rt::Result<Model> with_inputs_in_takers(Model model);

/// The reason why an input has no bound of its own.
std::string runs_in_takers(const Model & model, const Task & input);

}  // namespace takt_plan

#endif  // TAKT_PLAN__SRC__INPUTS_HPP_
