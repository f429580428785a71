#include "takt_host/hosted_executor.hpp"

#include <utility>

#include "audit/audit_observer.hpp"
#include "guard_observer.hpp"
#include "guard_watch.hpp"
#include "takt_control/process_setter.hpp"
#include "takt_core/adapter/exception_reporter.hpp"
#include "takt_schedule/make_executor.hpp"
#include "takt_schedule/schedule_placer.hpp"
#include "takt_trace/recording.hpp"
#include "takt_watch/watched_schedule.hpp"

namespace takt_host
{

takt_rt::Result<std::unique_ptr<HostedExecutor>> HostedExecutor::of_schedule(
  FrontEnd front_end, const takt_schedule::Schedule & schedule, const std::string & executor,
  takt_rt::Faults notes)
{
  auto core =
    takt_schedule::make_executor(schedule, executor, &notes, takt_control::process_setter());
  if (!core.ok()) {
    return core.faults();
  }
  auto placer =
    takt_schedule::SchedulePlacer::create(schedule, executor, *core.value(), std::move(notes));
  if (!placer.ok()) {
    return placer.faults();
  }
  return std::unique_ptr<HostedExecutor>(new HostedExecutor(
    std::move(front_end), executor, std::move(core.value()), std::move(placer.value()), schedule));
}

takt_rt::Result<std::unique_ptr<HostedExecutor>> HostedExecutor::of_options(
  FrontEnd front_end, takt_core::ExecutorOptions options, std::string name)
{
  auto core = takt_core::Executor::create(std::move(options));
  if (!core.ok()) {
    return core.faults();
  }
  return of_placer(std::move(front_end), std::move(core.value()), nullptr, std::move(name));
}

std::unique_ptr<HostedExecutor> HostedExecutor::of_placer(
  FrontEnd front_end, std::shared_ptr<takt_core::Executor> core,
  std::unique_ptr<takt_core::adapter::Placer> placer, std::string name)
{
  return std::unique_ptr<HostedExecutor>(new HostedExecutor(
    std::move(front_end), std::move(name), std::move(core), std::move(placer), {}));
}

HostedExecutor::HostedExecutor(
  FrontEnd front_end, std::string name, std::shared_ptr<takt_core::Executor> core,
  std::unique_ptr<takt_core::adapter::Placer> placer, takt_schedule::Schedule schedule)
: front_end_(std::move(front_end)),
  name_(std::move(name)),
  core_(std::move(core)),
  placer_(std::move(placer)),
  schedule_(std::move(schedule)),
  guard_(GuardWatch::watch(*core_))
{
  // It is the first observer, so those of takt work outside of a callback's scope at its end.
  if (auto guard = GuardObserver::make(); guard != nullptr) {
    static_cast<void>(
      core_->add_observer(std::move(guard)));  // an executor that spins already has no guard
  }
  if (auto audit = AuditObserver::make(name_, placer_ != nullptr); audit != nullptr) {
    static_cast<void>(core_->add_observer(std::move(audit)));  // as the guard
  }
}

HostedExecutor::~HostedExecutor() = default;

takt_rt::Status HostedExecutor::add_observer(std::shared_ptr<takt_core::Observer> observer)
{
  return core_->add_observer(std::move(observer));
}

takt_rt::Status HostedExecutor::record()
{
  return add_observer(takt_trace::run_recorder(name_));
}

takt_rt::Status HostedExecutor::report_exceptions()
{
  return add_observer(
    std::make_shared<takt_core::adapter::ExceptionReporter>(front_end_.say_exception));
}

takt_rt::Status HostedExecutor::watch(bool measures_chains)
{
  takt_watch::WatchedExecutor watched = takt_watch::watched(schedule_, name_, *core_);
  watched.rmw = front_end_.rmw;
  watched.measures_chains = measures_chains;
  if (!front_end_.publication_sequences) {
    watched.unknown.push_back(
      "lost: " + watched.rmw + " gives messages no publication sequence numbers");
  }
  auto watching = takt_watch::watch(std::move(watched));
  if (!watching.ok()) {
    return watching.faults();
  }
  watching_ = std::move(watching.value());
  return {};
}

std::vector<takt_watch::ChainResponses> HostedExecutor::chain_responses() const
{
  return watching_ == nullptr ? std::vector<takt_watch::ChainResponses>()
                              : watching_->chain_responses();
}

takt_rt::Status HostedExecutor::expose(const std::string & name, takt_control::ExposedExecutor more)
{
  more.executor = core_.get();
  more.name = placer_ != nullptr ? name_ : name;
  more.schedule_file = schedule_.file;
  if (const auto * const executor = schedule_.find(name_); executor != nullptr) {
    more.default_threads = executor->default_threads;
  }
  if (watching_ != nullptr) {
    more.watch = [watching = watching_.get()](
                   const takt_schedule::Schedule & schedule, bool check_only) {
      return watching->apply(schedule, check_only);
    };
    more.watch_as_before = [watching = watching_.get()] { return watching->reset(); };
  }
  auto exposed = takt_control::expose(std::move(more));
  if (!exposed.ok()) {
    return exposed.faults();
  }
  exposure_ = std::move(exposed.value());
  return {};
}

}  // namespace takt_host
