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

#include "takt_core/activation.hpp"
#include "takt_core/detail/callback_entry.hpp"
#include "takt_core/group.hpp"
#include "takt_core/kind.hpp"
#include "takt_core/message_counts.hpp"
#include "takt_core/run_costs.hpp"
#include "takt_core/timer.hpp"
#include "takt_rt/time.hpp"

namespace takt_core
{

using takt_rt::kNever;

class ArrivalWord;
class Callback;
class ThreadSet;

/// One start of a callback, from pick to end. Owned by the executor thread.
struct Run
{
  Callback * callback = nullptr;
  /// Executor thread index; threads of isolated groups follow those of the options.
  std::uint32_t thread = 0;
  std::uint32_t lane = 0;  ///< of reentrant callbacks: below `Executor::lanes` of the group
  Time release = kNever;   ///< timers: the nominal time; others: the arrival
  /// The time of the pick. If the run was started by direct call (sequence.hpp): the time at which
  /// the previous run ended or, in an executor without timers and without an observer of runs, the
  /// arrival time of the run's message.
  Time start{};
  Time deadline = kNever;  ///< absolute; the earliest deadline of the run's activations
  /// Position in the order of releases. In a graph: the position of the iteration, plus the
  /// callback's place in the graph's list.
  std::uint64_t sequence = 0;
  std::uint32_t skipped = 0;  ///< timers: periods dropped by this start's missed-period policy
  ActivationSet activations;  ///< activations that this run works for
  /// The name (see MessageScope) of the message that `take` found; `take` sets it. A KEEP_LAST
  /// history may have replaced the message for which this run was started. Then the run gets the
  /// release, deadline and activations of the found message before `run`. 0: unknown.
  mutable std::uint64_t found = 0;
  /// The time at which the found message was sent. `take` sets it if the message was announced late
  /// because the thread was busy (ArrivalWord). The run's release is then not later than this time.
  /// kNever: unknown.
  mutable Time arrived = kNever;
  Time oldest{};  ///< for the scheduler, which leaves out earlier arrivals
  /// Header stamp of the found message; `take` sets it if the callback is `stamped` and its group's
  /// condition has a spread. kNever: the message has none.
  mutable Time stamp = kNever;
  std::uint64_t announced = 0;  ///< for the scheduler: name of the announced message
  std::uint64_t arrival = 0;    ///< for the scheduler: that message's place in the ring
  /// Only for non-triggering callbacks: the taker leaves the message out. The executor then calls
  /// `take`, which removes the message, and calls `leave_out` instead of `run`.
  bool leaves_out = false;
  /// For observers: `take_cpu` is known from `on_start` on, the other costs at `on_end`. Null: no
  /// program requested costs (RunCostsWanted).
  const RunCosts * costs = nullptr;
  /// Of the scheduler: release that counts for the pick; in a graph: its iteration's.
  Time place = kNever;
  ThreadSet * set = nullptr;  ///< of the scheduler: thread set of the pick
  bool taking = false;        ///< of the scheduler: other runs of the callback wait for this take
};

/// The properties that a callback has from its construction on.
struct CallbackOptions
{
  std::string id;  ///< unique in its executor: `/ns/node:timer(100ms)`, see docs/schedule.md
  Kind kind = Kind::waitable;
  std::shared_ptr<Group> group;       ///< null: a mutually exclusive group of its own
  std::uint32_t depth = 1;            ///< arrivals kept; older ones count as overwritten
  std::optional<TimerOptions> timer;  ///< required for, and only for, Kind::timer
  /// The id by which chains name the callback; empty: `id`. Callbacks may share a chain id: a
  /// subscription whose messages come in two ways is two callbacks.
  std::string chain_id{};
  /// The client library made the callback for itself, such as a service of parameters. Such a
  /// callback takes no messages of non-triggering callbacks. It does not wait for its group's
  /// condition, and it is not an input of the condition.
  bool of_client_library = false;
  /// The callback's messages have a header, and `take` can set `Run::stamp`.
  bool stamped = false;
};

/// The base class of all callbacks. An adapter implements `run` and, where the callback has input,
/// `take`; the executor calls both on its threads. The private base is the scheduler's part; see
/// callback_entry.hpp.
class alignas(64) Callback : private CallbackEntry
{
public:
  /// Any thread; set-up only: takes a lock and allocates the callback's number, arrival ring and,
  /// without `options.group`, a group. `add` checks the options and returns their faults; this
  /// constructor throws only std::bad_alloc.
  explicit Callback(CallbackOptions options);
  /// Any thread; set-up only: takes a lock and gives the number back. An executor that has the
  /// callback keeps it alive.
  virtual ~Callback();
  Callback(const Callback &) = delete;
  Callback & operator=(const Callback &) = delete;

  /// The id of the options. Any thread; real-time safe.
  const std::string & id() const noexcept { return id_; }
  /// The id by which chains name the callback; `id` if the options have none. Any thread; real-time
  /// safe.
  const std::string & chain_id() const noexcept { return chain_id_.empty() ? id_ : chain_id_; }
  /// The kind of the options. Any thread; real-time safe.
  Kind kind() const noexcept { return entry().kind_; }
  /// `CallbackOptions::of_client_library` of the options. Any thread; real-time safe.
  bool of_client_library() const noexcept { return of_client_library_; }
  /// `CallbackOptions::stamped` of the options. Any thread; real-time safe.
  bool stamped() const noexcept { return stamped_; }
  /// The group of the options, or the callback's own group. Lives as long as the callback. Any
  /// thread; real-time safe.
  Group & group() const noexcept { return *entry().group_; }

  /// Unique among the callbacks of this process. About 65,000 further callbacks must be destroyed
  /// before a number is used again. Activations and traces name the callback by it.
  std::uint32_t number() const noexcept { return entry().number_; }

  /// The number of messages that were announced and not yet taken, at most the depth. A hint.
  /// Real-time safe.
  std::uint32_t backlog() const noexcept { return entry().arrivals_.size(); }

  /// The number of messages announced so far. Real-time safe.
  std::uint64_t arrivals() const noexcept { return entry().arrivals_.arrived(); }
  /// Number of arrivals that the ring keeps, at least 1. Any thread; real-time safe.
  std::uint32_t depth() const noexcept { return entry().arrivals_.depth(); }

  /// The time at which the oldest waiting message was announced; kNever: no message waits, or a
  /// producer is replacing the oldest. A hint. Real-time safe.
  Time oldest_arrival() const noexcept { return entry().arrivals_.oldest_stamp(); }

  /// The levels that the boost adds to `Scheduler::priority`. Real-time safe.
  int raised() const noexcept { return entry().raised_.load(std::memory_order_relaxed); }

  /// The number of messages that never reached the history, as far as the publications' sequence
  /// numbers show it. Absent: the front end cannot count these messages. Any thread; real-time
  /// safe.
  virtual std::optional<std::uint64_t> lost() const noexcept { return std::nullopt; }

  /// The number of arrivals that a full history overwrote before their take. Real-time safe.
  std::uint64_t overwritten() const noexcept { return entry().arrivals_.overwritten(); }

  /// Message counts of the front end, if these are better than `backlog`, `overwritten`, `depth`
  /// and `arrivals`: a middleware may announce a message twice, and its history may be longer than
  /// the arrival ring. Exact for a run between its take and the next take. Any thread; real-time
  /// safe.
  virtual MessageCounts message_counts() const noexcept
  {
    return {backlog(), overwritten(), depth(), arrivals()};
  }

  /// The number of timer periods that the missed-period policy has dropped. Each start of the timer
  /// counts the periods dropped before the start; `Scheduler::unstarted_periods` counts the later
  /// ones. Real-time safe.
  std::uint64_t skipped_periods() const noexcept
  {
    return entry().skipped_.load(std::memory_order_relaxed);
  }

  /// `Binding::publishes_last` of the callback's binding. Only for the scheduler's driver.
  /// Real-time safe.
  bool publishes_last() const noexcept { return entry().publishes_last_; }

  /// True for a non-triggering callback (`Binding::non_triggering`): its messages do not queue it.
  /// Real-time safe.
  bool non_triggering() const noexcept
  {
    return (entry().state_.load(std::memory_order_relaxed) & CallbackEntry::kNonTriggering) != 0;
  }
  /// The number of messages of a non-triggering callback that takers left out, by `keep` or
  /// `max_age`. Real-time safe.
  std::uint64_t left_out() const noexcept
  {
    return entry().left_out_.load(std::memory_order_relaxed);
  }
  /// Whether the callback's start takes messages of non-triggering callbacks. Only for the
  /// scheduler's driver. Real-time safe.
  bool takes_inputs() const noexcept
  {
    return (entry().state_.load(std::memory_order_relaxed) & CallbackEntry::kInputs) != 0;
  }

  /// Whether the callback's messages are kept until a set is complete (`Condition::spread`). Only
  /// for the scheduler's driver, in a run of the callback, and for `take`. Real-time safe.
  bool keeps_for_set() const noexcept { return entry().keeps_for_set(); }

  /// Takes the run's input, on the thread of the run. Returns false if there was no message: then
  /// the executor does not call `run`. Takes of one callback never overlap.
  virtual bool take(const Run & run);

  /// The word by which the callback's messages come, if no thread announces them; see
  /// arrival_word.hpp. Null: threads announce the messages. The executor asks once, when the
  /// callback is added. Set-up only.
  virtual ArrivalWord * arrival_word() noexcept;

  /// Called instead of `run` for a message that the taker leaves out (`Run::leaves_out`), or that
  /// no set can have. Frees the message that `take` took. Real-time safe. Also on the thread that
  /// removes the callback.
  virtual void leave_out(const Run & run) noexcept;

  /// The user's function. Calls may overlap, with different `run.thread`, if the group is
  /// reentrant. May throw: see `ExceptionPolicy`.
  virtual void run(const Run & run) = 0;

private:
  friend class CallbackEntry;  // converts between Callback and CallbackEntry

  const CallbackEntry & entry() const noexcept { return *this; }

  const std::string id_;
  const std::string chain_id_;
  const bool of_client_library_;
  const bool stamped_;
  const std::shared_ptr<const std::uint32_t> id_number_;  // see callback_numbers.hpp
  const std::shared_ptr<Group> group_owner_;
};

inline CallbackEntry & CallbackEntry::of(Callback & callback) noexcept
{
  return callback;
}
inline const CallbackEntry & CallbackEntry::of(const Callback & callback) noexcept
{
  return callback;
}
inline Callback & CallbackEntry::callback() noexcept
{
  return static_cast<Callback &>(*this);
}
inline const Callback & CallbackEntry::callback() const noexcept
{
  return static_cast<const Callback &>(*this);
}

}  // namespace takt_core

#endif  // TAKT_CORE__CALLBACK_HPP_
