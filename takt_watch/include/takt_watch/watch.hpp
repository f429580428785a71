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
// once in the shortest of their periods. It also looks when a message reaches the age of its callback's rule and when a
// run reaches the `stall` of its callback's rule: an arrival and a start plan the thread's next wake-up, and wake it
// only if that is earlier than the one that it has planned. So an alarm of this kind comes when its limit is reached
// and not a period later; only where such limits are crossed again and again the looks between two periods are at least
// a tenth of the period and 1 ms apart. A machine whose cores are all taken by real-time threads holds up the thread.
#ifndef TAKT_WATCH__WATCH_HPP_
#define TAKT_WATCH__WATCH_HPP_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "takt_core/executor.hpp"
#include "takt_core/result.hpp"
#include "takt_schedule/watch_rules.hpp"

namespace takt_watch
{

/// An executor, and what its schedule says of watching it.
struct WatchedExecutor
{
  std::string name{};                        ///< in schedules and alarms
  takt_core::Executor * executor = nullptr;  ///< lives longer than the watching
  /// The rule of a callback, asked when it is added. Does not call the executor. Null: no callback has one.
  std::function<takt_schedule::WatchRule(const takt_core::Callback &)> rule{};
  /// The rule of the chain of that name, asked when it is set. Null: no chain has one.
  std::function<takt_schedule::ChainWatchRule(const std::string &)> chain_rule{};
  takt_schedule::WatchSettings settings{};
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
};

/// Adds the observer and answers requests from now on. Faults: the executor spins, or is null. Set-up only; any thread.
takt_core::Result<std::unique_ptr<Watching>> watch(WatchedExecutor executor);

}  // namespace takt_watch

#endif  // TAKT_WATCH__WATCH_HPP_
