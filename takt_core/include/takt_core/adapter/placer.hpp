// The interface through which an adapter asks a schedule where its callbacks run.
//
// The adapter asks before it adds a callback to its executor, and reports each entity that it made
// in the middleware. Any thread may call. Set-up only: allocates and may block, except `started`.
#ifndef TAKT_CORE__ADAPTER__PLACER_HPP_
#define TAKT_CORE__ADAPTER__PLACER_HPP_

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "takt_core/callback.hpp"
#include "takt_core/executor.hpp"
#include "takt_core/isolation.hpp"
#include "takt_core/scheduler.hpp"
#include "takt_core/timer.hpp"
#include "takt_rt/result.hpp"

namespace takt_core::adapter
{

/// What a schedule says of one callback.
struct CallbackSettings
{
  Binding binding;
  std::optional<Duration> offset;
  std::optional<MissedPeriods> missed_periods;
  bool across_priorities = false;  ///< the schedule allows it for this callback's group
  std::optional<Isolation>
    isolation;           ///< of this callback's group; its threads are of a reentrant group
  bool by_rule = false;  ///< a rule names the callback; else it got the default threads
};

/// Does to `group`, before the callback of these settings is added to `executor`, what they say of it. A mutually
/// exclusive group that is isolated gets one thread. Faults: as Executor::isolate.
Status settle(Executor & executor, Group & group, const CallbackSettings & settings);

class Placer
{
public:
  virtual ~Placer() = default;
  /// Faults: the schedule is ambiguous about `id` or about its group.
  virtual Result<CallbackSettings> place(
    const std::string & id, Kind kind, const std::string & group_id) = 0;
  /// The adapter made a middleware entity or a node, so the process may have new threads. Faults:
  /// the kernel refused them attributes that the schedule insists on.
  virtual Status entity_made() = 0;
  /// Callbacks that `may_come` says yes to, by an id or a pattern of the schedule, may come later: that there are none
  /// is no fault and no warning. Empty: all are there.
  virtual void await(std::function<bool(std::string_view)> /*may_come*/) {}
  /// How many of the schedule's rules and ids wait for such callbacks.
  virtual std::size_t awaited() const { return 0; }
  /// What keeps a strict schedule from starting, as long as it has not started.
  virtual Faults faults() = 0;
  virtual Faults warnings() const = 0;
  /// Ids that got the default threads because no rule matches them.
  virtual std::vector<std::string> defaulted() const = 0;
  /// Start-up is complete, and the schedule fits: faults are none from now on. Real-time safe.
  virtual void started() noexcept = 0;
};

}  // namespace takt_core::adapter

#endif  // TAKT_CORE__ADAPTER__PLACER_HPP_
