#include "takt_plan/simulation_model.hpp"

#include <algorithm>
#include <map>
#include <string>

#include "takt_core/thread_attributes.hpp"
#include "takt_plan/build_model.hpp"
#include "takt_schedule/check.hpp"
#include "takt_schedule/resolver.hpp"

namespace takt_plan
{
namespace
{

using takt_core::Faults;
using takt_core::Kind;
using takt_core::Policy;
using takt_core::Result;
using takt_schedule::CallbackModel;
using takt_schedule::ExecutorSchedule;
using takt_schedule::Schedule;
using takt_schedule::System;

// More than any backlog of a stable system that is simulated without histories.
constexpr std::uint32_t kDeep = 256;

Kind kind_of(const std::string & id, bool timer)
{
  const auto is = [&](const char * what) { return id.find(what) != std::string::npos; };
  return timer              ? Kind::timer
         : is(":service(")  ? Kind::service
         : is(":client(")   ? Kind::client
         : is(":waitable(") ? Kind::waitable
                            : Kind::subscription;
}

/// Cores of the model as the host numbers them.
std::vector<Index> within_host(const Model & model, const std::vector<Index> & cores)
{
  std::vector<Index> result;
  for (const Index core : cores) {
    const auto here = model.cores.begin() + static_cast<std::ptrdiff_t>(core);
    result.push_back(static_cast<Index>(std::count_if(
      model.cores.begin(), here, [&](const Core & other) { return other.host == here->host; })));
  }
  return result;
}

KernelThread kernel_thread(const takt_core::ThreadAttributes & attributes)
{
  KernelThread thread;
  thread.priority = attributes.priority;
  thread.weight =
    attributes.policy == Policy::idle ? kIdleWeight : fair_weight(attributes.nice.value_or(0));
  if (attributes.policy == Policy::fifo) {
    thread.policy = KernelPolicy::fifo;
  } else if (attributes.policy == Policy::rr) {
    thread.policy = KernelPolicy::rr;
  } else if (attributes.policy == Policy::deadline) {
    thread.policy = KernelPolicy::deadline;
    thread.runtime = attributes.runtime.count();
    thread.period = attributes.period.count();
    thread.deadline =
      attributes.deadline.count() > 0 ? attributes.deadline.count() : attributes.period.count();
  }
  return thread;
}

/// `automatic` as the executor chooses it: one above its most urgent real-time thread.
int ceiling_of(const Model & model, Index executor)
{
  int most = 0;
  for (const Thread & thread : model.threads) {
    if (thread.executor == executor) {
      most = std::max(most, thread.kind == ThreadClass::fixed_priority ? thread.priority : 0);
    }
  }
  return most == 0 ? 0 : std::min(most + 1, 99);
}

class Completion
{
public:
  Completion(const System & system, const Schedule & schedule)
  : system_(system),
    schedule_(schedule)
  {
  }

  Result<SimulationModel> complete(Model model)
  {
    result_.model = std::move(model);
    result_.chains = takt_schedule::chain_options(schedule_);
    for (const std::string & name : result_.model.executors) {
      add_threads(*schedule_.find(name));
    }
    for (Index i = 0; i < system_.callbacks.size(); ++i) {
      add_task(i);
    }
    for (const takt_schedule::HostModel & host : system_.hosts) {
      result_.context_switches.push_back(host.overheads.context_switch.count());
      for (const takt_schedule::OtherThread & other : host.other_threads) {
        result_.others.push_back(other.time.count());
      }
    }
    return std::move(result_);
  }

private:
  void add_threads(const ExecutorSchedule & executor)
  {
    using Mode = takt_core::MiddlewareCeiling::Mode;
    // Threads that follow differ in OS priority, too.
    const bool follow = std::any_of(
      executor.threads.begin(), executor.threads.end(),
      [](const takt_schedule::Threads & threads) { return threads.follow; });
    const bool raises = follow && executor.middleware_ceiling.mode == Mode::automatic;
    for (const takt_schedule::Threads & entry : executor.threads) {
      for (int i = 0; i < entry.count; ++i) {
        const Thread & thread = result_.model.threads[result_.threads.size()];
        SimulatedThread simulated;
        simulated.kernel = kernel_thread(entry.attributes);
        simulated.kernel.cores = within_host(result_.model, thread.cores);
        simulated.urgency = takt_core::urgency(entry.attributes);
        if (thread.ceiling || raises) {
          simulated.ceiling = executor.middleware_ceiling.mode == Mode::fixed
                                ? executor.middleware_ceiling.priority
                                : ceiling_of(result_.model, thread.executor);
        }
        result_.threads.push_back(std::move(simulated));
      }
    }
  }

  void add_task(Index index)
  {
    const CallbackModel & callback = system_.callbacks[index];
    const Task & task = result_.model.tasks[index];
    const takt_schedule::Overheads & overheads = system_.hosts[task.host].overheads;
    SimulatedTask simulated;
    simulated.kind = kind_of(callback.id, task.timer);
    simulated.depth = callback.depth;
    simulated.best = callback.time.best.count();
    for (const auto & [time, count] : callback.time.histogram) {
      simulated.histogram.emplace_back(time.count(), count);
    }
    simulated.dispatch = overheads.dispatch.count();
    simulated.take = callback.triggers.empty() ? 0 : overheads.middleware.count();
    simulated.publish =
      multiply(static_cast<Ns>(callback.publishes.size()), overheads.middleware.count());
    auto & resolver =
      resolvers_
        .try_emplace(
          callback.executor, takt_schedule::Resolver::create(schedule_, callback.executor).value())
        .first->second;
    const auto resolved = resolver.resolve(callback.id, simulated.kind);
    simulated.binding = resolved->binding;
    simulated.missed_periods = resolved->missed_periods.value_or(takt_core::MissedPeriods::skip);
    if (resolved->binding.deadline) {
      simulated.deadline = resolved->binding.deadline->count();
    }
    result_.tasks.push_back(std::move(simulated));
  }

  const System & system_;
  const Schedule & schedule_;
  std::map<std::string, takt_schedule::Resolver> resolvers_;
  SimulationModel result_;
};

std::vector<takt_schedule::ListedCallback> listed(const System & system)
{
  std::vector<takt_schedule::ListedCallback> result;
  for (const CallbackModel & callback : system.callbacks) {
    takt_schedule::ListedCallback entry;
    entry.id = callback.id;
    entry.kind = kind_of(callback.id, callback.is_timer());
    entry.group = callback.group;
    entry.executor = callback.executor;
    const auto group = std::find_if(
      system.groups.begin(), system.groups.end(),
      [&](const takt_schedule::GroupModel & g) { return g.id == callback.group; });
    entry.reentrant =
      group != system.groups.end() && group->kind == takt_core::GroupKind::reentrant;
    result.push_back(std::move(entry));
  }
  return result;
}

}  // namespace

Result<SimulationModel> simulation_model(const System & system, const Schedule & schedule)
{
  auto model = build_model(system, schedule);
  Faults faults = model.faults();
  const takt_schedule::CheckReport checked = takt_schedule::check(schedule, listed(system));
  for (const std::string & fault : checked.faults) {
    if (std::find(faults.begin(), faults.end(), fault) == faults.end()) {
      faults.push_back(fault);
    }
  }
  if (!faults.empty()) {
    return faults;
  }
  auto result = Completion(system, schedule).complete(std::move(model.value()));
  result->warnings = checked.warnings;
  return result;
}

Result<SimulationModel> simulation_model(Model model)
{
  if (Faults faults = check(model).faults(); !faults.empty()) {
    return faults;
  }
  SimulationModel result;
  for (const Task & task : model.tasks) {
    SimulatedTask simulated;
    simulated.kind = kind_of(task.id, task.timer);
    simulated.binding.priority = task.priority;
    simulated.depth = kDeep;
    simulated.best = task.time;
    simulated.dispatch = task.dispatch;
    simulated.publish = task.middleware;
    result.tasks.push_back(std::move(simulated));
  }
  Faults faults;
  for (const Thread & thread : model.threads) {
    takt_core::ThreadAttributes attributes;
    attributes.priority = thread.priority;
    if (thread.kind == ThreadClass::fixed_priority) {
      attributes.policy = Policy::fifo;
    } else if (thread.kind == ThreadClass::deadline) {
      faults.push_back("'" + thread.name + "': a model does not have its runtime and period");
    }
    SimulatedThread simulated;
    simulated.kernel = kernel_thread(attributes);
    simulated.kernel.cores = within_host(model, thread.cores);
    simulated.urgency = takt_core::urgency(attributes);
    simulated.ceiling = thread.ceiling ? ceiling_of(model, thread.executor) : 0;
    result.threads.push_back(std::move(simulated));
  }
  for (const OtherLoad & other : model.others) {
    result.others.push_back(other.time);
  }
  result.context_switches.assign(model.hosts.size(), 0);
  result.model = std::move(model);
  if (!faults.empty()) {
    return faults;
  }
  return result;
}

}  // namespace takt_plan
