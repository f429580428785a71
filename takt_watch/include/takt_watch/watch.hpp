// Watches the executors of this process: counts the runs of callbacks, the ends of chains and the
// time of threads, answers `takt top` on the control socket, and raises alarms.
//
//     // Before the executor spins:
//     auto watching = takt_watch::watch(takt_watch::watched(schedule, "hot", *executor));
//     …
//     watching->reset();  // before the executor is destroyed
//
// The observer is always attached. It is off until a watched executor has a rule, or until the
// first request for statistics or alarms. While it is off, each hook costs a call and one load.
//
// While it is on, the process has a thread `takt.watch` (SCHED_OTHER, no signals). The thread
// samples all watched executors once in the shortest of their periods; one such sampling is called
// a look. The thread also looks when a limit is reached: when the oldest message of a callback
// reaches the age of the callback's rule, when a run reaches the `stall` of its callback's rule,
// and when the deadline of a chain passes for an activation that has not ended. So these alarms
// need not wait for the end of a period. If such limits are crossed again and again, the looks
// between two periods are at least a tenth of the period and 1 ms apart. An arrival or a start
// wakes the thread only if it needs a look earlier than the planned one. For timers the thread
// itself asks the executor for the next release. The thread is late if real-time threads take all
// cores of the machine.
#ifndef TAKT_WATCH__WATCH_HPP_
#define TAKT_WATCH__WATCH_HPP_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "takt_core/chain.hpp"
#include "takt_core/executor.hpp"
#include "takt_core/statistics_observer.hpp"
#include "takt_rt/result.hpp"
#include "takt_schedule/applied_part.hpp"
#include "takt_schedule/schedule.hpp"
#include "takt_schedule/watch_rules.hpp"

namespace takt_watch
{

/// The rules by which a schedule watches an executor.
struct WatchRules
{
  /// Returns the rule of a callback; called when the callback is added. Must not call the executor.
  /// Null: no callback has a rule.
  std::function<takt_schedule::WatchRule(const takt_core::Callback &)> rule{};
  /// Returns the rule of the chain with this name; called when the chain is set. Null: no chain has
  /// a rule.
  std::function<takt_schedule::ChainWatchRule(const std::string &)> chain_rule{};
  takt_schedule::WatchSettings settings{};
};

/// An executor with the rules by which it is watched.
struct WatchedExecutor : WatchRules
{
  std::string name{};                        ///< the executor's name in schedules and alarms
  takt_core::Executor * executor = nullptr;  ///< must live longer than the watching
  /// The schedule that the rules come from, to compare with later schedules. Null: none.
  std::shared_ptr<const takt_schedule::Schedule> schedule{};
  std::string rmw{};  ///< the middleware's name; empty: none
  /// Figures that this front end cannot give, each with its reason, as "lost: this rmw has no
  /// sequence numbers".
  std::vector<std::string> unknown{};
  /// True: the responses of chains that end in this executor are measured while the observer is
  /// off, too. Then the end of a chain costs two mutexes and a histogram entry, and every other run
  /// a look-up.
  bool measures_chains = false;
};

/// How long a chain's activations took, from the release of the root to the end of the last
/// callback.
struct ChainResponses
{
  takt_core::ChainOptions chain{};
  std::unique_ptr<takt_core::Distribution> responses{};  ///< never null
  std::uint64_t late = 0;                                ///< responses that exceeded the deadline
};

/// The executor is watched as long as this object lives. Destroy it before the executor, and not in
/// one of the executor's callbacks. The destructor waits for a look and for a request in progress.
/// The last destructor of the process also ends the watch thread. In a child of fork the destructor
/// does nothing.
class Watching
{
public:
  virtual ~Watching() = default;

  /// Replaces the rules by those of `schedule`; the executor may spin. With `check_only` it changes
  /// nothing. Returns one part for each callback and chain that has a rule in this schedule or in
  /// the one before, and one part for `watch`. Counts go on. An alarm without a rule is cleared
  /// within a period. Any thread; may block as set-up does; allocates.
  virtual std::vector<takt_schedule::AppliedPart> apply(
    const takt_schedule::Schedule & schedule, bool check_only) = 0;
  /// Restores the rules that `watch` got; returns false if the rules did not change. Any thread;
  /// may block as set-up does; allocates.
  virtual bool reset() = 0;
  /// The chains whose last callback is or was in this executor, in the order in which they were
  /// first set. While the observer is off, responses count only if
  /// WatchedExecutor::measures_chains. Responses do not count if the root is in another process.
  /// Any thread; may block; allocates.
  virtual std::vector<ChainResponses> chain_responses() const = 0;
};

/// Watches the executor: adds the observer, and answers requests from now on. Faults: the executor
/// spins, or is null. Set-up only; any thread.
takt_rt::Result<std::unique_ptr<Watching>> watch(WatchedExecutor executor);

}  // namespace takt_watch

#endif  // TAKT_WATCH__WATCH_HPP_
