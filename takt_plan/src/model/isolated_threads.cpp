#include "model/isolated_threads.hpp"

#include <algorithm>
#include <map>
#include <string>

#include "takt_core/scheduler.hpp"
#include "takt_schedule/resolver.hpp"
#include "takt_schedule/source.hpp"

namespace takt_plan
{
namespace
{

using takt_schedule::CallbackRule;
using takt_schedule::ExecutorSchedule;
using takt_schedule::ListedCallback;
using takt_schedule::Threads;

int count_of(const ExecutorSchedule & executor)
{
  int count = 0;
  for (const Threads & threads : executor.threads) {
    count += threads.count;
  }
  return count;
}

/// "lidar", or "lidar_2" and so on if a thread has that name.
std::string unused_name(const ExecutorSchedule & executor, const std::string & wanted)
{
  const auto used = [&](const std::string & name) {
    return std::any_of(executor.threads.begin(), executor.threads.end(), [&](const auto & threads) {
      return threads.name == name;
    });
  };
  std::string name = wanted;
  for (int i = 2; used(name); ++i) {
    name = wanted + "_" + std::to_string(i);
  }
  return name;
}

void list_threads(
  ExecutorSchedule & executor, takt_schedule::Resolver resolver,
  const std::vector<ListedCallback> & callbacks)
{
  std::map<std::string, std::string> threads_of;  // by group
  std::vector<CallbackRule> rules;
  for (const ListedCallback & callback : callbacks) {
    if (callback.executor != executor.name || callback.group.empty()) {
      continue;
    }
    const auto group = resolver.resolve_group(callback.group);
    const auto resolved =
      resolver.resolve(callback.id, callback.kind, group.ok() && group->isolation.has_value());
    if (!group || !group->isolation || !resolved || resolved->names_threads) {
      continue;  // another check reports its fault
    }
    std::string & name = threads_of[callback.group];
    if (name.empty()) {
      Threads own;
      own.attributes = group->isolation->attributes;
      own.count = callback.reentrant ? static_cast<int>(group->isolation->threads) : 1;
      own.name = name = unused_name(executor, own.attributes.name);
      own.attributes.name.clear();
      executor.threads.push_back(own);
    }
    for (CallbackRule & rule : executor.callbacks) {
      std::erase(rule.match, callback.id);
    }
    CallbackRule rule;
    rule.match = {callback.id};
    rule.priority = resolved->binding.priority;
    rule.deadline = resolved->binding.deadline;
    rule.missed_periods = resolved->missed_periods;
    rule.offset = resolved->offset;
    rule.publishes_last = resolved->binding.publishes_last;
    if (const auto & input = resolved->binding.non_triggering) {  // it runs on its taker's thread
      rule.non_triggering.emplace();
      rule.non_triggering->keep = input->keep;
      if (input->max_age != takt_rt::kForever) {
        rule.non_triggering->max_age = input->max_age;
      }
    } else {
      rule.threads = {name};
    }
    rule.source = executor.source;
    rules.push_back(std::move(rule));
  }
  executor.callbacks.insert(executor.callbacks.end(), rules.begin(), rules.end());
  for (takt_schedule::GroupRule & rule : executor.groups) {
    rule.isolate.reset();
  }
}

}  // namespace

void list_isolated_threads(
  takt_schedule::Schedule & schedule, const std::vector<ListedCallback> & callbacks,
  takt_rt::Faults & faults)
{
  for (ExecutorSchedule & executor : schedule.executors) {
    const auto isolates = std::find_if(
      executor.groups.begin(), executor.groups.end(),
      [](const auto & rule) { return rule.isolate.has_value(); });
    if (isolates == executor.groups.end()) {
      continue;
    }
    auto resolver = takt_schedule::Resolver::create(schedule, executor.name);
    const takt_schedule::Source source = isolates->source;
    list_threads(executor, std::move(resolver.value()), callbacks);
    if (const int count = count_of(executor);
        count > static_cast<int>(takt_core::Scheduler::kMaxThreads)) {
      faults.push_back(takt_schedule::located(
        schedule.file, source,
        "with its isolated groups executor '" + executor.name + "' has " + std::to_string(count) +
          " threads; it runs so, but only 63 can be analysed and simulated"));
    }
  }
}

}  // namespace takt_plan
