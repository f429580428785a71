// An executor of a front end with its schedule, recording, watching and control socket: the
// schedule places callbacks, and other programs reach the executor through the socket.
#ifndef TAKT_HOST__HOSTED_EXECUTOR_HPP_
#define TAKT_HOST__HOSTED_EXECUTOR_HPP_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "takt_control/control_server.hpp"
#include "takt_core/adapter/placer.hpp"
#include "takt_core/executor.hpp"
#include "takt_rt/result.hpp"
#include "takt_schedule/schedule.hpp"
#include "takt_watch/watch.hpp"

namespace takt_host
{

class GuardWatching;

/// A front end's properties for its executors.
struct FrontEnd
{
  std::string rmw;                     ///< the middleware's name
  bool publication_sequences = false;  ///< the middleware numbers messages, so losses show
  /// Gets one sentence for an exception after which the executor continues. Called on a thread of
  /// its own; must not throw.
  std::function<void(const std::string & sentence)> say_exception;
};

/// All functions are set-up only and may block, unless stated otherwise.
class HostedExecutor
{
public:
  /// The executor named `executor` in `schedule`, with the threads for which the process has the
  /// rights. `notes` come before the placer's warnings. Faults: those of make_executor and
  /// SchedulePlacer::create.
  static takt_rt::Result<std::unique_ptr<HostedExecutor>> of_schedule(
    FrontEnd front_end, const takt_schedule::Schedule & schedule, const std::string & executor,
    takt_rt::Faults notes);
  /// An executor without a schedule. Traces name it `name`.
  static takt_rt::Result<std::unique_ptr<HostedExecutor>> of_options(
    FrontEnd front_end, takt_core::ExecutorOptions options, std::string name);
  /// Wraps an existing executor, with a placer that has no schedule (may be null). Traces name the
  /// executor `name`. Cannot fail.
  static std::unique_ptr<HostedExecutor> of_placer(
    FrontEnd front_end, std::shared_ptr<takt_core::Executor> core,
    std::unique_ptr<takt_core::adapter::Placer> placer, std::string name);
  HostedExecutor(const HostedExecutor &) = delete;
  HostedExecutor & operator=(const HostedExecutor &) = delete;
  ~HostedExecutor();

  // ---- any thread; real-time safe ----

  /// The executor of this process. Never null.
  const std::shared_ptr<takt_core::Executor> & core() const noexcept { return core_; }
  /// The placer of the callbacks. Null without a schedule or placer.
  takt_core::adapter::Placer * placer() const noexcept { return placer_.get(); }
  /// The name in the schedule, or the given name.
  const std::string & name() const noexcept { return name_; }

  // ---- before callbacks are added; in any order ----

  /// Adds an observer. Faults: those of Executor::add_observer.
  takt_rt::Status add_observer(std::shared_ptr<takt_core::Observer> observer);
  /// Writes runs into traces.
  takt_rt::Status record();
  /// Reports callbacks that throw, through FrontEnd::say_exception.
  takt_rt::Status report_exceptions();
  /// Counts, checks deadlines and raises alarms, as the schedule says. `measures_chains`: see
  /// takt_watch::WatchedExecutor.
  takt_rt::Status watch(bool measures_chains = false);

  // ---- afterwards ----

  /// Opens the executor to `takt status`, `apply`, `set` and `reset`. These commands call it `name`
  /// if it has no placer. The front end fills in `adapt`, `place` and `goes_with_group` of `more`.
  /// Faults: the reason why the socket cannot be made; the executor works without it.
  takt_rt::Status expose(const std::string & name, takt_control::ExposedExecutor more = {});
  /// Whether `expose` has succeeded. Not while `expose` runs.
  bool is_exposed() const noexcept { return exposure_ != nullptr; }
  /// See takt_watch::Watching. Empty before `watch`. Any thread.
  std::vector<takt_watch::ChainResponses> chain_responses() const;

private:
  HostedExecutor(
    FrontEnd front_end, std::string name, std::shared_ptr<takt_core::Executor> core,
    std::unique_ptr<takt_core::adapter::Placer> placer, takt_schedule::Schedule schedule);

  const FrontEnd front_end_;
  const std::string name_;
  const std::shared_ptr<takt_core::Executor> core_;
  const std::unique_ptr<takt_core::adapter::Placer> placer_;
  const takt_schedule::Schedule schedule_;  // empty: no schedule
  // The next members are destroyed before the executor.
  std::unique_ptr<GuardWatching> guard_;  // null: without the guard
  std::unique_ptr<takt_watch::Watching> watching_;
  std::unique_ptr<takt_control::Exposure> exposure_;
};

}  // namespace takt_host

#endif  // TAKT_HOST__HOSTED_EXECUTOR_HPP_
