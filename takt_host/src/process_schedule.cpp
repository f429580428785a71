#include "takt_host/process_schedule.hpp"

#include <utility>

#include "takt_rt/environment.hpp"
#include "takt_schedule/choose_executor.hpp"
#include "takt_schedule/parse.hpp"

namespace takt_host
{

using takt_rt::variable;

takt_rt::Result<std::optional<ProcessSchedule>> schedule_of_process(
  const std::vector<std::string> & ids, const std::string & name, const std::string & node)
{
  const std::string file = variable("TAKT_SCHEDULE");
  if (file.empty()) {
    return std::optional<ProcessSchedule>();
  }
  takt_schedule::Machine machine;
  machine.executor = variable("TAKT_EXECUTOR");
  auto schedule = takt_schedule::load_schedule(file, machine);
  if (!schedule.ok()) {
    return schedule.faults();
  }
  ProcessSchedule found{std::move(schedule.value()), machine.executor, {}};
  if (found.executor.empty()) {
    auto choice = takt_schedule::choose_executor(found.schedule, ids, name);
    found.executor = std::move(choice.name);
    found.warnings = std::move(choice.warnings);
  }
  if (found.executor.empty() && found.schedule.executors.size() == 1) {
    // The default threads of this executor take all callbacks.
    found.executor = found.schedule.executors.front().name;
  }
  if (found.schedule.find(found.executor) == nullptr) {
    return takt_rt::Faults{
      found.executor.empty()
        ? file + " has no rule for a callback of " + node +
            "; TAKT_EXECUTOR chooses one of its executors"
        : file + " has no executor '" + found.executor + "', which TAKT_EXECUTOR names"};
  }
  return std::optional<ProcessSchedule>(std::move(found));
}

}  // namespace takt_host
