#include "hyperperiod_json.hpp"

#include <algorithm>
#include <numeric>
#include <set>
#include <tuple>
#include <vector>

#include "analysis/inputs/inputs.hpp"
#include "simulation/hyperperiod_run.hpp"
#include "takt_plan/hyperperiod.hpp"
#include "takt_plan/simulation_model.hpp"
#include "takt_schedule/quoted.hpp"

namespace takt_plan::program
{
namespace
{

using nlohmann::json;
using takt_rt::Result;

const Thread & thread_of(const Model & model, Index task)
{
  return model.threads[model.tasks[task].threads.front()];
}

std::vector<Index> most_urgent_first(const Model & model)
{
  std::vector<Index> order(model.tasks.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
    const auto key = [&](Index task) {
      const Thread & thread = thread_of(model, task);
      const int order = thread.order == takt_core::Order::priority ? model.tasks[task].priority : 0;
      return std::tuple(
        thread.host, thread.cores, -thread.priority, model.tasks[task].threads, -order);
    };
    return key(a) < key(b);
  });
  return order;
}

std::string_view name_of(SetPart part)
{
  return part == SetPart::keeps ? "keeps" : part == SetPart::works ? "works" : "none";
}

json row_json(const Plan & plan, Index index)
{
  const Model & model = plan.model;
  const Task & task = model.tasks[index];
  const Thread & thread = thread_of(model, index);
  auto threads = json::array();
  for (const Index one : task.threads) {
    threads.push_back(model.threads[one].name);
  }
  std::set<int> cores;
  for (const Index one : task.threads) {
    for (const Index core : model.threads[one].cores) {
      cores.insert(model.cores[core].number);
    }
  }
  auto chains = json::array();
  for (const Chain & chain : model.chains) {
    if (std::find(chain.path.begin(), chain.path.end(), index) != chain.path.end()) {
      chains.push_back(chain.name);
    }
  }
  json row{
    {"id", task.id},
    {"ids", plan.system.callbacks[index].all_ids()},
    {"host", model.hosts[task.host]},
    {"executor", model.executors[task.executor]},
    {"threads", std::move(threads)},
    {"cores", cores},
    {"os_priority", thread.priority},
    {"priority", task.priority},
    {"time_ns", task.work()},
    {"timer", task.timer},
    {"chains", std::move(chains)},
    {"jobs", json::array()},
    {"runs", json::array()}};
  if (task.release) {
    row["period_ns"] = task.release->period;
    row["offset_ns"] = task.release->offset ? json(*task.release->offset) : json();
  }
  return row;
}

}  // namespace

Result<json> hyperperiod_json(const Plan & plan)
{
  const Model & model = plan.model;
  for (const Task & task : model.tasks) {
    if (model.has_logical_time(task)) {
      return takt_rt::Faults{
        "--jobs does not know messages that wait for the end of a period, and the group of " +
        takt_schedule::quoted(task.id) + " has let"};
    }
    if (task.input) {
      return takt_rt::Faults{
        "--jobs does not know runs within other runs, and " + takt_schedule::quoted(task.id) +
        " runs within those of its takers (trigger: false)"};
    }
  }
  for (const Group & group : model.groups) {
    if (group.condition) {
      return takt_rt::Faults{
        "--jobs does not know messages that wait for a condition, and group " +
        takt_schedule::quoted(group.id) + " has one (when)"};
    }
  }
  if (auto analysable = with_inputs_in_takers(model); !analysable) {
    return analysable.faults();
  }
  const auto windows = hyperperiod(model);
  if (!windows) {
    return windows.faults();
  }
  const auto runs = simulate_hyperperiod(simulation_model(plan), *windows);
  if (!runs) {
    return runs.faults();
  }
  std::vector<json> rows;
  for (Index task = 0; task < model.tasks.size(); ++task) {
    rows.push_back(row_json(plan, task));
  }
  for (const PhasedJob & job : windows->jobs) {
    rows[job.task]["jobs"].push_back(
      {{"earliest_release_ns", job.earliest},
       {"latest_release_ns", job.latest},
       {"latest_end_ns", job.end},
       {"may_miss", job.may_miss},
       {"set", name_of(job.set)}});
  }
  for (const PhasedRun & run : *runs) {
    rows[run.task]["runs"].push_back(
      {{"release_ns", run.release}, {"end_ns", run.end}, {"pieces_ns", run.pieces}});
  }
  json all{{"length_ns", windows->length}, {"without", windows->without}, {"rows", json::array()}};
  for (const Index task : most_urgent_first(model)) {
    all["rows"].push_back(std::move(rows[task]));
  }
  return all;
}

}  // namespace takt_plan::program
