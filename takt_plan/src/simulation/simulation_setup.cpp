// Makes the parts of a run: kernels, schedulers, callbacks, threads.
#include <algorithm>
#include <map>

#include "simulation/simulation_parts.hpp"
#include "takt_core/adapter/callback_ids.hpp"

namespace takt_plan::detail
{

using takt_rt::Duration;

SimulationRun::SimulationRun(
  const SimulationModel & model, const SimulationOptions & options, std::uint64_t run,
  Offsets offsets, SimulationResult & result, SimulationObserver * observer)
: model_(model),
  options_(options),
  number_(run),
  offsets_(std::move(offsets)),
  result_(result),
  observer_(observer),
  draw_(options.seed + run),
  graph_(model),
  kept_(model.model.tasks.size())
{
  add_kernels();
  add_executors();
  add_callbacks();
  add_borders();
  add_others();
  last_release_.assign(model.model.tasks.size(), 0);
  begun_.assign(model.model.tasks.size(), 0);
  for (const SimulatedTask & task : model.tasks) {
    std::vector<std::uint64_t> sums;
    for (const auto & [time, count] : task.histogram) {
      sums.push_back(count + (sums.empty() ? 0 : sums.back()));
    }
    cumulated_.push_back(std::move(sums));
  }
}

SimulationRun::~SimulationRun() = default;

void SimulationRun::add_kernels()
{
  std::vector<Index> cores(model_.model.hosts.size(), 0);
  for (const Core & core : model_.model.cores) {
    ++cores[core.host];
  }
  for (const Index count : cores) {
    kernels_.emplace_back(count, options_.kernel, now_);
  }
}

// One scheduler for each executor. (A model that was filled by hand may have several orders in one
// executor; each order then has a scheduler.)
Index SimulationRun::host_of_thread(Index thread)
{
  const takt_plan::Thread & wanted = model_.model.threads[thread];
  for (Index i = 0; i < hosts_.size(); ++i) {
    const Host & host = *hosts_[i];
    if (
      host.executor == wanted.executor && host.order == wanted.order &&
      host.window_timers == wanted.window_timers) {
      return i;
    }
  }
  auto host = std::make_unique<Host>();
  host->executor = wanted.executor;
  host->order = wanted.order;
  host->window_timers = wanted.window_timers;
  host->threads = &threads_;
  hosts_.push_back(std::move(host));
  return hosts_.size() - 1;
}

void SimulationRun::add_executors()
{
  const auto first_core = [&](Index host) {
    const auto & cores = model_.model.cores;
    const auto first = std::find_if(
      cores.begin(), cores.end(), [&](const Core & core) { return core.host == host; });
    return static_cast<Index>(first - cores.begin());
  };
  for (Index i = 0; i < model_.model.threads.size(); ++i) {
    const takt_plan::Thread & given = model_.model.threads[i];
    const SimulatedThread & simulated = model_.threads[i];
    Host & host = *hosts_[host_of_thread(i)];
    Thread thread;
    thread.host = &host;
    thread.index = static_cast<std::uint32_t>(host.members.size());
    thread.kernel = &kernels_[given.host];
    thread.number = thread.kernel->add(simulated.kernel);
    thread.first_core = first_core(given.host);
    thread.policy = simulated.kernel.policy;
    thread.priority = thread.own_priority = simulated.kernel.priority;
    thread.ceiling = given.ceiling;
    thread.follow = given.follow;
    thread.switch_cost = model_.context_switches[given.host];
    thread.woken = true;  // for its first look for work
    host.members.push_back(i);
    threads_.push_back(std::move(thread));
  }
  for (const auto & host : hosts_) {
    takt_core::SchedulerOptions options;
    options.order = host->order;
    options.window_timers = host->window_timers;
    for (const Index thread : host->members) {
      options.thread_urgencies.push_back(model_.threads[thread].urgency);
    }
    host->scheduler = std::make_unique<takt_core::Scheduler>(options, *host);
    for (const takt_core::ChainOptions & chain : model_.chains) {
      for (const takt_rt::Fault & fault : host->scheduler->set_chain(chain).faults()) {
        faults_.push_back(fault);
      }
    }
  }
}

void SimulationRun::add_callbacks()
{
  std::map<Index, std::shared_ptr<takt_core::Group>> groups;
  for (Index i = 0; i < model_.model.tasks.size(); ++i) {
    const Task & task = model_.model.tasks[i];
    const SimulatedTask & simulated = model_.tasks[i];
    takt_core::CallbackOptions options;
    options.id = task.id;
    options.of_client_library = takt_core::adapter::is_of_client_library(task.id);
    options.kind = simulated.kind;
    options.stamped = true;
    options.depth = graph_.capacity(i);
    if (task.group != kNone) {
      auto & group = groups[task.group];
      if (group == nullptr) {
        const Group & given = model_.model.groups[task.group];
        group = std::make_shared<takt_core::Group>(
          given.exclusive ? takt_core::GroupKind::mutually_exclusive
                          : takt_core::GroupKind::reentrant,
          given.id);
        if (given.condition) {
          static_cast<void>(group->set_condition(*given.condition));  // it has no members yet
        }
      }
      options.group = group;
    }
    if (task.timer) {
      takt_core::TimerOptions timer;
      timer.period = Duration(task.release->period);
      timer.offset = Duration(offsets_.tasks[i]);
      timer.missed_periods = simulated.missed_periods;
      options.timer = timer;
    }
    auto callback = std::make_shared<SimulatedCallback>(std::move(options), i);
    takt_core::Binding binding = simulated.binding;
    binding.threads = 0;
    callback->host = threads_[task.threads.front()].host;
    for (const Index thread : task.threads) {
      if (threads_[thread].host != callback->host) {
        faults_.push_back(task.id + ": its threads pick by different orders");
      }
      binding.threads |= takt_core::ThreadMask{1} << threads_[thread].index;
    }
    const takt_rt::Status added = callback->host->scheduler->add(callback, binding);
    faults_.insert(faults_.end(), added.faults().begin(), added.faults().end());
    callback->host->jitter = callback->host->jitter || (task.timer && task.release->jitter > 0);
    callbacks_.push_back(std::move(callback));
  }
}

void SimulationRun::add_others()
{
  for (Index i = 0; i < model_.model.others.size(); ++i) {
    const OtherLoad & other = model_.model.others[i];
    const Index host = model_.model.cores[other.cores.front()].host;
    const auto & cores = model_.model.cores;
    const auto first = std::find_if(
      cores.begin(), cores.end(), [&](const Core & core) { return core.host == host; });
    KernelThread kernel;
    kernel.policy = other.priority > 0 ? KernelPolicy::fifo : KernelPolicy::fair;
    kernel.priority = other.priority;
    for (const Index core : other.cores) {
      kernel.cores.push_back(core - static_cast<Index>(first - cores.begin()));
    }
    Thread thread;
    thread.kernel = &kernels_[host];
    thread.number = thread.kernel->add(std::move(kernel));
    thread.first_core = static_cast<Index>(first - cores.begin());
    thread.switch_cost = model_.context_switches[host];
    thread.job_time = model_.others[i];
    threads_.push_back(std::move(thread));
  }
}

void SimulationRun::schedule_first_releases()
{
  for (Index i = 0; i < model_.model.tasks.size(); ++i) {
    if (model_.model.tasks[i].release && !model_.model.tasks[i].timer) {
      const Ns nominal = offsets_.tasks[i];
      plan_release(Event::Kind::outside, i, nominal, nominal + jitter(i, nominal));
    }
  }
  for (Index i = 0; i < model_.model.others.size(); ++i) {
    const Ns nominal = offsets_.others[i];
    plan_release(Event::Kind::other, model_.model.threads.size() + i, nominal, nominal);
  }
}

}  // namespace takt_plan::detail
