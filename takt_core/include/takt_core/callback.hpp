// The schedulable unit, as adapters write it: derive, implement `run` (and `take`), add it to an
// executor.
//
// The interface is this small so that rclcpp's entities fit behind it: a timer, a subscription, a
// service, a client or a waitable is a callback that can be announced (`ready`), taken and run.
#ifndef TAKT_CORE__CALLBACK_HPP_
#define TAKT_CORE__CALLBACK_HPP_

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "takt_core/activation.hpp"
#include "takt_core/boost.hpp"
#include "takt_core/clock/phases.hpp"
#include "takt_core/detail/arrival_ring.hpp"
#include "takt_core/detail/callback_state.hpp"
#include "takt_core/detail/precedence.hpp"
#include "takt_core/group.hpp"
#include "takt_core/message_counts.hpp"
#include "takt_core/run_costs.hpp"
#include "takt_core/timer.hpp"
#include "takt_rt/time.hpp"

namespace takt_core
{

using takt_rt::kNever;

class Callback;
class ThreadSet;

/// In the order in which `window` and `stock` prefer them. Guard conditions are waitables.
enum class Kind : std::uint8_t
{
  timer,
  subscription,
  service,
  client,
  waitable
};

std::string_view to_string(Kind kind) noexcept;

/// One start of a callback, from pick to end. Owned by the executor thread.
struct Run
{
  Callback * callback = nullptr;
  std::uint32_t thread =
    0;  ///< executor thread index; of isolated threads behind those of the options
  std::uint32_t lane = 0;      ///< of reentrant callbacks: below `Executor::lanes` of their group
  Time release = kNever;       ///< timers: the nominal time; others: the arrival
  Time start{};                ///< when the pick was made
  Time deadline = kNever;      ///< absolute; the earliest of what it carries
  std::uint64_t sequence = 0;  ///< position in the order of releases
  std::uint32_t skipped = 0;   ///< timers: periods dropped by this start's missed-period policy
  ActivationSet activations;   ///< what this run works for
  /// The name (see MessageScope) of the message that `take` found; `take` sets it. A history that
  /// keeps the last messages may have replaced the message that this run was started for. Then
  /// release, deadline and activations become those of the message that was found, before `run`.
  /// 0: not known.
  mutable std::uint64_t found = 0;
  std::uint64_t announced = 0;  ///< the scheduler's: the name of the message it was started for
  std::uint64_t arrival = 0;    ///< the scheduler's: that message's position in the arrival ring
  /// For observers: `take_cpu` is known from `on_start` on, the others at `on_end`. Null: nobody wants costs, see
  /// RunCostsWanted.
  const RunCosts * costs = nullptr;
  ThreadSet * set = nullptr;  ///< the scheduler's: where it was picked
  bool taking = false;        ///< the scheduler's: others wait for the end of this take
};

struct CallbackOptions
{
  std::string id;  ///< unique in its executor: `/ns/node:timer(100ms)`, see docs/schedule.md
  Kind kind = Kind::waitable;
  std::shared_ptr<Group> group;       ///< null: an own mutually exclusive group
  std::uint32_t depth = 1;            ///< arrivals kept; older ones count as overwritten
  std::optional<TimerOptions> timer;  ///< required for, and only for, Kind::timer
  /// The id by which chains name it; empty: `id`. Several callbacks may have one: a subscription whose messages come
  /// in two ways is two callbacks.
  std::string chain_id{};
};

class alignas(64) Callback
{
public:
  explicit Callback(CallbackOptions options);
  virtual ~Callback();
  Callback(const Callback &) = delete;
  Callback & operator=(const Callback &) = delete;

  const std::string & id() const noexcept { return id_; }
  const std::string & chain_id() const noexcept { return chain_id_.empty() ? id_ : chain_id_; }
  Kind kind() const noexcept { return kind_; }
  Group & group() const noexcept { return *group_; }

  /// Unique among the callbacks of this process, and not used again before some 65,000 others were
  /// destroyed: names the callback in activations and traces.
  std::uint32_t number() const noexcept { return number_; }

  /// Messages announced and not yet taken, at most the depth. A hint. Real-time safe.
  std::uint32_t backlog() const noexcept { return arrivals_.size(); }

  /// Messages announced so far. Real-time safe.
  std::uint64_t arrivals() const noexcept { return arrivals_.pushed(); }
  std::uint32_t depth() const noexcept { return arrivals_.depth(); }

  /// When the oldest message that waits was announced; kNever: none waits, or it is being replaced right now. A hint.
  /// Real-time safe.
  Time oldest_arrival() const noexcept { return arrivals_.oldest_stamp(); }

  /// What the priority counts more than `Scheduler::priority` says, because of its boost. Real-time safe.
  int raised() const noexcept { return raised_.load(std::memory_order_relaxed); }

  /// Messages that never reached the history, as far as the front end can tell from publications' sequence numbers;
  /// absent: it cannot. Any thread; real-time safe.
  virtual std::optional<std::uint64_t> lost() const noexcept { return std::nullopt; }

  /// Arrivals that a full history lost before they were taken. Real-time safe.
  std::uint64_t overwritten() const noexcept { return arrivals_.overwritten(); }

  /// Its messages, as far as the front end knows better than `backlog`, `overwritten`, `depth` and `arrivals` tell: a
  /// middleware may announce one message twice, and a history may be longer than the arrivals that are kept. Exact for a
  /// run between its take and the next one. Any thread; real-time safe.
  virtual MessageCounts message_counts() const noexcept
  {
    return {backlog(), overwritten(), depth(), arrivals()};
  }

  /// Timer periods dropped by the missed-period policy so far, counted when the timer starts after
  /// them; those since its last start: `Scheduler::unstarted_periods`. Real-time safe.
  std::uint64_t skipped_periods() const noexcept
  {
    return skipped_.load(std::memory_order_relaxed);
  }

  /// `Binding::publishes_last` of the callback's binding. For the driver of the scheduler. Real-time safe.
  bool publishes_last() const noexcept { return publishes_last_; }

  /// Takes what this run will work on, on the thread that runs it. False: nothing was there, and
  /// `run` is not called. Never called twice at the same time for one callback.
  virtual bool take(const Run & run);

  /// The user's function. May be called concurrently, with different `run.thread`, if the group is
  /// reentrant. May throw: see `ExceptionPolicy`.
  virtual void run(const Run & run) = 0;

private:
  // Two hints ahead of a start. First the callback itself, then, once that has arrived, what it
  // points to.
  void prefetch() const noexcept
  {
    __builtin_prefetch(this, 1);
    __builtin_prefetch(&group_, 1);
  }
  void prefetch_more() const noexcept
  {
    __builtin_prefetch(group_, 1);
    arrivals_.prefetch();
  }

  friend class Scheduler;
  friend class Group;
  template <typename Node, typename Sync>
  friend class detail::GroupGate;
  friend class ThreadSet;
  friend class TimerHeap;
  friend class LevelQueue;
  friend class DeadlineQueue;
  friend class WindowQueue;
  friend class StockQueue;
  friend class RankTable;
  template <typename Node, typename Sync>
  friend class Intake;
  friend struct CallbackLess;

  std::uint32_t instance() const noexcept { return instance_.load(std::memory_order_relaxed); }
  void next_instance() noexcept { instance_.store(instance() + 1, std::memory_order_relaxed); }

  enum class Where : std::uint8_t
  {
    nowhere,
    intake,
    queue,
    parked,
    held
  };

  // How a callback in an intake comes.
  enum class Comes : std::uint8_t
  {
    released,   // newly released, or more of its work is pending
    stamped,    // newly released, and its precedence says already when
    returning,  // handed its group: rejoins where it was
  };

  using State = detail::CallbackState<>;
  static constexpr std::uint32_t kQueued = State::kQueued;
  static constexpr std::uint32_t kClosed = State::kClosed;
  static constexpr std::uint32_t kAdded = State::kAdded;
  static constexpr std::uint32_t kTaking = State::kTaking;
  static constexpr std::uint32_t kRun = State::kRun;
  static constexpr std::uint32_t kMarks = State::kMarks;

  // --- what a dispatch touches: two cache lines, up to and with the arrivals (with many callbacks
  // ready, fetching them is most of the cost) ---
  State state_;
  // Counts this callback's own releases as a root. Starts and takes write it, which come one after the other; the
  // key of its next run may be looked up meanwhile, under the mutex of the set to which it was bound since.
  std::atomic<std::uint32_t> instance_{0};
  std::atomic<ThreadSet *> set_{nullptr};
  Callback * next_ = nullptr;      // intake, level list
  Callback * previous_ = nullptr;  // level list
  Precedence precedence_;          // of the oldest arrival; the key's meaning depends on the order
  Group * group_;
  const std::uint32_t number_;
  std::atomic<Where> where_{Where::nowhere};
  const Kind kind_;
  Comes comes_ = Comes::released;
  bool publishes_last_ = false;            // changes only while it is not added
  Phased phased_ = Phased::no;             // the same
  std::atomic<std::uint8_t> priority_{0};  // larger is more urgent
  std::atomic<std::uint8_t> raised_{0};    // by the boost; both together are at most 255
  struct Deadlines;
  std::atomic<const Deadlines *> deadlines_{nullptr};  // null: it has none
  ArrivalRing arrivals_;

  // --- what only some orders touch ---
  std::uint32_t place_ = UINT32_MAX;  // in a heap of ready or parked callbacks
  std::uint32_t rank_ = UINT32_MAX;   // in the window orders
  std::uint32_t visit_ = 0;           // the last visit that ran it

  // --- its boost: guarded by the thread set's mutex ---
  std::optional<Boost> boost_;
  std::uint32_t boost_step_ = 0;
  std::uint32_t boosted_starts_ = 0;   // since the last one at its own priority
  Callback * next_boosted_ = nullptr;  // of the set's callbacks with a boost

  // --- timers: guarded by the thread set's mutex ---
  const bool timed_;  // timer options were given
  TimerOptions timer_;
  Time expiry_ = kNever;  // next nominal release
  Time due_ = kNever;     // release that is queued now
  std::uint32_t timer_place_ = UINT32_MAX;
  bool timer_active_ = false;
  bool on_grid_ = false;    // its releases are where first_release says
  bool withdrawn_ = false;  // reset while queued: that release is not to run
  std::atomic<std::uint64_t> skipped_{0};

  // --- phased callbacks: guarded by the thread set's mutex ---
  std::uint64_t seen_overwritten_ = 0;  // of the arrivals; beyond them somebody was told
  std::uint64_t seen_lost_ = 0;         // of the messages

  std::uint32_t registration_ = 0;
  const std::string id_;
  const std::string chain_id_;
  const std::shared_ptr<const std::uint32_t> id_number_;  // see callback_numbers.hpp
  std::shared_ptr<Group> group_owner_;
};

/// By precedence.
struct CallbackLess
{
  bool operator()(const Callback * a, const Callback * b) const noexcept
  {
    return a->precedence_.before(b->precedence_);
  }
};

}  // namespace takt_core

#endif  // TAKT_CORE__CALLBACK_HPP_
