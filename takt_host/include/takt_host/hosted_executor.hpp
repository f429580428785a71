// An executor of a front end, with everything that takt does around it: the schedule that rules it decides where
// callbacks run, its runs are recorded and watched, and other programs reach it through the control socket.
#ifndef TAKT_HOST__HOSTED_EXECUTOR_HPP_
#define TAKT_HOST__HOSTED_EXECUTOR_HPP_

#include <functional>
#include <memory>
#include <string>

#include "takt_control/control_server.hpp"
#include "takt_core/adapter/placer.hpp"
#include "takt_core/executor.hpp"
#include "takt_rt/result.hpp"
#include "takt_schedule/schedule.hpp"
#include "takt_watch/watch.hpp"

namespace takt_host
{

/// What a front end says of the executors that it makes.
struct FrontEnd
{
  std::string rmw;                     ///< the middleware's name
  bool publication_sequences = false;  ///< its messages are numbered, so that losses show
  /// Gets one sentence of an exception after which the executor goes on. On a thread of its own; must not throw.
  std::function<void(const std::string & sentence)> say_exception;
};

/// All functions are set-up only and may block, unless they say otherwise.
class HostedExecutor
{
public:
  /// The executor that `schedule` calls `executor`, with the threads for which the process has the rights. Its warnings
  /// begin with `notes`. Faults: as of make_executor and SchedulePlacer::create.
  static takt_rt::Result<std::unique_ptr<HostedExecutor>> of_schedule(
    FrontEnd front_end, const takt_schedule::Schedule & schedule, const std::string & executor,
    takt_rt::Faults notes);
  /// One that no schedule rules. `name`: by which traces know it.
  static takt_rt::Result<std::unique_ptr<HostedExecutor>> of_options(
    FrontEnd front_end, takt_core::ExecutorOptions options, std::string name);
  /// One that was made before, and a placer that is no schedule's (null: none). `name` as above. Cannot fail.
  static std::unique_ptr<HostedExecutor> of_placer(
    FrontEnd front_end, std::shared_ptr<takt_core::Executor> core,
    std::unique_ptr<takt_core::adapter::Placer> placer, std::string name);
  HostedExecutor(const HostedExecutor &) = delete;
  HostedExecutor & operator=(const HostedExecutor &) = delete;
  ~HostedExecutor();

  // ---- any thread; real-time safe ----

  const std::shared_ptr<takt_core::Executor> & core() const noexcept { return core_; }
  /// Null where no schedule rules.
  takt_core::adapter::Placer * placer() const noexcept { return placer_.get(); }
  /// In the schedule, or as it was given.
  const std::string & name() const noexcept { return name_; }

  // ---- before callbacks are added; in any order ----

  /// Faults: as of Executor::add_observer.
  takt_rt::Status add_observer(std::shared_ptr<takt_core::Observer> observer);
  /// Writes the runs into traces.
  takt_rt::Status record();
  /// Tells of callbacks that throw, through FrontEnd::say_exception.
  takt_rt::Status report_exceptions();
  /// Counts, checks deadlines and raises alarms, as the schedule says.
  takt_rt::Status watch();

  // ---- afterwards ----

  /// Lets `takt status`, `apply`, `set` and `reset` reach it, by `name` where no schedule rules. Of `more` the front end
  /// fills in what only it knows: `adapt`, `place` and `goes_with_group`. Faults: why the socket cannot be made; the
  /// executor is none the worse for it.
  takt_rt::Status expose(const std::string & name, takt_control::ExposedExecutor more = {});
  /// Not while `expose` runs.
  bool is_exposed() const noexcept { return exposure_ != nullptr; }

private:
  HostedExecutor(
    FrontEnd front_end, std::string name, std::shared_ptr<takt_core::Executor> core,
    std::unique_ptr<takt_core::adapter::Placer> placer, takt_schedule::Schedule schedule);

  const FrontEnd front_end_;
  const std::string name_;
  const std::shared_ptr<takt_core::Executor> core_;
  const std::unique_ptr<takt_core::adapter::Placer> placer_;
  const takt_schedule::Schedule schedule_;  // empty: none rules
  // These go before the executor.
  std::unique_ptr<takt_watch::Watching> watching_;
  std::unique_ptr<takt_control::Exposure> exposure_;
};

}  // namespace takt_host

#endif  // TAKT_HOST__HOSTED_EXECUTOR_HPP_
