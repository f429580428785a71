#include "takt_host/cyclic_program.hpp"

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "takt_control/process_setter.hpp"
#include "takt_core/adapter/callback_ids.hpp"
#include "takt_core/adapter/placer.hpp"
#include "takt_core/group.hpp"
#include "takt_host/hosted_executor.hpp"
#include "takt_host/process_schedule.hpp"

namespace takt_host
{
namespace
{

takt_core::MissedPeriods missed_periods(takt_rt::Overrun overrun)
{
  switch (overrun) {
    case takt_rt::Overrun::catch_up:
      return takt_core::MissedPeriods::catch_up;
    case takt_rt::Overrun::restart:
      return takt_core::MissedPeriods::restart;
    case takt_rt::Overrun::skip:
      break;
  }
  return takt_core::MissedPeriods::skip;
}

bool is_name(const std::string & text)
{
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_';
  });
}

}  // namespace

class CyclicProgram::Loop final : public takt_core::Callback
{
public:
  Loop(takt_core::CallbackOptions options, Function function)
  : Callback(std::move(options)),
    function_(std::move(function))
  {
  }
  void run(const takt_core::Run & run) override { function_(run); }

private:
  const Function function_;
};

struct CyclicProgram::Parts
{
  struct Planned
  {
    std::string loop;
    std::string id;
    takt_rt::CyclicOptions options;
    Function function;
  };

  takt_rt::Faults faults_of_options() const;
  takt_rt::Result<std::unique_ptr<HostedExecutor>> host(takt_rt::Faults & said) const;
  takt_rt::Status add(
    HostedExecutor & host, const Planned & planned, takt_core::ThreadMask own_thread) const;

  std::string name;
  std::vector<Planned> planned;
  std::unique_ptr<HostedExecutor> hosted;
  // `stop` may come while `start` runs: one of them sees what the other has done.
  std::atomic<takt_core::Executor *> executor{nullptr};
  std::atomic<bool> stopped{false};
  bool waited = false;
  std::exception_ptr failure;
};

takt_rt::Faults CyclicProgram::Parts::faults_of_options() const
{
  takt_rt::Faults faults;
  if (!is_name(name)) {
    faults.push_back(
      "the program's name '" + name + "' needs letters, digits and '_', as names of nodes");
  }
  if (planned.empty()) {
    faults.push_back("the program " + name + " has no loop; add one before start");
  }
  std::set<std::string> loops;
  for (const Planned & one : planned) {
    if (!is_name(one.loop)) {
      faults.push_back("the loop's name '" + one.loop + "' needs letters, digits and '_'");
    }
    if (!loops.insert(one.loop).second) {
      faults.push_back("two loops have the name " + one.loop);
    }
    if (one.options.period <= takt_rt::Duration::zero()) {
      faults.push_back("loop " + one.loop + ": the period must be positive");
    }
    if (one.options.offset < takt_rt::Duration::zero()) {
      faults.push_back("loop " + one.loop + ": the offset must not be negative");
    }
  }
  return faults;
}

takt_rt::Result<std::unique_ptr<HostedExecutor>> CyclicProgram::Parts::host(
  takt_rt::Faults & said) const
{
  std::vector<std::string> ids;
  for (const Planned & one : planned) {
    ids.push_back(one.id);
  }
  auto schedule = schedule_of_process(ids, name, "/" + name);
  if (!schedule.ok()) {
    return schedule.faults();
  }
  const FrontEnd front_end{"no middleware", false, [name = name](const std::string & sentence) {
                             std::fprintf(stderr, "takt: %s: %s\n", name.c_str(), sentence.c_str());
                           }};
  if (schedule.value().has_value()) {
    ProcessSchedule & found = *schedule.value();
    said = std::move(found.warnings);
    takt_rt::Faults notes = found.schedule.warnings;
    return HostedExecutor::of_schedule(front_end, found.schedule, found.executor, std::move(notes));
  }
  takt_core::ExecutorOptions options;
  options.name = name;
  options.order = takt_core::Order::priority;
  options.missing_rights = takt_core::MissingRights::report;
  options.lock_memory = true;
  options.setter = takt_control::process_setter();
  options.epoch = planned.front().options.epoch == takt_rt::CyclicEpoch::host
                    ? takt_core::Epoch::host
                    : takt_core::Epoch::start;
  for (const Planned & one : planned) {
    if (one.options.epoch != planned.front().options.epoch) {
      return takt_rt::Faults{
        "loops " + planned.front().loop + " and " + one.loop +
        " have different epochs; a program without a schedule has one"};
    }
    takt_core::ExecutorThreadOptions thread;
    thread.attributes = takt_rt::attributes_of(one.options);
    if (thread.attributes.name.empty()) {
      thread.attributes.name = one.loop;
    }
    options.threads.push_back(std::move(thread));
  }
  return HostedExecutor::of_options(front_end, std::move(options), name);
}

takt_rt::Status CyclicProgram::Parts::add(
  HostedExecutor & host, const Planned & planned, takt_core::ThreadMask own_thread) const
{
  takt_core::CallbackOptions options;
  options.id = planned.id;
  options.kind = takt_core::Kind::timer;
  options.group = std::make_shared<takt_core::Group>(
    takt_core::GroupKind::mutually_exclusive,
    takt_core::adapter::group_id("/" + name, planned.loop));
  options.timer.emplace();
  options.timer->period = planned.options.period;
  options.timer->offset = planned.options.offset;
  options.timer->missed_periods = missed_periods(planned.options.overrun);
  takt_core::adapter::CallbackSettings settings;
  settings.binding.threads = own_thread;
  if (auto * const placer = host.placer(); placer != nullptr) {
    auto placed = placer->place(planned.id, options.kind, options.group->id());
    if (!placed.ok()) {
      return placed.faults();
    }
    settings = std::move(placed.value());
    if (settings.offset) {
      options.timer->offset = settings.offset;
    }
    options.timer->missed_periods = settings.missed_periods.value_or(options.timer->missed_periods);
  }
  if (auto settled = takt_core::adapter::settle(*host.core(), *options.group, settings);
      !settled.ok()) {
    return settled;
  }
  return host.core()->add(
    std::make_shared<Loop>(std::move(options), planned.function), settings.binding);
}

CyclicProgram::CyclicProgram(std::string name) : parts_(std::make_unique<Parts>())
{
  parts_->name = std::move(name);
}

CyclicProgram::~CyclicProgram()
{
  stop();
  static_cast<void>(wait());
}

void CyclicProgram::add(std::string loop, takt_rt::CyclicOptions options, Function function)
{
  if (parts_->executor.load() != nullptr) {
    std::fprintf(
      stderr, "takt: %s: the loop %s was added after start\n", parts_->name.c_str(), loop.c_str());
    std::abort();
  }
  std::string id = takt_core::adapter::callback_id("/" + parts_->name, "timer", loop);
  parts_->planned.push_back(
    {std::move(loop), std::move(id), std::move(options), std::move(function)});
}

takt_rt::Result<StartedProgram> CyclicProgram::start()
{
  if (parts_->hosted != nullptr) {
    return takt_rt::Faults{"the program " + parts_->name + " was started before"};
  }
  if (auto faults = parts_->faults_of_options(); !faults.empty()) {
    return faults;
  }
  takt_rt::Faults said;
  auto made = parts_->host(said);
  if (!made.ok()) {
    return made.faults();
  }
  HostedExecutor & host = *made.value();
  const bool reports = host.core()->options().on_exception == takt_core::ExceptionPolicy::report;
  for (const takt_rt::Status & status :
       {host.record(), reports ? host.report_exceptions() : takt_rt::Status(), host.watch()}) {
    if (!status.ok()) {
      return status.faults();
    }
  }
  for (std::size_t i = 0; i < parts_->planned.size(); ++i) {
    const auto & planned = parts_->planned[i];
    const takt_core::ThreadMask own = host.placer() == nullptr ? takt_core::ThreadMask{1} << i : 0;
    if (const auto added = parts_->add(host, planned, own); !added.ok()) {
      takt_rt::Faults faults;
      for (const auto & fault : added.faults()) {
        faults.push_back(takt_rt::within("cannot add " + planned.id, fault));
      }
      return faults;
    }
  }
  if (auto * const placer = host.placer(); placer != nullptr) {
    if (auto faults = placer->faults(); !faults.empty()) {
      return faults;
    }
    placer->started();
    const auto warnings = placer->warnings();
    said.insert(said.end(), warnings.begin(), warnings.end());
    for (const std::string & id : placer->defaulted()) {
      said.push_back(
        "no rule of the schedule names " + id +
        ": it runs on the default threads, with their attributes instead of its own");
    }
  }
  for (const auto & fault : host.expose(parts_->name).faults()) {
    said.push_back(takt_rt::within("takt status and takt apply do not reach this program", fault));
  }
  // Before the start, so that the loops see it.
  parts_->hosted = std::move(made.value());
  parts_->executor.store(host.core().get());
  if (const auto started = host.core()->start(); !started.ok()) {
    parts_->executor.store(nullptr);
    parts_->hosted.reset();
    return started.faults();
  }
  if (parts_->stopped.load()) {
    host.core()->cancel();
  }
  const auto say_all = [&](const takt_rt::Faults & faults) {
    said.insert(said.end(), faults.begin(), faults.end());
  };
  say_all(host.core()->refusals());
  for (const auto & thread : host.core()->attributes()) {
    say_all(thread.faults);
  }
  return StartedProgram{std::move(said)};
}

void CyclicProgram::stop() noexcept
{
  parts_->stopped.store(true);
  if (takt_core::Executor * const executor = parts_->executor.load(); executor != nullptr) {
    executor->cancel();
  }
}

std::exception_ptr CyclicProgram::wait()
{
  if (parts_->hosted != nullptr && !parts_->waited) {
    parts_->failure = parts_->hosted->core()->wait().exception;
    parts_->waited = true;
  }
  return parts_->failure;
}

const takt_core::Executor * CyclicProgram::executor() const noexcept
{
  return parts_->executor.load();
}

}  // namespace takt_host
