// The passive half of the core: decides which callback runs next on which thread.
//
// The scheduler has no clock and no thread, and never waits for work. Executor threads drive it
// with the real clock and futexes. Tests and the simulator drive the same code with a virtual
// clock.
//
//     source (any thread)             executor thread i
//     ───────────────────             ─────────────────────────────────────────────
//     ready(callback, 1, now)  ──►    next(i, now, run) → take → taken(run) → user function
//                                     → complete(run)    … nothing left: begin_idle(i), sleep,
//                                                          woken through the Waker, end_idle(i)
//
// Locks: the thread set's mutex, inside it the group's; both inherit priority, and dispatching
// threads hold them for tens of nanoseconds. A thread that shares its only thread set with no other
// one starts the next callback of a sequence without either (`start_directly`): the callback is
// this thread's once it is marked as queued, and set-up waits for the thread's step
// (detail/dispatch_step.hpp). `ready` takes no lock, except for a callback under a
// condition: then it holds the condition's lock while it checks the condition. A taker takes its
// inputs with inputs_mutex_, inside which only a group's mutex is taken. Set-up functions serialise
// among themselves and may be called while threads dispatch.
#ifndef TAKT_CORE__SCHEDULER_HPP_
#define TAKT_CORE__SCHEDULER_HPP_

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "takt_core/boost.hpp"
#include "takt_core/callback.hpp"
#include "takt_core/chain.hpp"
#include "takt_core/clock/phases.hpp"
#include "takt_core/detail/dispatch_step.hpp"
#include "takt_core/detail/sleepers.hpp"
#include "takt_core/detail/thread_set.hpp"
#include "takt_core/non_triggering.hpp"
#include "takt_core/sequence.hpp"
#include "takt_core/thread_mask.hpp"
#include "takt_core/wake_deferral.hpp"
#include "takt_core/waker.hpp"
#include "takt_rt/result.hpp"

namespace takt_core
{

using takt_rt::Result;
using takt_rt::Status;

/// The properties that a scheduler has from its construction on. The executor checks them.
struct SchedulerOptions
{
  /// The urgency of each executor thread (see `urgency(ThreadAttributes)`). A wake-up chooses the
  /// most urgent idle member of a thread set.
  std::vector<int> thread_urgencies;
  Order order = Order::fifo;                            ///< of every thread set
  WindowTimers window_timers = WindowTimers::snapshot;  ///< for the orders `window` and `stock`
  Epoch epoch = Epoch::start;                           ///< zero of the timers' offsets
  /// For Epoch::tai: the time by which TAI is ahead of the driver's clock (tai_clock.hpp).
  /// Real-time safe; null: zero.
  Duration (*clock_ahead)() noexcept = nullptr;
  /// Notes the disturbances of callbacks (`Binding::phased`); must outlive the scheduler. May be
  /// null.
  Phases * phases = nullptr;
};

/// The threads and parameters of a callback. Absent values are inherited from the callback's
/// chains.
struct Binding
{
  ThreadMask threads = 0;         ///< 0: every thread
  std::optional<int> priority{};  ///< 0 to 255; absent: the most important chain's, else 0
  /// Counted from the release. Absent: the deadline of the chains of the run's activations, else
  /// none.
  std::optional<Duration> deadline{};
  std::optional<Boost> boost{};  ///< order `priority` only; see boost.hpp
  /// The callback publishes right before it returns. Its thread then runs the best callback that
  /// the messages made ready on the thread's own sets, and wakes no other thread for that callback
  /// (wake_deferral.hpp). If the publisher works on after its publish, the callbacks of its
  /// messages may wait for its end. No effect in following pools.
  bool publishes_last = false;
  /// Whether bounds may rest on the phase of this timer, or of this callback's messages. A skipped
  /// period or a lost message then disturbs the executor's phases (phases.hpp).
  Phased phased = Phased::no;
  /// Present: messages do not make the callback ready; other callbacks take them. A priority, a
  /// boost or threads of its own have no effect on such a callback: it runs on the thread of the
  /// taker.
  std::optional<NonTriggering> non_triggering{};
  /// Present: the callback starts by direct call after an earlier callback of its sequence has made
  /// it ready.
  std::optional<SequencePlace> sequence{};
};

/// Gets each callback that is parked in its busy group.
class ParkingListener
{
public:
  /// Called on the dispatching thread, perhaps with a lock of the scheduler held. Must be real-time
  /// safe and must not call the scheduler.
  virtual void parked(const Callback & callback) noexcept = 0;

protected:
  ~ParkingListener() = default;
};

/// Chooses the next callback for each thread; see the head of this file. Each section below says
/// from which threads its functions may be called and whether they block.
class Scheduler
{
public:
  /// The most threads of a scheduler: a ThreadMask has a bit for each of them and one for the
  /// visitor.
  static constexpr std::uint32_t kMaxThreads = takt_core::kMaxThreads;
  /// The most thread sets to which callbacks of a scheduler may be bound at one time.
  static constexpr std::uint32_t kMaxThreadSets = 64;

  /// Makes a scheduler without callbacks. Allocates. `waker` must outlive the scheduler.
  /// `sibling`: a scheduler that lives longer and shares its order of releases; null: none.
  Scheduler(SchedulerOptions options, Waker & waker, Scheduler * sibling = nullptr);
  /// Releases the callbacks. Call when no thread dispatches any more.
  ~Scheduler();
  Scheduler(const Scheduler &) = delete;
  Scheduler & operator=(const Scheduler &) = delete;

  /// The scheduler that has `callback`, or had it and waits for the end of its last run; else null.
  /// Real-time safe.
  static Scheduler * of(const Callback & callback) noexcept
  {
    const ThreadSet * const set = CallbackEntry::of(callback).set_.load(std::memory_order_acquire);
    return set == nullptr ? nullptr : &set->owner;
  }

  /// The number of threads, without the visitor. Any thread; real-time safe.
  std::uint32_t thread_count() const noexcept { return threads_; }
  /// The extra thread index for a caller outside the executor's threads: a member of every set. It
  /// dispatches only while no thread of the scheduler dispatches: a thread that is the only one of
  /// its set enters and leaves groups without atomic steps.
  std::uint32_t visitor() const noexcept { return threads_; }
  /// A bit for each thread, without the visitor's. Any thread; real-time safe.
  ThreadMask all_threads() const noexcept { return (ThreadMask{1} << threads_) - 1; }

  // ---- set-up: may block and allocate; any thread ----

  /// Adds a callback. Faults: null, id already used, still running after a removal, no such thread,
  /// timer options missing, out of range or not for a timer, negative deadline, more than 64
  /// distinct thread sets in use, group in use by another scheduler. `now`: start of the first
  /// period of a timer that is added after the gate opened. `accepted`: called if there is no
  /// fault, before the first run; must not call the scheduler.
  Status add(
    std::shared_ptr<Callback> callback, const Binding & binding = {}, Time now = {},
    const std::function<void()> & accepted = {});

  /// Removes `callback`, which starts no more runs. The caller must have silenced the callback's
  /// sources before (unregistered the listener). If the callback is still running (see `running`),
  /// the scheduler keeps it until `reap` finds that the run has ended. Returns the callback, so
  /// that the caller frees it without locks; null if this scheduler does not have it. `awaited`:
  /// the caller will wait for the end and then call `reap` for the callback, or `leave_to_reap`.
  std::shared_ptr<Callback> remove(Callback & callback, bool awaited = false);

  /// Call when the remover does not wait any more: any `reap` may then free the callback.
  void leave_to_reap(const Callback & callback);

  /// Frees the callbacks that were removed while they ran and have ended since. Of the callbacks
  /// for which a remover waits, `reap` frees only `awaited`. Returns true if removed callbacks are
  /// left. Runs destructors of callbacks, without locks. For the driver, but not while it
  /// dispatches. Costs one load if no callback was removed while it ran.
  bool reap(const Callback * awaited = nullptr);

  /// Whether a run of `callback` is between `next` and `complete`. Real-time safe.
  bool running(const Callback & callback) const noexcept
  {
    return CallbackEntry::of(callback).state_.load(std::memory_order_acquire) >=
           CallbackEntry::kRun;
  }

  /// Moves the callback to another thread set at its next start. No pending work is lost or
  /// duplicated.
  Status bind(Callback & callback, ThreadMask threads);
  /// As `bind`, but for several callbacks: a fault moves none of them. Under order `window` they
  /// leave their set together.
  Status bind(const std::vector<Callback *> & callbacks, ThreadMask threads);

  /// Gives the callback a priority of its own, or (nullopt) its chains' priority again. The
  /// priority takes effect at the callback's next start, even if the callback is ready now.
  Status set_priority(Callback & callback, std::optional<int> priority);
  /// Gives the callback a deadline of its own, counted from a run's release, or (nullopt) its
  /// chains' deadline again. The deadline takes effect at the callback's next start, even if the
  /// callback is ready now. Faults: a negative deadline, a callback that is not in this scheduler.
  Status set_deadline(Callback & callback, std::optional<Duration> deadline);
  /// Gives the callback a boost or (nullopt) none. If the callback is boosted now, that boost ends,
  /// and boosting begins anew. Faults: values out of range (boost.hpp), a timer, a callback that is
  /// not in this scheduler.
  Status set_boost(Callback & callback, std::optional<Boost> boost);

  /// Sets the listener, which must outlive the scheduler. Not while threads dispatch.
  void set_parking_listener(ParkingListener & listener) noexcept { parking_ = &listener; }

  /// Sets the thread's urgency, by which wake-ups choose a thread.
  void set_urgency(std::uint32_t thread, int urgency);
  /// As `set_urgency`, but real-time safe. Returns false and changes nothing if set-up is in
  /// progress.
  bool try_set_urgency(std::uint32_t thread, int urgency) noexcept;

  /// Adds a chain or replaces the chain of that name; its members inherit at once. The root may be
  /// in any executor of this process.
  Status set_chain(const ChainOptions & chain);

  /// Removes the chain; its members inherit from the remaining chains.
  Status remove_chain(std::string_view name);

  /// The callback with this id; null: none.
  std::shared_ptr<Callback> find(std::string_view id) const;
  /// All callbacks, in the order of their adding.
  std::vector<std::shared_ptr<Callback>> callbacks() const;
  /// All chains, in the order in which `set_chain` got their names.
  std::vector<ChainOptions> chains() const;
  /// The requested binding. Fault: the callback is not in this scheduler.
  Result<Binding> binding(const Callback & callback) const;
  /// The priority without the boost, which `Callback::raised` returns.
  int priority(const Callback & callback) const noexcept
  {
    return CallbackEntry::of(callback).priority_.load(std::memory_order_relaxed);
  }
  /// The callbacks that do not trigger, in the order of their adding.
  std::vector<const Callback *> non_triggering() const;
  /// One sentence for each callback whose messages would wait forever: no callback takes them, or
  /// its group's condition needs more inputs than the group has.
  Faults waiting_in_vain() const;

  /// The threads of the callback's binding; 0 for a callback that is not in this scheduler.
  ThreadMask threads(const Callback & callback) const noexcept;

  /// Takes back one `Group::hold_condition` of a group of this scheduler. The call that takes back
  /// the last one checks the group's condition.
  void release_condition(Group & group, Time now) noexcept;

  /// Opens the start gate: timers begin, and conditions release messages. Every timer's first
  /// release is `first_release` from `epoch`. Does nothing if the gate is open: timers keep their
  /// phase over a restart.
  void open(Time epoch);

  // ---- timers: real-time safe, any thread, also from inside the timer's callback ----
  //
  // Before the timer is added, these functions set how the timer will begin. They ignore a timer of
  // another scheduler.

  /// Cancels the timer. Returns its cancelled next nominal release: `resume_timer` continues from
  /// this release, in this scheduler or another one, without losing or repeating a release. kNever:
  /// the timer was cancelled before, or has not begun.
  Time cancel_timer(Callback & timer) noexcept;
  /// Starts the timer (again): its next release is one period after `now`.
  void reset_timer(Callback & timer, Time now) noexcept;
  /// Resumes a cancelled timer at its nominal release `next`, which may be past. If `next` is
  /// kNever, the timer begins as if it were added at `now`; before the gate opens, it begins with
  /// the gate. Ignores a timer that is not cancelled or not in this scheduler.
  void resume_timer(Callback & timer, Time next, Time now) noexcept;
  /// The first release of a timer with these options that is added at `from`.
  Time first_release(const TimerOptions & timer, Time from) const noexcept;
  /// Sets the period from the next release on. Ignores a period that is not positive.
  void set_period(Callback & timer, Duration period) noexcept;
  /// The timer's period; zero for a timer of another scheduler.
  Duration period(const Callback & timer) const noexcept;
  /// True if the timer is cancelled, or has not been started (`TimerOptions::autostart`).
  bool timer_cancelled(const Callback & timer) const noexcept;
  /// The next nominal release, kNever if cancelled.
  Time next_release(const Callback & timer) const noexcept;
  /// The number of periods of `timer` that were due by `until` and have not started. `Run::skipped`
  /// does not count them yet, because only the timer's next start drops them. 0 for a timer that is
  /// cancelled, has not begun or is not in this scheduler. Real-time safe: takes the mutex of the
  /// timer's thread set.
  ///
  /// A recorder asks at the end of its measurement, before the timer's next start. For policy
  /// `skip`, the number of periods that are due by then is the number of starts + the sum of
  /// `Run::skipped` + unstarted_periods(timer, end). For a timer that never started, the last term
  /// counts all periods. (`catch_up` skips none. `restart` counts its periods from each start.)
  std::uint64_t unstarted_periods(const Callback & timer, Time until) const noexcept;

  // ---- phases: any thread ----

  /// A message for `callback` was lost, or a process has started again. Real-time safe.
  void disturbed(const Callback & callback, Disturbance cause, Time now) noexcept
  {
    if (phases_ == nullptr) {
      return;
    }
    if (const Phased phased = CallbackEntry::of(callback).phased_; phased != Phased::no) {
      phases_->note(cause, callback, phased, now);
    }
  }
  /// `callback` found the first message of a publisher; see Phases. Real-time safe.
  void publisher_began(const Callback & callback, bool again, Time now) noexcept
  {
    if (phases_ != nullptr && CallbackEntry::of(callback).phased_ != Phased::no) {
      phases_->publisher_began(callback, again, now);
    }
  }
  /// Adds the phased timers of this scheduler to `timers`. May block as set-up does.
  void add_to(PhasedTimers & timers) const;

  // ---- dispatch: real-time safe ----

  /// Announces `count` new messages for `callback`. Any thread, also a publisher's or a listener's
  /// with middleware locks held: takes no lock, except for a callback under a condition. Ignores
  /// timers, which the scheduler releases. Wakes a thread for the messages unless the calling
  /// thread has a `WakeDeferral` open. `newest`: when the last message came, if that was before
  /// `now`.
  void ready(
    Callback & callback, std::uint32_t count, Time now, Time newest = takt_rt::kNever) noexcept;

  /// Picks the next callback for `thread`; false if there is none. If a callback of a sequence has
  /// just run on this thread (SequenceScope), `next` picks the sequence's next callback unless a
  /// strictly more urgent callback is ready. `before`: picks only callbacks that were released
  /// before this sequence number (visitors only), and holds the others back until `release_held`.
  bool next(std::uint32_t thread, Time now, Run & run, std::uint64_t before = UINT64_MAX) noexcept;

  /// As `next`, but picks only the next callback of a sequence. Returns false if no callback of the
  /// sequence waits for its turn, or none of these may start; then call `next`. `now`: kNever if
  /// the driver does not need the time of the pick. In that case the scheduler reads `clock` only
  /// if a timer may be due, and `Run::start` may be the arrival time of the callback's message
  /// instead.
  bool next_follower(std::uint32_t thread, Time now, Time (*clock)() noexcept, Run & run) noexcept;

  /// Reports that `run` took its message. A reentrant callback starts on another thread only after
  /// this call. Corrects the run if the take found another message than the announced one
  /// (`Run::found`), or a message that came earlier than its announcement (`Run::arrived`).
  void taken(Run & run) noexcept
  {
    if (run.taking || run.arrived < run.release || (run.found != 0 && run.found != run.announced)) {
      correct(run);
    }
  }

  /// Ends `run`, on its thread: leaves the group, and queues the callback again if more messages
  /// wait. Each run that `next` started needs this call once, also after an exception.
  void complete(Run & run) noexcept
  {
    taken(run);
    if (!run.set->enters_groups) {
      finish(run);
    } else {
      complete_locked(run);
    }
  }

  // ---- inputs of non-triggering callbacks (non_triggering.hpp): real-time safe, on the thread of
  // a run whose callback `takes_inputs`, between its take and its user function ----

  /// Notes the messages that wait now, for the taker to take.
  void begin_inputs(const Run & taker) noexcept;
  /// Picks the oldest of the noted messages and fills `run`, a run of the message's callback on the
  /// taker's thread; false if no noted message is left.
  bool next_input(const Run & taker, Time now, Run & run) noexcept;
  /// The counterpart of `complete` for a run that `next_input` filled.
  void complete_input(const Run & taker, Run & run) noexcept;
  /// Counts a message that the take removed and the taker leaves out.
  void left_out(const Run & run) noexcept
  {
    CallbackEntry::of(*run.callback).left_out_.fetch_add(1, std::memory_order_relaxed);
  }

  // ---- sets of messages whose stamps lie close together (`Condition::spread`): real-time safe, on
  // the thread of a run whose callback `keeps_for_set` ----

  /// Keeps the message that `run` took for its set; the run ends without the user's function.
  /// False: the callback is being removed; call `leave_out`.
  bool keep_for_set(const Run & run) noexcept;
  /// Call after the take of `taker`, also if that found no message, until it returns false, and
  /// before `complete`. Fills `run` with the next run of a complete set, whose message is taken, or
  /// with one whose message no set can have (`Run::leaves_out`).
  bool next_of_set(const Run & taker, Time now, Run & run) noexcept;
  /// The counterpart of `complete` for a run that `next_of_set` filled.
  void complete_of_set(const Run & taker, const Run & run) noexcept;

  /// Begins a visit: releases the due timers of all thread sets. Returns the sequence number that
  /// ends the visit's collection of callbacks: pass it to `next` as `before`. A visit picks each
  /// callback at most once.
  std::uint64_t begin_visit(Time now) noexcept;

  /// The time of the earliest timer of the thread's sets; kNever: none.
  Time next_timer(std::uint32_t thread) const noexcept;

  /// Puts back the callbacks that `next(..., before)` held back.
  void release_held() noexcept;

  // ---- going to sleep: real-time safe ----

  /// Registers `thread` as idle. False if work appeared meanwhile: then the thread is not idle and
  /// calls `next` again. `wake_at`: the time until which the thread may sleep, because of timers
  /// for which it waits.
  bool begin_idle(std::uint32_t thread, Time now, Time & wake_at) noexcept;

  /// Call when the thread woke up, by the waker, by time or spuriously.
  void end_idle(std::uint32_t thread) noexcept;
  /// True if the thread has the role of sleeping until the next timer of one of its sets. A thread
  /// that wakes at the time of a timer and has lost this role need not look: another thread took
  /// the timers over. Real-time safe.
  bool attends_timers(std::uint32_t thread) const noexcept;

  /// The thread stops driving the scheduler until it calls `next` again. It hands on its timers,
  /// and the work for which it was woken. Not while the thread is registered as idle.
  void leave(std::uint32_t thread) noexcept;

private:
  friend class SequenceScope;  // uses a thread's walk
  struct Settings;             // the record of a callback that set-up keeps
  struct ThreadSets
  {
    // One set more than the limit: needed while a set's last callback moves to a new set.
    std::array<std::atomic<ThreadSet *>, kMaxThreadSets + 1> sets{};
    std::atomic<std::uint32_t> count{0};
    std::uint32_t used = 0;  // set-up only: the number of places that a reader may have seen

    std::uint32_t size() const noexcept { return count.load(std::memory_order_acquire); }
    ThreadSet & operator[](std::uint32_t place) const noexcept
    {
      return *sets[place].load(std::memory_order_acquire);
    }
  };

  void check_threads(
    ThreadMask threads, const std::vector<CallbackEntry *> & moving, Faults & faults) const;
  ThreadSet & thread_set(ThreadMask threads);
  void show(ThreadSet & set, std::uint32_t thread);
  void hide(ThreadSet & set, std::uint32_t thread);
  void give_up(ThreadSet & set);
  void move(CallbackEntry & entry, ThreadMask threads);
  bool settled(CallbackEntry & entry) noexcept;
  std::vector<CallbackEntry *> members_of(const ChainOptions & chain) const;
  std::vector<ChainOptions>::const_iterator find_chain(std::string_view name) const;
  void take_out(CallbackEntry & entry);
  void forget(const Settings & settings) noexcept;
  void inherit(CallbackEntry & entry);
  void rekey(CallbackEntry & entry);
  bool unlink(CallbackEntry & entry) noexcept;
  static void check_timer(const Callback & callback, Faults & faults);
  void start_timer(ThreadSet & set, CallbackEntry & timer, Time from) noexcept;
  Settings & settings(const CallbackEntry & entry) const;
  void link_inputs(CallbackEntry & entry);
  void unlink_inputs(CallbackEntry & entry);
  void find_inputs(Settings & taker);
  InputEntry * oldest_input(const Run & run) noexcept;
  bool start_input(InputEntry & input, const Run & taker, Time now, Run & run) noexcept;
  void note_overwritten_input(CallbackEntry & entry, Time now) noexcept;
  void give_place(CallbackEntry & entry, const std::optional<SequencePlace> & place);
  const SequenceScope * turn_after(const CallbackEntry & entry) const noexcept;
  static int urgency_of(const CallbackEntry & entry) noexcept
  {
    return entry.priority_.load(std::memory_order_relaxed) +
           entry.raised_.load(std::memory_order_relaxed);
  }
  bool ready_in_turn(CallbackEntry & entry, Time now) noexcept;
  void ready_marked(CallbackEntry & entry, Time now) noexcept;
  void ready_otherwise(CallbackEntry & entry, std::uint32_t count, Time now, Time newest) noexcept;
  bool waits_its_turn(CallbackEntry & entry) noexcept;
  CallbackEntry * share_out(std::uint32_t thread) noexcept;
  void give_up_turn(CallbackEntry & entry) noexcept;
  detail::DispatchStep<> * step_of(std::uint32_t thread) noexcept;  // null for the visitor
  // Whether no other thread can want to enter the group of a callback of `set`, or to leave it. In
  // a step of the thread.
  [[gnu::always_inline]] bool alone(
    const Group & group, const ThreadSet & set, std::uint32_t thread) const noexcept
  {
    return has_steps_ && !group.shared() &&
           set.sole.load(std::memory_order_relaxed) == sleepers_.bit(thread);
  }
  void await_steps() noexcept;
  void end_walk(std::uint32_t thread, std::uint32_t caller) noexcept;
  const CallbackEntry * first_of(
    ThreadSet & set, std::uint32_t thread, Time now, detail::WakeMask & woken) noexcept;
  bool may_start_here(
    const ThreadSet & set, const CallbackEntry & entry, std::uint32_t thread) const noexcept;
  bool next_in_sequence(
    std::uint32_t thread, CallbackEntry * first, Time now, Time (*clock)() noexcept,
    Run & run) noexcept;
  void announce(CallbackEntry & entry, std::uint32_t caller) noexcept
  {
    if (entry.sequence_number_ == CallbackEntry::kNoSequence || !waits_its_turn(entry)) {
      put_in(entry, caller);
    }
  }
  void join_condition(CallbackEntry & entry);
  void leave_condition(CallbackEntry & entry);
  void conditions_in_vain(Faults & faults) const;
  void arrived_under_condition(
    CallbackEntry & entry, Time newest, Time now, std::uint32_t caller) noexcept;
  CallbackEntry * release(GroupCondition & condition, const Group & group, Time now) noexcept;
  void leave_sets(GroupCondition & condition, CallbackEntry & gone);
  static CallbackEntry * ask_for_sets(GroupCondition & condition) noexcept;
  static void begin_take_for_set(CallbackEntry & entry, std::uint64_t arrival) noexcept;
  void end_take_for_set(CallbackEntry & entry, Time now, std::uint32_t caller) noexcept;
  void end_other_walk(const CallbackEntry & next, std::uint32_t lane) noexcept;
  static void place_at_oldest(CallbackEntry & entry) noexcept;
  void put_in_all(CallbackEntry * entries, std::uint32_t caller) noexcept;
  void look_at_condition(Group & group, Time now) noexcept;
  static bool mark_again(CallbackEntry & entry) noexcept
  {
    return !entry.arrivals_.empty() &&
           (entry.state_.mark_queued() ||
            (entry.conditional() && entry.released() && entry.state_.mark_released()));
  }
  void resume(CallbackEntry * handed) noexcept;

  static constexpr std::uint32_t kNoThread = WakeDeferral::kNobody;
  // Releases are numbered in steps: the numbers between two releases are for the callbacks of a
  // graph's iteration.
  static constexpr std::uint64_t kReleaseStep = SequencePlace::kMaxLength;

  void drain_all() noexcept;
  void put_in(CallbackEntry & entry, std::uint32_t caller) noexcept;
  void correct(Run & run) noexcept;
  void catch_up(Run & run) noexcept;
  void date_back(Run & run) noexcept;
  void finish(Run & run) noexcept;
  void finish_otherwise(Run & run) noexcept;
  void complete_locked(Run & run) noexcept;
  void tell_parked(const CallbackEntry & entry) const noexcept
  {
    if (parking_ != nullptr) {
      parking_->parked(entry.callback());
    }
  }
  void look_again() noexcept;
  std::uint32_t advance_timer(CallbackEntry & timer, Time now) noexcept;
  void insert(ThreadSet & set, CallbackEntry & entry, CallbackEntry::Comes comes) noexcept;
  void stamp_late(const ThreadSet & set, Precedence & precedence) const noexcept;
  void find_precedence(
    ThreadSet & set, CallbackEntry & entry, CallbackEntry::Comes comes,
    Precedence & result) const noexcept;
  void set_key(ThreadSet & set, CallbackEntry & entry, CallbackEntry::Comes comes) noexcept;
  void hold(ThreadSet & set, CallbackEntry & entry, std::uint32_t visitor) noexcept;
  void taken_by_timer(CallbackEntry & timer) noexcept;
  static bool may_arm(std::uint32_t state) noexcept;
  static Time upcoming(const CallbackEntry & timer) noexcept;
  Time deadline(const CallbackEntry & entry, Time release, const ActivationSet & of) const noexcept;
  void drain(ThreadSet & set) noexcept;
  void boost_all(ThreadSet & set, std::uint32_t thread, Time now) noexcept;
  CallbackEntry * requeue(ThreadSet & set, CallbackEntry & entry) noexcept;
  static void attach(ThreadSet & set, CallbackEntry & entry);
  static void detach(ThreadSet & set, CallbackEntry & entry);
  static void link_boost(ThreadSet & set, CallbackEntry & entry) noexcept;
  static void unlink_boost(ThreadSet & set, CallbackEntry & entry) noexcept;
  std::uint32_t release_timers(ThreadSet & set, Time now) noexcept;
  detail::WakeMask service(ThreadSet & set, std::uint32_t thread, Time now) noexcept;
  ThreadSet * best_set(
    ThreadSets & own, std::uint32_t thread, Time now, detail::WakeMask & woken) noexcept;
  enum class Pick
  {
    nothing,
    put_aside,
    started
  };
  Pick start_entered(
    ThreadSet & set, CallbackEntry & entry, std::uint32_t thread, Time now, Run & run) noexcept;
  bool start_directly(
    CallbackEntry & entry, std::uint32_t thread, Time & now, Time (*clock)() noexcept,
    Run & run) noexcept;
  Pick start_in_turn(
    CallbackEntry & entry, std::uint32_t thread, Time now, Time (*clock)() noexcept, Run & run,
    detail::WakeMask & woken) noexcept;
  Pick pick(
    ThreadSet & set, std::uint32_t thread, Time now, Run & run, std::uint64_t before) noexcept;
  bool start(
    ThreadSet & set, CallbackEntry & entry, std::uint32_t thread, Time now, Run & run) noexcept;
  void arm(ThreadSet & set, CallbackEntry & timer) noexcept;
  void begin_timer(ThreadSet & set, CallbackEntry & timer, Time expiry, bool on_grid) noexcept;
  void keep_on_grid(CallbackEntry & timer) const noexcept;
  void note_overwritten(CallbackEntry & entry, Time now) noexcept;
  Duration ahead() const noexcept;
  static void publish_hints(ThreadSet & set) noexcept;
  ThreadSet * lock_set(const CallbackEntry & entry) const noexcept;
  // For assertions: `holds_set` tells whether the calling thread holds the mutex of the callback's
  // set, and `holds_set_or_group` whether it holds that mutex or the one of the callback's group.
  static bool holds_set(const CallbackEntry & entry) noexcept
  {
    return entry.set_.load(std::memory_order_acquire)->mutex.held();
  }
  static bool holds_set_or_group(const CallbackEntry & entry) noexcept
  {
    return holds_set(entry) || entry.group_->mutex_.held();
  }

  const std::uint32_t threads_;
  const Order order_;
  const WindowTimers window_timers_;
  const Epoch epoch_of_timers_;
  const bool has_steps_ = takt_rt::has_heavy_fence();  // else all threads use atomic steps
  Duration (*const clock_ahead_)() noexcept;
  Phases * const phases_;
  ParkingListener * parking_ = nullptr;
  std::unique_ptr<ThreadSets[]> own_sets_;  // one for each thread and the visitor

  std::atomic<std::uint64_t> & sequence_;  // of the releases: its own or its sibling's
  alignas(64) std::atomic<std::uint64_t> own_sequence_{kReleaseStep};
  alignas(64) detail::Sleepers<> sleepers_;

  PiMutex held_mutex_;
  CallbackEntry * held_ = nullptr;  // callbacks that a visitor held back
  std::uint32_t visit_ = 0;         // the number of the last visit; visitors only

  PiMutex inputs_mutex_;

  std::unique_ptr<SequenceWalk[]> walks_;  // one for each thread

  mutable PiMutex setup_mutex_;
  std::vector<std::unique_ptr<ThreadSet>> sets_;
  std::unordered_map<const CallbackEntry *, std::unique_ptr<Settings>> settings_;
  std::unordered_map<std::string_view, CallbackEntry *> by_id_;
  std::vector<CallbackEntry *> aliases_;            // callbacks with a chain id of their own
  std::vector<CallbackEntry *> non_triggering_;     // in the order of their adding
  std::vector<std::unique_ptr<Settings>> retired_;  // removed while running: freed by `reap`
  std::atomic<bool> retiring_{false};               // retired_ is not empty
  std::vector<ChainOptions> chains_;
  std::array<std::uint32_t, 5> registrations_{};
  std::uint64_t added_ = 0;  // callbacks added so far
  std::atomic<bool> open_{false};
  Time epoch_{};
};

}  // namespace takt_core

#endif  // TAKT_CORE__SCHEDULER_HPP_
