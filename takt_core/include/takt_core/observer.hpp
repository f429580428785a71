// Hooks through which tracing, statistics and monitoring watch an executor.
//
// The core does not know what its observers do. Hooks that run on executor threads are called between
// callbacks' own code and must be real-time safe.
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

/// What an observer wants to be told besides runs: each costs a call at its place.
struct ObserverInterest
{
  bool arrivals = false;  ///< `on_arrival`
  bool idling = false;    ///< `on_idle`, `on_wake`
  bool parking = false;   ///< `on_parked`
};

class Observer
{
public:
  virtual ~Observer() = default;

  /// Asked once, when it is added.
  virtual ObserverInterest interest() const noexcept { return {}; }

  // ---- set-up only; may allocate and block ----

  /// Before its first run, with the executor's set-up locked: must not call it.
  virtual void on_added(const Callback &) {}
  virtual void on_removed(const Callback &) {}
  /// Its threads or its own priority are others from now on. As `on_added`.
  virtual void on_rebound(const Callback &) {}
  virtual void on_chain(const ChainOptions &) {}
  virtual void on_chain_removed(std::string_view /*name*/) {}
  /// Called on the executor thread itself, after its attributes were applied, before the gate.
  virtual void on_thread(std::uint32_t /*thread*/, const AttributeReport &) {}

  /// What was refused to the process at start: locked memory, a fixed middleware ceiling. Called by
  /// `start` before there are threads; not if nothing was refused, nor if that ends the start.
  virtual void on_refusals(const Faults &) {}

  // ---- real-time safe; any thread ----

  /// Messages were announced; on the thread that did it, which may hold locks of the middleware.
  virtual void on_arrival(const Callback &, std::uint32_t /*count*/, Time /*now*/) noexcept {}

  // ---- real-time safe; on the executor thread ----

  /// The thread found nothing to run and goes to sleep; it woke up, by work, by time or spuriously.
  virtual void on_idle(std::uint32_t /*thread*/, Time /*now*/) noexcept {}
  virtual void on_wake(std::uint32_t /*thread*/, Time /*now*/) noexcept {}
  /// A callback that was picked, or that has more work after its run, waits for its busy group from now on. Called with
  /// a lock of the scheduler held: must not call the executor.
  virtual void on_parked(const Callback &) noexcept {}

  // ---- real-time safe; on the executor thread of the run ----

  /// A run was picked, before its take. Of each one of `on_end` (it ran), `on_empty_take` (the take found
  /// nothing) or `on_exception` without `on_start` (the take threw) follows on the same thread.
  virtual void on_picked(const Run &) noexcept {}
  /// After the take, right before the user's function begins at `start`. (`Run::start` is when it was picked.) Messages
  /// that the history lost before this one: `Callback::message_counts`, less those at the start before.
  virtual void on_start(const Run &, Time /*start*/) noexcept {}
  /// After the user's function, also if it threw.
  virtual void on_end(const Run &, Time /*end*/) noexcept {}
  /// The take found nothing: a count was only a hint.
  virtual void on_empty_take(const Run &) noexcept {}
  /// The user's function threw. What the executor does then is its `ExceptionPolicy`.
  virtual void on_exception(const Run &, const std::exception_ptr &) noexcept {}
};

}  // namespace takt_core

#endif  // TAKT_CORE__OBSERVER_HPP_
