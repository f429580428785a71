// What analysis works on: tasks, threads, cores and chains as plain numbers, without files.
//
// A task is a callback of the system model with what the schedule decides for it. Everything refers
// to everything else by index. `build_model` (src/model/build_model.hpp) makes one from a system model and a
// schedule; tests and tools may fill one themselves, in which case `check` says whether the analyses
// can take it. Set-up only.
#ifndef TAKT_PLAN__MODEL_HPP_
#define TAKT_PLAN__MODEL_HPP_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "takt_core/order.hpp"
#include "takt_core/timer.hpp"
#include "takt_plan/nanoseconds.hpp"
#include "takt_rt/result.hpp"

namespace takt_plan
{

using Index = std::size_t;
inline constexpr Index kNone = static_cast<Index>(-1);

/// Releases from outside of the graph: a timer, or messages nobody in the model sends.
struct Release
{
  Ns period = 0;             ///< greater than zero; at most one release each
  Ns jitter = 0;             ///< how late after its nominal time a release may be
  std::optional<Ns> offset;  ///< of the first nominal time; absent: any phase
};

/// A topic's way from one task to another. One entry per pair of topic and publisher.
struct Link
{
  Index from = kNone;
  Ns delay = 0;     ///< the message is seen at most this long after the end of `from`
  Index topic = 0;  ///< position among the topics of the receiving task
  /// It is a request within a run of `from`, which waits until the task has ended; `delay` has the answer's way, too.
  bool call = false;
};

/// A callback where the schedule puts it.
struct Task
{
  std::string id;
  Index host = 0;
  Index executor = 0;
  std::vector<Index> threads;  ///< that may run it, rising; never empty
  int priority = 0;            ///< larger first; inside an order that goes by priority
  Index group = kNone;         ///< of Model::groups; none: an exclusive one of its own

  Ns time = 0;        ///< worst execution time
  Ns dispatch = 0;    ///< per run: dispatch and the switches it may cause
  Ns middleware = 0;  ///< per run: publishing and taking

  std::optional<Release> release;  ///< of its own
  bool timer = false;              ///< that release is a timer's, not a message
  bool leaves_grid =
    false;  ///< of a timer: once late, it is released from then on (missed_periods: restart)
  std::vector<Link> triggers;  ///< that start it
  bool all = false;            ///< one message of every topic starts it, not each message
  /// Each message starts it and is kept, the newest of each topic. The run that completes a set works
  /// and publishes, and the set is forgotten; all others take `store`.
  bool newest = false;
  Ns store = 0;  ///< of `newest`: what a run takes that completes no set
  bool any_start =
    false;  ///< of `newest`: its sets may begin with any messages, as after a lost one
  std::vector<Link> reads;  ///< that it uses without being started
  std::uint32_t depth = 0;  ///< messages that it keeps of each topic that starts it; 0: all
  bool one_topic = false;   ///< a run publishes no more than one message
  /// Each run starts these by calls (Link::call, one for each entry) and waits for them, one after the other. Of the
  /// analyses `bounds` counts that (bounds.hpp).
  std::vector<Index> waits_for;
  /// Each run leaves its core for up to that long after its work, before its calls, and holds its thread.
  Ns sleep = 0;
  /// How long a run waits at most, with its thread and without a core; what analyses find (waits.hpp).
  Ns wait = 0;
  std::string no_wait;  ///< why the wait has no bound; empty: it has

  /// Whether its runs wait by themselves.
  bool may_wait() const noexcept { return sleep > 0 || !waits_for.empty(); }
  /// What one run takes from its core at most.
  Ns work() const noexcept { return add(time, add(dispatch, middleware)); }
  /// How long it keeps its thread beyond what others delay it. Waits count as work: of fixed priorities that is safe.
  Ns cost() const noexcept { return add(work(), wait); }
};

/// How the kernel picks a thread.
enum class ThreadClass
{
  fair,            ///< other, batch, idle and inherited: shares with everything on the machine
  fixed_priority,  ///< fifo and rr
  deadline
};

/// What a thread of policy deadline asks of the kernel: `runtime` in each `period`, by `deadline`
/// after its beginning; 0 < runtime <= deadline <= period.
struct Reservation
{
  Ns runtime = 0;
  Ns deadline = 0;
  Ns period = 0;
  Ns context_switch = 0;  ///< taken from it whenever the thread comes on a core
};

/// One executor thread.
struct Thread
{
  std::string name;
  Index host = 0;
  Index executor = 0;
  ThreadClass kind = ThreadClass::fair;
  int priority = 0;          ///< fixed_priority: 1 to 99
  bool rr = false;           ///< after each quantum others of its priority may go first
  Reservation reservation;   ///< deadline
  std::vector<Index> cores;  ///< it may be on any of these; never empty
  bool follow = false;       ///< takes its callback's priority as its own
  takt_core::Order order = takt_core::Order::fifo;
  takt_core::WindowTimers window_timers = takt_core::WindowTimers::snapshot;  ///< for `window`
  int ceiling = 0;  ///< OS priority while it publishes and takes, if that is above its own; 0: none
};

struct Core
{
  Index host = 0;
  int number = 0;  ///< the host's name for it
};

/// A thread that is not an executor's.
struct OtherLoad
{
  std::string name;
  int priority = 0;          ///< 1 to 99; 0: below all real-time threads
  std::vector<Index> cores;  ///< it may be on any of these
  Ns time = 0;               ///< at most this much per `period`
  Ns period = 0;
};

struct Group
{
  std::string id;
  bool exclusive = true;
};

struct Chain
{
  /// What a path calls a task, where that is another of its ids than the first.
  struct Alias
  {
    Index task = kNone;
    std::string id;
  };

  std::string name;
  std::vector<Index> path;  ///< tasks, root first; each triggered by or reading the one before
  int priority = 0;
  Ns deadline = kUnbounded;  ///< from the root's nominal release to the last task's end
  std::vector<Alias> aliases = {};
};

struct Model
{
  std::vector<std::string> hosts;
  std::vector<std::string> executors;
  /// From where the offsets of each executor's timers count; absent entries: from its start.
  std::vector<takt_core::Epoch> epochs;
  std::vector<Core> cores;
  std::vector<Thread> threads;
  std::vector<OtherLoad> others;
  std::vector<Group> groups;
  std::vector<Task> tasks;
  std::vector<Chain> chains;

  /// "core 2 of car".
  std::string core_name(Index core) const;

  /// The id of a task where the chain is spoken of: a set of newest messages has one for each topic,
  /// and the chain enters it by one of them.
  const std::string & id_on(const Chain & chain, Index task) const;

  /// Offsets of releases count from one instant if their tasks have the same number here. Those of messages from outside
  /// count on the clock of the host.
  Index epoch_of(const Task & task) const;
  /// Whether that instant is the start of the task's process.
  bool counts_from_start(const Task & task) const;
};

/// Every fault that would make an analysis meaningless: indices that refer to nothing, periods that
/// are not positive, negative times, tasks that nothing starts or that start themselves.
takt_rt::Status check(const Model & model);

/// All tasks so that each comes after those that start it; shorter than `model.tasks` only if tasks
/// start themselves.
std::vector<Index> in_trigger_order(const Model & model);

}  // namespace takt_plan

#endif  // TAKT_PLAN__MODEL_HPP_
