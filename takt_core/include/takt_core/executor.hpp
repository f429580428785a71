// The executor: owns callbacks and threads and runs the first on the second.
//
//     auto executor = takt_core::Executor::create(options);   // Result: all faults at once
//     (*executor)->add(callback, binding);
//     (*executor)->spin();                                    // until cancel()
//
// Starting is two-phase: threads are created, get their attributes (affinity before policy), read
// them back, and only then does the gate open: what waits is released and timers begin.
#ifndef TAKT_CORE__EXECUTOR_HPP_
#define TAKT_CORE__EXECUTOR_HPP_

#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "takt_core/isolation.hpp"
#include "takt_core/observer.hpp"
#include "takt_core/scheduler.hpp"
#include "takt_core/thread_mask.hpp"
#include "takt_rt/attribute_setter.hpp"
#include "takt_rt/thread_attributes.hpp"

namespace takt_core
{

using takt_rt::AttributeSetter;

/// What happens when a user's function (or a take) throws.
enum class ExceptionPolicy
{
  stop,    ///< the executor stops as by `cancel`, `spin` hands the first exception to its caller
  report,  ///< observers are told, the exception is counted, everything goes on
};

/// What happens when the kernel refuses an attribute.
enum class MissingRights
{
  fail,    ///< start fails with one fault per refusal; nothing ran
  report,  ///< the executor runs with what was granted; `attributes()` and `refusals()` tell
};

/// As the schedule file spells them; see names.hpp.
std::string_view to_string(ExceptionPolicy policy) noexcept;
std::string_view to_string(MissingRights policy) noexcept;

struct ExecutorThreadOptions
{
  ThreadAttributes attributes;
  /// The thread waits at its own priority and takes the priority of each callback it runs as its
  /// SCHED_FIFO priority meanwhile. Needs policy fifo; callbacks on it need priorities from 1 to
  /// its own.
  bool follow = false;
};

/// Whether threads raise themselves to one OS priority while they take and publish, and to which one: see
/// middleware_ceiling.hpp.
struct MiddlewareCeiling
{
  enum class Mode
  {
    off,
    automatic,  ///< just above the most urgent thread, if threads differ in OS priority
    fixed,
  };
  Mode mode = Mode::automatic;
  int priority = 0;  ///< for `fixed`: 1 to 99
};

/// As the schedule file spells it: "auto", "off" or the priority.
std::string to_string(const MiddlewareCeiling & ceiling);

struct ExecutorOptions
{
  std::string name = "executor";
  /// Empty: one thread with inherited attributes.
  std::vector<ExecutorThreadOptions> threads;
  Order order = Order::fifo;
  WindowTimers window_timers = WindowTimers::snapshot;
  Epoch epoch = Epoch::start;  ///< from where the offsets of timers count; see `first_release`
  /// Bounds rest on the offsets of its timers: `Executor::phases` tells whether they hold.
  std::optional<PhaseOptions> phases;
  ExceptionPolicy on_exception = ExceptionPolicy::stop;
  MissingRights missing_rights = MissingRights::fail;
  MiddlewareCeiling middleware_ceiling;
  bool lock_memory = false;  ///< mlockall and pre-faulted stacks at start
  /// The first thread runs callbacks although the others have not begun, as in a pool of rclcpp: a busy machine may keep
  /// each of them waiting for a core. Only where nothing can be refused: no thread asks for a policy, a nice value or
  /// cores, and no memory is locked. The kernel keeps their creator's name for them. `attributes()` has what the starting
  /// thread has until a thread has begun.
  bool begins_with_first = false;
  /// Of groups that may be isolated later: the automatic middleware ceiling counts them.
  std::vector<ThreadAttributes> isolated_attributes;
  /// Through whom the threads get their attributes; null: by the rights of this process.
  std::shared_ptr<AttributeSetter> setter;
};

/// One executor thread.
struct ThreadState
{
  std::uint32_t number =
    0;            ///< `Run::thread` of what it runs; an isolated thread's may be another's later
  pid_t tid = 0;  ///< 0: it does not run
  std::string group{};  ///< of an isolated thread: the group's id
  AttributeReport
    attributes{};  ///< what it asked for and got, latest; before the first start only asked
};

/// Every fault in `options` that can be seen without starting.
Faults validate(const ExecutorOptions & options);

/// What `Executor::reconfigure` changes. What is not named stays as it is.
struct Reconfiguration
{
  struct CallbackChange
  {
    std::shared_ptr<Callback> callback;
    Binding
      binding;  ///< as for `add`; its publishes_last does not count. Of an isolated group: without threads
  };
  struct ThreadChange
  {
    std::uint32_t number;  ///< ThreadState::number
    ThreadAttributes attributes;
    std::string group{};  ///< ThreadState::group: the thread is not another group's by now
  };
  std::vector<CallbackChange> callbacks;
  std::vector<ThreadChange> threads;
  std::optional<std::vector<ChainOptions>> chains;  ///< all that there are from then on
  /// From then on their callbacks may be bound to threads of different OS priority; a failed change leaves it so.
  std::vector<Group *> across_priorities{};
};

/// Why a spin returned.
struct SpinOutcome
{
  Faults faults;                 ///< it could not start (missing rights), or was spinning already
  std::exception_ptr exception;  ///< the first exception under `ExceptionPolicy::stop`
  /// Of `spin_once` and `spin_some`: a `cancel` came before or meanwhile, so that a loop around
  /// them is to end. Not set by `spin` and `wait`, which end in no other way.
  bool cancelled = false;
  /// Whether to go on: `while (executor.spin_once(timeout).ok()) {}` is `spin` on this thread.
  bool ok() const noexcept { return faults.empty() && exception == nullptr && !cancelled; }
};

class Executor
{
public:
  /// Set-up only.
  static Result<std::unique_ptr<Executor>> create(ExecutorOptions options = {});
  /// Cancels and joins.
  ~Executor();
  Executor(const Executor &) = delete;
  Executor & operator=(const Executor &) = delete;

  const ExecutorOptions & options() const noexcept;

  // ---- callbacks: set-up, at any time, from any thread or callback; may block ----
  //
  // Each of these also frees what was removed without waiting and has ended: see `remove`.

  /// Adds a callback and, with it, its group. Besides the scheduler's faults: a group whose members
  /// are bound to threads of different OS priority (unless `allow_across_priorities(group)`), and a
  /// priority that a following thread cannot take.
  Status add(std::shared_ptr<Callback> callback, const Binding & binding = {});

  /// Removes the callback: waits for a run on another thread, returns at once from inside itself
  /// (however deep: a callback that spins another executor is still inside) and where waiting would
  /// never end: of callbacks that remove each other the last one does not wait. It can be added
  /// again, here or elsewhere, when its run is over.
  /// Gives it up before it returns; after a removal that did not wait, once that run has ended, on
  /// the first of these: a thread in `wait` or `spin` (within milliseconds), the next function of
  /// this section on any thread, the end of `spin_once` and `spin_some`, the destructor. Never on
  /// an executor thread of its own accord. No lock is held meanwhile: what the callback owns may
  /// use this executor in its destructor.
  void remove(Callback & callback);

  /// As `remove`, but without waiting: a run in progress goes on to its end, and another callback may have the id at
  /// once.
  void retire(Callback & callback);

  /// From now on the group's callbacks have threads of their own (isolation.hpp). They begin with the first callback
  /// that is added while the executor spins, before that callback can run and with their attributes in force, and end
  /// after the last one has been removed. Callbacks of the group are added without threads in their bindings, and
  /// `bind` refuses them. `add` then also refuses what a start refuses: threads that cannot be created, and missing
  /// rights under `fail`. Faults: the group has members, or what `validate` says.
  Status isolate(Group & group, const Isolation & isolation);

  /// How many runs of one callback of `group` may go on at once: one more than `Run::lane` ever is. Any thread, once
  /// the group is isolated or not.
  std::uint32_t lanes(const Group & group) const noexcept;

  /// See Scheduler. All of them re-check what `add` checks, `set_chain` for every callback whose
  /// priority it would change; a fault changes nothing.
  Status bind(Callback & callback, ThreadMask threads);
  Status set_deadline(Callback & callback, std::optional<Duration> deadline);
  Status set_priority(Callback & callback, std::optional<int> priority);
  Status set_boost(Callback & callback, std::optional<Boost> boost);
  Status set_chain(const ChainOptions & chain);
  Status remove_chain(std::string_view name);
  Status bind_chain(std::string_view name, ThreadMask threads);

  /// From now on, for as long as it lives, the group may have members of different OS priority.
  void allow_across_priorities(Group & group);

  std::shared_ptr<Callback> find(std::string_view id) const;
  /// Those of isolated groups come behind the others; else in the order in which they were added.
  std::vector<std::shared_ptr<Callback>> callbacks() const;

  /// Lookup, timers, and all that needs no executor thread. Its own `add`, `remove`, `bind`,
  /// `set_priority` and `set_chain` check and tell less than those above: not for users.
  /// It has the callbacks that are not isolated.
  Scheduler & scheduler() noexcept;
  const Scheduler & scheduler() const noexcept;
  /// The one that has `callback`: for its timer, its priority and its binding. Of a callback that is nowhere, as
  /// `scheduler()`. Real-time safe.
  Scheduler & scheduler_of(const Callback & callback) noexcept;

  // ---- running ----

  /// Creates the threads and opens the gate; returns once it is open. See `ExecutorOptions::begins_with_first`. `epoch`: from when timers
  /// count, e.g. agreed between processes; default: now. Under Epoch::host and Epoch::tai: from when they run.
  /// Faults: missing rights (under `fail`), already running.
  Status start(std::optional<Time> epoch = std::nullopt);

  /// Waits until `cancel` (or an exception under `stop`), then joins the threads. Several threads
  /// may wait: all return when it is over, with the same outcome. Faults: not started, or called by
  /// a callback on one of the threads it would wait for.
  SpinOutcome wait();

  /// `start` and `wait`. A `cancel` that came before is not lost: it ends this spin at once.
  SpinOutcome spin(std::optional<Time> epoch = std::nullopt);

  /// As `spin`, but the calling thread is the first executor thread: it gets that thread's attributes
  /// except the name and the stack, and gives them back before this returns. For programs that count on
  /// their own thread: an executor with one thread runs all callbacks on it. What was removed without
  /// waiting is freed by the next function of the section above, or at the end.
  SpinOutcome spin_on_caller(std::optional<Time> epoch = std::nullopt);

  /// Runs at most one callback of any thread set on the calling thread; waits up to `timeout` for
  /// one (negative: for ever; zero: not at all). Not while the executor's own threads run.
  SpinOutcome spin_once(Duration timeout, bool * ran = nullptr);

  /// Runs what is ready now on the calling thread, each callback at most once, until `limit` is
  /// over (checked between callbacks; zero: no limit).
  SpinOutcome spin_some(Duration limit = Duration::zero(), std::size_t * ran = nullptr);

  /// Ends the current or, if there is none, the next spin. Any thread, any callback, signal
  /// handlers. Real-time safe.
  void cancel() noexcept;

  bool running() const noexcept;
  /// It runs and has not been cancelled: callbacks that are ready start. After `cancel` it runs until all threads have
  /// left, and nothing starts any more. Any thread; real-time safe.
  bool starts_callbacks() const noexcept;

  /// Announces work, stamped now. Real-time safe; see Scheduler::ready.
  void ready(Callback & callback, std::uint32_t count = 1) noexcept;

  // ---- watching ----

  /// Set-up only. Fault: it is spinning, or null.
  Status add_observer(std::shared_ptr<Observer> observer);

  /// Gives one thread other attributes, now if it runs, else when it starts. They are what it has from then on: what
  /// raises a thread for a while (middleware ceiling, following) comes on top and gives back to them, and idle threads
  /// are woken in the new order. `attributes` in full, as in the options; what they leave open is as the thread that
  /// started the executor had it. The name stays. Under MissingRights::fail a refusal is a fault, and the thread has what it had.
  /// Faults: no such thread, values out of range, a group whose members would run at different OS priorities, and
  /// bindings that a following thread could not take. Any thread, at any time; may block as the setter does.
  Result<AttributeReport> set_attributes(std::uint32_t thread, const ThreadAttributes & attributes);

  /// Several changes at once, all or nothing: it is judged by what comes of all of them together. Each callback is
  /// changed at its next start. Returns what each thread got, in the order of `change.threads`. Faults: those of `bind`,
  /// `set_priority`, `set_deadline`, `set_chain` and `set_attributes`; then everything is as it was.
  Result<std::vector<AttributeReport>> reconfigure(const Reconfiguration & change);

  /// What `reconfigure` would refuse by itself. Changes nothing, and asks no kernel.
  Faults check(const Reconfiguration & change) const;

  /// All that `reconfigure` can change, as it was asked for.
  Reconfiguration configuration() const;

  /// All threads: those of the options in their order, then isolated ones. Any thread, at any time; may block.
  std::vector<ThreadState> threads() const;

  /// What each thread asked for and got at the latest start, in thread order; empty before the
  /// first one. Isolated threads come last, as long as they are there. Any thread, at any time; may block.
  std::vector<AttributeReport> attributes() const;

  /// What the last start was refused that concerns no single thread: locked memory, a fixed
  /// middleware ceiling. Empty before the first start. Set-up only.
  Faults refusals() const;

  /// OS thread ids in thread order; 0 where no thread runs. Isolated threads come last, as long as they are there.
  std::vector<pid_t> thread_ids() const;

  /// What disturbed the phases of its callbacks, and from when bounds that rest on them hold; absent: the options have no
  /// `phases`. Any thread, at any time; may block as set-up does.
  std::optional<PhaseState> phases() const;

  /// The ceiling in force (0: none), and callbacks that threw so far.
  int middleware_ceiling() const noexcept;
  std::uint64_t exceptions() const noexcept;

private:
  struct Impl;
  explicit Executor(ExecutorOptions options);
  std::unique_ptr<Impl> impl_;
};

/// Calls `function` for each executor of this process that is there, in the order of their creation. None of them is
/// destroyed meanwhile. `function` does not create or destroy one. Any thread; may block.
void for_each_executor(const std::function<void(Executor &)> & function);

/// The executor whose thread the caller is, or nullptr. Real-time safe.
Executor * current_executor() noexcept;
/// The run in progress on the calling thread, or nullptr. Real-time safe.
const Run * current_run() noexcept;

}  // namespace takt_core

#endif  // TAKT_CORE__EXECUTOR_HPP_
