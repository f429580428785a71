// The passive half of the core: which callback runs next on which thread.
//
// It has no clock, no thread and never blocks for work. Executor threads drive it with the real
// clock and futexes, tests and the simulator with a virtual clock: the same code in both.
//
//     source (any thread)             executor thread i
//     ───────────────────             ─────────────────────────────────────────────
//     ready(callback, 1, now)  ──►    next(i, now, run) → take → taken(run) → user function
//                                     → complete(run)    … nothing left: begin_idle(i), sleep,
//                                                          woken through the Waker, end_idle(i)
//
// Locks: the thread set's mutex, inside it the group's; both priority-inheriting and held for tens
// of nanoseconds by dispatching threads. `ready` takes none. Set-up functions serialise among
// themselves and may be called while threads dispatch.
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
#include "takt_core/detail/sleepers.hpp"
#include "takt_core/detail/thread_set.hpp"
#include "takt_core/thread_mask.hpp"
#include "takt_core/wake_deferral.hpp"
#include "takt_core/waker.hpp"
#include "takt_rt/result.hpp"

namespace takt_core
{

using takt_rt::Result;
using takt_rt::Status;

struct SchedulerOptions
{
  /// One entry per executor thread: its urgency (see `urgency(ThreadAttributes)`). Of the idle
  /// members of a thread set the most urgent one is woken.
  std::vector<int> thread_urgencies;
  Order order = Order::fifo;
  WindowTimers window_timers = WindowTimers::snapshot;
  Epoch epoch = Epoch::start;  ///< from where the offsets of timers count
  /// For Epoch::tai: how far that clock is ahead of the driver's now (tai_clock.hpp). Real-time safe;
  /// null: not at all.
  Duration (*clock_ahead)() noexcept = nullptr;
  /// Is told what disturbs the phases of callbacks (`Binding::phased`), and outlives the scheduler; null: nobody is.
  Phases * phases = nullptr;
};

/// Where and how a callback runs. Absent values are inherited from the callback's chains.
struct Binding
{
  ThreadMask threads = 0;       ///< 0: every thread
  std::optional<int> priority;  ///< 0 to 255; default: that of its most important chain, else 0
  std::optional<Duration> deadline;  ///< from release; default: what its chains carry, else none
  std::optional<Boost> boost{};      ///< order `priority` only; see boost.hpp
  /// The callback publishes right before it returns. Its thread then runs the best callback that the
  /// messages made ready on the thread's own sets, and wakes no other thread for that one
  /// (wake_deferral.hpp). If the callback goes on working after it has published, the callbacks of its
  /// messages may wait for its end. Without effect in following pools.
  bool publishes_last = false;
  /// Whether bounds may rest on the phase of this timer, or of the messages of this callback, so that a skipped period or
  /// a lost message disturbs the phases of the executor (phases.hpp).
  Phased phased = Phased::no;
};

/// Told of each callback that is parked in its busy group.
class ParkingListener
{
public:
  /// On the thread that dispatches; a lock of the scheduler may be held. Must be real-time safe, and not call back.
  virtual void parked(const Callback & callback) noexcept = 0;

protected:
  ~ParkingListener() = default;
};

class Scheduler
{
public:
  static constexpr std::uint32_t kMaxThreads = 63;
  static constexpr std::uint32_t kMaxThreadSets = 64;

  /// `sibling`: one that lives longer, with which it has the order of releases in common; null: none.
  Scheduler(SchedulerOptions options, Waker & waker, Scheduler * sibling = nullptr);
  ~Scheduler();
  Scheduler(const Scheduler &) = delete;
  Scheduler & operator=(const Scheduler &) = delete;

  /// The scheduler that has `callback`, or had it until its last run is over; null: none. Real-time safe.
  static Scheduler * of(const Callback & callback) noexcept
  {
    const ThreadSet * const set = callback.set_.load(std::memory_order_acquire);
    return set == nullptr ? nullptr : &set->owner;
  }

  std::uint32_t thread_count() const noexcept { return threads_; }
  /// The extra thread index for a caller that is not an executor thread: a member of every set.
  std::uint32_t visitor() const noexcept { return threads_; }
  ThreadMask all_threads() const noexcept { return (ThreadMask{1} << threads_) - 1; }

  // ---- set-up: may block and allocate; any thread ----

  /// Adds a callback. Faults: null, id already used, still running after a removal, no such thread,
  /// timer options missing, out of range or not for a timer, negative deadline, more than 64 distinct
  /// thread sets in use, group in use by another scheduler.
  /// `now`: the start of the first period of a timer that is added after the gate opened.
  /// `accepted`: called if there is no fault, before the first run; must not call back.
  Status add(
    std::shared_ptr<Callback> callback, const Binding & binding = {}, Time now = {},
    const std::function<void()> & accepted = {});

  /// Removes `callback`: nothing of it starts any more. Its sources must have been silenced before
  /// (listener unregistered). The callback may still be running (see `running`): then the scheduler
  /// keeps it until `reap` finds that it has ended. Returns it, so that whoever gives it up last
  /// does so without locks; null if it is not here, or was removed before and reaped. `awaited`: the
  /// caller will wait for that end and then reap it itself, or `leave_to_reap`.
  std::shared_ptr<Callback> remove(Callback & callback, bool awaited = false);

  /// The remover waits for the callback no longer: any `reap` may free it.
  void leave_to_reap(const Callback & callback);

  /// Frees the callbacks that were removed while they ran and whose runs have ended since. Of callbacks
  /// that a remover waits for it frees only `awaited`. Returns true if removed callbacks are left. The
  /// destructors of callbacks run here, without locks. The driver calls it, but not while it dispatches.
  /// Costs one load if no callback was removed while it ran.
  bool reap(const Callback * awaited = nullptr);

  /// Whether a run of `callback` is between `next` and `complete`. Real-time safe.
  bool running(const Callback & callback) const noexcept
  {
    return callback.state_.load(std::memory_order_acquire) >= Callback::kRun;
  }

  /// Moves the callback to another thread set: takes effect at its next start, keeps what is
  /// pending, loses and duplicates nothing.
  Status bind(Callback & callback, ThreadMask threads);

  /// Gives the callback a priority of its own, or (nullopt) that of its chains again. Takes effect
  /// at its next start, also if it is ready already.
  Status set_priority(Callback & callback, std::optional<int> priority);
  Status set_deadline(Callback & callback, std::optional<Duration> deadline);
  Status set_boost(Callback & callback, std::optional<Boost> boost);

  /// From now on `listener` is told; it must outlive the scheduler. Not while threads dispatch.
  void set_parking_listener(ParkingListener & listener) noexcept { parking_ = &listener; }

  /// The thread is as urgent as `urgency` from now on: who is woken first goes by it.
  void set_urgency(std::uint32_t thread, int urgency);
  /// As `set_urgency`, but real-time safe. False: set-up is under way, and nothing has changed.
  bool try_set_urgency(std::uint32_t thread, int urgency) noexcept;

  /// Adds a chain or replaces the chain of that name; members inherit at once. Its root may be in
  /// any executor of this process.
  Status set_chain(const ChainOptions & chain);

  /// Forgets the chain of that name; its members inherit from the chains that are left.
  Status remove_chain(std::string_view name);

  /// As `bind` for all callbacks of the chain that are here now; a fault moves none of them.
  Status bind_chain(std::string_view name, ThreadMask threads);

  std::shared_ptr<Callback> find(std::string_view id) const;
  /// In the order in which they were added.
  std::vector<std::shared_ptr<Callback>> callbacks() const;
  std::vector<ChainOptions> chains() const;
  /// As asked for. Fault: not here.
  Result<Binding> binding(const Callback & callback) const;
  /// The chain's callbacks that are here, in the order of its path, each once; empty if there is no
  /// such chain.
  std::vector<std::shared_ptr<Callback>> members(std::string_view chain) const;
  /// Without its boost: with it, add `Callback::raised`.
  int priority(const Callback & callback) const noexcept
  {
    return callback.priority_.load(std::memory_order_relaxed);
  }
  /// Where it is bound to; 0 for a callback that is not here.
  ThreadMask threads(const Callback & callback) const noexcept;

  /// Opens the start gate: timers begin. Every timer's first release is `first_release` from `epoch`.
  /// Does nothing when it is open already: after a restart timers keep their phase.
  void open(Time epoch);

  // ---- timers: real-time safe, any thread, also from inside the timer's callback ----
  //
  // Before it is added these set how a timer will begin; on one that belongs to another scheduler
  // they do nothing.

  /// Returns what would have been the next nominal release: with that `resume_timer` goes on, here
  /// or elsewhere, without losing or repeating one. kNever: it was cancelled, or has not begun.
  Time cancel_timer(Callback & timer) noexcept;
  /// Starts the timer (again): next release one period after `now`.
  void reset_timer(Callback & timer, Time now) noexcept;
  /// Goes on with a cancelled timer at its nominal release `next`, which may be past; with kNever it
  /// begins as one that is added `now`. Before the gate opens, as all others do when it opens. Does
  /// nothing if the timer is not cancelled, or not in this scheduler.
  void resume_timer(Callback & timer, Time next, Time now) noexcept;
  /// When a timer with these options would begin that is added now, at `from`.
  Time first_release(const TimerOptions & timer, Time from) const noexcept;
  /// From the next release on. A period that is not above zero is ignored.
  void set_period(Callback & timer, Duration period) noexcept;
  bool timer_cancelled(const Callback & timer) const noexcept;
  /// The next nominal release, kNever if cancelled.
  Time next_release(const Callback & timer) const noexcept;
  /// Periods of `timer` that were due by `until` and have not started: those that `Run::skipped` does
  /// not count yet, because only the timer's next start drops them. 0 for a timer that is cancelled, has
  /// not begun or is not here. Real-time safe: takes the mutex of the timer's thread set.
  ///
  /// A recorder asks at the end of its measurement, before the timer's next start. Periods due by then =
  /// starts + the sum of `Run::skipped` + unstarted_periods(timer, end), for policy `skip`; a timer that
  /// never started has all its periods in the last term. (`catch_up` skips none. `restart` counts its
  /// periods from each start.)
  std::uint64_t unstarted_periods(const Callback & timer, Time until) const noexcept;

  // ---- phases: any thread ----

  /// A message for `callback` was lost, or another process has started again. Real-time safe.
  void disturbed(const Callback & callback, Disturbance cause, Time now) noexcept
  {
    if (phases_ != nullptr && callback.phased_ != Phased::no) {
      phases_->note(cause, callback, callback.phased_, now);
    }
  }
  /// `callback` found the first message of a publisher; see Phases. Real-time safe.
  void publisher_began(const Callback & callback, bool again, Time now) noexcept
  {
    if (phases_ != nullptr && callback.phased_ != Phased::no) {
      phases_->publisher_began(callback, again, now);
    }
  }
  /// Adds the phased timers that are here now. May block as set-up does.
  void add_to(PhasedTimers & timers) const;

  // ---- dispatch: real-time safe ----

  /// Announces `count` new messages for `callback`. Any thread, also a publisher's or a listener's
  /// with middleware locks held: takes no lock. Does nothing for a timer, which releases itself.
  /// Wakes a thread for it unless a `WakeDeferral` is open here.
  void ready(Callback & callback, std::uint32_t count, Time now) noexcept;

  /// Picks the next callback for `thread`; false if there is none. `before`: only what was
  /// released earlier than this sequence number (visitors only); the rest is held back until
  /// `release_held`.
  bool next(std::uint32_t thread, Time now, Run & run, std::uint64_t before = UINT64_MAX) noexcept;

  /// Says that `run` took its message: until then a reentrant callback starts nowhere else. Corrects
  /// the run if the take found another message than the one it was started for (`Run::found`).
  void taken(Run & run) noexcept;

  /// Says that `run` is over.
  void complete(Run & run) noexcept;

  /// Begins a visit: releases what is due in all thread sets and returns the sequence number that
  /// ends the collection, for `next`'s `before`. Within a visit no callback is picked twice.
  std::uint64_t begin_visit(Time now) noexcept;

  /// The earliest timer of the thread's sets, kNever if none.
  Time next_timer(std::uint32_t thread) const noexcept;

  /// Puts back what `next(..., before)` held back.
  void release_held() noexcept;

  // ---- going to sleep: real-time safe ----

  /// Registers `thread` as idle; false if work appeared meanwhile (then it is not idle: call
  /// `next` again). `wake_at`: until when it may sleep, because of timers it now waits for.
  bool begin_idle(std::uint32_t thread, Time now, Time & wake_at) noexcept;

  /// The thread woke up, by the waker, by time or spuriously.
  void end_idle(std::uint32_t thread) noexcept;
  /// Whether the thread is the one that sleeps until the next timer of one of its sets. A thread that slept for timers
  /// and is not any more need not look: another one took them over. Real-time safe.
  bool attends_timers(std::uint32_t thread) const noexcept;

  /// The thread stops driving the scheduler (until it calls `next` again): hands on the timers it
  /// waited for and the work it was woken for. Not while it is registered as idle.
  void leave(std::uint32_t thread) noexcept;

private:
  struct Settings;  // what set-up remembers of each callback
  struct ThreadSets
  {
    // One more than there may be: while the last callback of a set moves to a new one.
    std::array<std::atomic<ThreadSet *>, kMaxThreadSets + 1> sets{};
    std::atomic<std::uint32_t> count{0};
    std::uint32_t used = 0;  // set-up only: places that a reader may have seen in use

    std::uint32_t size() const noexcept { return count.load(std::memory_order_acquire); }
    ThreadSet & operator[](std::uint32_t place) const noexcept
    {
      return *sets[place].load(std::memory_order_acquire);
    }
  };

  void check_threads(
    ThreadMask threads, const std::vector<Callback *> & moving, Faults & faults) const;
  ThreadSet & thread_set(ThreadMask threads);
  void show(ThreadSet & set, std::uint32_t thread);
  void hide(ThreadSet & set, std::uint32_t thread);
  void give_up(ThreadSet & set);
  void move(Callback & callback, ThreadMask threads);
  bool settled(Callback & callback) noexcept;
  std::vector<Callback *> members_of(const ChainOptions & chain) const;
  std::vector<ChainOptions>::const_iterator find_chain(std::string_view name) const;
  void take_out(Callback & callback);
  void forget(const Settings & settings) noexcept;
  void inherit(Callback & callback);
  void rekey(Callback & callback);
  bool unlink(Callback & callback) noexcept;
  static void check_timer(const Callback & callback, Faults & faults);
  void start_timer(ThreadSet & set, Callback & timer, Time from) noexcept;
  Settings & settings(const Callback & callback) const;

  static constexpr std::uint32_t kNoThread = WakeDeferral::kNobody;

  void drain_all() noexcept;
  void enqueue(Callback & callback) noexcept;
  void put_in(Callback & callback, std::uint32_t caller) noexcept;
  void catch_up(Run & run) noexcept;
  void finish(Run & run) noexcept;
  void tell_parked(const Callback & callback) const noexcept
  {
    if (parking_ != nullptr) {
      parking_->parked(callback);
    }
  }
  void look_again() noexcept;
  std::uint32_t advance_timer(Callback & timer, Time now) noexcept;
  void insert(ThreadSet & set, Callback & callback, Callback::Comes comes) noexcept;
  void stamp_late(const ThreadSet & set, Precedence & precedence) const noexcept;
  void find_precedence(
    ThreadSet & set, Callback & callback, Callback::Comes comes,
    Precedence & result) const noexcept;
  void set_key(ThreadSet & set, Callback & callback, Callback::Comes comes) noexcept;
  void hold(ThreadSet & set, Callback & callback, std::uint32_t visitor) noexcept;
  void taken_by_timer(Callback & timer) noexcept;
  static bool may_arm(std::uint32_t state) noexcept;
  static Time upcoming(const Callback & timer) noexcept;
  Time deadline(const Callback & callback, Time release, const ActivationSet & of) const noexcept;
  void drain(ThreadSet & set) noexcept;
  void boost_all(ThreadSet & set, std::uint32_t thread, Time now) noexcept;
  Callback * requeue(ThreadSet & set, Callback & callback) noexcept;
  static void attach(ThreadSet & set, Callback & callback);
  static void detach(ThreadSet & set, Callback & callback);
  static void link_boost(ThreadSet & set, Callback & callback) noexcept;
  static void unlink_boost(ThreadSet & set, Callback & callback) noexcept;
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
  Pick pick(
    ThreadSet & set, std::uint32_t thread, Time now, Run & run, std::uint64_t before) noexcept;
  bool start(
    ThreadSet & set, Callback & callback, std::uint32_t thread, Time now, Run & run) noexcept;
  void arm(ThreadSet & set, Callback & timer) noexcept;
  void begin_timer(ThreadSet & set, Callback & timer, Time expiry, bool on_grid) noexcept;
  void keep_on_grid(Callback & timer) const noexcept;
  void note_overwritten(Callback & callback, Time now) noexcept;
  Duration ahead() const noexcept;
  static void publish_hints(ThreadSet & set) noexcept;
  ThreadSet * lock_set(const Callback & callback) const noexcept;

  const std::uint32_t threads_;
  const Order order_;
  const WindowTimers window_timers_;
  const Epoch epoch_of_timers_;
  Duration (*const clock_ahead_)() noexcept;
  Phases * const phases_;
  ParkingListener * parking_ = nullptr;
  std::unique_ptr<ThreadSets[]> own_sets_;  // per thread and visitor

  std::atomic<std::uint64_t> & sequence_;  // of the releases: its own or its sibling's
  alignas(64) std::atomic<std::uint64_t> own_sequence_{1};
  alignas(64) detail::Sleepers<> sleepers_;

  PiMutex held_mutex_;
  Callback * held_ = nullptr;  // what a visitor put aside
  std::uint32_t visit_ = 0;    // visitors only

  mutable PiMutex setup_mutex_;
  std::vector<std::unique_ptr<ThreadSet>> sets_;
  std::unordered_map<const Callback *, std::unique_ptr<Settings>> settings_;
  std::unordered_map<std::string_view, Callback *> by_id_;
  std::vector<Callback *> aliases_;                 // those that chains name by another id
  std::vector<std::unique_ptr<Settings>> retired_;  // removed while running: freed by `reap`
  std::atomic<bool> retiring_{false};               // retired_ is not empty
  std::vector<ChainOptions> chains_;
  std::array<std::uint32_t, 5> registrations_{};
  std::uint64_t added_ = 0;  // callbacks so far
  std::atomic<bool> open_{false};
  Time epoch_{};
};

}  // namespace takt_core

#endif  // TAKT_CORE__SCHEDULER_HPP_
