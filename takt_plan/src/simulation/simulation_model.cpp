#include "takt_plan/simulation_model.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "takt_rt/thread_attributes.hpp"
#include "takt_schedule/quoted.hpp"
#include "takt_schedule/resolver.hpp"

namespace takt_plan
{
namespace
{

using takt_rt::Faults;
using takt_rt::Policy;
using takt_rt::Result;
using takt_schedule::quoted;

// Larger than any backlog of a stable system. For simulations without histories.
constexpr std::uint32_t kDeep = 256;

/// The host's numbers of these cores of the model.
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

KernelThread kernel_thread(const takt_rt::ThreadAttributes & attributes)
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

std::optional<takt_core::NonTriggering> non_triggering(const Model & model, const Task & task)
{
  if (!task.input) {
    return std::nullopt;
  }
  std::set<std::string> takers;
  for (const Index taker : task.input->takers) {
    takers.insert(model.tasks[taker].id);
  }
  takt_core::NonTriggering rule;
  rule.keep = task.input->keep;
  rule.by_release = task.input->by_release;
  if (task.input->max_age != kUnbounded) {
    rule.max_age = takt_rt::Duration(task.input->max_age);
  }
  rule.taken_by = [takers](std::string_view id) { return takers.count(std::string(id)) != 0; };
  return rule;
}

std::optional<takt_core::SequencePlace> place(const Task & task)
{
  if (task.sequence == kNone) {
    return std::nullopt;
  }
  return takt_core::SequencePlace{
    static_cast<std::uint32_t>(task.sequence), task.position, task.graph};
}

class Completion
{
public:
  explicit Completion(const Plan & plan) : plan_(plan) {}

  SimulationModel complete()
  {
    result_.model = plan_.model;
    result_.chains = takt_schedule::chain_options(plan_.schedule);
    for (const std::string & name : result_.model.executors) {
      add_threads(*plan_.schedule.find(name));
    }
    for (Index i = 0; i < plan_.system.callbacks.size(); ++i) {
      add_task(i);
    }
    for (const takt_schedule::HostModel & host : plan_.system.hosts) {
      result_.context_switches.push_back(host.overheads.context_switch.count());
      for (const takt_schedule::OtherThread & other : host.other_threads) {
        result_.others.push_back(other.time.count());
      }
    }
    return std::move(result_);
  }

private:
  void add_threads(const takt_schedule::ExecutorSchedule & executor)
  {
    for (const takt_schedule::Threads & entry : executor.threads) {
      for (int i = 0; i < entry.count; ++i) {
        const Thread & thread = result_.model.threads[result_.threads.size()];
        SimulatedThread simulated;
        simulated.kernel = kernel_thread(entry.attributes);
        simulated.kernel.cores = within_host(result_.model, thread.cores);
        simulated.urgency = takt_rt::urgency(entry.attributes);
        result_.threads.push_back(std::move(simulated));
      }
    }
  }

  void add_task(Index index)
  {
    const takt_schedule::CallbackModel & callback = plan_.system.callbacks[index];
    const Task & task = result_.model.tasks[index];
    const takt_schedule::Overheads & overheads = plan_.system.hosts[task.host].overheads;
    SimulatedTask simulated;
    simulated.kind = callback.kind();
    simulated.depth = callback.depth;
    simulated.best = callback.time.best.count();
    for (const auto & [time, count] : callback.time.histogram) {
      simulated.histogram.emplace_back(time.count(), count);
    }
    simulated.dispatch = overheads.dispatch.count();
    simulated.take = callback.triggers.empty() ? 0 : overheads.middleware.count();
    simulated.publish =
      multiply(static_cast<Ns>(callback.publishes.size()), overheads.middleware.count());
    takt_schedule::Resolver & resolver = resolver_of(callback.executor);
    auto resolved = resolver.resolve(callback.id, simulated.kind);
    if (task.group != kNone) {
      takt_schedule::apply_logical_time(
        *resolver.resolve_group(callback.group), simulated.kind, *resolved);
    }
    simulated.binding = resolved->binding;
    simulated.missed_periods = resolved->missed_periods.value_or(takt_core::MissedPeriods::skip);
    if (resolved->binding.deadline) {
      simulated.deadline = resolved->binding.deadline->count();
    }
    result_.tasks.push_back(std::move(simulated));
  }

  takt_schedule::Resolver & resolver_of(const std::string & executor)
  {
    const auto found = resolvers_.find(executor);
    if (found != resolvers_.end()) {
      return found->second;
    }
    const takt_schedule::Resolver * const sibling =
      resolvers_.empty() ? nullptr : &resolvers_.begin()->second;
    auto created = takt_schedule::Resolver::create(plan_.schedule, executor, sibling);
    return resolvers_.emplace(executor, std::move(created.value())).first->second;
  }

  const Plan & plan_;
  std::map<std::string, takt_schedule::Resolver> resolvers_;
  SimulationModel result_;
};

}  // namespace

SimulationModel simulation_model(const Plan & plan)
{
  return Completion(plan).complete();
}

Result<SimulationModel> simulation_model(Model model)
{
  if (Faults faults = check(model).faults(); !faults.empty()) {
    return faults;
  }
  SimulationModel result;
  for (const Task & task : model.tasks) {
    SimulatedTask simulated;
    simulated.kind = task.timer ? takt_core::Kind::timer : takt_core::Kind::subscription;
    simulated.binding.priority = task.priority;
    simulated.binding.non_triggering = non_triggering(model, task);
    simulated.binding.sequence = place(task);
    simulated.depth = task.input && task.depth > 0 ? task.depth : kDeep;
    simulated.best = task.time;
    simulated.dispatch = task.dispatch;
    simulated.take = task.newest ? std::max<Ns>(task.store - task.dispatch, 0) : 0;
    simulated.publish = std::max<Ns>(task.middleware - simulated.take, 0);
    result.tasks.push_back(std::move(simulated));
  }
  Faults faults;
  for (const Thread & thread : model.threads) {
    takt_rt::ThreadAttributes attributes;
    attributes.priority = thread.priority;
    if (thread.kind == ThreadClass::fixed_priority) {
      attributes.policy = Policy::fifo;
    } else if (thread.kind == ThreadClass::deadline) {
      const Reservation & asked = thread.reservation;
      if (asked.runtime <= 0 || asked.runtime > asked.deadline || asked.deadline > asked.period) {
        faults.push_back(
          quoted(thread.name) +
          ": its policy is deadline, which needs a runtime within its deadline and a deadline "
          "within its period");
      }
      attributes.policy = Policy::deadline;
      attributes.runtime = takt_rt::Duration(asked.runtime);
      attributes.deadline = takt_rt::Duration(asked.deadline);
      attributes.period = takt_rt::Duration(asked.period);
    }
    SimulatedThread simulated;
    simulated.kernel = kernel_thread(attributes);
    simulated.kernel.cores = within_host(model, thread.cores);
    simulated.urgency = takt_rt::urgency(attributes);
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
