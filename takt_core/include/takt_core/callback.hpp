// The schedulable unit. An adapter derives a class from it, implements `run` (and `take`) and adds
// it to an executor.
//
// The interface is small so that rclcpp's entities fit behind it: timers, subscriptions, services,
// clients and waitables are announced (`ready`), taken and run.
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

/// In the order in which `window` and `stock` prefer kinds. Guard conditions are waitables.
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
    0;  ///< executor thread index; threads of isolated groups follow those of the options
  std::uint32_t lane = 0;      ///< of reentrant callbacks: below `Executor::lanes` of the group
  Time release = kNever;       ///< timers: the nominal time; others: the arrival
  Time start{};                ///< when the pick was made
  Time deadline = kNever;      ///< absolute; the earliest deadline of the run's activations
  std::uint64_t sequence = 0;  ///< position in the order of releases
  std::uint32_t skipped = 0;   ///< timers: periods dropped by this start's missed-period policy
  ActivationSet activations;   ///< activations that this run works for
  /// The name (see MessageScope) of the message that `take` found; `take` sets it. A KEEP_LAST
  /// history may have replaced the message for which this run was started. Then the run gets the
  /// release, deadline and activations of the found message before `run`. 0: unknown.
  mutable std::uint64_t found = 0;
  std::uint64_t announced = 0;  ///< of the scheduler: name of the announced message
  std::uint64_t arrival = 0;    ///< of the scheduler: that message's place in the ring
  /// For observers: `take_cpu` is known from `on_start` on, the other costs at `on_end`. Null: no program requested
  /// costs (RunCostsWanted).
  const RunCosts * costs = nullptr;
  ThreadSet * set = nullptr;  ///< of the scheduler: thread set of the pick
  bool taking = false;        ///< of the scheduler: other threads wait for this take
};

struct CallbackOptions
{
  std::string id;  ///< unique in its executor: `/ns/node:timer(100ms)`, see docs/schedule.md
  Kind kind = Kind::waitable;
  std::shared_ptr<Group> group;       ///< null: a mutually exclusive group of its own
  std::uint32_t depth = 1;            ///< arrivals kept; older ones count as overwritten
  std::optional<TimerOptions> timer;  ///< required for, and only for, Kind::timer
  /// The id by which chains name the callback; empty: `id`. Callbacks may share a chain id: a subscription whose
  /// messages come in two ways is two callbacks.
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

  /// Unique among the callbacks of this process. About 65,000 further callbacks must be destroyed
  /// before a number is used again. Activations and traces name the callback by it.
  std::uint32_t number() const noexcept { return number_; }

  /// Messages announced and not yet taken, at most the depth. A hint. Real-time safe.
  std::uint32_t backlog() const noexcept { return arrivals_.size(); }

  /// Messages announced so far. Real-time safe.
  std::uint64_t arrivals() const noexcept { return arrivals_.pushed(); }
  std::uint32_t depth() const noexcept { return arrivals_.depth(); }

  /// When the oldest waiting message was announced; kNever: no message waits, or a producer is replacing the oldest. A
  /// hint. Real-time safe.
  Time oldest_arrival() const noexcept { return arrivals_.oldest_stamp(); }

  /// The boost's part of the priority, on top of `Scheduler::priority`. Real-time safe.
  int raised() const noexcept { return raised_.load(std::memory_order_relaxed); }

  /// Messages that never reached the history, as far as the front end can count them by the publications' sequence
  /// numbers. Absent: it cannot count them. Any thread; real-time safe.
  virtual std::optional<std::uint64_t> lost() const noexcept { return std::nullopt; }

  /// Arrivals that a full history lost before they were taken. Real-time safe.
  std::uint64_t overwritten() const noexcept { return arrivals_.overwritten(); }

  /// Message counts of the front end, if these are better than `backlog`, `overwritten`, `depth` and `arrivals`: a
  /// middleware may announce a message twice, and its history may be longer than the arrival ring. Exact for a run
  /// between its take and the next take. Any thread; real-time safe.
  virtual MessageCounts message_counts() const noexcept
  {
    return {backlog(), overwritten(), depth(), arrivals()};
  }

  /// Timer periods that the missed-period policy has dropped. Each start of the timer counts the
  /// periods dropped before it; `Scheduler::unstarted_periods` counts the later ones. Real-time
  /// safe.
  std::uint64_t skipped_periods() const noexcept
  {
    return skipped_.load(std::memory_order_relaxed);
  }

  /// `Binding::publishes_last` of the callback's binding. Only for the scheduler's driver. Real-time safe.
  bool publishes_last() const noexcept { return publishes_last_; }

  /// Takes the run's input, on the thread of the run. False: no message was there, and `run` is not
  /// called. Takes of one callback never overlap.
  virtual bool take(const Run & run);

  /// The user's function. Calls may overlap, with different `run.thread`, if the group is
  /// reentrant. May throw: see `ExceptionPolicy`.
  virtual void run(const Run & run) = 0;

private:
  // Two prefetch hints before a start: the first fetches the callback, the second the memory that
  // it points to.
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

  // Why the callback is in an intake.
  enum class Comes : std::uint8_t
  {
    released,   // newly released, or with more work pending
    stamped,    // newly released, with its precedence already set
    returning,  // was handed its group: rejoins at its old place
  };

  using State = detail::CallbackState<>;
  static constexpr std::uint32_t kQueued = State::kQueued;
  static constexpr std::uint32_t kClosed = State::kClosed;
  static constexpr std::uint32_t kAdded = State::kAdded;
  static constexpr std::uint32_t kTaking = State::kTaking;
  static constexpr std::uint32_t kRun = State::kRun;
  static constexpr std::uint32_t kMarks = State::kMarks;

  // --- what a dispatch touches: two cache lines, up to and with the arrivals. With many ready
  // callbacks, fetching these lines is most of the dispatch's cost. ---
  State state_;
  // Counts this callback's releases as a root. Starts and takes write it, one after the other. Another thread set may
  // read it meanwhile, under its mutex, to compute the key of the next run after a new binding.
  std::atomic<std::uint32_t> instance_{0};
  std::atomic<ThreadSet *> set_{nullptr};
  Callback * next_ = nullptr;      // intake, level list
  Callback * previous_ = nullptr;  // level list
  Precedence precedence_;          // of the oldest arrival; the order defines the key's meaning
  Group * group_;
  const std::uint32_t number_;
  std::atomic<Where> where_{Where::nowhere};
  const Kind kind_;
  Comes comes_ = Comes::released;
  bool publishes_last_ = false;            // changes only before the callback is added
  Phased phased_ = Phased::no;             // changes only before the callback is added
  std::atomic<std::uint8_t> priority_{0};  // larger is more urgent
  std::atomic<std::uint8_t> raised_{0};    // the boost's part; the sum is at most 255
  struct Deadlines;
  std::atomic<const Deadlines *> deadlines_{nullptr};  // null: no deadline
  ArrivalRing arrivals_;

  // --- what some orders touch ---
  std::uint32_t place_ = UINT32_MAX;  // in a heap of ready or parked callbacks
  std::uint32_t rank_ = UINT32_MAX;   // in the window orders
  std::uint32_t visit_ = 0;           // the last visit that ran the callback

  // --- boost: guarded by the thread set's mutex ---
  std::optional<Boost> boost_;
  std::uint32_t boost_step_ = 0;
  std::uint32_t boosted_starts_ = 0;   // since its last start at its own priority
  Callback * next_boosted_ = nullptr;  // links the set's callbacks with a boost

  // --- timers: guarded by the thread set's mutex ---
  const bool timed_;  // timer options were given
  TimerOptions timer_;
  Time expiry_ = kNever;  // next nominal release
  Time due_ = kNever;     // release that is queued
  std::uint32_t timer_place_ = UINT32_MAX;
  bool timer_active_ = false;
  bool on_grid_ = false;    // its releases are at the times of first_release
  bool withdrawn_ = false;  // reset while queued: that release must not run
  std::atomic<std::uint64_t> skipped_{0};

  // --- phased callbacks: guarded by the thread set's mutex ---
  std::uint64_t seen_overwritten_ = 0;  // overwritten arrivals reported so far
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
