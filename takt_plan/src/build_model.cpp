#include "takt_plan/build_model.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>

#include "takt_core/placement_rules.hpp"
#include "takt_schedule/executor_options.hpp"
#include "takt_schedule/quoted.hpp"
#include "takt_schedule/resolver.hpp"

namespace takt_plan
{
namespace
{

using takt_core::Faults;
using takt_core::Result;
using takt_schedule::CallbackModel;
using takt_schedule::ChainSchedule;
using takt_schedule::ExecutorSchedule;
using takt_schedule::HostModel;
using takt_schedule::located;
using takt_schedule::quoted;
using takt_schedule::Schedule;
using takt_schedule::System;

class Builder
{
public:
  Builder(const System & system, const Schedule & schedule) : system_(system), schedule_(schedule)
  {
    for (const ChainSchedule & chain : schedule.chains) {
      schedule_chains_.push_back(chain.options);
    }
  }

  Result<Model> build()
  {
    add_hosts();
    add_groups();
    for (const CallbackModel & callback : system_.callbacks) {
      add_executor(callback);
      add_task(callback);
    }
    add_links();
    add_chains();
    if (faults_.empty()) {
      faults_ = check(model_).faults();
    }
    if (!faults_.empty()) {
      return std::move(faults_);
    }
    return std::move(model_);
  }

private:
  struct Executor
  {
    Index index = kNone;
    Index first_thread = 0;
    std::optional<takt_schedule::Resolver> resolver;  ///< absent: a fault was told
  };

  void fault(const takt_schedule::Source & source, const std::string & what, bool of_schedule)
  {
    faults_.push_back(located(of_schedule ? schedule_.file : system_.file, source, what));
  }

  void add_hosts()
  {
    for (const HostModel & host : system_.hosts) {
      const Index index = model_.hosts.size();
      model_.hosts.push_back(host.name);
      for (const int number : host.cores) {
        core_index_[{index, number}] = model_.cores.size();
        model_.cores.push_back({index, number});
      }
      for (const takt_schedule::OtherThread & other : host.other_threads) {
        OtherLoad load;
        load.name = other.name;
        load.priority = other.priority;
        load.time = add(other.time.count(), multiply(2, host.overheads.context_switch.count()));
        load.period = other.period.count();
        load.cores = cores_of(index, other.cores.empty() ? host.cores : other.cores);
        model_.others.push_back(std::move(load));
      }
    }
  }

  std::vector<Index> cores_of(Index host, const std::vector<int> & numbers) const
  {
    std::vector<Index> result;
    for (const int number : numbers) {
      if (const auto found = core_index_.find({host, number}); found != core_index_.end()) {
        result.push_back(found->second);
      }
    }
    return result;
  }

  void add_groups()
  {
    for (const takt_schedule::GroupModel & group : system_.groups) {
      group_index_[group.id] = model_.groups.size();
      model_.groups.push_back({group.id, group.kind == takt_core::GroupKind::mutually_exclusive});
    }
  }

  Index host_of(const CallbackModel & callback) const
  {
    for (Index i = 0; i < system_.hosts.size(); ++i) {
      if (system_.hosts[i].name == callback.host) {
        return i;
      }
    }
    return kNone;
  }

  void add_executor(const CallbackModel & callback)
  {
    const auto [entry, fresh] = executors_.try_emplace(callback.executor);
    if (!fresh) {
      return;
    }
    Executor & executor = entry->second;
    const Index host = host_of(callback);
    if (host == kNone) {
      fault(callback.source, "there is no host " + quoted(callback.host), false);
      return;
    }
    auto resolver = takt_schedule::Resolver::create(schedule_, callback.executor);
    if (!resolver) {
      const Faults faults = resolver.faults();
      faults_.insert(faults_.end(), faults.begin(), faults.end());
      return;
    }
    executor.index = model_.executors.size();
    executor.first_thread = model_.threads.size();
    executor.resolver.emplace(std::move(resolver.value()));
    model_.executors.push_back(callback.executor);
    add_threads(executor.resolver->executor(), host, executor.index);
  }

  /// As the executor will have them; cores spread over the host's, not over this machine's.
  void add_threads(const ExecutorSchedule & schedule, Index host, Index executor)
  {
    const takt_core::ExecutorOptions options = takt_schedule::executor_options(schedule);
    const bool ceiling =
      takt_core::ceiling_to_ask(options.middleware_ceiling, options.threads) != 0;
    auto asked = options.threads.begin();
    for (const takt_schedule::Threads & entry : schedule.threads) {
      const std::vector<int> & numbers =
        entry.attributes.cores.empty() ? system_.hosts[host].cores : entry.attributes.cores;
      for (const int number : entry.attributes.cores) {
        require_core(entry, host, number);
      }
      for (int i = 0; i < entry.count; ++i, ++asked) {
        Thread thread;
        thread.name = asked->attributes.name;
        thread.host = host;
        thread.executor = executor;
        thread.order = options.order;
        thread.window_timers = options.window_timers;
        thread.follow = asked->follow;
        thread.priority = asked->attributes.priority;
        thread.ceiling = ceiling;
        if (takt_core::has_rt_priority(asked->attributes.policy)) {
          thread.kind = ThreadClass::fixed_priority;
        } else if (asked->attributes.policy == takt_core::Policy::deadline) {
          thread.kind = ThreadClass::deadline;
        }
        thread.cores = entry.spread && !numbers.empty()
                         ? cores_of(host, {numbers[static_cast<std::size_t>(i) % numbers.size()]})
                         : cores_of(host, numbers);
        model_.threads.push_back(std::move(thread));
      }
    }
  }

  void require_core(const takt_schedule::Threads & entry, Index host, int number)
  {
    const HostModel & model = system_.hosts[host];
    const auto has = [&](const std::vector<int> & cores) {
      return std::find(cores.begin(), cores.end(), number) != cores.end();
    };
    if (!has(model.cores)) {
      fault(
        entry.source,
        "threads " + quoted(entry.name) + " are on core " + std::to_string(number) + ", which " +
          quoted(model.name) + " does not have",
        true);
    } else if (has(model.reserved)) {
      fault(
        entry.source,
        "threads " + quoted(entry.name) + " are on core " + std::to_string(number) +
          ", which is reserved on " + quoted(model.name),
        true);
    }
  }

  void add_task(const CallbackModel & callback)
  {
    Executor & executor = executors_[callback.executor];
    task_index_[callback.id] = model_.tasks.size();
    Task task;
    task.id = callback.id;
    task.host = host_of(callback);
    task.executor = executor.index;
    task.group = group_of(callback);
    task.timer = callback.is_timer();
    task.all = callback.trigger == takt_schedule::Trigger::all;
    if (callback.period) {
      Release release;
      release.period = callback.period->count();
      release.jitter = callback.jitter.count();
      if (callback.offset) {
        release.offset = callback.offset->count();
      }
      task.release = release;
    }
    if (task.host != kNone) {
      const takt_schedule::Overheads & overheads = system_.hosts[task.host].overheads;
      const Ns messages = static_cast<Ns>(callback.publishes.size() + taken(callback));
      task.time = callback.time.worst.count();
      task.dispatch =
        add(overheads.dispatch.count(), multiply(2, overheads.context_switch.count()));
      task.middleware = multiply(messages, overheads.middleware.count());
    }
    if (executor.resolver) {
      place(callback, executor, task);
    }
    model_.tasks.push_back(std::move(task));
  }

  /// Messages that one run takes.
  static std::size_t taken(const CallbackModel & callback)
  {
    if (callback.is_timer()) {
      return 0;
    }
    return callback.trigger == takt_schedule::Trigger::all && !callback.triggers.empty()
             ? callback.triggers.size()
             : 1;
  }

  /// Groups that `groups:` does not list are exclusive ones, as everywhere in ROS 2.
  Index group_of(const CallbackModel & callback)
  {
    if (callback.group.empty()) {
      return kNone;
    }
    const auto [entry, fresh] = group_index_.try_emplace(callback.group, model_.groups.size());
    if (fresh) {
      model_.groups.push_back({callback.group, true});
    }
    return entry->second;
  }

  void place(const CallbackModel & callback, Executor & executor, Task & task)
  {
    const bool timer = callback.is_timer();
    auto resolved = executor.resolver->resolve(
      callback.id, timer ? takt_core::Kind::timer : takt_core::Kind::subscription);
    if (!resolved) {
      for (std::string & what : resolved.faults()) {
        faults_.push_back(std::move(what));
      }
      return;
    }
    const takt_core::Binding & binding = resolved->binding;
    for (int i = 0; i < std::bit_width(binding.threads); ++i) {
      if ((binding.threads >> i & 1U) != 0) {
        task.threads.push_back(executor.first_thread + static_cast<Index>(i));
      }
    }
    task.priority =
      binding.priority.value_or(takt_core::inherited_priority(schedule_chains_, callback.id));
    if (timer && resolved->offset && task.release) {
      task.release->offset = resolved->offset->count();
    }
    for (const Index thread : task.threads) {
      require_allowed(callback, thread);
    }
  }

  void require_allowed(const CallbackModel & callback, Index thread)
  {
    if (callback.cores.empty()) {
      return;
    }
    for (const Index core : model_.threads[thread].cores) {
      const int number = model_.cores[core].number;
      if (std::find(callback.cores.begin(), callback.cores.end(), number) == callback.cores.end()) {
        fault(
          callback.source,
          quoted(callback.id) + " may not use core " + std::to_string(number) +
            ", on which its thread " + quoted(model_.threads[thread].name) + " may be",
          false);
        return;
      }
    }
  }

  void add_links()
  {
    std::unordered_map<std::string, std::vector<Index>> publishers;
    for (Index i = 0; i < system_.callbacks.size(); ++i) {
      for (const std::string & topic : system_.callbacks[i].publishes) {
        publishers[topic].push_back(i);
      }
    }
    for (Index i = 0; i < system_.callbacks.size(); ++i) {
      const CallbackModel & callback = system_.callbacks[i];
      const auto add_from = [&](
                              const std::vector<std::string> & topics, std::vector<Link> & links) {
        for (Index topic = 0; topic < topics.size(); ++topic) {
          for (const Index from : publishers[topics[topic]]) {
            links.push_back({from, delay(from, i), topic});
          }
        }
      };
      add_from(callback.triggers, model_.tasks[i].triggers);
      add_from(callback.reads, model_.tasks[i].reads);
    }
  }

  Ns delay(Index from, Index to) const
  {
    const CallbackModel & a = system_.callbacks[from];
    const CallbackModel & b = system_.callbacks[to];
    if (a.host != b.host) {
      return system_.communication.hosts.count();
    }
    return a.executor != b.executor ? system_.communication.processes.count() : 0;
  }

  void add_chains()
  {
    for (const ChainSchedule & chain : system_.chains) {
      add_chain(chain, false);
    }
    for (const ChainSchedule & chain : schedule_.chains) {
      if (chain_names_.count(chain.options.name) == 0) {
        add_chain(chain, true);
      }
    }
  }

  void add_chain(const ChainSchedule & from, bool of_schedule)
  {
    Chain chain;
    chain.name = from.options.name;
    chain.priority = from.options.priority;
    chain.deadline = from.options.deadline.count();
    for (const std::string & id : from.options.path) {
      const auto found = task_index_.find(id);
      if (found == task_index_.end()) {
        fault(
          from.source, "chain " + quoted(chain.name) + ": the model has no callback " + quoted(id),
          of_schedule);
        return;
      }
      chain.path.push_back(found->second);
    }
    chain_names_[chain.name] = true;
    model_.chains.push_back(std::move(chain));
  }

  const System & system_;
  const Schedule & schedule_;
  std::vector<takt_core::ChainOptions> schedule_chains_;
  std::map<std::pair<Index, int>, Index> core_index_;
  std::unordered_map<std::string, Index> group_index_;
  std::unordered_map<std::string, Index> task_index_;
  std::unordered_map<std::string, bool> chain_names_;
  std::map<std::string, Executor> executors_;
  Model model_;
  Faults faults_;
};

}  // namespace

Result<Model> build_model(const System & system, const Schedule & schedule)
{
  return Builder(system, schedule).build();
}

}  // namespace takt_plan
