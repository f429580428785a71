// Groups with logical execution time (takt_core/logical_time.hpp) in analyses.
//
// The group's timer takes the messages of its inputs (inputs.hpp) that arrived by its release. Its
// own messages go out at its border: the release plus one period. `with_borders` gives each such
// timer a task of its own that publishes, the *border task*: a timer of the same period and jitter,
// one period later, on the same thread and with priority 255. All callbacks that hear the group's
// timer then hear the border task, which only reads the messages that the timer leaves.
//
// Why this is safe, as long as each run of the group ends before its border:
//
// - The border task is the executor's own callback, which publishes at the border. Its run takes a
//   dispatch and the publishes of the timer. Holding the messages in the timer's run counts as much
//   again.
// - All groups of one executor must be on one thread, so no lock is held while another thread
//   publishes. A border task may also publish due messages of other groups of the executor. Under
//   order `fifo`, or beside priority 255, a run of another group may publish them. So each of them
//   counts the publishes of all other groups.
// - Arrivals. The messages of the timer arrive at the end of the border task's run at the latest,
//   and never before the border: a stream with the period and the jitter of the border task.
// - Each run ends before its border: `late_runs` examines the bounds, which were found under this
//   assumption. Let a run be the first to end late. Until then the assumption held, so the bound of
//   this run, which depends on nothing that comes later, says that the run ends before its border.
//   So no run is late.
// - Responses. A message that is there by a release is taken by that release's run, and the next
//   release comes at most a period after any time: the claim of end_to_end.hpp of a reader. The
//   path after the timer begins at the border, however long the run took.
//
// - First messages. A task that waits for a message of a timer first waits for the timer's first
//   border: two periods after the start of the process, or the timer's offset and a period
//   (Model::first_release). Conditions, sets and readers that a border task starts count that.
// - At a border outputs come before inputs: a run that is released at a border takes the messages
//   that other groups of its executor publish there, at whatever moment. But a run takes messages
//   of an input in the order in which they came, and only up to the first one that arrived after
//   its release. A message of another publisher may arrive between the border and the time at which
//   the border's message goes out, and then the run does not take the border's message. So only an
//   input that gets all messages from groups of the executor (WaitingInput::from_borders) meets
//   them at the border. Elsewhere a message is there at the end of the border task, and the next
//   release takes it, because all earlier messages have arrived by then.
//
// A history may replace a message that arrived by the release by a later one, which the run does
// not take. A chain that ends at such an input has a response, which counts for messages that run,
// and neither a reaction time nor ages.
//
// Set-up only: allocates, does not block.
#ifndef TAKT_PLAN__SRC__LET_HPP_
#define TAKT_PLAN__SRC__LET_HPP_

#include <string>
#include <vector>

#include "takt_plan/model.hpp"
#include "takt_rt/result.hpp"

namespace takt_plan
{

/// Adds the border tasks behind the tasks of `model`, and sets Task::border. Faults, one sentence
/// each: groups without one timer that only its own releases start; timers on several threads, on
/// threads that are not of fixed priority, of other orders than priority and fifo, or on other
/// threads than another such timer of the executor.
takt_rt::Result<Model> with_borders(Model model);

/// True if border tasks of `executor` publish all messages that come by these links, and none is
/// under way.
bool all_from_borders(const Model & model, const std::vector<Link> & links, Index executor);

/// Why the bounds of `model`, which are those of `tasks`, do not hold: a run of a group with
/// logical execution time may be late. Empty: none may.
std::string late_runs(const Model & model, const std::vector<takt_rt::Result<Ns>> & tasks);

/// The longest time from a border of `publisher` to the next release of `timer`. Both offsets must
/// be known, and have one epoch.
Ns longest_wait_from_border(const Task & publisher, const Task & timer);

}  // namespace takt_plan

#endif  // TAKT_PLAN__SRC__LET_HPP_
