// The analysis model: tasks, threads, cores and chains as plain numbers, without files.
//
// A task is a callback of the system model with the schedule's decisions for it. Members refer to
// each other by index. `build_model` (src/model/build_model.hpp) makes a model from a system model
// and a schedule. Tests and tools may fill a model themselves; `check` then tells whether the
// analyses can use it. Set-up only.
#ifndef TAKT_PLAN__MODEL_HPP_
#define TAKT_PLAN__MODEL_HPP_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "takt_core/condition.hpp"
#include "takt_core/logical_time.hpp"
#include "takt_core/order.hpp"
#include "takt_core/timer.hpp"
#include "takt_plan/nanoseconds.hpp"
#include "takt_rt/result.hpp"

namespace takt_plan
{

using Index = std::size_t;
inline constexpr Index kNone = static_cast<Index>(-1);

/// A source of releases outside of the graph: a timer, or messages without a publisher in the
/// model.
struct Release
{
  Ns period = 0;             ///< above zero; the source releases at most once in each period
  Ns jitter = 0;             ///< longest delay of a release after its nominal time
  std::optional<Ns> offset;  ///< the first nominal time; absent: any phase
};

/// The way of a topic from one task to another. One entry for each pair of topic and publisher.
struct Link
{
  Index from = kNone;
  Ns delay = 0;     ///< the receiver sees the message at most this long after the end of `from`
  Index topic = 0;  ///< position among the topics of the receiving task
  /// A request within a run of `from`, which waits until the task has ended. `delay` includes the
  /// way of the answer.
  bool call = false;
};

/// Of a task whose messages do not trigger it (takt_core/non_triggering.hpp): they wait until a run
/// of a taker begins, which first runs the task once for each of them.
struct WaitingInput
{
  std::vector<Index> takers;  ///< rising; empty: nothing takes the messages
  std::uint32_t keep = 0;     ///< newest messages that a taker takes; 0: all
  /// a taker leaves out messages that arrived earlier than this before its start.
  Ns max_age = kUnbounded;
  /// A taker takes messages that arrived by its release, from which `max_age` counts then
  /// (NonTriggering::by_release).
  bool by_release = false;
  /// Of a model for analyses: its work is in the takers' times (inputs.hpp).
  bool in_takers = false;
  /// Of a model for analyses: border tasks of the takers' executor publish all of its messages, and
  /// none is under way (let.hpp).
  bool from_borders = false;
  /// Of a model for analyses: it also gets messages from outside of the model.
  bool from_outside = false;
};

/// A callback with its place in the schedule.
struct Task
{
  std::string id;
  Index host = 0;
  Index executor = 0;
  std::vector<Index> threads;  ///< the threads that may run it, rising; never empty
  int priority = 0;            ///< larger first; for orders that use priorities
  Index group = kNone;         ///< of Model::groups; kNone: an exclusive group of its own

  Ns time = 0;        ///< longest execution time
  Ns dispatch = 0;    ///< per run: the dispatch, and the switches that the run may cause
  Ns middleware = 0;  ///< per run: publishing and taking
  Ns publish = 0;     ///< of `middleware`: publishing. 0 in models that do not tell it apart
  /// In a model for analyses: the longest `middleware` of its inputs, which `dispatch` has.
  Ns of_inputs = 0;

  std::optional<Release> release;  ///< the task's own source; absent: only messages of other tasks
                                   ///< start it
  bool timer = false;              ///< the release is that of a timer, not of messages
  /// Of a timer: once late, it is released from then on (missed_periods: restart).
  bool leaves_grid = false;
  /// Of a timer: the program moves or stops it (`offset: any`), so that its phase may change.
  bool any_phase = false;
  std::vector<Link> triggers;  ///< messages that start it
  bool all = false;            ///< a message of each topic starts it together, not each message
  /// Each message starts a run, and the task keeps the newest message of each topic. The run that
  /// completes a set works, publishes and drops the set. All other runs take `store`.
  bool newest = false;
  Ns store = 0;  ///< for `newest`: time of a run that completes no set
  /// Of `newest`: its sets may begin with any messages, as after a lost one.
  bool any_start = false;
  /// Messages that it uses, but that do not start it. A timer of a group with logical execution
  /// time uses those that arrived by its release.
  std::vector<Link> reads;
  std::uint32_t depth = 0;  ///< messages that it keeps of each topic that starts it; 0: all of them
  bool one_topic = false;   ///< each run publishes at most one message
  /// Present: `triggers` and `release` bring messages, and start no run. Analyses need the model of
  /// `with_inputs_in_takers` (inputs.hpp).
  std::optional<WaitingInput> input;
  /// In a model for analyses, of a timer with logical execution time: the task that publishes its
  /// messages (let.hpp).
  Index border = kNone;
  /// In a model for analyses: may start before callbacks as urgent that were ready earlier.
  bool overtakes = false;
  /// In a model for analyses: its messages wait for the group's condition for this long at most,
  /// which the delays of its links include (conditions.hpp).
  Ns condition_wait = 0;
  /// Its sequence (takt_core/sequence.hpp), a number of its executor; kNone: it is in no sequence.
  Index sequence = kNone;
  std::uint32_t position = 0;  ///< in the sequence
  bool graph = false;          ///< the sequence is a graph, for several threads
  /// Each run starts these tasks by calls (Link::call, one for each entry), one after the other,
  /// and waits for them. Of the analyses only `bounds` counts the wait (bounds.hpp).
  std::vector<Index> waits_for;
  /// The longest time for which a run leaves its core after its work and before its calls. The run
  /// keeps its thread.
  Ns sleep = 0;
  /// The longest wait of a run, which keeps its thread and leaves its core. Analyses set it
  /// (waits.hpp).
  Ns wait = 0;
  std::string no_wait;  ///< the reason why the wait has no bound; empty: it has one

  /// A run publishes and takes at the middleware ceiling for no longer than this without a break.
  Ns section() const noexcept { return add(middleware, of_inputs); }
  /// True if its runs sleep or wait for other tasks.
  bool may_wait() const noexcept { return sleep > 0 || !waits_for.empty(); }
  /// The longest time for which one run uses its core.
  Ns work() const noexcept { return add(time, add(dispatch, middleware)); }
  /// The part of a run of `cost` that may come before the thread picks the callback: a thread that
  /// wakes first comes on its core, and until then more urgent callbacks of the thread go first.
  Ns before_pick(Ns cost) const noexcept { return dispatch < cost ? dispatch : cost; }
  /// The longest time for which one run keeps its thread, without delays by other tasks. Counts
  /// waits as work, which is safe for fixed priorities.
  Ns cost() const noexcept { return add(work(), wait); }
};

/// The kernel's rule for the choice of a thread.
enum class ThreadClass
{
  fair,            ///< other, batch, idle and inherited: shares the core with all programs of the
                   ///< machine
  fixed_priority,  ///< fifo and rr
  deadline
};

/// The reservation of a thread of policy deadline: `runtime` in each `period`, within `deadline`
/// after its beginning; 0 < runtime <= deadline <= period.
struct Reservation
{
  Ns runtime = 0;
  Ns deadline = 0;
  Ns period = 0;
  Ns context_switch = 0;  ///< each switch of the thread to a core uses this much of it
};

/// One executor thread.
struct Thread
{
  std::string name;
  Index host = 0;
  Index executor = 0;
  ThreadClass kind = ThreadClass::fair;
  int priority = 0;          ///< fixed_priority: 1 to 99
  bool rr = false;           ///< after each quantum other threads of its priority may precede it
  Reservation reservation;   ///< deadline
  std::vector<Index> cores;  ///< the cores that it may use; never empty
  bool follow = false;       ///< it takes its callback's priority
  takt_core::Order order = takt_core::Order::fifo;
  takt_core::WindowTimers window_timers = takt_core::WindowTimers::snapshot;  ///< for `window`
  int ceiling = 0;  ///< OS priority during publish and take, if above its own; 0: none
};

/// One core of a host.
struct Core
{
  Index host = 0;
  int number = 0;  ///< the host's number of the core
};

/// A thread outside of executors.
struct OtherLoad
{
  std::string name;
  int priority = 0;          ///< 1 to 99; 0: below all real-time threads
  std::vector<Index> cores;  ///< the cores that it may use
  Ns time = 0;               ///< longest time in each `period`
  Ns period = 0;
};

/// One callback group.
struct Group
{
  std::string id;
  bool exclusive = true;
  /// The condition under which messages trigger its callbacks (takt_core/condition.hpp); absent:
  /// each message does.
  std::optional<takt_core::Condition> condition = {};
  std::vector<Index> inputs = {};  ///< with a condition: the tasks whose messages it looks at
  /// Present: logical execution time (takt_core/logical_time.hpp), with the period of the group's
  /// timer.
  std::optional<takt_core::LateOutputs> logical_time = {};
};

/// One chain.
struct Chain
{
  /// The id by which a path names a task, if it is not the task's first id.
  struct Alias
  {
    Index task = kNone;
    std::string id;
  };

  std::string name;
  std::vector<Index> path;  ///< tasks, the root first; each task is triggered by, or reads, the one
                            ///< before
  int priority = 0;
  Ns deadline = kUnbounded;  ///< from the root's nominal release to the last task's end
  std::vector<Alias> aliases = {};
};

/// The whole model. Indices are positions in its lists.
struct Model
{
  std::vector<std::string> hosts;
  std::vector<std::string> executors;
  /// The zero of the offsets of each executor's timers; absent entries: the executor's start.
  std::vector<takt_core::Epoch> epochs;
  std::vector<Core> cores;
  std::vector<Thread> threads;
  std::vector<OtherLoad> others;
  std::vector<Group> groups;
  std::vector<Task> tasks;
  std::vector<Chain> chains;

  /// "core 2 of car".
  std::string core_name(Index core) const;

  /// True for a timer of a group with logical execution time.
  bool has_logical_time(const Task & task) const;

  /// The task's id for messages about this chain. A task with a set of newest messages has an id
  /// for each topic; the chain enters it by one of them.
  const std::string & id_on(const Chain & chain, Index task) const;

  /// A number for the zero of a task's offsets. Tasks with the same number have the same zero. The
  /// offsets of outside messages count on the host's clock.
  Index epoch_of(const Task & task) const;
  /// True if that zero is the start of the task's process.
  bool counts_from_start(const Task & task) const;

  /// In a model for analyses: the timer whose messages this border task publishes; kNone: it is
  /// none.
  Index timer_of_border(Index task) const;
  /// The longest time from the start of a timer's process to the timer's first release. 0: it is
  /// not longer than the period. A task that waits for the first message of a border task waits for
  /// the timer's first release and one period more.
  Ns first_release(Index timer) const;
};

/// All faults that would make an analysis meaningless: bad indices, periods that are not positive,
/// negative times, tasks that no source starts, and tasks that start themselves.
takt_rt::Status check(const Model & model);

/// All tasks, each after the tasks that start it. Shorter than `model.tasks` only if tasks start
/// themselves.
std::vector<Index> in_trigger_order(const Model & model);

}  // namespace takt_plan

#endif  // TAKT_PLAN__MODEL_HPP_
