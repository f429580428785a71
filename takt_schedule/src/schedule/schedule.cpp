#include "takt_schedule/schedule.hpp"

#include <algorithm>
#include <tuple>

namespace takt_schedule
{

bool operator==(const ExecutorSchedule & a, const ExecutorSchedule & b)
{
  const auto fields = [](const ExecutorSchedule & e) {
    return std::tie(
      e.name, e.order, e.window_timers, e.epoch, e.settles, e.on_exception, e.missing_rights,
      e.middleware_ceiling.mode, e.middleware_ceiling.priority, e.lock_memory, e.parallel,
      e.threads, e.default_threads, e.callbacks, e.groups, e.sequences, e.process_threads);
  };
  return fields(a) == fields(b);
}

bool operator==(const ChainSchedule & a, const ChainSchedule & b)
{
  const auto fields = [](const ChainSchedule & c) {
    const takt_core::ChainOptions & o = c.options;
    return std::tie(o.name, o.path, o.priority, o.deadline, o.period, c.watch);
  };
  return fields(a) == fields(b);
}

bool operator==(const Schedule & a, const Schedule & b)
{
  return a.system == b.system && a.strict == b.strict && a.executors == b.executors &&
         a.chains == b.chains && a.topics == b.topics && a.watch == b.watch;
}

const ExecutorSchedule * Schedule::find(std::string_view executor_name) const
{
  const auto found = std::find_if(executors.begin(), executors.end(), [&](const auto & executor) {
    return executor.name == executor_name;
  });
  return found == executors.end() ? nullptr : &*found;
}

std::vector<takt_core::ChainOptions> chain_options(const Schedule & schedule)
{
  std::vector<takt_core::ChainOptions> result;
  for (const ChainSchedule & chain : schedule.chains) {
    result.push_back(chain.options);
  }
  return result;
}

}  // namespace takt_schedule
