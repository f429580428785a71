// The executor owns callbacks and threads and runs the callbacks on the threads.
//
//     auto executor = takt_core::Executor::create(options);   // Result: all faults at once
//     (*executor)->add(callback, binding);
//     (*executor)->spin();                                    // until cancel()
//
// A start has two phases. First the threads are created, get their attributes (affinity before
// policy) and read them back. Then the gate opens: waiting callbacks are released and timers begin.
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
#include "takt_core/reconfiguration.hpp"
#include "takt_core/scheduler.hpp"
#include "takt_core/thread_mask.hpp"
#include "takt_rt/attribute_setter.hpp"
#include "takt_rt/thread_attributes.hpp"

namespace takt_core
{

using takt_rt::AttributeSetter;

/// The reaction to an exception from a user's function or a take.
enum class ExceptionPolicy
{
  stop,    ///< the executor stops as by `cancel`; `spin` returns the first exception
  report,  ///< observers are notified, the exception is counted, and the executor continues
};

/// The reaction to an attribute that the kernel refuses.
enum class MissingRights
{
  fail,    ///< the start fails with one fault per refusal; no callback runs
  report,  ///< the executor runs with the granted attributes; see `attributes()` and `refusals()`
};

/// As the schedule file spells them; see names.hpp.
std::string_view to_string(ExceptionPolicy policy) noexcept;
/// As the schedule file spells it; see names.hpp.
std::string_view to_string(MissingRights policy) noexcept;

/// One executor thread, as the program requests it.
struct ExecutorThreadOptions
{
  ThreadAttributes attributes;  ///< absent ones: those of the thread that starts the executor
  /// The thread waits at its own priority. While it runs a callback, it takes the callback's
  /// priority as its SCHED_FIFO priority. Needs policy fifo; its callbacks need priorities from 1
  /// to the thread's own.
  bool follow = false;
};

/// The OS priority to which threads raise themselves while they take and publish; see
/// middleware_ceiling.hpp.
struct MiddlewareCeiling
{
  /// The source of the ceiling's OS priority.
  enum class Mode
  {
    off,        ///< threads take and publish at their own OS priority
    automatic,  ///< just above the most urgent thread, if threads differ in OS priority
    fixed,      ///< `priority`
  };
  Mode mode = Mode::automatic;
  int priority = 0;  ///< for `fixed`: 1 to 99
};

/// As the schedule file spells it: "auto", "off" or the priority.
std::string to_string(const MiddlewareCeiling & ceiling);

/// The properties that an executor has from its creation on. `validate` lists the faults of the
/// values.
struct ExecutorOptions
{
  std::string name = "executor";  ///< the name in messages; also the thread's if `threads` is empty
  /// Empty: one thread with inherited attributes.
  std::vector<ExecutorThreadOptions> threads;
  Order order = Order::fifo;                            ///< of every thread set
  WindowTimers window_timers = WindowTimers::snapshot;  ///< for the orders `window` and `stock`
  Epoch epoch = Epoch::start;  ///< zero of the timers' offsets; see `first_release`
  /// Present if bounds rest on the offsets of the executor's timers: `Executor::phases` tells
  /// whether these bounds hold.
  std::optional<PhaseOptions> phases;
  ExceptionPolicy on_exception = ExceptionPolicy::stop;  ///< thrown by a user's function or a take
  MissingRights missing_rights = MissingRights::fail;    ///< for thread attributes, locked memory
  MiddlewareCeiling middleware_ceiling;                  ///< see middleware_ceiling.hpp
  bool lock_memory = false;  ///< mlockall and pre-faulted stacks at start
  /// The first thread runs callbacks before the others have begun, as in rclcpp's pool: on a busy
  /// machine each thread may wait long for a core. Needs a start that the kernel cannot refuse: no
  /// thread requests a policy, a nice value or cores, and memory is not locked. The kernel shows
  /// the threads under the name of the thread that creates them. Until a thread has begun,
  /// `attributes()` shows the starting thread's attributes for it.
  bool begins_with_first = false;
  /// Attributes of groups that may be isolated later: the automatic middleware ceiling counts them.
  std::vector<ThreadAttributes> isolated_attributes;
  /// Sets the threads' attributes; null: this process sets them by its own rights.
  std::shared_ptr<AttributeSetter> setter;
};

/// One executor thread.
struct ThreadState
{
  std::uint32_t number =
    0;            ///< `Run::thread` of its runs; another isolated thread may get the number later
  pid_t tid = 0;  ///< 0: the thread does not run
  std::string group{};  ///< the group's id; isolated threads only
  AttributeReport
    attributes{};  ///< latest requested and granted ones; before a start only requested
};

/// Every fault in `options` that is visible without a start.
Faults validate(const ExecutorOptions & options);

/// The reason for a spin's return.
struct SpinOutcome
{
  Faults faults;                 ///< missing rights, or another spin in progress
  std::exception_ptr exception;  ///< the first exception under `ExceptionPolicy::stop`
  /// Only of `spin_once` and `spin_some`: `cancel` was called before or during the call, so a loop
  /// around the call must end. `spin` and `wait` do not set it.
  bool cancelled = false;
  /// Whether a loop may continue: `while (executor.spin_once(timeout).ok()) {}` is `spin` on this
  /// thread.
  bool ok() const noexcept { return faults.empty() && exception == nullptr && !cancelled; }
};

/// Owns callbacks and threads; see the head of this file. Each section below says from which
/// threads its functions may be called and whether they block.
class Executor
{
public:
  /// Makes an executor without callbacks and without running threads. Faults: those of `validate`.
  /// Any thread; set-up only: allocates.
  static Result<std::unique_ptr<Executor>> create(ExecutorOptions options = {});
  /// Cancels the spin in progress, and joins the threads.
  ~Executor();
  Executor(const Executor &) = delete;
  Executor & operator=(const Executor &) = delete;

  /// The options of `create`, with one thread if they had none. Any thread; real-time safe.
  const ExecutorOptions & options() const noexcept;

  // ---- callbacks: set-up, at any time, from any thread or callback; may block ----
  //
  // Each of these functions also frees callbacks that were removed without waiting and have ended:
  // see `remove`.

  /// Adds a callback and its group. Faults: the scheduler's; a group whose members are bound to
  /// threads of different OS priority (unless `Group::allow_across_priorities`); a priority that a
  /// following thread cannot take.
  Status add(std::shared_ptr<Callback> callback, const Binding & binding = {});

  /// Removes the callback. If the callback runs on another thread, `remove` waits for the end of
  /// that run. It does not wait in two cases:
  ///
  /// - The caller is inside the callback itself, also if a callback of another executor, which the
  ///   callback spins, calls `remove`.
  /// - The wait would never end: of callbacks that remove each other, the last one does not wait.
  ///
  /// After the end of its run the callback can be added again, to any executor.
  ///
  /// If `remove` waited, the executor has released the callback at the return. If not, the executor
  /// releases the callback after the end of the run, at the first of these: a thread in `wait` or
  /// `spin` (within milliseconds), the next function of this section on any thread, the end of
  /// `spin_once` and `spin_some`, the destructor. An executor thread releases callbacks only if a
  /// callback that it runs calls a function of this section. No lock is held during the release, so
  /// destructors of the callback's members may use this executor.
  void remove(Callback & callback);

  /// As `remove`, but without waiting: a run in progress continues to its end, and another callback
  /// may have the id at once.
  void retire(Callback & callback);

  /// Takes back one `Group::hold_condition`. The call that takes back the last one checks the
  /// group's condition. Set-up.
  void release_condition(Group & group);

  /// Gives the group's callbacks threads of their own (isolation.hpp). The threads begin when the
  /// first callback is added to the spinning executor; they have their attributes before that
  /// callback can run. The threads end after the removal of the last callback. The bindings of the
  /// group's callbacks must not name threads. `add` then has the faults of a start, too: threads
  /// that cannot be created, missing rights under `fail`. Faults: the group has members, or those
  /// of `validate`.
  Status isolate(Group & group, const Isolation & isolation);

  /// Largest number of concurrent runs of one callback of `group`; `Run::lane` is always below it.
  /// Any thread, after the group has been isolated or will not be.
  std::uint32_t lanes(const Group & group) const noexcept;

  /// Changes bindings, chains and threads, all or none: the executor judges the joint result of the
  /// changes. Each callback changes at its next start, even if it is ready now; no pending work is
  /// lost. A thread that runs gets its attributes at once, another thread at its start. An absent
  /// attribute becomes that of the thread that started the executor, as in the options; the name
  /// does not change. The middleware ceiling and `follow` then raise the thread above the new
  /// attributes, and return it to them. Wake-ups choose among idle threads by the new attributes.
  ///
  /// Returns the attributes that each thread got, in the order of `change.threads`. After a fault
  /// nothing has changed. Faults: a callback or thread that this executor does not have; values out
  /// of range; threads for callbacks of isolated groups; a group whose members would run at
  /// different OS priorities (unless `Group::allow_across_priorities`); a priority that a following
  /// thread cannot take; under MissingRights::fail, a refusal of the kernel. At any time, from any
  /// thread or callback; may block as the setter does, and allocates.
  Result<std::vector<AttributeReport>> reconfigure(const Reconfiguration & change);

  /// The faults that `reconfigure` would find without asking the kernel. Changes nothing.
  Faults check(const Reconfiguration & change) const;

  /// The requested values of all that `reconfigure` can change.
  Reconfiguration configuration() const;

  /// The callback with this id, also in isolated groups; null: none.
  std::shared_ptr<Callback> find(std::string_view id) const;
  /// Callbacks in the order of their adding; those of isolated groups come last.
  std::vector<std::shared_ptr<Callback>> callbacks() const;

  /// Access to lookup, timers and other functions that need no executor thread. Users must not call
  /// its set-up functions: these check and report less than `add`, `remove` and `reconfigure`.
  /// Callbacks of isolated groups have other schedulers: see `scheduler_of`.
  Scheduler & scheduler() noexcept;
  /// As above, for a constant executor.
  const Scheduler & scheduler() const noexcept;
  /// The scheduler of `callback`: for its timer, its priority and its binding. Returns
  /// `scheduler()` if no executor has the callback. Real-time safe.
  Scheduler & scheduler_of(const Callback & callback) noexcept;

  // ---- running ----

  /// Creates the threads and opens the gate; returns once it is open. See
  /// `ExecutorOptions::begins_with_first`. `epoch`: zero of the timers' offsets, e.g. agreed
  /// between processes; default: now. Under Epoch::host and Epoch::tai, `epoch` is the time at
  /// which timers begin. Faults: missing rights (under `fail`), already running.
  Status start(std::optional<Time> epoch = std::nullopt);

  /// Waits for `cancel` (or an exception under `stop`), then joins the threads. Several threads may
  /// wait: all return at the end, with the same outcome. Faults: not started, or called by a
  /// callback on a thread that it would join.
  SpinOutcome wait();

  /// `start` and `wait`. An earlier `cancel` ends this spin at once.
  SpinOutcome spin(std::optional<Time> epoch = std::nullopt);

  /// As `spin`, but the calling thread is the first executor thread. The caller gets that thread's
  /// attributes, except the name and the stack, and has its own again at the return. For programs
  /// that rely on their own thread: if the executor has one thread, all callbacks run on the
  /// calling one. Callbacks that were removed without waiting are freed by the next function of the
  /// section above, or at the end of the spin.
  SpinOutcome spin_on_caller(std::optional<Time> epoch = std::nullopt);

  /// Waits up to `timeout` (negative: for ever; zero: not at all) for a ready callback of any
  /// thread set, and runs it on the calling thread. Runs at most one callback. Not while the
  /// executor's own threads run.
  SpinOutcome spin_once(Duration timeout, bool * ran = nullptr);

  /// Runs the callbacks that are ready now on the calling thread, each at most once, until `limit`
  /// is over (checked between callbacks; zero: no limit).
  SpinOutcome spin_some(Duration limit = Duration::zero(), std::size_t * ran = nullptr);

  /// Ends the current spin or, if none is in progress, the next one. Any thread, any callback,
  /// signal handlers. Real-time safe.
  void cancel() noexcept;

  /// Whether any kind of spin, or a start without its `wait`, is in progress. Any thread; real-time
  /// safe.
  bool running() const noexcept;
  /// Whether the executor runs and has not been cancelled, so that ready callbacks start. After
  /// `cancel` it runs until all threads have left, but starts no callback. Any thread; real-time
  /// safe.
  bool starts_callbacks() const noexcept;

  /// Announces `count` messages, stamped now. `newest`: when the last of them came, if a thread
  /// notices it only now; for conditions (`Condition::fresh`). Real-time safe; see
  /// Scheduler::ready.
  void ready(Callback & callback, std::uint32_t count = 1, Time newest = takt_rt::kNever) noexcept;

  // ---- watching ----

  /// Adds an observer. Set-up only. Faults: the executor is spinning, or `observer` is null.
  Status add_observer(std::shared_ptr<Observer> observer);

  /// All threads: those of the options in their order, then isolated ones. Any thread, at any time;
  /// may block.
  std::vector<ThreadState> threads() const;

  /// The requested and granted attributes of each thread at the latest start, in thread order;
  /// empty before the first start. Present isolated threads come last. Any thread, at any time; may
  /// block.
  std::vector<AttributeReport> attributes() const;

  /// Refusals at the last start that concern the process: locked memory, a fixed middleware
  /// ceiling. Empty before the first start. Set-up only.
  Faults refusals() const;

  /// The faults of `Scheduler::waiting_in_vain`, for all callbacks of the executor. Set-up.
  Faults waiting_in_vain() const;

  /// OS thread ids in thread order; 0 for a thread that does not run. Present isolated threads come
  /// last.
  std::vector<pid_t> thread_ids() const;

  /// The last disturbance of the phases of the executor's callbacks, and the time from which bounds
  /// that rest on phases hold; absent: the options have no `phases`. Any thread, at any time; may
  /// block as set-up does.
  std::optional<PhaseState> phases() const;

  /// The OS priority of the ceiling in force, 1 to 99; 0: none. Any thread; real-time safe.
  int middleware_ceiling() const noexcept;
  /// Number of exceptions that callbacks have thrown so far. Any thread; real-time safe.
  std::uint64_t exceptions() const noexcept;

private:
  struct Impl;
  explicit Executor(ExecutorOptions options);
  std::unique_ptr<Impl> impl_;
};

/// Calls `function` for each executor of this process, in the order of their creation. Destructors
/// of executors wait meanwhile. `function` must not create or destroy an executor. Any thread; may
/// block.
void for_each_executor(const std::function<void(Executor &)> & function);

/// The executor of the calling thread, or nullptr. Real-time safe.
Executor * current_executor() noexcept;
/// The run in progress on the calling thread, or nullptr. Real-time safe.
const Run * current_run() noexcept;

}  // namespace takt_core

#endif  // TAKT_CORE__EXECUTOR_HPP_
