// The interface through which an adapter asks a schedule for the threads of its callbacks.
//
// The adapter asks before it adds a callback to its executor, and reports each middleware entity
// that it made. Any thread may call. Set-up only: allocates and may block, except `started`.
#ifndef TAKT_CORE__ADAPTER__PLACER_HPP_
#define TAKT_CORE__ADAPTER__PLACER_HPP_

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "takt_core/callback.hpp"
#include "takt_core/condition.hpp"
#include "takt_core/executor.hpp"
#include "takt_core/isolation.hpp"
#include "takt_core/scheduler.hpp"
#include "takt_core/timer.hpp"
#include "takt_rt/result.hpp"

namespace takt_core::adapter
{

/// The schedule's settings of one callback.
struct CallbackSettings
{
  Binding binding;
  std::optional<Duration> offset;
  std::optional<MissedPeriods> missed_periods;
  bool across_priorities = false;           ///< the group's callbacks may differ in OS priority
  std::optional<Condition> condition;       ///< of this callback's group
  std::optional<LateOutputs> logical_time;  ///< of this callback's group
  /// Of this callback's group. `threads` counts only for a reentrant group.
  std::optional<Isolation> isolation;
  bool by_rule = false;  ///< `true`: a rule names the callback; `false`: it has the default threads
};

/// Applies `settings` to `group`. Call before you add a callback with these settings to `executor`.
/// An isolated mutually exclusive group gets one thread. Faults: as Executor::isolate.
Status settle(Executor & executor, Group & group, const CallbackSettings & settings);

/// The schedule, as one executor's adapter sees it.
class Placer
{
public:
  virtual ~Placer() = default;
  /// Faults: the schedule is ambiguous for `id` or for its group.
  virtual Result<CallbackSettings> place(
    const std::string & id, Kind kind, const std::string & group_id) = 0;
  /// The adapter made a middleware entity or a node, which may have created threads. Faults: the
  /// kernel refused these threads attributes that the schedule requires.
  virtual Status entity_made() = 0;
  /// Says that callbacks may be added later. `may_come` returns true for an id or pattern of the
  /// schedule if the callback for it may still come. Until then such an id or pattern without a
  /// callback causes neither a fault nor a warning. An empty `may_come` says that all callbacks
  /// have been added.
  virtual void await(std::function<bool(std::string_view)> /*may_come*/) {}
  /// The number of the schedule's rules and ids that wait for later callbacks.
  virtual std::size_t awaited() const { return 0; }
  /// Faults that keep a strict schedule from starting. Empty after `started`.
  virtual Faults faults() = 0;
  /// Findings that do not keep the executor from starting.
  virtual Faults warnings() const = 0;
  /// Ids of callbacks that have the default threads because the schedule has no rule for them.
  virtual std::vector<std::string> defaulted() const = 0;
  /// Says that start-up is complete and that the schedule fits: from now on `faults` returns none.
  /// Real-time safe.
  virtual void started() noexcept = 0;
};

}  // namespace takt_core::adapter

#endif  // TAKT_CORE__ADAPTER__PLACER_HPP_
