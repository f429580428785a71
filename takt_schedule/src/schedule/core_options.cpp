#include "takt_schedule/core_options.hpp"

#include <algorithm>

#include "threads/thread_names.hpp"

namespace takt_schedule
{
namespace
{

// Whether bounds may rest on the offsets of rules.
bool has_phases(const ExecutorSchedule & executor)
{
  return std::any_of(
    executor.callbacks.begin(), executor.callbacks.end(),
    [](const CallbackRule & rule) { return rule.offset.has_value(); });
}

}  // namespace

takt_core::ExecutorOptions core_options(const ExecutorSchedule & executor)
{
  takt_core::ExecutorOptions options;
  options.name = executor.name;
  options.order = executor.order;
  options.window_timers = executor.window_timers;
  options.epoch = executor.epoch.from;
  if (has_phases(executor)) {
    options.phases = takt_core::PhaseOptions{executor.settles};
  }
  options.on_exception = executor.on_exception;
  options.missing_rights = executor.missing_rights;
  options.middleware_ceiling = executor.middleware_ceiling;
  options.lock_memory = executor.lock_memory;
  const std::vector<int> usable = takt_rt::usable_cores();
  const ThreadNames names(executor);
  for (const Threads & threads : executor.threads) {
    for (int i = 0; i < threads.count; ++i) {
      takt_core::ExecutorThreadOptions thread;
      thread.attributes = threads.attributes;
      thread.attributes.name = names.names()[options.threads.size()];
      if (threads.spread) {
        const std::vector<int> & listed = threads.attributes.cores;
        const std::vector<int> & cores = listed.empty() ? usable : listed;
        thread.attributes.cores = {cores[static_cast<std::size_t>(i) % cores.size()]};
      }
      thread.follow = threads.follow;
      options.threads.push_back(std::move(thread));
    }
  }
  for (const GroupRule & rule : executor.groups) {
    if (rule.isolate) {
      options.isolated_attributes.push_back(rule.isolate->attributes);
    }
  }
  return options;
}

}  // namespace takt_schedule
