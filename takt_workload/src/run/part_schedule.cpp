#include "run/part_schedule.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "graph/callback_table.hpp"
#include "takt_schedule/check.hpp"
#include "takt_schedule/resolver.hpp"

namespace takt_workload
{

namespace
{

std::size_t named_in_full(
  const takt_schedule::ExecutorSchedule & executor, const std::set<std::string> & ids)
{
  std::size_t named = 0;
  for (const takt_schedule::CallbackRule & rule : executor.callbacks) {
    named += static_cast<std::size_t>(std::count_if(
      rule.match.begin(), rule.match.end(),
      [&](const std::string & text) { return ids.contains(text); }));
  }
  return named;
}

}  // namespace

std::string executor_of_part(
  const takt_schedule::Schedule & schedule, const Graph & graph, const RunOptions & options,
  std::uint32_t part)
{
  if (!options.executor.empty()) {
    return options.executor;
  }
  const auto & executors = schedule.executors;
  const auto * best = &executors.at(std::min<std::size_t>(part, executors.size() - 1));
  if (executors.size() == 1) {
    return best->name;
  }
  const std::vector<int> parts = parts_of(graph, options);
  const CallbackTable table(graph);
  std::set<std::string> ids;
  for (const CallbackEntry & entry : table.callbacks()) {
    if (parts[entry.node] == static_cast<int>(part)) {
      ids.insert(entry.id);
    }
  }
  std::size_t most = named_in_full(*best, ids);
  for (const takt_schedule::ExecutorSchedule & executor : executors) {
    const std::size_t named = named_in_full(executor, ids);
    if (named > most) {
      most = named;
      best = &executor;
    }
  }
  return best->name;
}

bool shares_executor(
  const takt_schedule::Schedule & schedule, const Graph & graph, const RunOptions & options,
  std::uint32_t part)
{
  const std::string own = executor_of_part(schedule, graph, options, part);
  for (std::uint32_t other = 0; other < static_cast<std::uint32_t>(options.split); ++other) {
    if (other != part && executor_of_part(schedule, graph, options, other) == own) {
      return true;
    }
  }
  return false;
}

takt_rt::Faults misfits(
  const takt_schedule::Schedule & schedule, const Graph & graph, const RunOptions & options)
{
  const std::vector<int> parts = parts_of(graph, options);
  const CallbackTable table(graph);
  std::vector<takt_schedule::ListedCallback> callbacks;
  std::set<std::string> executors;
  for (const CallbackEntry & entry : table.callbacks()) {
    takt_schedule::ListedCallback callback;
    callback.id = entry.id;
    callback.kind = entry.timer ? takt_core::Kind::timer : takt_core::Kind::subscription;
    callback.group = entry.group;
    callback.reentrant = graph.nodes[entry.node].grouping == Grouping::reentrant;
    callback.executor =
      executor_of_part(schedule, graph, options, static_cast<std::uint32_t>(parts[entry.node]));
    executors.insert(callback.executor);
    callbacks.push_back(std::move(callback));
  }
  takt_rt::Faults faults;
  for (const std::string & executor : executors) {
    // Check each executor alone, because unknown ids of chains are faults only under `strict: true`
    // here.
    std::vector<takt_schedule::ListedCallback> own;
    std::copy_if(
      callbacks.begin(), callbacks.end(), std::back_inserter(own),
      [&](const takt_schedule::ListedCallback & one) { return one.executor == executor; });
    const takt_rt::Faults found = takt_schedule::check(schedule, own, executor).faults;
    faults.insert(faults.end(), found.begin(), found.end());
  }
  return faults;
}

Graph with_offsets_of(
  const takt_schedule::Schedule & schedule, Graph graph, const RunOptions & options)
{
  const std::vector<int> parts = parts_of(graph, options);
  const CallbackTable table(graph);
  std::map<std::string, takt_rt::Result<takt_schedule::Resolver>> resolvers;
  for (const CallbackEntry & entry : table.callbacks()) {
    if (!entry.timer) {
      continue;
    }
    const std::string executor =
      executor_of_part(schedule, graph, options, static_cast<std::uint32_t>(parts[entry.node]));
    auto found = resolvers.find(executor);
    if (found == resolvers.end()) {
      found =
        resolvers.emplace(executor, takt_schedule::Resolver::create(schedule, executor)).first;
    }
    if (!found->second) {
      continue;
    }
    const auto resolved = found->second->resolve(entry.id, takt_core::Kind::timer);
    if (resolved && resolved->offset) {
      graph.nodes[entry.node].offset = resolved->offset;
    }
  }
  return graph;
}

}  // namespace takt_workload
