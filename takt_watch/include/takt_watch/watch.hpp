// Watches the executors of this process: counts what their callbacks, chains and threads do, answers `takt top` on the
// control socket, and raises alarms.
//
//     auto watching = takt_watch::watch(takt_watch::watched(schedule, "hot", *executor));  // before it spins
//     …
//     watching->reset();  // before the executor is destroyed
//
// The observer is always there. It is off until a watched executor has a rule, or until the first request for
// statistics or alarms; while it is off each of its hooks costs a call and one load.
//
// While it is on, the process has a thread `takt.watch` (policy other, no signals). It looks at all watched executors
// once in the shortest of their periods. It also looks when a message reaches the age of its callback's rule, when a run
// reaches the `stall` of its callback's rule, and when the deadline of a chain passes for an activation that has not
// ended: an arrival and a start plan the thread's next wake-up, and wake it only if that is earlier than the one that it
// has planned; timers it asks for their next release itself. So an alarm of this kind comes when its limit is reached
// and not a period later; only where such limits are crossed again and again the looks between two periods are at least
// a tenth of the period and 1 ms apart. A machine whose cores are all taken by real-time threads holds up the thread.
#ifndef TAKT_WATCH__WATCH_HPP_
#define TAKT_WATCH__WATCH_HPP_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "takt_core/executor.hpp"
#include "takt_rt/result.hpp"
#include "takt_schedule/applied_part.hpp"
#include "takt_schedule/schedule.hpp"
#include "takt_schedule/watch_rules.hpp"

namespace takt_watch
{

/// What a schedule says of watching an executor.
struct WatchRules
{
  /// The rule of a callback, asked when it is added. Does not call the executor. Null: no callback has one.
  std::function<takt_schedule::WatchRule(const takt_core::Callback &)> rule{};
  /// The rule of the chain of that name, asked when it is set. Null: no chain has one.
  std::function<takt_schedule::ChainWatchRule(const std::string &)> chain_rule{};
  takt_schedule::WatchSettings settings{};
};

/// An executor, and how it is watched.
struct WatchedExecutor : WatchRules
{
  std::string name{};                        ///< in schedules and alarms
  takt_core::Executor * executor = nullptr;  ///< lives longer than the watching
  /// That the rules are of, to compare others with; null: none.
  std::shared_ptr<const takt_schedule::Schedule> schedule{};
  std::string rmw{};  ///< the middleware's name; empty: none
  /// Figures that this front end cannot give, each with the reason: "lost: this rmw has no sequence numbers".
  std::vector<std::string> unknown{};
};

/// The executor is watched as long as this lives. Destroy it before the executor, and not in one of the executor's
/// callbacks; the destructor waits for a look and for a request in progress, and with the last one the watch thread
/// ends. In a child of fork it does nothing.
class Watching
{
public:
  virtual ~Watching() = default;

  /// The executor is watched as `schedule` says from now on, also while it spins: all of it or, with `check_only`,
  /// nothing. Gives one part for each callback, each chain and `watch` of which this schedule or the one before says
  /// something. Counts go on; an alarm whose rule is gone is cleared within a period. Any thread; may block as set-up
  /// does.
  virtual std::vector<takt_schedule::AppliedPart> apply(
    const takt_schedule::Schedule & schedule, bool check_only) = 0;
  /// As in the beginning; false: it is so already. As `apply`.
  virtual bool reset() = 0;
};

/// Adds the observer and answers requests from now on. Faults: the executor spins, or is null. Set-up only; any thread.
takt_rt::Result<std::unique_ptr<Watching>> watch(WatchedExecutor executor);

}  // namespace takt_watch

#endif  // TAKT_WATCH__WATCH_HPP_
