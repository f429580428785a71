#include "planners/plan_problem.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "model/build_model.hpp"
#include "model/many_ways.hpp"
#include "model/model_size.hpp"
#include "model/streams.hpp"
#include "planners/talking.hpp"
#include "takt_plan/end_to_end.hpp"
#include "takt_schedule/core_list.hpp"
#include "takt_schedule/quoted.hpp"

namespace takt_plan::detail
{
namespace
{

using takt_rt::Faults;
using takt_rt::Result;
using takt_schedule::CallbackModel;
using takt_schedule::HostModel;
using takt_schedule::located;
using takt_schedule::quoted;
using takt_schedule::System;

// A schedule with one rule for each callback reaches the size limit here.
constexpr std::size_t kMostCallbacks = 20'000;

bool holds(const std::vector<int> & numbers, int number)
{
  return std::find(numbers.begin(), numbers.end(), number) != numbers.end();
}

/// The model with one thread for each executor, on any core. Only its values that do not depend on
/// placement are used.
Result<Model> unplaced(System system)
{
  takt_schedule::Schedule schedule;
  std::unordered_set<std::string_view> known;
  for (CallbackModel & callback : system.callbacks) {
    callback.cores.clear();
    if (known.insert(callback.executor).second) {
      takt_schedule::ExecutorSchedule executor;
      executor.name = callback.executor;
      executor.threads.resize(1);
      executor.threads[0].name = "t";
      executor.default_threads = {"t"};
      schedule.executors.push_back(std::move(executor));
    }
  }
  // Processes start at different times and restart alone, and external messages follow the host's
  // clock. So offsets hold only if all offsets count from one instant.
  const bool outside = std::any_of(
    system.callbacks.begin(), system.callbacks.end(),
    [](const CallbackModel & callback) { return !callback.is_timer() && callback.offset; });
  for (takt_schedule::ExecutorSchedule & executor : schedule.executors) {
    executor.epoch.from =
      schedule.executors.size() > 1 || outside ? takt_core::Epoch::host : takt_core::Epoch::start;
  }
  return build_model(system, schedule);
}

class Preparation
{
public:
  Preparation(const System & system, const PlanOptions & options, Model model)
  : system_(system),
    options_(options)
  {
    result_.model = std::move(model);
  }

  Result<PlanProblem> prepare()
  {
    result_.order = in_trigger_order(result_.model);
    result_.position.resize(result_.order.size());
    result_.next.resize(result_.order.size());
    for (Index i = 0; i < result_.order.size(); ++i) {
      result_.position[result_.order[i]] = i;
      for (const Link & link : result_.model.tasks[i].triggers) {
        result_.next[link.from].push_back(i);
      }
    }
    check_cpus();
    const bool cpus_are_there = faults_.empty();
    std::vector<bool> needed(system_.hosts.size());
    for (const Task & task : result_.model.tasks) {
      needed[task.host] = true;
    }
    for (Index host = 0; host < system_.hosts.size(); ++host) {
      add_host(host, cpus_are_there && needed[host]);
    }
    find_usable();
    find_rates();
    find_chains();
    find_units();
    find_bands();
    find_timers();
    result_.seed = options_.seed;
    result_.keeps_short = options_.walks;
    result_.enough_when_proven = options_.enough_when_proven;
    result_.time_used = options_.time_used;
    result_.progress = options_.progress;
    if (!faults_.empty() || !small_enough()) {
      return std::move(faults_);
    }
    return std::move(result_);
  }

private:
  void add_host(Index index, bool needed)
  {
    const HostModel & host = system_.hosts[index];
    const bool any = std::any_of(host.cores.begin(), host.cores.end(), [&](int number) {
      return usable(host, number, options_);
    });
    if (needed && !any) {
      faults_.push_back(located(
        system_.file, host.source,
        quoted(host.name) +
          " has no core for callbacks: its cores are reserved, or not among those to use"));
    }
  }

  void find_usable()
  {
    usable_.resize(system_.hosts.size());
    for (Index core = 0; core < result_.model.cores.size(); ++core) {
      const Core & one = result_.model.cores[core];
      if (usable(system_.hosts[one.host], one.number, options_)) {
        usable_[one.host].push_back(core);
      }
    }
  }

  // False if the model is so large that the analysis would refuse it wherever the callbacks are
  // placed (model_size.hpp).
  bool small_enough()
  {
    std::vector<std::uint64_t> by_host(system_.hosts.size());
    std::map<std::vector<Index>, std::uint64_t> by_cores;
    for (const Unit & unit : result_.units) {
      by_host[result_.model.tasks[unit.tasks.front()].host] += unit.tasks.size();
      by_cores[unit.cores] += unit.tasks.size();
    }
    // The pairs of tasks that share a core if the tasks are spread evenly. This loop spreads them
    // over all cores of their host, the next one over the cores that they may use.
    std::uint64_t pairs = 0;
    std::uint64_t among_equals = 0;
    for (Index host = 0; host < by_host.size(); ++host) {
      pairs += by_host[host] * by_host[host] / std::max<Index>(usable_[host].size(), 1);
    }
    for (const auto & [cores, tasks] : by_cores) {
      among_equals += tasks * tasks / cores.size();
    }
    pairs = std::max(pairs, among_equals);
    if (pairs <= kMostPairs) {
      return true;
    }
    faults_.push_back(located(
      system_.file, system_.callbacks.front().source,
      std::to_string(result_.model.tasks.size()) +
        " callbacks are too many for so few cores: takt would compare " + std::to_string(pairs) +
        " pairs of callbacks that may share a core, and compares at most " +
        std::to_string(kMostPairs) + "; split the system, or use more cores"));
    return false;
  }

  // "'car' has cores 0-3"
  static std::string cores_of(const HostModel & host)
  {
    return quoted(host.name) + (host.cores.size() == 1 ? " has core " : " has cores ") +
           takt_schedule::print_cores(host.cores);
  }

  // Faults: the options name a host or a core that does not exist.
  void check_cpus()
  {
    for (const int cpu : options_.cpus) {
      const bool any = std::any_of(
        system_.hosts.begin(), system_.hosts.end(),
        [&](const HostModel & host) { return holds(host.cores, cpu); });
      if (!any) {
        std::string known;
        for (const HostModel & host : system_.hosts) {
          known += (known.empty() ? "; " : ", ") + cores_of(host);
        }
        faults_.push_back("no host has core " + std::to_string(cpu) + known);
        return;
      }
    }
    for (const auto & [name, cpu] : options_.host_cpus) {
      const auto host = std::find_if(
        system_.hosts.begin(), system_.hosts.end(),
        [&, &wanted = name](const HostModel & one) { return one.name == wanted; });
      if (host == system_.hosts.end()) {
        std::string known;
        for (const HostModel & one : system_.hosts) {
          known += (known.empty() ? "; hosts are " : ", ") + quoted(one.name);
        }
        faults_.push_back("there is no host " + quoted(name) + known);
        return;
      }
      if (!holds(host->cores, cpu)) {
        faults_.push_back(
          quoted(name) + " has no core " + std::to_string(cpu) + "; " + cores_of(*host));
        return;
      }
    }
  }

  void find_rates()
  {
    const Model & model = result_.model;
    const Streams streams(model, result_.order);
    periods_.assign(model.tasks.size(), kUnbounded);
    bool many = false;
    for (Index task = 0; task < model.tasks.size(); ++task) {
      many = many || streams.too_many(task);
      for (const Index stream : streams.of(task)) {
        periods_[task] = std::min(periods_[task], streams.all()[stream].period);
      }
      result_.loads.push_back(streams.load(model, task));
      result_.rates.push_back(streams.rate(task));
    }
    if (many) {
      faults_.push_back(*many_ways(system_, model));
    }
    result_.room.assign(model.cores.size(), 0);
    for (Index core = 0; core < model.cores.size(); ++core) {
      result_.room[core] = system_.hosts[model.cores[core].host].utilization_cap;
    }
    for (const OtherLoad & other : model.others) {
      if (other.priority == 0) {
        // All planned threads are more urgent than `other`.
        continue;
      }
      for (const Index core : other.cores) {
        result_.room[core] -= static_cast<double>(other.time) / static_cast<double>(other.period);
      }
    }
  }

  void find_chains()
  {
    const auto & chains = result_.model.chains;
    for (Index chain = 0; chain < chains.size(); ++chain) {
      result_.chains.push_back(chain);
    }
    std::stable_sort(result_.chains.begin(), result_.chains.end(), [&](Index a, Index b) {
      return std::pair(-chains[a].priority, chains[a].deadline) <
             std::pair(-chains[b].priority, chains[b].deadline);
    });
    find_readers();
  }

  void find_readers()
  {
    result_.beside_by_reading.resize(result_.model.tasks.size());
    for (const Chain & chain : result_.model.chains) {
      for (Index i = 1; i < chain.path.size(); ++i) {
        const Index from = chain.path[i - 1];
        const Index to = chain.path[i];
        if (only_reads(result_.model.tasks[to], from)) {
          result_.beside_by_reading[from].push_back(to);
          result_.beside_by_reading[to].push_back(from);
        }
      }
    }
  }

  void find_units()
  {
    const Model & model = result_.model;
    result_.unit_of.assign(model.tasks.size(), kNone);
    std::map<Index, Index> of_group;
    for (const Index task : result_.order) {
      const Index group = model.tasks[task].group;
      Index unit = result_.units.size();
      if (group != kNone && model.groups[group].exclusive) {
        unit = of_group.try_emplace(group, unit).first->second;
      }
      if (unit == result_.units.size()) {
        result_.units.emplace_back();
        result_.units.back().executor = model.tasks[task].executor;
      }
      add_to(unit, task);
    }
    find_waits();
    result_.deadlines.assign(model.tasks.size(), kUnbounded);
    for (const Chain & chain : model.chains) {
      for (const Index task : with_awaited(model, chain.path)) {
        // Chains without a deadline precede callbacks without a chain.
        result_.deadlines[task] =
          std::min({result_.deadlines[task], chain.deadline, kUnbounded - 1});
        Unit & unit = result_.units[result_.unit_of[task]];
        unit.deadline = std::min(unit.deadline, chain.deadline);
        unit.importance = std::max(unit.importance, chain.priority);
      }
    }
    for (Unit & unit : result_.units) {
      unit.deadline = unit.deadline == kUnbounded ? unit.period : unit.deadline;
    }
  }

  void find_bands()
  {
    for (const std::string & executor : result_.model.executors) {
      result_.talks.push_back(talkers_.contains(executor));
    }
    // A unit is on one thread, so there are at most as many threads.
    std::vector<int> quiet(system_.hosts.size());
    for (const Unit & unit : result_.units) {
      quiet[result_.model.tasks[unit.tasks.front()].host] += result_.talks[unit.executor] ? 0 : 1;
    }
    for (Index host = 0; host < system_.hosts.size(); ++host) {
      result_.bands.push_back(band_of(system_, system_.hosts[host], talkers_, quiet[host]));
    }
  }

  void find_timers()
  {
    for (Index task = 0; task < result_.model.tasks.size(); ++task) {
      if (result_.model.tasks[task].timer && !system_.callbacks[task].any_phase) {
        result_.timers.push_back(task);
      }
    }
  }

  void find_waits()
  {
    const Model & model = result_.model;
    std::vector<int> depth(model.tasks.size(), 0);
    // In reverse trigger order: a task that waits starts the tasks for which it waits, so these
    // come later in trigger order.
    for (auto task = result_.order.rbegin(); task != result_.order.rend(); ++task) {
      for (const Index other : model.tasks[*task].waits_for) {
        depth[*task] = std::max(depth[*task], depth[other] + 1);
        result_.units[result_.unit_of[other]].awaited = true;
      }
      Unit & unit = result_.units[result_.unit_of[*task]];
      unit.waits = std::max(unit.waits, depth[*task]);
    }
  }

  void add_to(Index index, Index task)
  {
    Unit & unit = result_.units[index];
    const CallbackModel & callback = system_.callbacks[task];
    const bool fresh = unit.tasks.empty();
    std::vector<Index> cores;
    const Model & model = result_.model;
    std::vector<int> only = callback.cores;
    std::sort(only.begin(), only.end());
    for (const Index core : usable_[model.tasks[task].host]) {
      const bool here =
        only.empty() || std::binary_search(only.begin(), only.end(), model.cores[core].number);
      if (here && (fresh || std::binary_search(unit.cores.begin(), unit.cores.end(), core))) {
        cores.push_back(core);
      }
    }
    if (cores.empty() && faults_.empty()) {
      faults_.push_back(located(
        system_.file, callback.source,
        quoted(callback.id) +
          (fresh ? " may run only on cores that are reserved or not among those to use"
                 : " has no core in common with the rest of its exclusive group")));
    }
    unit.cores = std::move(cores);
    unit.tasks.push_back(task);
    unit.period = std::min(unit.period, periods_[task]);
    unit.utilization += result_.utilization(task);
    result_.unit_of[task] = index;
  }

  const System & system_;
  const PlanOptions & options_;
  const std::set<std::string> talkers_ = talking(system_);
  PlanProblem result_;
  std::vector<std::vector<Index>> usable_;  // per host: the usable cores, sorted
  std::vector<Ns> periods_;                 // the shortest period that starts each task
  Faults faults_;
};

}  // namespace

std::vector<Index> with_awaited(const Model & model, std::vector<Index> path)
{
  for (Index i = 0; i < path.size(); ++i) {
    for (const Index other : model.tasks[path[i]].waits_for) {
      if (std::find(path.begin(), path.end(), other) == path.end()) {
        path.push_back(other);
      }
    }
  }
  return path;
}

bool usable(const HostModel & host, int number, const PlanOptions & options)
{
  const auto & named = options.host_cpus;
  return !holds(host.reserved, number) &&
         ((options.cpus.empty() && named.empty()) || holds(options.cpus, number) ||
          std::find(named.begin(), named.end(), std::pair(host.name, number)) != named.end());
}

double PlanProblem::utilization(Index task) const
{
  return loads[task];
}

Result<PlanProblem> plan_problem(const System & system, const PlanOptions & options)
{
  if (system.callbacks.size() > kMostCallbacks) {
    return Faults{located(
      system.file, system.callbacks.front().source,
      std::to_string(system.callbacks.size()) +
        " callbacks are too many for one schedule, which has a rule for each; plan for at most " +
        std::to_string(kMostCallbacks))};
  }
  auto model = unplaced(system);
  if (!model) {
    return model.faults();
  }
  return Preparation(system, options, std::move(*model)).prepare();
}

}  // namespace takt_plan::detail
