// Hooks through which tracing, statistics and monitoring watch an executor.
//
// The core does not know its observers' purposes. It calls most hooks on executor threads between
// the code of callbacks; these hooks must be real-time safe.
#ifndef TAKT_CORE__OBSERVER_HPP_
#define TAKT_CORE__OBSERVER_HPP_

#include <exception>
#include <string_view>

#include "takt_core/callback.hpp"
#include "takt_core/chain.hpp"
#include "takt_rt/thread_attributes.hpp"

namespace takt_core
{

using takt_rt::AttributeReport;

/// Events besides runs that an observer wants. Each one costs a call.
struct ObserverInterest
{
  bool arrivals = false;  ///< `on_arrival`
  bool idling = false;    ///< `on_idle`, `on_wake`
  bool parking = false;   ///< `on_parked`
  /// False: `on_picked`, `on_start`, `on_end` and `on_empty_take` do nothing. The executor need not
  /// look at the clock for such an observer.
  bool runs = true;
};

/// Derive from this class, and add the object to an executor that does not spin. Each hook does
/// nothing by default.
class Observer
{
public:
  virtual ~Observer() = default;

  /// The executor asks once, when the observer is added.
  virtual ObserverInterest interest() const noexcept { return {}; }
  /// While it returns false, the hooks of runs (`ObserverInterest::runs`) do nothing. The executor
  /// asks before it calls one of them. Real-time safe; any thread.
  virtual bool watches() const noexcept { return true; }

  // ---- set-up only; may allocate and block ----

  /// Called before the callback's first run. The executor's set-up is locked, so the hook must not
  /// call the executor.
  virtual void on_added(const Callback &) {}
  /// After the callback's removal. As `on_added`.
  virtual void on_removed(const Callback &) {}
  /// The callback's thread set or its own priority has changed. As `on_added`.
  virtual void on_rebound(const Callback &) {}
  /// A chain was set or changed. As `on_added`.
  virtual void on_chain(const ChainOptions &) {}
  /// A chain was removed. As `on_added`.
  virtual void on_chain_removed(std::string_view /*name*/) {}
  /// The executor thread calls it after its attributes were applied, before the gate opens.
  virtual void on_thread(std::uint32_t /*thread*/, const AttributeReport &) {}

  /// Rights of the process that the kernel refused at the start: locked memory, a fixed middleware
  /// ceiling. `start` calls the hook before it creates threads. It does not call the hook if there
  /// are no refusals, or if a refusal ends the start.
  virtual void on_refusals(const Faults &) {}

  // ---- real-time safe; any thread ----

  /// Messages were announced. Called on the announcing thread, which may hold locks of the
  /// middleware.
  virtual void on_arrival(const Callback &, std::uint32_t /*count*/, Time /*now*/) noexcept {}

  // ---- real-time safe; on the executor thread ----

  /// The thread found no callback and goes to sleep.
  virtual void on_idle(std::uint32_t /*thread*/, Time /*now*/) noexcept {}
  /// The thread woke up, by work, by time or spuriously.
  virtual void on_wake(std::uint32_t /*thread*/, Time /*now*/) noexcept {}
  /// A picked callback, or one with more work after its run, waits for its busy group from now on.
  /// Called with a lock of the scheduler held: must not call the executor.
  virtual void on_parked(const Callback &) noexcept {}

  // ---- real-time safe; on the executor thread of the run ----

  /// A run was picked, before its take. On the same thread one of these follows: `on_end` (it ran),
  /// `on_empty_take` (the take found no message, or one that the taker leaves out, or one that is
  /// kept for its set) or `on_exception` without `on_start` (the take threw). The run of a message
  /// that was kept begins with `on_picked` again, when its set is complete. If the run takes
  /// messages of non-triggering callbacks, `on_picked` comes after these callbacks' runs, and
  /// `Run::start` is the end of the last of these. So observers see the runs of one thread one
  /// after the other.
  virtual void on_picked(const Run &) noexcept {}
  /// Called after the take; the user's function begins at `start`. (`Run::start` is earlier: see
  /// `on_picked`.)
  /// The number of messages that the history lost between two starts of a callback is the growth of
  /// `MessageCounts::overwritten` (`Callback::message_counts`) from one `on_start` to the next.
  virtual void on_start(const Run &, Time /*start*/) noexcept {}
  /// After the user's function, also if it threw.
  virtual void on_end(const Run &, Time /*end*/) noexcept {}
  /// The take found no message: a count was only a hint.
  virtual void on_empty_take(const Run &) noexcept {}
  /// The user's function or the take threw. `ExceptionPolicy` decides what the executor does next.
  virtual void on_exception(const Run &, const std::exception_ptr &) noexcept {}
};

}  // namespace takt_core

#endif  // TAKT_CORE__OBSERVER_HPP_
